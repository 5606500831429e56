/** Words that every view of a robot needs. */
import type { RobotState } from "../types";

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

export function times(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What it is about to do and why, in one sentence. */
export function intention(state: RobotState | null): string {
  const doing = state?.doing?.trim().replace(/[.]$/, "") ?? "";
  const why = state?.why?.trim().replace(/[.]$/, "") ?? "";
  if (!doing) return why ? `${upper(why)}.` : "";
  return `${upper(doing)}${why ? ` — ${why}` : ""}.`;
}
