/** A box on the question's picture by two opposite corners. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { pictureUrl } from "../api";
import type { Box, InputProps } from "../types";
import { boxOf, hasArea, tooClose, type Place } from "./geometry";
import { PictureInput } from "./PictureInput";

const NAMES = ["one corner", "the opposite corner"];

export function BoxInput({ question, value, onChange, half, onHalf }: InputProps<Box>) {
  const [corners, setCorners] = useState<Place[]>(() => cornersOf(value ?? half ?? null));
  const given = value ?? half ?? null;
  const told = useRef<Box | null>(given);
  // at once: an effect that waits for the screen would take back a key that came before it
  useLayoutEffect(() => {
    if (same(given, told.current)) return;
    told.current = given;
    setCorners(cornersOf(given));
  }, [given]);

  const guess = question.guess as Box | null | undefined;
  return (
    <PictureInput
      url={question.image ? pictureUrl(question.image) : null}
      names={NAMES}
      points={corners}
      guess={guess ? cornersOf(guess) : null}
      shape="box"
      refuse={([first, second]) =>
        first && second && tooClose(first, second)
          ? "Not taken: that is too close to the other corner. Choose a place further away, up or down and to the side."
          : null
      }
      onPoints={(next) => {
        const box = asBox(next);
        setCorners(next);
        told.current = box;
        onHalf?.(box);
        onChange(box && hasArea(box) ? box : null);
      }}
    />
  );
}

function cornersOf(box: Box | null): Place[] {
  if (!box) return [];
  const first = { x: box.left, y: box.top };
  return hasArea(box) ? [first, { x: box.right, y: box.bottom }] : [first];
}

function asBox([first, second]: Place[]): Box | null {
  return first ? boxOf(first, second ?? first) : null;
}

function same(one: Box | null, other: Box | null): boolean {
  if (!one || !other) return one === other;
  return one.left === other.left && one.top === other.top && one.right === other.right && one.bottom === other.bottom;
}
