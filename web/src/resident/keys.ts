/** Keys for the whole page: F9 stops, F2 is "not now", F1 is help, F8 is busy or back, also while typing; S, N, H and B do
 * the same and digits choose where single keys are on. Escape closes a sheet or takes a choice back, and never sends, stops or starts
 * anything. */

import { settings } from "../settings";
import { stop } from "../stop";
import { sheet } from "../store";

/** What can be reached from everywhere by one key. */
type Reach = "stop" | "not-now" | "help" | "busy";
const ALWAYS: Record<string, Reach> = { F9: "stop", F2: "not-now", F1: "help", F8: "busy" };
const SINGLE: typeof ALWAYS = { s: "stop", n: "not-now", h: "help", b: "busy" };

/** Whether somebody writes there: then a letter is a letter. */
export const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;

export function listenForKeys(): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const always = ALWAYS[event.key];
    if (always) {
      event.preventDefault();
      if (always === "stop" || !event.repeat) reach(always);
      return;
    }
    if (event.repeat && (event.key === "Enter" || event.key === " ") && !typing(event.target)) {
      event.preventDefault(); // a key that is held down must not choose and then send
      return;
    }
    if (event.key === "Escape") return back();
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (!settings.value.keys || typing(event.target) || event.repeat) return;
    const single = SINGLE[event.key.toLowerCase()];
    if (single) {
      event.preventDefault(); // the letter must not land in a field that opens now
      return reach(single);
    }
    if (/^[1-9]$/.test(event.key)) press(event);
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

function reach(which: Reach): void {
  if (which === "stop") stop();
  else document.querySelector<HTMLButtonElement>(`[data-testid="${which}"]:not(:disabled)`)?.click();
}

function back(): void {
  if (sheet.value !== "none") sheet.value = "none";
  else document.querySelector<HTMLButtonElement>('[data-testid="undo"]')?.click();
}

function press(event: KeyboardEvent): void {
  const button = document.querySelector<HTMLButtonElement>(`main [data-key="${event.key}"]:not(:disabled)`);
  if (!button) return;
  event.preventDefault();
  button.focus();
  button.click();
}
