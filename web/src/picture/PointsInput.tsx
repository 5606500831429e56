/** The named points of a question on its picture, one after the other. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { pictureUrl } from "../api";
import type { InputProps, Point } from "../types";
import { PictureInput } from "./PictureInput";

/** Two points at one place give a fork no direction. */
const LEAST_APART = 0.01;

export function PointsInput({ question, value, onChange, half, onHalf }: InputProps<Point[]>) {
  const [points, setPoints] = useState<Point[]>(() => [...(value ?? half ?? [])]);
  const given = value ?? half ?? [];
  const told = useRef<Point[]>(given);
  // at once: an effect that waits for the screen would take back a key that came before it
  useLayoutEffect(() => {
    if (JSON.stringify(given) === JSON.stringify(told.current)) return;
    told.current = given;
    setPoints([...given]);
  }, [given]);

  const names = question.marks?.length ? question.marks : ["the point"];
  const guess = Array.isArray(question.guess) && question.guess.length === names.length ? question.guess : null;
  return (
    <PictureInput
      url={question.image ? pictureUrl(question.image) : null}
      names={names}
      points={points}
      guess={guess}
      shape={names.length === 2 ? (question.joined ?? "line") : "none"}
      refuse={(next) => {
        const [first, second] = next;
        const near = names.length === 2 && first && second && Math.hypot(first.x - second.x, first.y - second.y);
        return near !== undefined && near !== false && near < LEAST_APART
          ? "Not taken: that is the same place as the other."
          : null;
      }}
      onPoints={(next) => {
        setPoints(next);
        told.current = next;
        onHalf?.(next.length ? next : null);
        onChange(next.length === names.length ? next : null);
      }}
    />
  );
}
