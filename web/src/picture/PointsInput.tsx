/** The named points of a question on its picture, one after the other. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { pictureUrl } from "../api";
import type { InputProps, Point, Question } from "../types";
import type { Shape } from "./Drawing";
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
      shape={shapeOf(question)}
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

/** What is drawn between two points: the way of a scoop, the ring of a twirl, or the line of a fork. */
function shapeOf({ marks = [], prompt }: Question): Shape {
  if (marks.length !== 2) return "none";
  const words = `${marks.join(" ")} ${prompt}`.toLowerCase();
  if (words.includes("twirl")) return "around";
  return words.includes("scoop") || words.includes("start") ? "arrow" : "line";
}
