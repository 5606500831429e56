/** What makes a question noticed on an open page: a sound, the title, the icon, a badge, and a screen that stays on. */

import { computed, effect, signal } from "@preact/signals";
import { settings } from "./settings";
import { before, link, robots } from "./store";

// -- the sound -----------------------------------------------------------------------------------------------------------

/** Two soft notes, up: when each begins, in seconds, and how high it is, in hertz. */
const NOTES: readonly (readonly [number, number])[] = [
  [0, 659.25],
  [0.18, 880],
];
const RISE_S = 0.02;
const NOTE_S = 0.6;
const SILENCE = 0.0001;
const LOUDNESS = { off: 0, soft: 0.04, medium: 0.12, loud: 0.4 };
/** What lets a browser make sounds; one alone does not count with every finger, key and browser. */
const GESTURES = ["pointerup", "keydown", "click"];

/** `none`: this browser makes no sounds. `locked`: it allows them once somebody has pressed something on this page. */
export type Sound = "none" | "locked" | "ready";
export const sound = signal<Sound>("AudioContext" in window ? "locked" : "none");

let audio: AudioContext | null = null;

/** Ask the browser to let this page make sounds; it does so after a press, and only then. */
async function unlock(): Promise<void> {
  if (sound.value !== "locked" || settings.value.chime === "off") return;
  audio ??= new AudioContext();
  audio.onstatechange = look;
  await audio.resume().catch(() => undefined);
  look();
}

function look(): void {
  sound.value = audio?.state === "running" ? "ready" : "locked"; // a telephone takes it back for a call
}

/** The sound of a new question, as loud as it is set; none where that is off or the browser does not allow it. */
export function chime(): void {
  const loudness = LOUDNESS[settings.value.chime];
  if (!audio || sound.value !== "ready" || loudness === 0) return;
  for (const [afterS, hertz] of NOTES) {
    const at = audio.currentTime + afterS;
    const note = audio.createOscillator();
    const volume = audio.createGain();
    note.frequency.value = hertz;
    volume.gain.setValueAtTime(SILENCE, at);
    volume.gain.linearRampToValueAtTime(loudness, at + RISE_S);
    volume.gain.exponentialRampToValueAtTime(SILENCE, at + NOTE_S);
    note.connect(volume).connect(audio.destination);
    note.start(at);
    note.stop(at + NOTE_S);
  }
}

/** Let somebody hear what they have just chosen. */
export async function sample(): Promise<void> {
  await unlock();
  chime();
}

// -- the screen ----------------------------------------------------------------------------------------------------------

/** Whether this browser can keep the screen on; over a network it needs https for that. */
export const staysOn = "wakeLock" in navigator;
const RESTS = new Set(["done", "stopped"]);
const working = computed(
  () =>
    before.value.length > 0 ||
    [...robots.value.values()].some(({ alive, state }) => alive && state !== null && !RESTS.has(state.phase)),
);
const wanted = computed(() => staysOn && settings.value.awake && link.value === "live" && working.value);
let lock: WakeLockSentinel | null = null;
let asking = false;

async function keepOn(): Promise<void> {
  if (!wanted.value || document.hidden) {
    const held = lock;
    lock = null;
    await held?.release().catch(() => undefined);
    return;
  }
  if (lock || asking) return;
  asking = true;
  const got = await navigator.wakeLock.request("screen").catch(() => null); // the battery is low
  asking = false;
  lock = got;
  got?.addEventListener("release", () => {
    if (lock === got) lock = null;
  });
  if (!wanted.value || document.hidden) await keepOn(); // it changed meanwhile
}

// -- all of it -----------------------------------------------------------------------------------------------------------

export function titleFor(count: number): string {
  if (count === 0) return "handup";
  return count === 1 ? "(1) A question – handup" : `(${count}) Questions – handup`;
}

function show(count: number): void {
  document.title = titleFor(count);
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon) icon.href = count > 0 ? "/icon-asked.svg" : "/icon.svg";
  if (!("setAppBadge" in navigator)) return;
  const shown = count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge();
  shown.catch(() => undefined); // only installed pages have a badge
}

/** Look after it for as long as the page is open. Call it before anything else listens for keys: a switch takes them. */
export function attend(): void {
  for (const gesture of GESTURES) window.addEventListener(gesture, () => void unlock(), { capture: true });
  document.addEventListener("visibilitychange", () => void keepOn());
  const waits = computed(() => before.value.length);
  effect(() => show(waits.value));
  effect(() => {
    wanted.value;
    void keepOn();
  });
  let known = new Set<string>();
  effect(() => {
    const ids = before.value.map((each) => each.id);
    const news = ids.some((id) => !known.has(id));
    known = new Set(ids);
    if (news) chime();
  });
}
