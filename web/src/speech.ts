/** Reads aloud with a voice that lives on this device; voices that would send the words elsewhere are not used. */

import { signal } from "@preact/signals";
import { settings } from "./settings";

export const voices = signal<readonly SpeechSynthesisVoice[]>([]);

const engine: SpeechSynthesis | null = "speechSynthesis" in window ? window.speechSynthesis : null;

function look(): void {
  voices.value = engine?.getVoices().filter((voice) => voice.localService) ?? [];
}

if (engine) {
  look();
  engine.addEventListener?.("voiceschanged", look);
}

/** What is read out now and must be heard to its end. */
let reading: SpeechSynthesisUtterance | null = null;

/** Say it, instead of whatever is being said. Does nothing where speech is off or there is no voice. */
export function speak(text: string): void {
  const words = utter(text);
  reading = words;
  if (!words) return;
  const over = () => {
    if (reading === words) reading = null;
  };
  words.onend = over;
  words.onerror = over;
}

/** Say what is marked just now. It cuts the mark before it short, and never a question that is being read out. */
export function murmur(text: string): void {
  if (!reading) utter(text);
}

function utter(text: string): SpeechSynthesisUtterance | null {
  if (!engine || !settings.value.speech || voices.value.length === 0) return null;
  engine.cancel();
  const words = new SpeechSynthesisUtterance(text);
  words.lang = "en";
  words.voice = voices.value.find((voice) => voice.lang.startsWith("en")) ?? voices.value[0] ?? null;
  engine.speak(words);
  return words;
}

export function hush(): void {
  reading = null;
  engine?.cancel();
}
