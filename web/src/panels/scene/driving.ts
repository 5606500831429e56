/** Send pushes from keys, gamepad and screen to the robot: at most ten a second, and none while it must not move. */
import { signal } from "@preact/signals";
import { sendLive, toldS } from "../../live";
import { typing } from "../../resident/keys";
import { settings } from "../../settings";
import type { Mode } from "../../types";
import { downOf, strengthsOf } from "./gamepad";
import { actionOf, DIRECTIONS, keyName, layersOf, mapping, type Action, type Direction, type Layer } from "./mapping";

const TICK_MS = 100;
/** Time between messages while nothing is pushed: they tell the robot that somebody is there. */
const IDLE_MS = 200;
/** Shortest time between the last push and a release, which is otherwise sent at once. */
const LEAST_MS = 50;
/** Time for which a press to close is repeated: of several frames only the latest may arrive. */
const CLOSE_MS = 300;

/** Axis and sign of each direction in each mode. */
const AXES: Record<Mode, Record<Direction, [0 | 1 | 2, 1 | -1]>> = {
  translate: { forward: [0, 1], back: [0, -1], left: [1, 1], right: [1, -1], up: [2, 1], down: [2, -1] },
  rotate: { forward: [1, 1], back: [1, -1], left: [2, 1], right: [2, -1], up: [0, 1], down: [0, -1] },
};

export type Strengths = Partial<Record<Direction, number>>;

const place = signal(0);
/** Directions that are pushed now, for the marks on the screen. */
export const pushed = signal<Strengths>({});
export const layer = (): Layer => {
  const all = layersOf(mapping.value);
  return all[place.value % all.length] ?? all[0]!;
};

const OPPOSITE: Record<Direction, Direction> = {
  forward: "back",
  back: "forward",
  left: "right",
  right: "left",
  up: "down",
  down: "up",
};
const isDirection = (action: Action): action is Direction => action in OPPOSITE;

const held = new Map<string, { direction: Direction; sinceMs: number }>();
const nudges = new Map<Direction, number>();
let padBefore = new Set<Action>();
let closeUntil = 0;
let pressedMs: Partial<Record<Action, number>> = {};
let sentMs = 0;
let sentIdle = true;

/** Return the push that the robot is told: three numbers from −1 to 1. */
export function pushOf({ mode, means }: Layer, strengths: Strengths): [number, number, number] {
  const push: [number, number, number] = [0, 0, 0];
  for (const direction of DIRECTIONS) {
    const meant = means[direction];
    if (!meant) continue;
    const [axis, sign] = AXES[mode][meant];
    push[axis] += sign * (strengths[direction] ?? 0);
  }
  return push.map((each) => Math.max(-1, Math.min(1, Math.round(each * 1000) / 1000))) as [number, number, number];
}

/** Change the mode or close the hand, once for each press. A press soon after the last one counts as trembling. */
export function press(action: "mode" | "close"): void {
  const now = performance.now();
  if (now - (pressedMs[action] ?? -1e9) < settings.value.debounceMs) return;
  pressedMs = { ...pressedMs, [action]: now };
  if (action === "close") closeUntil = now + CLOSE_MS;
  else {
    nudges.clear();
    place.value = (place.value + 1) % layersOf(mapping.value).length;
  }
}

/** Hold a direction on the screen, or let it go. */
export function hold(direction: Direction, down: boolean, tap = true): void {
  if (down) begin(`screen ${direction}`, direction);
  else end(`screen ${direction}`, tap);
}

/** Begin a push. What is left of a tap in the opposite direction ends. */
function begin(name: string, direction: Direction): void {
  nudges.delete(OPPOSITE[direction]);
  held.set(name, { direction, sinceMs: performance.now() });
}

/** End a push. If it was shorter than a tap, it still moves as long as one: a short, weak press counts as well. */
function end(name: string, tap: boolean): boolean {
  const was = held.get(name);
  if (was && tap) nudges.set(was.direction, was.sinceMs + mapping.value.nudgeMs);
  return held.delete(name);
}

/** A tap, or a switch: move for a moment. */
export function nudge(direction: Direction): void {
  nudges.set(direction, performance.now() + mapping.value.nudgeMs);
}

/** Let go of everything. */
export function release(): void {
  held.clear();
  nudges.clear();
  padBefore = new Set();
  closeUntil = 0;
  pushed.value = {};
}

/** Drive a robot until the returned function is called. */
export function drive(robot: string): () => void {
  const send = (released: boolean): void => {
    const now = performance.now();
    if (released && now - sentMs < LEAST_MS) return;
    const strengths = collect(now);
    pushed.value = strengths;
    const { mode } = layer();
    const push = pushOf(layer(), strengths);
    const idle = push.every((each) => each === 0) && now >= closeUntil;
    if (idle && sentIdle && now - sentMs < IDLE_MS) return;
    sentMs = now;
    sentIdle = idle;
    sendLive({ type: "stick", robot, mode, push, close: now < closeUntil, heard_s: toldS });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey || typing(event.target)) return;
    const action = actionOf(event.key);
    if (!action || (!isDirection(action) && action !== "mode" && action !== "close")) return;
    event.preventDefault(); // otherwise arrows scroll the page
    if (event.repeat) return;
    if (isDirection(action)) begin(keyName(event.key), action);
    else press(action);
  };
  const onKeyUp = (event: KeyboardEvent): void => {
    if (end(keyName(event.key), true)) send(true);
  };
  const onLeave = (): void => {
    release();
    send(true);
  };
  release();
  padBefore = downOf(mapping.value.pads); // a button that has just answered a question does not close the hand
  const timer = window.setInterval(() => {
    if (!document.hidden) send(false);
  }, TICK_MS);
  window.addEventListener("keydown", onKey);
  window.addEventListener("keyup", onKeyUp);
  window.addEventListener("blur", onLeave);
  document.addEventListener("visibilitychange", onLeave);
  return () => {
    window.clearInterval(timer);
    window.removeEventListener("keydown", onKey);
    window.removeEventListener("keyup", onKeyUp);
    window.removeEventListener("blur", onLeave);
    document.removeEventListener("visibilitychange", onLeave);
    release();
  };
}

/** How far each direction is pushed by everything that the person uses. */
function collect(now: number): Strengths {
  const { speed } = mapping.value;
  const found: Strengths = {};
  const add = (direction: Direction, strength: number): void => {
    found[direction] = Math.max(found[direction] ?? 0, strength * speed);
  };
  for (const { direction } of held.values()) add(direction, 1);
  for (const [direction, until] of nudges) {
    if (now < until) add(direction, 1);
    else nudges.delete(direction);
  }
  for (const [action, strength] of strengthsOf(mapping.value.pads)) if (isDirection(action)) add(action, strength);
  const down = downOf(mapping.value.pads);
  for (const action of ["mode", "close"] as const) if (down.has(action) && !padBefore.has(action)) press(action);
  padBefore = down;
  return found;
}
