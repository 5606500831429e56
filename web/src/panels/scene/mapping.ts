/** Which key, button or axis does what: for each person, kept on this device. Down to two keys and a mode key. */
import { signal } from "@preact/signals";
import { keep, kept } from "../../kept";
import { known } from "../../settings";
import type { Mode } from "../../types";

export const DIRECTIONS = ["forward", "back", "left", "right", "up", "down"] as const;
export type Direction = (typeof DIRECTIONS)[number];
export const ACTIONS = [...DIRECTIONS, "mode", "close", "yes", "no", "stop"] as const;
export type Action = (typeof ACTIONS)[number];

/** An axis of a gamepad with its sign, or one of its buttons. */
export type Pad = { axis: number; sign: 1 | -1 } | { button: number };

export interface Mapping {
  /** How many axes the person can use at once; with fewer the mode key goes through more modes. */
  axes: 1 | 2 | 3;
  /** Share of the full speed. */
  speed: number;
  /** So long a tap or a switch moves the hand. */
  nudgeMs: number;
  keys: Record<Action, string>;
  pads: Record<Action, Pad | null>;
}

export const SPEEDS = [0.25, 0.5, 1];
export const NUDGES = [100, 250, 500, 1000, 2000];
/** Keys that always mean something else: Stop, help, "not now", answers by their number, and moving about the page. */
export const TAKEN = [..."snh123456789", "F1", "F2", "F9", "Escape", "Tab", "Enter", " "];

const pads = (right: boolean): Record<Action, Pad | null> => ({
  forward: { axis: right ? 3 : 1, sign: -1 },
  back: { axis: right ? 3 : 1, sign: 1 },
  left: { axis: right ? 2 : 0, sign: -1 },
  right: { axis: right ? 2 : 0, sign: 1 },
  up: { button: right ? 5 : 4 },
  down: { button: right ? 7 : 6 },
  mode: { button: right ? 0 : 12 },
  close: { button: right ? 1 : 13 },
  yes: { button: right ? 3 : 15 },
  no: { button: right ? 2 : 14 },
  stop: { button: right ? 9 : 8 },
});

/** Keyboards have these already: digits answer, S and F9 stop. */
const NO_KEYS = { yes: "", no: "", stop: "" };

const { forward, back, left, right } = pads(false);
const LEFT_STICK = { forward, back, left, right };
const BOTH: Mapping = {
  axes: 3,
  speed: 1,
  nudgeMs: 500,
  keys: {
    forward: "ArrowUp",
    back: "ArrowDown",
    left: "ArrowLeft",
    right: "ArrowRight",
    up: "w",
    down: "x",
    mode: "m",
    close: "c",
    ...NO_KEYS,
  },
  pads: { ...pads(true), ...LEFT_STICK, up: { axis: 3, sign: -1 }, down: { axis: 3, sign: 1 } },
};

/** To begin with; everything can be changed afterwards. */
export const PRESETS: Record<string, { words: string; mapping: Mapping }> = {
  both: { words: "Both hands", mapping: BOTH },
  left: {
    words: "Left hand",
    mapping: {
      ...BOTH,
      keys: { forward: "w", back: "x", left: "a", right: "d", up: "q", down: "z", mode: "e", close: "c", ...NO_KEYS },
      pads: pads(false),
    },
  },
  right: {
    words: "Right hand",
    mapping: {
      ...BOTH,
      keys: { ...BOTH.keys, up: "PageUp", down: "PageDown", mode: "Home", close: "End" },
      pads: pads(true),
    },
  },
  few: {
    words: "Few keys",
    mapping: {
      ...BOTH,
      axes: 1,
      keys: { ...BOTH.keys, mode: "ArrowRight", left: "", right: "", up: "", down: "", close: "ArrowLeft" },
    },
  },
};

export const mapping = signal<Mapping>(BOTH);
let whose = "";

/** Take what this person has set on this device. */
export function mappingOf(person: string): void {
  if (person === whose) return;
  whose = person;
  mapping.value = sound(kept<Partial<Mapping>>(`drive.${person}`));
}

export function setMapping(part: Partial<Mapping>): void {
  mapping.value = sound({ ...mapping.value, ...part });
  if (whose) keep(`drive.${whose}`, mapping.value);
}

/** Give an action another key; whatever had it before has none then. Says why not, or nothing. */
export function setKey(action: Action, key: string): string {
  const name = keyName(key);
  if (TAKEN.includes(name))
    return `“${shownKey(name)}” is taken: it is for stopping, help, answers or moving about the page.`;
  const keys = { ...mapping.value.keys };
  for (const each of ACTIONS) if (keys[each] === name) keys[each] = "";
  setMapping({ keys: { ...keys, [action]: name } });
  return "";
}

export function setPad(action: Action, pad: Pad): void {
  const all = { ...mapping.value.pads };
  for (const each of ACTIONS) if (same(all[each], pad)) all[each] = null;
  setMapping({ pads: { ...all, [action]: pad } });
}

const same = (one: Pad | null, other: Pad | null): boolean => JSON.stringify(one) === JSON.stringify(other);

/** What a key does for this person. */
export function actionOf(key: string): Action | undefined {
  const name = keyName(key);
  return ACTIONS.find((each) => name !== "" && mapping.value.keys[each] === name);
}

/** A letter is the same key with and without Shift. */
export const keyName = (key: string): string => (key.length === 1 ? key.toLowerCase() : key);

const SHOWN: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  " ": "Space",
  PageUp: "Page up",
  PageDown: "Page down",
};
export const shownKey = (key: string): string => SHOWN[key] ?? (key.length === 1 ? key.toUpperCase() : key);
export const shownPad = (pad: Pad): string =>
  "button" in pad ? `button ${pad.button + 1}` : `stick axis ${pad.axis + 1} ${pad.sign > 0 ? "+" : "−"}`;

function sound(given: Partial<Mapping> | null): Mapping {
  const keys = { ...BOTH.keys };
  const all = { ...BOTH.pads };
  for (const action of ACTIONS) {
    const key: unknown = given?.keys?.[action];
    if (typeof key === "string" && !TAKEN.includes(key)) keys[action] = key;
    const pad: unknown = given?.pads?.[action];
    if (pad === null || isPad(pad)) all[action] = pad;
    else if (Object.values(given?.pads ?? {}).some((each) => same(each, all[action]))) all[action] = null; // is taken
  }
  return {
    axes: known(given?.axes ?? BOTH.axes, [1, 2, 3], BOTH.axes),
    speed: known(given?.speed ?? BOTH.speed, SPEEDS, BOTH.speed),
    nudgeMs: known(given?.nudgeMs ?? BOTH.nudgeMs, NUDGES, BOTH.nudgeMs),
    keys,
    pads: all,
  };
}

function isPad(value: unknown): value is Pad {
  if (typeof value !== "object" || value === null) return false;
  const pad = value as Record<string, unknown>;
  return Number.isInteger(pad.button) || (Number.isInteger(pad.axis) && (pad.sign === 1 || pad.sign === -1));
}

/** What the stick does now: what each direction that can be pushed means. */
export interface Layer {
  mode: Mode;
  words: string;
  means: Partial<Record<Direction, Direction>>;
}

const LEVEL = { forward: "forward", back: "back", left: "left", right: "right" } as const;
const ALL = { ...LEVEL, up: "up", down: "down" } as const;
const HEIGHT = { forward: "up", back: "down" } as const;
const AHEAD = { forward: "forward", back: "back" } as const;
const ACROSS = { forward: "left", back: "right" } as const;
const LAYERS: Record<Mapping["axes"], Layer[]> = {
  3: [
    { mode: "translate", words: "Move", means: ALL },
    { mode: "rotate", words: "Turn", means: ALL },
  ],
  2: [
    { mode: "translate", words: "Move", means: LEVEL },
    { mode: "translate", words: "Move up and down", means: HEIGHT },
    { mode: "rotate", words: "Turn", means: LEVEL },
    { mode: "rotate", words: "Roll", means: HEIGHT },
  ],
  1: [
    { mode: "translate", words: "Move away and back", means: AHEAD },
    { mode: "translate", words: "Move left and right", means: ACROSS },
    { mode: "translate", words: "Move up and down", means: HEIGHT },
    { mode: "rotate", words: "Tip", means: AHEAD },
    { mode: "rotate", words: "Turn", means: ACROSS },
    { mode: "rotate", words: "Roll", means: HEIGHT },
  ],
};

export const layersOf = ({ axes }: Mapping): Layer[] => LAYERS[axes];
