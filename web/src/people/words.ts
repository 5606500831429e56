/** Words for what is known about a person, and the choices that there are. */

import type { Ability, PersonSetup, QuietPart } from "../types";

export const ABILITIES: readonly { value: Ability; words: string }[] = [
  { value: "see", words: "Sees me at work" },
  { value: "hands", words: "Can lend a hand" },
  { value: "goal", words: "Knows what is wanted" },
  { value: "diagnose", words: "Finds out what went wrong" },
];
/** Ways to tell somebody besides this page. They reach only people for whom the server has them set up. */
export const WAYS: readonly { value: string; words: string }[] = [
  { value: "ntfy", words: "Message (ntfy)" },
  { value: "mqtt", words: "House (MQTT)" },
  { value: "email", words: "E-mail" },
];
/** What a list of channels that is not empty has besides these ways. */
const ALWAYS = ["page", "terminal"];

/** Whether a way is used: no channels at all stand for every one. */
export const isTold = ({ channels }: PersonSetup, way: string): boolean =>
  channels.length === 0 || channels.includes(way);

/** The channels with a way turned on or off; none where all are on. */
export function withWay(setup: PersonSetup, way: string): string[] {
  const on = WAYS.filter(({ value }) => isTold(setup, value) !== (value === way)).map(({ value }) => value);
  const others = setup.channels.filter((name) => WAYS.every(({ value }) => value !== name));
  if (on.length === WAYS.length && others.every((name) => ALWAYS.includes(name))) return [];
  return [...(others.length > 0 ? others : ALWAYS), ...on];
}

/** "22:30" as minutes since midnight. */
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** A time of day that is later by so many minutes, on whole half hours. */
export function later(time: string, minutes: number): string {
  const exact = minutesOf(time) + minutes;
  const half = minutes > 0 ? Math.floor(exact / 30) : Math.ceil(exact / 30);
  const at = (((half * 30) % 1440) + 1440) % 1440;
  return `${String(Math.floor(at / 60)).padStart(2, "0")}:${String(at % 60).padStart(2, "0")}`;
}

export const quietInWords = ({ start, end }: QuietPart): string => `${start} to ${end}`;

/** What is known of a person, as pairs of what it is and its words. */
export function summaryOf({ abilities, limits, channels }: PersonSetup): [string, string][] {
  const quiet = (limits.quiet ?? []).map(quietInWords).join(", ");
  const most = limits.per_hour == null ? "" : `at most ${limits.per_hour} an hour`;
  const atOnce = `${limits.at_once ?? 1} at a time`;
  const ways = WAYS.filter(({ value }) => channels.includes(value)).map(({ words }) => words);
  const told =
    channels.length === 0 ? "this page, and every other way that is set up" : ["this page", ...ways].join(", ");
  return [
    [
      "Can do",
      ABILITIES.filter(({ value }) => abilities.includes(value))
        .map(({ words }, place) => (place === 0 ? words : words.charAt(0).toLowerCase() + words.slice(1)))
        .join(", ") || "nothing yet",
    ],
    ["I may ask", quiet ? `not from ${quiet}` : "at any time"],
    ["Questions", [most, atOnce].filter(Boolean).join(", ")],
    ["Told by", told],
  ];
}
