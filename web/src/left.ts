/** What was half-made when a stop took its question back. The robot asks anew, under another id: the same words find it
 * again. It is put in its place there and never sent by itself. */

import { signal } from "@preact/signals";
import { viewOf } from "./resident/kinds";
import { forget, keep, kept, keysFrom } from "./kept";
import type { Draft } from "./drafts";
import type { RecordView } from "./types";

/** After so long it is dropped: what it was about is likely to look different by now. */
const LEFT_S = 3600;

/** How often something was left: it may be found out only after the question was asked again. */
export const arrivals = signal(0);

interface Left {
  value: Draft;
  at_s: number;
}

const isOver = (left: Left | null): boolean => !(Date.now() / 1000 - (left?.at_s ?? 0) < LEFT_S);

/** What makes a question the same when it is asked again: a place belongs to one picture. Empty for what is only said
 * in so many words, such as a permission, which is given anew after a stop. */
export function meaning({ step, question }: RecordView): string {
  if (viewOf(question.kind).explicit) return "";
  const { kind, prompt, options, low, high, unit, marks, image } = question;
  const picture = viewOf(kind).isRight ? image : null;
  return JSON.stringify([step, kind, prompt, options, low, high, unit, marks, picture]);
}

/** A stop has taken a question back. Of what was begun the answer stays, not the wish to put the question off. */
export function leave(whose: string, about: string, draft: Draft): void {
  const mine = draft.kind === "answer" ? draft : { ...draft, kind: null, value: null };
  if (!about || (mine.value === null && !mine.part)) return;
  keep(`left.${whose}${about}`, { value: mine, at_s: Date.now() / 1000 });
  arrivals.value += 1;
}

/** What was left of the same question, once. Where the robot guesses something else by now, the guess is set aside. */
export function takeLeft(whose: string, record: RecordView): Draft | null {
  for (const old of keysFrom("left.").filter((each) => isOver(kept<Left>(each)))) forget(old);
  const about = meaning(record);
  const key = `left.${whose}${about}`;
  const found = about ? kept<Left>(key) : null;
  if (found === null) return null;
  forget(key);
  const { guess } = record.question;
  const same = guess !== undefined && JSON.stringify(guess) === JSON.stringify(found.value.value);
  return { ...found.value, other: found.value.other || !same };
}
