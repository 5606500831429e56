/** Stop: acts on press, goes out by two ways at once, and is sent until the server has said that it is written. */

import { signal } from "@preact/signals";
import { sendEnable, sendStop, Refused } from "./api";
import { fresh, forget, keep, kept } from "./kept";
import { sendLive } from "./live";
import { takeAllBack } from "./outbox";
import { link, me, say, stopped } from "./store";

const SOON_MS = 1000;
const AGAIN_MS = 500;

/** A stop that the server has not written. */
export interface Pending {
  token: string;
  /** For which store; empty while this page has not been told which it is: then the first that it meets. */
  store: string;
  /** Whether the server could not be reached so far. */
  failing: boolean;
  /** Whether it was pressed before this page was loaded: then it waits until it is clear who is there. */
  before: boolean;
}
export const stopping = signal<Pending | null>(restored());

function restored(): Pending | null {
  const found = kept<Partial<Pending>>("stopping");
  if (typeof found?.token !== "string") return null;
  return { token: found.token, store: found.store ?? "", failing: true, before: true };
}

function set(pending: Pending): void {
  stopping.value = pending;
  keep("stopping", { token: pending.token, store: pending.store });
}

function settle(): void {
  stopping.value = null;
  forget("stopping");
}

/** Pressing again while it is on its way changes nothing; but one from before this page was loaded waits no longer. */
export function stop(): void {
  if (stopping.value?.before) settle();
  if (stopping.value !== null) return;
  const token = fresh();
  set({ token, store: me.value?.store ?? "", failing: false, before: false });
  sendLive({ type: "stop", token });
  takeAllBack(); // an answer that has not got through must not move the robot after this
  window.setTimeout(() => mark(token, true), SOON_MS);
  void pushStop();
}

function mark(token: string, failing: boolean): void {
  if (stopping.value?.token === token) stopping.value = { ...stopping.value, failing };
}

/** Send the stop until it is confirmed; also called when the page starts with one that was not. */
export async function pushStop(): Promise<void> {
  for (let pending = stopping.value; pending !== null; pending = stopping.value) {
    if (mayGo(pending) && (await tryStop(pending.token))) return stopWritten(pending.token);
    await new Promise((resolve) => window.setTimeout(resolve, AGAIN_MS));
    if (stopping.value !== null && mayGo(stopping.value)) sendLive({ type: "stop", token: stopping.value.token });
  }
}

/** Whether the robot that it is for is the one that would hear it, as far as this page knows. */
function mayGo({ store, before }: Pending): boolean {
  if (link.value === "unpaired") return false; // nobody there would take it
  return me.value === null ? !before : store === "" || store === me.value.store;
}

async function tryStop(token: string): Promise<boolean> {
  try {
    const { written } = await sendStop(token);
    mark(token, false);
    return written;
  } catch {
    mark(token, true);
    return false;
  }
}

/** This page has been told which store it speaks with: a stop for another one is not for this robot. */
export function stopMeets(store: string): void {
  const pending = stopping.value;
  if (pending === null || pending.store === store) return;
  if (pending.store === "") return set({ ...pending, store });
  settle();
  say(
    "You pressed Stop for another robot, and it did not get through. It was not sent to this robot. Press Stop again if this one is to stop.",
    "warn",
  );
}

/** The server has said that this stop is written: it survives the server. Until then it is sent again. */
export function stopWritten(token: string): void {
  if (stopping.value?.token !== token) return;
  settle();
  if (link.value === "live") return;
  const by = me.value?.name ?? "you";
  stopped.value ??= { by, why: "", at_s: Date.now() / 1000, seq: null, written: true };
}

export async function enable(): Promise<void> {
  try {
    const still = await sendEnable(stopped.value?.seq ?? null); // what holds now the socket tells
    if (!still.stopped) say("The robot may go on.", "good");
  } catch (error) {
    say(error instanceof Refused ? error.words : "The robot could not be reached. It stays stopped.", "warn");
  }
}
