/** What the server sends and takes is in `wire.ts`, made from the server's own description; here stand names for parts. */

import type { Question, ReplyFrame, Resolution, ScenePanel, ThingPart } from "./wire";

export type * from "./wire";
export type Kind = Question["kind"];
export type Value = NonNullable<Question["guess"]>;
export type ResumeHint = Resolution["resume"];
/** What a device sends; who it is from the server knows. */
export type Reply = Omit<ReplyFrame, "type">;
export type Mode = NonNullable<ScenePanel["mode"]>;
export type Pose = ScenePanel["hand"];
export type Ring = NonNullable<ThingPart["rings"]>[number];

/** What an input for a value is given; `value` is null while nothing, or not everything, is said. */
export interface InputProps<V> {
  question: Question;
  value: V | null;
  onChange: (value: V | null) => void;
  /** A half-made answer from a draft: a box without area has one corner, points are those set so far. */
  half?: V | null;
  /** Told on every change, whole or not, so that a draft can keep it. */
  onHalf?: (half: V | null) => void;
}
