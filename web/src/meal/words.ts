/** What a robot's state means, in words. The limits of sureness are those of the desk. */
import type { PhaseIcon } from "../signs/Sign";
import type { Bite, Phase, RobotView } from "../types";

const SURENESS: readonly [number, string][] = [
  [0.95, "almost sure"],
  [0.8, "fairly sure"],
  [0.6, "not quite sure"],
  [0.4, "not sure"],
];

export function sureness(confidence: number): string {
  return SURENESS.find(([least]) => confidence >= least)?.[1] ?? "only guessing";
}

const PHASES: Record<Phase, [PhaseIcon, string]> = {
  looking: ["eye", "Looking at the plate"],
  deciding: ["thought", "Thinking"],
  asking: ["hand", "Asking"],
  moving: ["moving", "Moving"],
  holding: ["hold", "The robot holds: no contact"],
  resting: ["rest", "Resting"],
  done: ["done", "The meal is over"],
  stopped: ["stop", "Stopped"],
};

/** What the robot is at, and a sign for it. A robot that is not heard holds, whatever it said last. */
export function phaseOf({ alive, state }: RobotView): { icon: PhaseIcon; words: string; calm: boolean } {
  if (!alive) return { icon: "silent", words: "The robot does not answer. It holds.", calm: false };
  const [icon, words] = (state && PHASES[state.phase]) ?? ["thought", "Starting"];
  return { icon, words, calm: state?.phase !== "holding" && state?.phase !== "stopped" };
}

export const OUTCOMES: Record<Bite["outcome"], string> = {
  got: "got it",
  lost: "lost",
  wrong: "wrong food",
  now: "now",
  later: "to come",
};

/** "3 s", "2 min" */
export function age(seconds: number): string {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
