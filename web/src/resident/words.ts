/** Words that several kinds of answers share. */

import { sentence } from "../panels/words";
import type { Question, RecordView, ResumeHint } from "../types";

/** In the order in which they are offered. */
export const RESUMING: readonly { hint: ResumeHint; words: string; effect: string }[] = [
  { hint: "continue", words: "go on from where it stopped", effect: "I carry on with the rest of the step." },
  { hint: "retry", words: "do the same step again", effect: "I start this step from its beginning." },
  { hint: "next", words: "go on with the next step", effect: "I take this step as done." },
  { hint: "previous", words: "go back one step", effect: "I do the step before this one again." },
  { hint: "none", words: "leave it to the robot", effect: "I go on as I see fit." },
];

export function number(value: number): string {
  return String(Number(value.toPrecision(10)));
}

/** The two words that a kind has by itself, as a person says them. */
export function choice(question: Question, word: string): string {
  if (question.kind === "permission") return word === "yes" ? "yes, you may" : "no, you may not";
  if (question.kind === "physical") return word === "done" ? "it is done" : "I cannot do it";
  return word;
}

/** Everything on the screen in one breath, for reading aloud. */
export function aloud(record: RecordView, guessed: string): string {
  const { question } = record;
  const options = record.choices.length
    ? `You can say: ${record.choices.map((w) => choice(question, w)).join(", ")}.`
    : "";
  return [sentence(question.prompt), guessed, options].filter(Boolean).join(" ");
}
