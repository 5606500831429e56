/** A box or points on the question's picture. */

import { BoxInput, isBox, PointsInput } from "../picture";
import type { Point } from "../types";
import type { AnswerProps } from "./answering";

const isPoints = (value: unknown): value is Point[] => Array.isArray(value);

export function OnPicture({ record, draft, choose }: AnswerProps) {
  const { question } = record;
  const half = { current: draft.part };
  if (question.kind === "box")
    return (
      <BoxInput
        question={question}
        value={isBox(draft.value) ? draft.value : null}
        onChange={(value) => choose(value, half.current)}
        half={isBox(draft.part) ? draft.part : null}
        onHalf={(part) => {
          half.current = part;
        }}
      />
    );
  return (
    <PointsInput
      question={question}
      value={isPoints(draft.value) ? draft.value : null}
      onChange={(value) => choose(value, half.current)}
      half={isPoints(draft.part) ? draft.part : null}
      onHalf={(part) => {
        half.current = part;
      }}
    />
  );
}
