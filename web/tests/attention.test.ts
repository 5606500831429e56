/** What makes a question noticed: title, icon, badge, sound and screen, without a browser. */
import { beforeEach, expect, test, vi } from "vitest";
import { begin, icon, key, pass } from "./browser";
import { ME, record, robot } from "./told";

/** A browser's sounds: it stands still until somebody has pressed something. */
class Audio {
  static pressed = false;
  static notes: number[] = [];
  state = "suspended";
  currentTime = 0;
  destination = {};
  onstatechange: (() => void) | null = null;
  resume = async () => {
    if (Audio.pressed) this.state = "running";
  };
  createOscillator = () => ({
    frequency: { value: 0 },
    connect: (next: object) => next,
    start: () => undefined,
    stop: () => undefined,
  });
  createGain = () => ({
    gain: {
      setValueAtTime: () => undefined,
      linearRampToValueAtTime: (loudness: number) => Audio.notes.push(loudness),
      exponentialRampToValueAtTime: () => undefined,
    },
    connect: (next: object) => next,
  });
}

class Lock extends EventTarget {
  static held = 0;
  constructor() {
    super();
    Lock.held += 1;
  }
  async release() {
    Lock.held -= 1;
    this.dispatchEvent(new Event("release"));
  }
}

const badges: number[] = [];

async function page(more: object = {}) {
  vi.stubGlobal("AudioContext", Audio);
  vi.stubGlobal("navigator", {
    setAppBadge: async (count: number) => badges.push(count),
    clearAppBadge: async () => badges.push(0),
    wakeLock: { request: async () => new Lock() },
    ...more,
  });
  const attention = await import("../src/attention");
  const store = await import("../src/store");
  const { change } = await import("../src/settings");
  attention.attend();
  store.me.value = ME;
  store.link.value = "live";
  return { ...attention, ...store, change };
}

async function press(): Promise<void> {
  Audio.pressed = true;
  key("keydown", "Enter");
  await pass(0);
}

beforeEach(() => {
  begin();
  Audio.pressed = false;
  Audio.notes = [];
  Lock.held = 0;
  badges.length = 0;
});

test("title, icon and badge say how many questions are before this person", async () => {
  const { takeRecord } = await page();
  expect([document.title, icon.href]).toEqual(["handup", "/icon.svg"]);
  takeRecord(record("a"));
  expect([document.title, icon.href]).toEqual(["(1) A question – handup", "/icon-asked.svg"]);
  takeRecord(record("b"));
  expect(document.title).toBe("(2) Questions – handup");
  takeRecord(record("c", { turn: "Ben" }));
  takeRecord(record("d", { status: "held" }));
  expect(document.title).toBe("(2) Questions – handup");
  takeRecord(record("a", { status: "answered" }));
  takeRecord(record("b", { status: "withdrawn" }));
  expect([document.title, icon.href]).toEqual(["handup", "/icon.svg"]);
  expect(badges).toEqual([0, 1, 2, 1, 0]);
});

test("a device that is let in no more has no question in its title, icon and badge", async () => {
  const { link, takeRecord } = await page();
  takeRecord(record("a"));
  link.value = "unpaired";
  expect([document.title, icon.href]).toEqual(["handup", "/icon.svg"]);
  expect(badges).toEqual([0, 1, 0]);
});

test("a new question sounds once, after somebody has pressed something", async () => {
  const { sound, takeRecord } = await page();
  takeRecord(record("a"));
  expect([sound.value, Audio.notes.length]).toEqual(["locked", 0]);
  await press();
  expect([sound.value, Audio.notes.length]).toEqual(["ready", 0]);
  takeRecord(record("b"));
  expect(Audio.notes.length).toBe(2);
  takeRecord(record("b", { told: "changed" }));
  takeRecord(record("a", { status: "answered" }));
  expect(Audio.notes.length).toBe(2);
});

test("a question that comes back sounds again, and one that is held or somebody else's does not", async () => {
  const { takeRecord } = await page();
  await press();
  takeRecord(record("a"));
  takeRecord(record("a", { status: "deferred", by: "Ada" }));
  takeRecord(record("b", { status: "held" }));
  takeRecord(record("c", { turn: "Ben" }));
  expect(Audio.notes.length).toBe(2);
  takeRecord(record("a"));
  expect(Audio.notes.length).toBe(4);
});

test("it is as loud as it is set, and silent where it is off", async () => {
  const { change, sample } = await page();
  await press();
  const heard: number[] = [];
  for (const chime of ["soft", "medium", "loud", "off"] as const) {
    change({ chime });
    Audio.notes = [];
    await sample();
    heard.push(Audio.notes[0] ?? 0);
  }
  expect(heard[3]).toBe(0);
  expect(heard[0]).toBeLessThan(heard[1] ?? 0);
  expect(heard[1]).toBeLessThan(heard[2] ?? 0);
});

test("a browser without sounds says so", async () => {
  vi.stubGlobal("AudioContext", undefined);
  Reflect.deleteProperty(globalThis, "AudioContext");
  const { sound } = await import("../src/attention");
  expect(sound.value).toBe("none");
});

test("the screen stays on while a robot works, and no longer", async () => {
  const { change, link, takeRecord, takeRobot } = await page();
  await pass(0);
  expect(Lock.held).toBe(0);
  takeRobot(robot("arm"));
  await pass(0);
  expect(Lock.held).toBe(1);
  takeRobot(robot("arm", { state: { robot: "arm", phase: "done", at_s: 0, panels: [] } }));
  await pass(0);
  expect(Lock.held).toBe(0);
  takeRecord(record("a"));
  await pass(0);
  expect(Lock.held).toBe(1);
  link.value = "lost";
  await pass(0);
  expect(Lock.held).toBe(0);
  link.value = "live";
  change({ awake: false });
  await pass(0);
  expect(Lock.held).toBe(0);
});

test("a page that is hidden gives the screen back, and takes it when it is seen again", async () => {
  const { takeRobot } = await page();
  takeRobot(robot("arm"));
  await pass(0);
  const look = async (hidden: boolean) => {
    Object.assign(document, { hidden });
    document.dispatchEvent(new Event("visibilitychange"));
    await pass(0);
    return Lock.held;
  };
  expect([await look(true), await look(false)]).toEqual([0, 1]);
});

test("a browser that refuses the screen or the badge spoils nothing", async () => {
  const { takeRecord } = await page({
    setAppBadge: () => Promise.reject(new Error("not installed")),
    wakeLock: { request: () => Promise.reject(new Error("the battery is low")) },
  });
  takeRecord(record("a"));
  await pass(0);
  expect(document.title).toBe("(1) A question – handup");
});
