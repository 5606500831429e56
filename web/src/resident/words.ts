/** Values in words for a person, as the desk says them. */

import { isBox } from "../picture/words";
import { sentence } from "../panels/words";
import type { Question, RecordView, Resolution, ResumeHint, Value } from "../types";

/** In the order in which they are offered. */
export const RESUMING: readonly { hint: ResumeHint; words: string; effect: string }[] = [
  { hint: "continue", words: "go on from where it stopped", effect: "It carries on with the rest of the step." },
  { hint: "retry", words: "do the same step again", effect: "It starts this step from its beginning." },
  { hint: "next", words: "go on with the next step", effect: "It takes this step as done." },
  { hint: "previous", words: "go back one step", effect: "It does the step before this one again." },
  { hint: "none", words: "leave it to the robot", effect: "It goes on as it sees fit." },
];

const isResolution = (value: object): value is Resolution => "action" in value;

export function number(value: number): string {
  return String(Number(value.toPrecision(10)));
}

/** What a value says; places on a picture are drawn, so here they are only named. */
export function inWords(record: RecordView, value: Value): string {
  const question: Question = record.question;
  if (typeof value === "boolean") return choice(question, record.choices[value ? 0 : 1] ?? (value ? "yes" : "no"));
  if (typeof value === "number") return `${number(value)} ${question.unit ?? ""}`.trim();
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.length === 1 ? "this point" : `these ${value.length} points`;
  if (isBox(value)) return "this box";
  if (isResolution(value)) {
    const resume = RESUMING.find((each) => each.hint === value.resume);
    return `${value.action}, then ${resume?.words ?? value.resume}`;
  }
  return "";
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
