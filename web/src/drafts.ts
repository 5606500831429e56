/** Half-made answers: on this device at once, on the server soon after, so that a reload or another device has them. */

import { dropDraft, getDraft, putDraft } from "./api";
import { forget, isOld, keep, kept, keysFrom } from "./kept";
import { me, records } from "./store";
import type { ReplyKind, Value } from "./types";

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
const timers = new Map<string, number>();

interface Stored {
  value: Draft;
  at_s: number;
}

const storeNow = (): string => me.value?.store ?? "";
/** By store, person and question: the ids of questions come again in other stores. */
const start = (): string => `draft.${storeNow()}.${me.value?.name ?? ""}.`;
const keyOf = (id: string): string => `${start()}${id}`;

export function draftOf(id: string): Draft {
  return kept<Stored>(keyOf(id))?.value ?? EMPTY;
}

export function saveDraft(id: string, draft: Draft): void {
  const stored: Stored = { value: draft, at_s: Date.now() / 1000 };
  const store = storeNow();
  keep(keyOf(id), stored);
  window.clearTimeout(timers.get(id));
  timers.set(
    id,
    window.setTimeout(() => {
      timers.delete(id);
      putDraft(id, store, stored).catch(() => undefined); // the device has it; the server is told with the next change
    }, PAUSE_MS),
  );
}

/** The server's draft, where it is newer than this device's. */
export async function newerDraft(id: string): Promise<Draft | null> {
  const key = keyOf(id);
  try {
    const there = (await getDraft(id, storeNow())) as Stored | null;
    const here = kept<Stored>(key);
    if (!isDraft(there?.value) || (here && here.at_s >= (there?.at_s ?? 0))) return null;
    keep(key, there);
    return there?.value ?? null;
  } catch {
    return null; // none there, or nobody there to ask
  }
}

/** Tell the server what this device has and it has not: a restart makes it forget what is half-made. */
export async function tellDrafts(): Promise<void> {
  const mine = start();
  const store = storeNow();
  for (const key of keysFrom(mine)) {
    const id = key.slice(mine.length);
    const here = kept<Stored>(key);
    try {
      const there = (await getDraft(id, store)) as Stored | null;
      if (here && here.at_s > (there?.at_s ?? 0)) await putDraft(id, store, here);
    } catch {
      // the question is over, or nobody is there: told with the next connection
    }
  }
}

function isDraft(value: unknown): value is Draft {
  return typeof value === "object" && value !== null && "other" in value && "part" in value;
}

export function dropDraftOf(id: string): void {
  window.clearTimeout(timers.get(id));
  timers.delete(id);
  forget(keyOf(id));
  dropDraft(id, storeNow()).catch(() => undefined); // it goes with the question anyway
}

/** Forget the drafts of questions that are over, and old ones of other stores. Only when the server has just said which
 * are not over. */
export function tidyDrafts(): void {
  const mine = start();
  for (const key of keysFrom("draft.")) {
    const over = key.startsWith(mine) ? !records.value.has(key.slice(mine.length)) : isOld(kept<Stored>(key)?.at_s);
    if (over) forget(key);
  }
}
