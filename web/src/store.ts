/** Everything that the page knows, as signals. Only `live.ts`, `outbox.ts`, `stop.ts` and `api.ts`'s callers write here. */

import { computed, signal } from "@preact/signals";
import type { BusyView, Me, RecordView, RobotView, StopView } from "./types";

/** Where the link to the server is. `unpaired`: the server does not know this device. */
export type Link = "starting" | "unpaired" | "live" | "lost";

export const link = signal<Link>("starting");
/** When the server was last heard, on this device's clock in ms. */
export const heardMs = signal(0);
/** Seconds without a word; 0 while all is well. */
export const silentS = signal(0);
export const me = signal<Me | null>(null);
const MAY_MOVE: readonly (Me["role"] | undefined)[] = ["resident", "caregiver", "operator", undefined];
/** Whether this person may let a robot go on, and steer it. */
export const mayMove = computed(() => MAY_MOVE.includes(me.value?.role));
export const stopped = signal<StopView | null>(null);
export const records = signal<ReadonlyMap<string, RecordView>>(new Map());
export const robots = signal<ReadonlyMap<string, RobotView>>(new Map());

/** This person's own word that they are busy. */
export const busy = signal<BusyView | null>(null);

/** What was last said to the person; stays until it is closed or something newer is said. */
export interface Notice {
  text: string;
  tone: "good" | "plain" | "warn";
}
export const notice = signal<Notice | null>(null);

/** Which sheet lies over the question; Stop and the footer stay. */
export const sheet = signal<"none" | "help" | "settings" | "controls" | "people">("none");
/** A question that the person picked from those that are not before them. */
export const picked = signal<string | null>(null);

const WAITING = new Set(["held", "open", "claimed", "deferred"]);
export const isWaiting = (record: RecordView): boolean => WAITING.has(record.status);

/** What this person may answer, in the order of asking; nothing once this device is let in no more. */
export const answerable = computed<RecordView[]>(() => {
  const name = link.value === "unpaired" ? undefined : me.value?.name;
  return [...records.value.values()]
    .filter((each) => isWaiting(each) && name !== undefined && each.audience.includes(name))
    .sort((a, b) => a.number - b.number);
});

/** Before this person now: it is their turn, or they have taken it on. */
export const before = computed<RecordView[]>(() => {
  const name = me.value?.name;
  return answerable.value.filter(
    (each) => (each.status === "open" && each.turn === name) || (each.status === "claimed" && each.by === name),
  );
});

/** The one question on the screen. */
export const current = computed<RecordView | null>(() => {
  const chosen = answerable.value.find((each) => each.id === picked.value);
  return chosen ?? before.value[0] ?? null;
});

export function takeRecord(record: RecordView): void {
  const next = new Map(records.value);
  if (isWaiting(record)) next.set(record.id, record);
  else next.delete(record.id);
  records.value = next;
}

export function takeRobot(robot: RobotView): void {
  robots.value = new Map(robots.value).set(robot.robot, robot);
}

export function say(text: string, tone: Notice["tone"] = "plain"): void {
  notice.value = { text, tone };
}
