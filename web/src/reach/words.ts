/** What driving is called. */
import type { Phase, RobotView } from "../types";
import type { PhaseIcon } from "../signs/Sign";
import type { Mode } from "../types";
import type { Action, Direction } from "./mapping";

export const DIRECTION_WORDS: Record<Mode, Record<Direction, string>> = {
  translate: { forward: "Away", back: "Back", left: "Left", right: "Right", up: "Up", down: "Down" },
  rotate: {
    forward: "Tip down",
    back: "Tip up",
    left: "Turn left",
    right: "Turn right",
    up: "Roll right",
    down: "Roll left",
  },
};

export const ACTION_WORDS: Record<Action, string> = {
  forward: "Away, or tip down",
  back: "Back, or tip up",
  left: "Left",
  right: "Right",
  up: "Up, or roll right",
  down: "Down, or roll left",
  mode: "Change between moving and turning",
  close: "Close the hand",
  yes: "Yes, to a question",
  no: "No, to a question",
  stop: "Stop",
};

const PHASES: Partial<Record<Phase, [PhaseIcon, string]>> = {
  moving: ["moving", "Moving"],
  resting: ["rest", "Ready"],
  holding: ["hold", "Standing still"],
  asking: ["hand", "Asking"],
  done: ["done", "Done"],
  stopped: ["stop", "Stopped"],
};

/** What the robot is at, and a sign for it. One that is not heard stands still, whatever it said last. */
export function phaseOf({ alive, state }: RobotView): { icon: PhaseIcon; words: string; calm: boolean } {
  if (!alive) return { icon: "silent", words: "The robot does not answer. It stands still.", calm: false };
  const [icon, words] = (state && PHASES[state.phase]) ?? ["thought", "Starting"];
  return { icon, words, calm: state?.phase !== "holding" && state?.phase !== "stopped" };
}
