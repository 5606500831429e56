/** Presses that are no pushes: Stop, and yes and no to a question, by a gamepad or by keys of one's own. */
import { useLayoutEffect } from "preact/hooks";
import { typing } from "../../resident/keys";
import { viewOf } from "../../resident/kinds";
import { settings } from "../../settings";
import { stop } from "../../stop";
import { me, robots, sheet } from "../../store";
import type { Kind } from "../../types";
import { isSteered } from "../registry";
import { downOf } from "./gamepad";
import { actionOf, mapping, mappingOf, type Action } from "./mapping";

const LOOK_MS = 50;
const BUTTONS = '[data-testid="question"] button:not(:disabled), .sendbar button, .footer button';
const BACK: readonly Action[] = ["forward", "left", "up"];
const ON: readonly Action[] = ["back", "right", "down"];

/**
 * Each press once. What is down when one begins to listen counts only after it was let go: a question may come up under
 * the hand. A press soon after the last one is taken for trembling.
 */
function listen(actions: readonly Action[], byKey: readonly Action[], done: (action: Action) => void): () => void {
  let before = downOf(mapping.value.pads);
  const pressedMs = new Map<Action, number>();
  const press = (action: Action): void => {
    const now = performance.now();
    if (now - (pressedMs.get(action) ?? -1e9) < settings.value.debounceMs) return;
    pressedMs.set(action, now);
    done(action);
  };
  const timer = window.setInterval(() => {
    const down = downOf(mapping.value.pads);
    for (const action of actions) if (down.has(action) && !before.has(action)) press(action);
    before = down;
  }, LOOK_MS);
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || typing(event.target)) return;
    const action = actionOf(event.key);
    if (!action || !byKey.includes(action)) return;
    event.preventDefault();
    press(action);
  };
  window.addEventListener("keydown", onKey);
  return () => {
    window.clearInterval(timer);
    window.removeEventListener("keydown", onKey);
  };
}

/** Where a hand is driven its gamepad stops the robot, whatever is shown; not while its buttons are given away. */
export function useStopByPad(): void {
  const name = me.value?.name ?? "";
  useLayoutEffect(() => {
    if (name) mappingOf(name);
  }, [name]);
  const driven = [...robots.value.values()].some(({ state }) => state && isSteered(state));
  const on = driven && sheet.value !== "controls";
  useLayoutEffect(() => (on ? listen(["stop"], ["stop"], stop) : undefined), [on]);
}

/** Answer by yes and no; a second press of the same sends it. The directions go from button to button, yes presses it. */
export function answerByPad(): () => void {
  let steered = false;
  return listen([...BACK, ...ON, "yes", "no"], ["yes", "no"], (action) => {
    const all = [...document.querySelectorAll<HTMLButtonElement>(BUTTONS)];
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const chosen = steered && at >= 0 ? all[at] : undefined;
    steered = action !== "yes" && action !== "no";
    if (steered) {
      const step = ON.includes(action) ? 1 : at < 0 ? 0 : -1;
      all[(at + step + all.length) % all.length]?.focus();
    } else if (action === "yes" && chosen) chosen.click();
    else if (said(action === "yes")) return;
    else if (action === "no") button('[data-testid="undo"]')?.click();
    else {
      steered = true; // there is more to choose from than yes and no
      all[0]?.focus();
    }
  });
}

const button = (selector: string): HTMLButtonElement | null => document.querySelector<HTMLButtonElement>(selector);

/** Say yes or no, where that is an answer: choose it first, then send it. */
function said(yes: boolean): boolean {
  const question = document.querySelector<HTMLElement>('[data-testid="question"]');
  const plain = viewOf(question?.dataset.kind as Kind).isYesOrNo;
  if (!plain && !button('[data-testid="guess-yes"]')) return false;
  const option = button(`[data-testid="question"] [data-key="${yes ? 1 : 2}"]`);
  const chosen = option?.getAttribute("aria-pressed") === "true";
  (chosen ? button('[data-testid="send"]') : option)?.click();
  return option !== null;
}
