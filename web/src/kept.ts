/** What this device keeps by itself, across reloads. A device that cannot keep anything still works until it is closed. */

/** What the device does not take, because it is full or forbids it. */
const fallback = new Map<string, string>();

export function keep(key: string, value: unknown): void {
  const text = JSON.stringify(value);
  if (stored(key, text)) {
    fallback.delete(key);
    return;
  }
  forget(key); // what is there of before gives way; else the device would go on giving it back
  if (!stored(key, text)) fallback.set(key, text);
}

function stored(key: string, text: string): boolean {
  try {
    localStorage.setItem(`handup.${key}`, text);
    return true;
  } catch {
    return false;
  }
}

export function kept<T>(key: string): T | null {
  try {
    return JSON.parse(fallback.get(key) ?? localStorage.getItem(`handup.${key}`) ?? "null") as T | null;
  } catch {
    return null; // forbidden, or cut off
  }
}

export function forget(key: string): void {
  fallback.delete(key);
  try {
    localStorage.removeItem(`handup.${key}`);
  } catch {
    // forbidden
  }
}

/** What is meant for a store that is not there is kept for so long: it may come back. */
const KEPT_S = 30 * 86_400;

/** Whether something of a time in seconds is so old that it is dropped; what has no time is. */
export const isOld = (atS: number | undefined): boolean => !(Date.now() / 1000 - (atS ?? 0) < KEPT_S);

/** The keys that begin with a text, without the name of this program before them. */
export function keysFrom(start: string): string[] {
  const found = new Set([...fallback.keys()].filter((key) => key.startsWith(start)));
  try {
    for (let i = 0; i < localStorage.length; i++) {
      const key = localStorage.key(i);
      if (key?.startsWith(`handup.${start}`)) found.add(key.slice("handup.".length));
    }
  } catch {
    // forbidden
  }
  return [...found];
}

/** A name that nobody else makes: for replies that are sent again and must count once. */
export function fresh(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
