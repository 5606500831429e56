/** Gamepads: what is pushed on any of them, and what was moved first when somebody sets up theirs. */
import type { Action, Pad } from "./mapping";

/** Nothing counts below this; from there on it grows evenly. */
const DEAD = 0.15;
/** So far an axis must be moved to be meant. */
const MEANT = 0.6;

function all(): Gamepad[] {
  return [...(navigator.getGamepads?.() ?? [])].filter((each): each is Gamepad => each?.connected === true);
}

function strengthOf(gamepad: Gamepad, pad: Pad): number {
  if ("button" in pad) return gamepad.buttons[pad.button]?.value ?? 0;
  const raw = (gamepad.axes[pad.axis] ?? 0) * pad.sign;
  return raw <= DEAD ? 0 : Math.min(1, (raw - DEAD) / (1 - DEAD));
}

/** How far each action is pushed, where it is at all. */
export function strengthsOf(pads: Record<Action, Pad | null>): Map<Action, number> {
  const found = new Map<Action, number>();
  for (const gamepad of all())
    for (const [action, pad] of Object.entries(pads) as [Action, Pad | null][]) {
      const strength = pad ? strengthOf(gamepad, pad) : 0;
      if (strength > 0) found.set(action, Math.max(found.get(action) ?? 0, strength));
    }
  return found;
}

/** What is pressed, for what is pressed once and not pushed. */
export function downOf(pads: Record<Action, Pad | null>): Set<Action> {
  return new Set([...strengthsOf(pads)].filter(([, strength]) => strength > 0.5).map(([action]) => action));
}

export const connected = (): number => all().length;

/** Everything as it rests: triggers and worn sticks do not rest at zero. */
export function rest(): string[] {
  return moved([]).map(({ name }) => name);
}

/** What is moved now and was not at rest; null while nothing is. */
export function first(atRest: readonly string[]): Pad | null {
  return moved(atRest)[0]?.pad ?? null;
}

function moved(atRest: readonly string[]): { name: string; pad: Pad }[] {
  const found: { name: string; pad: Pad }[] = [];
  for (const gamepad of all()) {
    gamepad.buttons.forEach((each, button) => {
      if (each.pressed) found.push({ name: `${gamepad.index} b${button}`, pad: { button } });
    });
    gamepad.axes.forEach((value, axis) => {
      const sign = value > 0 ? 1 : -1;
      if (Math.abs(value) > MEANT) found.push({ name: `${gamepad.index} a${axis} ${sign}`, pad: { axis, sign } });
    });
  }
  return found.filter(({ name }) => !atRest.includes(name));
}
