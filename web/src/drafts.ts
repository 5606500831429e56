/** Half-made answers: on this device at once, on the server soon after, so that a reload or another device has them. */

import { dropDraft, getDraft, getQuestion, putDraft, Refused } from "./api";
import { forget, isOld, keep, kept, keysFrom } from "./kept";
import { leave, meaning, takeLeft } from "./left";
import { me, records } from "./store";
import type { RecordView, ReplyKind, Value } from "./types";

/** What a person has done so far on a question. */
export interface Draft {
  /** Whether the robot's guess was set aside. */
  other: boolean;
  /** What is chosen: an answer or one of the replies that are always there. */
  kind: ReplyKind | null;
  value: Value | null;
  /** What was typed or pointed at so far, also where it is no answer yet. */
  part: unknown;
}

export const EMPTY: Draft = { other: false, kind: null, value: null, part: null };
const PAUSE_MS = 400;
const MOST_TRIES = 5;
const timers = new Map<string, number>();

interface Stored {
  value: Draft;
  at_s: number;
  /** What the question means: a stop takes it back, and then it is asked again under another id. */
  about?: string;
}

/** Whose it is. */
interface Owner {
  store: string;
  by: string;
}

const ownerNow = (): Owner => ({ store: me.value?.store ?? "", by: me.value?.name ?? "" });
/** By store, person and question: the ids of questions come again in other stores. */
const startOf = ({ store, by }: Owner): string => `${store}.${by}.`;
const start = (): string => `draft.${startOf(ownerNow())}`;
const keyOf = (id: string): string => `${start()}${id}`;

export function draftOf(id: string): Draft {
  const value = kept<Stored>(keyOf(id))?.value;
  return isDraft(value) ? value : EMPTY;
}

export function saveDraft(record: RecordView, draft: Draft): void {
  const { id } = record;
  const told = { value: draft, at_s: Date.now() / 1000 };
  const { store } = ownerNow();
  keep(keyOf(id), { ...told, about: meaning(record) } satisfies Stored);
  window.clearTimeout(timers.get(id));
  timers.set(
    id,
    window.setTimeout(() => {
      timers.delete(id);
      putDraft(id, store, told).catch(() => undefined); // the device has it; the server is told with the next change
    }, PAUSE_MS),
  );
}

/** What was begun before a stop on the same question, where nothing is begun on this one. */
export function draftFromBefore(record: RecordView): Draft | null {
  const left = takeLeft(startOf(ownerNow()), record);
  if (left === null || draftOf(record.id) !== EMPTY) return null;
  saveDraft(record, left);
  return left;
}

/** The server's draft, where it is newer than this device's. */
export async function newerDraft(record: RecordView): Promise<Draft | null> {
  const key = keyOf(record.id);
  try {
    const there = (await getDraft(record.id, ownerNow().store)) as Stored | null;
    const here = kept<Stored>(key);
    if (!isDraft(there?.value) || (here && here.at_s >= (there?.at_s ?? 0))) return null;
    keep(key, { ...there, about: meaning(record) });
    return there?.value ?? null;
  } catch {
    return null; // none there, or nobody there to ask
  }
}

/** Tell the server what this device has and it has not: a restart makes it forget what is half-made. */
export async function tellDrafts(): Promise<void> {
  const mine = start();
  const { store } = ownerNow();
  for (const key of keysFrom(mine)) {
    const id = key.slice(mine.length);
    const here = kept<Stored>(key);
    try {
      const there = (await getDraft(id, store)) as Stored | null;
      if (here && here.at_s > (there?.at_s ?? 0)) await putDraft(id, store, { value: here.value, at_s: here.at_s });
    } catch {
      // the question is over, or nobody is there: told with the next connection
    }
  }
}

function isDraft(value: unknown): value is Draft {
  return typeof value === "object" && value !== null && "other" in value && "part" in value;
}

/** The reply was taken. Whoever gave it may have left meanwhile. */
export function dropDraftOf(id: string, whose: Owner): void {
  window.clearTimeout(timers.get(id));
  timers.delete(id);
  forget(`draft.${startOf(whose)}${id}`);
  dropDraft(id, whose.store).catch(() => undefined); // it goes with the question anyway
}

/** A question is over: what was begun on it goes, or waits for the same question where a stop took it back. */
export function endDraft({ id, status, cause }: Pick<RecordView, "id" | "status" | "cause">, whose = ownerNow()): void {
  const key = `draft.${startOf(whose)}${id}`;
  const begun = kept<Stored>(key);
  if (begun && status === "withdrawn" && cause === "stop") leave(startOf(whose), begun.about ?? "", begun.value);
  forget(key);
}

/** Ask how a question ended, a few times where the server cannot be reached; then again with the next connection. */
async function endFromAfar(id: string, whose: Owner): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    try {
      return endDraft(await getQuestion(id, whose.store), whose);
    } catch (error) {
      if (error instanceof Refused && !error.passing) return forget(`draft.${startOf(whose)}${id}`);
      await new Promise((resolve) => window.setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** End the drafts of questions that ended while this page was away, and drop old ones of other stores. Only when the server
 * has just said which questions are not over. */
export async function tidyDrafts(): Promise<void> {
  const whose = ownerNow();
  const mine = start();
  for (const key of keysFrom("draft.")) {
    const id = key.slice(mine.length);
    if (!key.startsWith(mine)) {
      if (isOld(kept<Stored>(key)?.at_s)) forget(key);
    } else if (!records.value.has(id)) {
      await endFromAfar(id, whose);
    }
  }
}
