/** Words for what robots say: one way for all of them. */
import type { IconName } from "../Icon";
import type { Phase, RobotState, RobotView } from "../types";

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

export function times(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const sentence = (text: string): string => {
  const tidy = upper(text.trim());
  return !tidy || /[.!?…]$/.test(tidy) ? tidy : `${tidy}.`;
};

export function named(name: string): string {
  return name.replaceAll("_", " ");
}

/** "3 s", "2 min" */
export function age(seconds: number): string {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** "03:21", of the run's own time; of real time the hour and minute. */
export function clock(seconds: number): string {
  if (seconds > 1e8) return new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${two(seconds / 60)}:${two(seconds % 60)}`;
}

/** The limits are those of the desk. */
const SURENESS: readonly [number, string][] = [
  [0.95, "almost sure"],
  [0.8, "fairly sure"],
  [0.6, "not quite sure"],
  [0.4, "not sure"],
];

export function sureness(confidence: number): string {
  return SURENESS.find(([least]) => confidence >= least)?.[1] ?? "only guessing";
}

/** What it is about to do and why, in one sentence. */
export function intention({ doing, why }: RobotState): string {
  const [act, reason] = [doing, why].map((text) => text?.trim().replace(/[.]$/, "") ?? "") as [string, string];
  if (!act) return reason ? `${upper(reason)}.` : "";
  return `${upper(act)}${reason ? ` — ${reason}` : ""}.`;
}

const PHASES: Record<Phase, [IconName, string]> = {
  looking: ["eye", "Looking"],
  deciding: ["thought", "Thinking"],
  asking: ["hand", "Asking"],
  moving: ["moving", "Moving"],
  holding: ["hold", "Standing still"],
  resting: ["rest", "Waiting"],
  done: ["done", "Finished"],
  stopped: ["stop", "Stopped"],
};

/** Whether what a robot said last still holds: it is heard, or its program has ended with its work. */
export const holds = ({ alive, state }: RobotView): boolean => alive || state?.phase === "done";

/** What a robot is at, and a sign for it. One that is not heard stands still, whatever it said last; but a finished one
 * has finished. */
export function phaseOf(robot: RobotView): { icon: IconName; words: string; calm: boolean } {
  const { state } = robot;
  if (!holds(robot)) return { icon: "link", words: "The robot does not answer. It stands still.", calm: false };
  if (state?.phase === "moving" && isRecovering(state)) return { icon: "again", words: "Recovering", calm: true };
  const [icon, words] = (state && PHASES[state.phase]) ?? ["thought", "Starting"];
  return { icon, words, calm: state?.phase !== "holding" && state?.phase !== "stopped" };
}

function isRecovering({ panels = [] }: RobotState): boolean {
  return panels.some(
    (panel) =>
      panel.panel === "steps" && panel.steps.some(({ kind, status }) => kind === "recovery" && status === "now"),
  );
}
