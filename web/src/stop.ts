/** Stop: acts on press, goes out by two ways at once, and is sent until the server has said that it is written. */

import { signal } from "@preact/signals";
import { sendEnable, sendStop, Refused } from "./api";
import { fresh, forget, keep, kept } from "./kept";
import { sendLive } from "./live";
import { link, me, say, stopped } from "./store";

const SOON_MS = 1000;
const AGAIN_MS = 500;

/** A stop that the server has not written. `failing`: it could not be reached so far. */
export interface Pending {
  token: string;
  failing: boolean;
}
export const stopping = signal<Pending | null>(restored());

function restored(): Pending | null {
  const token = kept<string>("stopping");
  return token === null ? null : { token, failing: true };
}

/** Pressing again while it is on its way changes nothing. */
export function stop(): void {
  if (stopping.value !== null) return;
  const pending = { token: fresh(), failing: false };
  stopping.value = pending;
  keep("stopping", pending.token);
  sendLive({ type: "stop", token: pending.token });
  window.setTimeout(() => {
    if (stopping.value?.token === pending.token) stopping.value = { ...pending, failing: true };
  }, SOON_MS);
  void pushStop();
}

/** Send the stop until it is confirmed; also called when the page starts with one that was not. */
export async function pushStop(): Promise<void> {
  for (let pending = stopping.value; pending !== null; pending = stopping.value) {
    if (await tryStop(pending.token)) return stopWritten(pending.token);
    await new Promise((resolve) => window.setTimeout(resolve, AGAIN_MS));
    if (stopping.value !== null) sendLive({ type: "stop", token: pending.token });
  }
}

async function tryStop(token: string): Promise<boolean> {
  try {
    const { written } = await sendStop(token);
    if (stopping.value?.token === token) stopping.value = { token, failing: false };
    return written;
  } catch {
    if (stopping.value?.token === token) stopping.value = { token, failing: true };
    return false;
  }
}

/** The server has said that this stop is written: it survives the server. Until then it is sent again. */
export function stopWritten(token: string): void {
  if (stopping.value?.token !== token) return;
  stopping.value = null;
  forget("stopping");
  if (link.value !== "live") stopped.value ??= { by: me.value?.name ?? "you", why: "", at_s: Date.now() / 1000 };
}

export async function enable(): Promise<void> {
  try {
    const still = await sendEnable(stopped.value?.seq ?? null); // what holds now the socket tells
    if (!still.stopped) say("The robot may go on.", "good");
  } catch (error) {
    say(error instanceof Refused ? error.words : "The robot could not be reached. It stays stopped.", "warn");
  }
}
