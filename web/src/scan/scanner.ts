/** Walks a mark over the controls of the page and presses them for a person with one switch or two. */
import { controls, inside, isStop, meaning, round, samePlace, usable, type Entry } from "./targets";

export interface ScanSettings {
  mode: "auto" | "step";
  intervalMs: number;
  /** A press that comes sooner after the last one is taken for trembling. */
  debounceMs: number;
  /** By `KeyboardEvent.key`. In step mode the first moves on and the others choose; else each chooses. */
  keys: readonly string[];
  /** Whether a press anywhere on the page is the switch, too; in step mode the left button moves, the right one chooses. */
  pointer: boolean;
  /** A switch held so long stops the robot, wherever the mark is; 0: never. */
  stopAfterMs: number;
  speak?: ((words: string) => void) | undefined;
}

export interface Sight {
  entry: Entry | null;
  /** Of the group that the mark is in. */
  group: string | null;
  note: string;
}

interface Press {
  entry: Entry;
  means: string;
}

/** After the page changed by itself nothing is marked for so long: a press then was meant for what stood there before. */
const SETTLE_MS = 500;
/** So often the mark goes around in a group before it leaves it. */
const ROUNDS_IN_GROUP = 2;
const WATCHED = ["disabled", "hidden", "inert", "data-question", "aria-label", "data-scan", "data-testid", "open"];

export class Scanner {
  private entry: Entry | null = null;
  private means = "";
  private group: Entry | null = null;
  private rounds = 0;
  private press: Press | null = null;
  private pressedDown = false;
  private lastPressMs = -Infinity;
  private timer = 0;
  private holdTimer = 0;
  private checking = 0;
  private questions = "";
  private readonly observer = new MutationObserver(() => this.checkSoon());

  constructor(
    private settings: ScanSettings,
    private readonly onSight: (sight: Sight) => void,
    private readonly onText: (input: HTMLInputElement | HTMLTextAreaElement) => void,
  ) {}

  start(): void {
    this.questions = questionsShown();
    this.observer.observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: WATCHED,
    });
    this.restart();
  }

  end(): void {
    this.observer.disconnect();
    window.clearTimeout(this.timer);
    window.clearTimeout(this.holdTimer);
    window.clearTimeout(this.checking);
  }

  /** Other settings hold from the next step on. */
  set(settings: ScanSettings): void {
    this.settings = settings;
  }

  /** The switch that moves the mark (two switches). */
  step(): void {
    if (this.trembling()) return;
    this.advance();
  }

  /** The switch goes down. Stop acts now, all else when it comes up again. */
  down(): void {
    if (this.pressedDown) return;
    this.pressedDown = true;
    const trembling = this.trembling();
    if (this.settings.stopAfterMs > 0) {
      this.holdTimer = window.setTimeout(() => this.stop(), this.settings.stopAfterMs);
    }
    if (trembling || !this.entry) return;
    window.clearTimeout(this.timer);
    const element = this.entry.elements[0]!;
    if (this.entry.kind === "control" && isStop(element)) return this.stop();
    this.press = { entry: this.entry, means: meaningOf(this.entry) };
  }

  up(): void {
    window.clearTimeout(this.holdTimer);
    this.pressedDown = false;
    this.lastPressMs = performance.now();
    const press = this.press;
    this.press = null;
    if (!press) return this.wait();
    const same = press.entry.elements.every(usable) && meaningOf(press.entry) === press.means;
    if (!same) return this.restart("The page changed. Nothing was chosen.");
    this.choose(press.entry);
  }

  /** The press was no press: the finger scrolled, or the page lost it. */
  cancel(): void {
    window.clearTimeout(this.holdTimer);
    this.pressedDown = false;
    this.press = null;
    this.wait();
  }

  /** From the top, Stop first. */
  restart(note = ""): void {
    this.group = null;
    this.rounds = 0;
    this.show(round()[0] ?? null, note);
    this.wait();
  }

  private choose(entry: Entry): void {
    const element = entry.elements[0]!;
    if (entry.kind === "back") return this.restart();
    if (entry.kind === "group") {
      this.group = entry;
      this.rounds = 0;
      this.show(inside(entry)[0] ?? null);
      return this.wait();
    }
    if (element instanceof HTMLTextAreaElement || isLine(element)) this.onText(element);
    else element.click();
    this.restart();
    this.questions = questionsShown();
  }

  private stop(): void {
    window.clearTimeout(this.holdTimer);
    this.press = null;
    const element = controls().find(isStop);
    if (!element) return;
    const options = { bubbles: true, cancelable: true, isPrimary: true, button: 0 };
    element.dispatchEvent(new PointerEvent("pointerdown", options));
    element.dispatchEvent(new PointerEvent("pointerup", options));
    element.click();
  }

  private trembling(): boolean {
    const now = performance.now();
    const soon = now - this.lastPressMs < this.settings.debounceMs;
    this.lastPressMs = now;
    return soon;
  }

  private sequence(): Entry[] {
    return this.group ? inside(this.group) : round();
  }

  private advance(): void {
    const sequence = this.sequence();
    const at = sequence.findIndex((each) => this.entry !== null && samePlace(each, this.entry));
    if (at < 0) return this.restart();
    const next = (at + 1) % sequence.length;
    if (next === 0 && this.group && ++this.rounds >= ROUNDS_IN_GROUP) return this.restart();
    this.show(sequence[next] ?? null);
    this.wait();
  }

  private wait(): void {
    window.clearTimeout(this.timer);
    if (this.entry && this.settings.mode !== "auto") return;
    const pauseMs = this.entry ? this.settings.intervalMs : SETTLE_MS;
    this.timer = window.setTimeout(() => {
      if (!this.pressedDown) this.advance();
    }, pauseMs);
  }

  private show(entry: Entry | null, note = ""): void {
    const before = this.entry;
    this.entry = entry;
    this.means = meaningOf(entry);
    this.onSight({ entry, group: this.group?.label ?? null, note });
    if (!entry) return;
    const first = entry.elements[0];
    if (first && !isStop(first)) first.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (!before || !samePlace(before, entry)) this.settings.speak?.(entry.label);
  }

  private checkSoon(): void {
    window.clearTimeout(this.checking);
    this.checking = window.setTimeout(() => this.check(), 0);
  }

  /** The page changed: what is marked stays marked where it is still there, else the round starts again. */
  private check(): void {
    const questions = questionsShown();
    const changed = questions !== this.questions;
    this.questions = questions;
    const marked = this.entry;
    const first = marked?.elements[0];
    const onStop = first !== undefined && marked?.kind === "control" && isStop(first) && usable(first);
    const there = marked !== null && this.sequence().some((each) => samePlace(each, marked));
    const still = there && meaningOf(marked) === this.means;
    if (onStop && !this.group) return;
    if (still && !changed) return;
    this.press = null;
    this.group = null;
    this.show(null, changed ? "The question changed." : "The page changed.");
    this.wait();
  }
}

function isLine(element: HTMLElement): element is HTMLInputElement {
  return element instanceof HTMLInputElement && /^(text|search|number|url|email|tel|password|)$/.test(element.type);
}

/** What an entry is to a person: each of its controls, in order. */
function meaningOf(entry: Entry | null): string {
  return entry ? entry.elements.map(meaning).join("\n\n") : "";
}

function questionsShown(): string {
  return [...document.querySelectorAll<HTMLElement>("[data-question]")].map((each) => each.dataset.question).join("\n");
}
