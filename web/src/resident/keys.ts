/** Keys for the whole page: F9 stops, also while typing; S stops and digits choose where single keys are on. Escape
 * closes a panel or takes a choice back, and never sends, stops or starts anything. */

import { settings } from "../settings";
import { stop } from "../stop";
import { panel } from "../store";

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;

export function listenForKeys(): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "F9") {
      event.preventDefault();
      return stop();
    }
    if (event.repeat && (event.key === "Enter" || event.key === " ") && !typing(event.target)) {
      event.preventDefault(); // a key that is held down must not choose and then send
      return;
    }
    if (event.key === "Escape") return back();
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (!settings.value.keys || typing(event.target) || event.repeat) return;
    if (event.key === "s" || event.key === "S") return stop();
    if (/^[1-9]$/.test(event.key)) press(event);
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

function back(): void {
  if (panel.value !== "none") panel.value = "none";
  else document.querySelector<HTMLButtonElement>('[data-testid="undo"]')?.click();
}

function press(event: KeyboardEvent): void {
  const button = document.querySelector<HTMLButtonElement>(`main [data-key="${event.key}"]:not(:disabled)`);
  if (!button) return;
  event.preventDefault();
  button.focus();
  button.click();
}
