/** A few drawn signs. They stand beside words, never for them. */

const DONE = "M5 12.5l4.5 4.5L19.5 7";

const PATHS = {
  stop: "M8.2 2h7.6L22 8.2v7.6L15.8 22H8.2L2 15.8V8.2z",
  help: "M9.1 9a3 3 0 1 1 4.3 2.7c-.9.5-1.4 1.1-1.4 2.3M12 17.5v.01",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5",
  later: "M12 7v5.2l3.2 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c.8-3.8 3.8-5.5 7.5-5.5s6.7 1.7 7.5 5.5",
  robot: "M12 7V3.5M6 7h12a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V9a2 2 0 0 1 2-2zM9 12v1.5M15 12v1.5",
  send: DONE,
  undo: "M9 6L4.5 10.5 9 15M5 10.5h9a5 5 0 0 1 0 10h-3",
  speak: "M4 9.5v5h3.5l5 4v-13l-5 4zM16 9a4.5 4.5 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11",
  back: "M14.5 5.5L8 12l6.5 6.5",
  link: "M4 4l16 16M8.5 15.5a5 5 0 0 1 5.6-1M5.5 12a9.5 9.5 0 0 1 3.5-2.2M18.5 12a9.5 9.5 0 0 0-5-2.6M12 19v.01",
  notice: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 8v5M12 16.3v.01",
  minus: "M5 12h14",
  plus: "M12 5v14M5 12h14",
  eye: "M2 12s4-6.5 10-6.5S22 12 22 12s-4 6.5-10 6.5S2 12 2 12ZM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z",
  thought: "M5 12h.01M12 12h.01M19 12h.01",
  hand: "M7 12V6.5a1.5 1.5 0 0 1 3 0V11V4.5a1.5 1.5 0 0 1 3 0V11V6a1.5 1.5 0 0 1 3 0v6V9a1.5 1.5 0 0 1 3 0v6a6 6 0 0 1-6 6h-1a6 6 0 0 1-5-2.7L4 14.5a1.6 1.6 0 0 1 2.6-1.9L7 13",
  moving: "M4 12h14M13 6l6 6-6 6",
  hold: "M8 5v14M16 5v14",
  rest: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5Z",
  done: DONE,
  lost: "M6 6l12 12M18 6L6 18",
  wrong: "M5 9h14M5 15h14M17 4L7 20",
  now: "M12 4v10M7 10l5 5 5-5M5 20h14",
  doubt: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 18h.01",
  again: "M4 12a8 8 0 0 1 13.7-5.6L20 9M20 4v5h-5M20 12a8 8 0 0 1-13.7 5.6L4 15M4 20v-5h5",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, filled = false }: { name: IconName; filled?: boolean }) {
  return (
    <svg class={filled ? "icon filled" : "icon"} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
