/** The half-made answer to the question on the screen: kept at every change, sent only when the person says so. */

import { useEffect, useRef, useState } from "preact/hooks";
import { draftFromBefore, draftOf, EMPTY, newerDraft, saveDraft, type Draft } from "../drafts";
import { arrivals } from "../left";
import { send as post, takeBack as unpost, unsentFor, type Unsent } from "../outbox";
import { stopping } from "../stop";
import { me, notice, say, stopped } from "../store";
import type { RecordView, Value } from "../types";
import { othersOf, type Always } from "./Footer";
import { inWords, isWhole } from "./kinds";

export interface Answering {
  draft: Draft;
  /** Changes when the draft was replaced from outside, so that controls begin anew. */
  version: number;
  unsent: Unsent | undefined;
  /** Whether the last choice came by a key. */
  byKey: boolean;
  /** Whether it was chosen just now, not restored. */
  armed: boolean;
  said: string;
  effect: string;
  choose: (value: Value | null, part: unknown, byKey?: boolean) => void;
  reply: (kind: Always, byKey: boolean) => void;
  setOther: (other: boolean) => void;
  undo: () => void;
  send: () => void;
  takeBack: () => void;
}

interface Held {
  /** Of store and question: the ids of questions come again in other stores. */
  key: string;
  draft: Draft;
  version: number;
  byKey: boolean;
  armed: boolean;
}

const begin = (key: string, id: string): Held => ({ key, draft: draftOf(id), version: 0, byKey: false, armed: false });

export function useAnswering(record: RecordView | null): Answering | null {
  const id = record?.id ?? "";
  const key = `${me.value?.store ?? ""}/${id}`;
  const [held, setHeld] = useState<Held>(() => begin(key, id));
  const touched = useRef("");
  const now = held.key === key ? held : begin(key, id);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for a question, however often it is told anew
  useEffect(() => {
    if (record === null) return;
    setHeld((was) => (was.key === key ? was : begin(key, id)));
    void newerDraft(record).then((draft) => {
      if (draft && touched.current !== key)
        setHeld((was) => (was.key === key ? { ...was, draft, version: was.version + 1 } : was));
    });
  }, [key]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: likewise, and when something was left
  useEffect(() => {
    if (record === null || touched.current === key || !draftFromBefore(record)) return;
    say("What you had begun before the stop is here again. It is not sent.");
    setHeld((was) => ({ ...begin(key, id), version: was.version + 1 }));
  }, [key, arrivals.value]);
  const halted = stopping.value !== null || stopped.value !== null;
  useEffect(() => {
    if (halted) setHeld((was) => ({ ...was, armed: false })); // what was chosen before a stop does not go out by itself
  }, [halted]);
  if (record === null) return null;

  const set = (draft: Draft, more: Partial<Held> = {}) => {
    if (notice.value?.tone === "good") notice.value = null; // thanks for what was said before
    touched.current = key;
    saveDraft(record, draft);
    setHeld({ ...now, draft, byKey: false, armed: true, ...more });
  };
  const { draft } = now;
  const always = othersOf(record).find((each) => each.kind === draft.kind);
  const answer = draft.kind === "answer" && isWhole(record.question, draft.value) ? draft.value : null;
  const said = always ? always.words.toLowerCase() : answer !== null ? inWords(record, answer) : "";
  return {
    ...now,
    unsent: unsentFor(id),
    said,
    effect: always?.effect ?? "",
    choose: (value, part, byKey = false) =>
      set({ ...draft, kind: value === null ? null : "answer", value, part }, { byKey }),
    reply: (kind, byKey) => {
      unpost(id);
      set({ ...draft, kind, value: null }, { byKey });
    },
    setOther: (other) => set({ ...EMPTY, other }),
    undo: () => set({ ...EMPTY, other: draft.other }),
    takeBack: () => {
      unpost(id);
      setHeld({ ...now, armed: false });
    },
    send: () => {
      if (!said || draft.kind === null) return;
      post(id, draft.kind, said, answer ?? undefined);
    },
  };
}
