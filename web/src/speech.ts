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

/** Say it, instead of whatever is being said. Does nothing where speech is off or there is no voice. */
export function speak(text: string): void {
  if (!engine || !settings.value.speech || voices.value.length === 0) return;
  engine.cancel();
  const words = new SpeechSynthesisUtterance(text);
  words.lang = "en";
  words.voice = voices.value.find((voice) => voice.lang.startsWith("en")) ?? voices.value[0] ?? null;
  engine.speak(words);
}

export function hush(): void {
  engine?.cancel();
}
