/** How the page looks and is used on this device. Kept on the device; nobody else sees it. */

import { effect, signal } from "@preact/signals";
import { keep, kept } from "./kept";

export interface Settings {
  /** Size of the text in per cent. */
  text: number;
  theme: "system" | "light" | "dark";
  speech: boolean;
  /** How loud the sound of a new question is. */
  chime: "off" | "soft" | "medium" | "loud";
  /** Whether the screen stays on while a robot works. */
  awake: boolean;
  scan: "off" | "auto" | "step";
  /** How long each place stays marked while scanning by itself. */
  scanMs: number;
  /** A press of the switch that comes sooner than this after the last one is taken for trembling. */
  debounceMs: number;
  /** Keys that are a switch, by `KeyboardEvent.key`. */
  scanKeys: string[];
  /** Whether a tap anywhere is a switch, too. */
  scanTap: boolean;
  /** Seconds until a chosen answer is sent by itself; 0: never. */
  sendAfter: number;
  /** Whether single keys choose answers and stop. */
  keys: boolean;
  /** Whom to call, in the person's own words. */
  contact: string;
}

export const CHIMES = ["off", "soft", "medium", "loud"] as const;
export const TEXT_SIZES = [100, 125, 150, 175, 200];
export const SCAN_SPEEDS = [800, 1200, 1600, 2000, 2500, 3000, 4000, 5000];
export const DEBOUNCES = [0, 150, 300, 600, 1000];
export const SEND_AFTER = [0, 3, 5, 10];
export const DEFAULTS: Settings = {
  text: 100,
  theme: "system",
  speech: false,
  chime: "medium",
  awake: true,
  scan: "off",
  scanMs: 2000,
  debounceMs: 300,
  scanKeys: [" ", "Enter"],
  scanTap: false,
  sendAfter: 0,
  keys: true,
  contact: "",
};

/** A value that may be chosen, else another. */
export const known = <T>(value: T, all: readonly T[], other: T): T => (all.includes(value) ? value : other);

function sound(given: Partial<Settings> | null): Settings {
  const merged = { ...DEFAULTS, ...given };
  const scanKeys = Array.isArray(merged.scanKeys) ? merged.scanKeys.filter((key) => typeof key === "string") : [];
  return {
    text: known(merged.text, TEXT_SIZES, DEFAULTS.text),
    theme: known(merged.theme, ["system", "light", "dark"], DEFAULTS.theme),
    speech: merged.speech === true,
    chime: known(merged.chime, CHIMES, DEFAULTS.chime),
    awake: merged.awake !== false,
    scan: known(merged.scan, ["off", "auto", "step"], DEFAULTS.scan),
    scanMs: known(merged.scanMs, SCAN_SPEEDS, DEFAULTS.scanMs),
    debounceMs: known(merged.debounceMs, DEBOUNCES, DEFAULTS.debounceMs),
    scanKeys: scanKeys.length ? scanKeys : DEFAULTS.scanKeys,
    scanTap: merged.scanTap === true,
    sendAfter: known(merged.sendAfter, SEND_AFTER, DEFAULTS.sendAfter),
    keys: merged.keys !== false,
    contact: typeof merged.contact === "string" ? merged.contact.slice(0, 200) : "",
  };
}

export const settings = signal<Settings>(sound(kept<Partial<Settings>>("settings")));

export function change(part: Partial<Settings>): void {
  settings.value = sound({ ...settings.value, ...part });
}

effect(() => {
  const { text, theme } = settings.value;
  keep("settings", settings.value);
  const root = document.documentElement;
  root.style.setProperty("--text", String(text / 100));
  root.dataset.text = String(text);
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
});
