/** Signs that go with words, never instead of them. */
import type { Bite } from "../types";
import "./signs.css";

/** What a robot is at. */
export type PhaseIcon = "eye" | "thought" | "hand" | "moving" | "hold" | "rest" | "done" | "stop" | "silent";

export type SignName = PhaseIcon | Bite["outcome"] | "person" | "robot" | "doubt" | "old" | "again";

const PATHS: Record<SignName, string> = {
  eye: "M2 12s4-6.5 10-6.5S22 12 22 12s-4 6.5-10 6.5S2 12 2 12ZM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z",
  thought: "M5 12h.01M12 12h.01M19 12h.01",
  hand: "M7 12V6.5a1.5 1.5 0 0 1 3 0V11V4.5a1.5 1.5 0 0 1 3 0V11V6a1.5 1.5 0 0 1 3 0v6V9a1.5 1.5 0 0 1 3 0v6a6 6 0 0 1-6 6h-1a6 6 0 0 1-5-2.7L4 14.5a1.6 1.6 0 0 1 2.6-1.9L7 13",
  moving: "M4 12h14M13 6l6 6-6 6",
  hold: "M8 5v14M16 5v14",
  rest: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5Z",
  done: "M4 12.5l5 5L20 6.5",
  stop: "M8 3h8l5 5v8l-5 5H8l-5-5V8Z",
  silent:
    "M2 8.5a15 15 0 0 1 8-3.4M22 8.5a15 15 0 0 0-5-2.7M5.5 12.5a10 10 0 0 1 4-2.2M18.5 12.5a10 10 0 0 0-1.5-1M9 16a5 5 0 0 1 3-1M12 19.5h.01M3 3l18 18",
  got: "M4 12.5l5 5L20 6.5",
  lost: "M6 6l12 12M18 6L6 18",
  wrong: "M5 9h14M5 15h14M17 4L7 20",
  now: "M12 4v10M7 10l5 5 5-5M5 20h14",
  later: "M12 7v5l3.5 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM4.5 20.5a7.5 7.5 0 0 1 15 0",
  robot: "M6 9h12v10H6ZM12 9V5M12 5h.01M10 13.5h.01M14 13.5h.01M3 13v3M21 13v3",
  doubt: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 18h.01",
  again: "M4 12a8 8 0 0 1 13.7-5.6L20 9M20 4v5h-5M20 12a8 8 0 0 1-13.7 5.6L4 15M4 20v-5h5",
  old: "M12 7v5l3.5 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z",
};

export function Sign({ of }: { of: SignName }) {
  return (
    <svg class={`sign sign-${of}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[of]} />
    </svg>
  );
}
