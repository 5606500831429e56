/** Gamepads: actions pushed on any of them, and the first stick or button moved while somebody sets one up. */
import type { Action, Pad } from "./mapping";

/** Share of an axis below which it counts as at rest; beyond it, the strength grows evenly. */
const DEAD = 0.15;
/** Share of an axis from which on a movement counts as intended during setup. */
const MEANT = 0.6;

function all(): Gamepad[] {
  return [...(navigator.getGamepads?.() ?? [])].filter((each): each is Gamepad => each?.connected === true);
}

function strengthOf(gamepad: Gamepad, pad: Pad): number {
  if ("button" in pad) return gamepad.buttons[pad.button]?.value ?? 0;
  const raw = (gamepad.axes[pad.axis] ?? 0) * pad.sign;
  return raw <= DEAD ? 0 : Math.min(1, (raw - DEAD) / (1 - DEAD));
}

/** Return the strength of each action that is pushed. */
export function strengthsOf(pads: Record<Action, Pad | null>): Map<Action, number> {
  const found = new Map<Action, number>();
  for (const gamepad of all())
    for (const [action, pad] of Object.entries(pads) as [Action, Pad | null][]) {
      const strength = pad ? strengthOf(gamepad, pad) : 0;
      if (strength > 0) found.set(action, Math.max(found.get(action) ?? 0, strength));
    }
  return found;
}

/** Return the actions that are pressed, for those that a press triggers once. */
export function downOf(pads: Record<Action, Pad | null>): Set<Action> {
  return new Set([...strengthsOf(pads)].filter(([, strength]) => strength > 0.5).map(([action]) => action));
}

export const connected = (): number => all().length;

/** Return the names of axes and buttons that are off zero at rest, such as triggers and worn sticks. */
export function rest(): string[] {
  return moved([]).map(({ name }) => name);
}

/** Return the first axis or button that is moved now and was not off zero at rest; null while there is none. */
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
