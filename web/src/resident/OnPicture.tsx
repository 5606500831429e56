/** A box or points on the question's picture. */

import { BoxInput, isBox, PointsInput } from "../picture";
import type { InputProps, Point } from "../types";
import type { AnswerProps } from "./answering";

const isPoints = (value: unknown): value is Point[] => Array.isArray(value);

export const BoxOnPicture = (props: AnswerProps) => <BoxInput {...drawn(props, isBox)} />;
export const PointsOnPicture = (props: AnswerProps) => <PointsInput {...drawn(props, isPoints)} />;

function drawn<V extends AnswerProps["draft"]["value"]>(
  { record, draft, choose }: AnswerProps,
  is: (value: unknown) => value is V,
): InputProps<V> {
  let half = draft.part;
  return {
    question: record.question,
    value: is(draft.value) ? draft.value : null,
    onChange: (value) => choose(value, half),
    half: is(draft.part) ? draft.part : null,
    onHalf: (part) => {
      half = part;
    },
  };
}
