/** What every way to answer is given. */

import type { Draft } from "../drafts";
import type { RecordView, Value } from "../types";

export interface AnswerProps {
  record: RecordView;
  draft: Draft;
  /** Choose a value; null takes the choice back. `part` is what the control itself needs to look the same again. */
  choose: (value: Value | null, part: unknown, byKey?: boolean) => void;
}

/** The guess among the options, where it is one of them. */
export function guessedIndex({ question, choices }: RecordView): number {
  const { guess } = question;
  if (typeof guess === "boolean") return guess ? 0 : 1;
  if (typeof guess === "string") return choices.indexOf(guess);
  if (guess && typeof guess === "object" && "action" in guess) return choices.indexOf(guess.action);
  return -1;
}
