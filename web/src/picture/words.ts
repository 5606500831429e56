/** Places, boxes and points in words, for the ear and for the bar that says what will be sent. */
import { hasArea, type Corners, type Place } from "./geometry";

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

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** "left of the middle, upper third (38 % across, 21 % down)" */
export function exactly(at: Place): string {
  return `${whereabouts(at)} (${percent(at.x)} across, ${percent(at.y)} down)`;
}

export function boxInWords(box: Corners): string {
  const middle = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
  return `a box ${whereabouts(middle)}, ${percent(box.right - box.left)} wide and ${percent(box.bottom - box.top)} high`;
}

export function pointsInWords(marks: readonly string[], points: readonly Place[]): string {
  return points.map((at, index) => `${marks[index] ?? `point ${index + 1}`}: ${whereabouts(at)}`).join("; ");
}

interface Asked {
  kind: string;
  marks?: readonly string[];
}

function isBox(value: unknown): value is Corners {
  return typeof value === "object" && value !== null && "left" in value && "bottom" in value;
}

/** Whether an answer on a picture is complete, so that it may be sent. Half-made ones are kept as drafts only. */
export function isWhole(question: Asked, value: unknown): boolean {
  if (question.kind === "box") return isBox(value) && hasArea(value);
  if (question.kind !== "points") return value !== null && value !== undefined;
  return Array.isArray(value) && value.length > 0 && value.length === (question.marks?.length || value.length);
}

/** What an answer on a picture says, in one line; empty for other kinds of question. */
export function inWords(question: Asked, value: unknown): string {
  if (question.kind === "box" && isBox(value)) return boxInWords(value);
  if (question.kind === "points" && Array.isArray(value)) return pointsInWords(question.marks ?? [], value as Place[]);
  return "";
}
