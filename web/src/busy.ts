/** This person's own word that they are busy: on every page in one press, and the same on all their devices. */

import { computed, effect } from "@preact/signals";
import { Refused, sayPresence } from "./api";
import { toldS } from "./live";
import { busy, me, say, sheet } from "./store";

/** Whether this person can be asked at all, and so can be busy. */
export const mayBeAsked = computed(() => me.value !== null && me.value.role !== "developer");
let onItsWay = false;

/** Say that one is busy, for so many seconds or until one says so, or back. What happens next is said on the page. */
export async function sayBusy(now: boolean, forS: number | null = null): Promise<void> {
  if (onItsWay) return;
  onItsWay = true;
  try {
    const told = await sayPresence(now, forS);
    busy.value = told.busy;
    // What holds now stands on the waiting screen; elsewhere it is said.
    if (told.status !== "accepted") say(told.message, "warn");
    else if (sheet.value !== "none") say(told.message, "good");
  } catch (error) {
    say(error instanceof Refused ? error.words : "This did not get through. Press it again.", "warn");
  } finally {
    onItsWay = false;
  }
}

/** "15:30", by this device's clock. */
export const hour = (atS: number): string =>
  new Date(atS * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

const LONGEST_MS = 3_600_000;

/** An end that was set comes by itself, by the server's clock. */
effect(() => {
  const until = busy.value?.until_s;
  if (until == null) return;
  let timer = 0;
  const look = () => {
    const leftMs = (until - toldS) * 1000;
    if (leftMs <= 0) busy.value = null;
    else timer = window.setTimeout(look, Math.min(leftMs, LONGEST_MS));
  };
  look();
  return () => window.clearTimeout(timer);
});
