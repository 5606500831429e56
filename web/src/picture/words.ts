/** Places on a picture in words, and what is a box on one. */
import { percent } from "../panels/words";
import type { Corners, Place } from "./geometry";

const ACROSS: readonly [number, string][] = [
  [0.15, "far left"],
  [0.45, "left of the middle"],
  [0.55, "in the middle"],
  [0.85, "right of the middle"],
  [1.01, "far right"],
];
const DOWN: readonly [number, string][] = [
  [1 / 3, "upper third"],
  [2 / 3, "middle third"],
  [1.01, "lower third"],
];

function zone(zones: readonly [number, string][], share: number): string {
  return (zones.find(([until]) => share < until) ?? zones[zones.length - 1]!)[1];
}

/** "left of the middle, upper third" */
export function whereabouts(at: Place): string {
  return `${zone(ACROSS, at.x)}, ${zone(DOWN, at.y)}`;
}

/** "left of the middle, upper third (38 % across, 21 % down)" */
export function exactly(at: Place): string {
  return `${whereabouts(at)} (${percent(at.x)} across, ${percent(at.y)} down)`;
}

export function isBox(value: unknown): value is Corners {
  return typeof value === "object" && value !== null && "left" in value && "bottom" in value;
}
