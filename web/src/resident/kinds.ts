/** How each kind of question is answered: one table. A new kind needs a line here, a new shape of answers a component. */

import { isBox } from "../picture";
import { hasArea } from "../picture/geometry";
import type { Box, Kind, Point, Question, RecordView, Resolution, Value } from "../types";
import { Action, resolutionInWords } from "./Action";
import { Amount } from "./Amount";
import type { AnswerProps } from "./answering";
import { Choice } from "./Choice";
import { BoxOnPicture, PointsOnPicture } from "./OnPicture";
import { Newer } from "./Newer";
import { TwoWays } from "./TwoWays";
import { Words } from "./Words";
import { choice, number } from "./words";

export interface KindView<V = Value> {
  Input: (props: AnswerProps) => preact.JSX.Element;
  /** A value as a person says it. What is drawn on a picture is only named. */
  inWords(value: V, record: RecordView): string;
  /** Whether a value may be sent; any may where this is missing. Half-made ones are kept as drafts only. */
  isWhole?(value: V, question: Question): boolean;
  /** Answers are places on the picture of the question; this asks whether a guess that is drawn there is right. */
  isRight?(guess: V): string;
  /** A yes is the first of its two options, a no the other. */
  isYesOrNo?: true;
  /** It needs a person's word or hand, so that it is never left to the robot. */
  forPeople?: true;
  /** Nobody is talked into an answer: no guess is shown, nothing is sent by itself, and after a stop all begins anew. */
  explicit?: true;
}

const plain = (value: string): string => value;
const truth: KindView<boolean> = {
  Input: TwoWays,
  isYesOrNo: true,
  inWords: (value, { question, choices }) => choice(question, choices[value ? 0 : 1] ?? (value ? "yes" : "no")),
};
const amount: KindView<number> = {
  Input: Amount,
  inWords: (value, { question }) => `${number(value)} ${question.unit ?? ""}`.trim(),
};
const box: KindView<Box> = {
  Input: BoxOnPicture,
  inWords: () => "this box",
  isWhole: (value) => isBox(value) && hasArea(value),
  isRight: () => "Is this box right?",
};
const points: KindView<Point[]> = {
  Input: PointsOnPicture,
  inWords: ({ length }) => (length === 1 ? "this point" : `these ${length} points`),
  isWhole: ({ length }, { marks }) => length > 0 && length === (marks?.length || length),
  isRight: ({ length }) => (length === 1 ? "Is this point right?" : "Are these points right?"),
};
const resolution: KindView<Resolution> = { Input: Action, inWords: resolutionInWords };

const KINDS: Readonly<Record<Kind, KindView>> = {
  choice: { Input: Choice, inWords: plain },
  text: { Input: Words, inWords: plain },
  "yes-no": truth,
  number: amount,
  box,
  points,
  diagnosis: { Input: Words, inWords: plain },
  action: resolution,
  permission: { ...truth, forPeople: true, explicit: true },
  physical: { ...truth, forPeople: true },
};

const NEWER: KindView = { Input: Newer, inWords: () => "" };

/** The view of a kind, also of one that only newer pages know. */
export const viewOf = (kind: Kind): KindView => (Object.hasOwn(KINDS, kind) ? KINDS[kind] : NEWER);

export const inWords = (record: RecordView, value: Value): string =>
  viewOf(record.question.kind).inWords(value, record);

/** Whether what was done so far is a value that may be sent; null while there is none. */
export const isWhole = (question: Question, value: Value | null): value is Value =>
  value !== null && (viewOf(question.kind).isWhole?.(value, question) ?? true);
