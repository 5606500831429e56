/** What a task's state means, in words and signs. */
import type { SignName } from "../signs/Sign";
import type { NewsState, Phase, RobotView, StepState, TaskState } from "../types";

export const STATUSES: Record<StepState["status"], { icon: SignName; words: string }> = {
  done: { icon: "got", words: "done" },
  now: { icon: "now", words: "now" },
  next: { icon: "later", words: "to come" },
  failed: { icon: "lost", words: "failed" },
  asking: { icon: "hand", words: "asking about this" },
};

export const KINDS = { recovery: "Recovery:" } as const;

export const NEWS: Record<NewsState["kind"], SignName> = {
  failed: "lost",
  recovering: "again",
  recovered: "moving",
  asked: "hand",
  answered: "person",
  said: "robot",
};

const PHASES: Partial<Record<Phase, [SignName, string]>> = {
  asking: ["hand", "Asking"],
  moving: ["moving", "Working"],
  holding: ["hold", "The robot holds: no contact"],
  done: ["done", "It is over"],
  stopped: ["stop", "Stopped"],
};

/** What the robot is at. One that is not heard holds, whatever it said last. */
export function phaseOf(
  { alive, state }: RobotView,
  task: TaskState,
): { icon: SignName; words: string; calm: boolean } {
  if (!alive) return { icon: "silent", words: "The robot does not answer. It holds.", calm: false };
  if (state?.phase === "moving" && task.steps?.some((each) => each.kind === "recovery" && each.status === "now")) {
    return { icon: "again", words: "Recovering", calm: true };
  }
  const [icon, words] = (state && PHASES[state.phase]) ?? ["thought", "Starting"];
  return { icon, words, calm: state?.phase !== "holding" && state?.phase !== "stopped" };
}

export function named(name: string): string {
  return name.replaceAll("_", " ");
}

/** "03:21", of the run's own time; of real time the hour and minute. */
export function clock(seconds: number): string {
  if (seconds > 1e8) return new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${two(seconds / 60)}:${two(seconds % 60)}`;
}
