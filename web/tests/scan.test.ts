import { expect, test } from "vitest";
import "./browser";
import { suggestions } from "../src/scan/LetterBoard";
import { labelOf, meaning, round } from "../src/scan/targets";

interface Control {
  id?: string;
  group?: string;
  /** As `data-scan` is written. */
  scan?: string;
  soon?: boolean;
  question?: string;
}

function control(words: string, { id = words, group, scan, soon, question }: Control = {}): HTMLElement {
  return {
    dataset: { testid: id, ...(group && { scanGroup: group }), ...(scan && { scan }), ...(soon && { scanSoon: "" }) },
    textContent: words,
    getAttribute: () => null,
    matches: (selector: string) => selector === `[data-testid=${id}]`,
    closest: () => ({ dataset: { question } }),
  } as unknown as HTMLElement;
}

const STOP = control("Stop", { id: "stop" });
const labels = (all: HTMLElement[]) => round(all).map(({ label, kind }) => `${kind} ${label}`);
const many = (names: string) => [...names].map((name, index) => control(`${name}${index}`, { group: name }));

test("Stop is marked first, then what sends a choice, then the others as they stand", () => {
  const all = [control("Peas"), control("Send", { soon: true }), control("Not now"), STOP];
  expect(labels(all)).toEqual(["control Stop", "control Send", "control Peas", "control Not now"]);
});

test("six controls are marked one by one, seven by their groups", () => {
  expect(labels([STOP, ...many("aaabb")])).toHaveLength(6);
  expect(labels([STOP, ...many("aaabbb")])).toEqual(["control Stop", "group a", "group b"]);
});

test("a group that is cut in two by another is marked twice, where its parts stand", () => {
  expect(labels([STOP, ...many("aabbbaa")])).toEqual(["control Stop", "group a", "group b", "group a"]);
});

test("the words for scanning go before those on the button", () => {
  expect(labelOf(control("  Peas \n and  beans "))).toBe("Peas and beans");
  expect(labelOf(control("Wait (goes out in 3 s)", { scan: "Wait" }))).toBe("Wait");
  expect(labelOf(control("Peas", { scan: "true" }))).toBe("Peas");
});

test("a button is another control on another question and with other words, but not while it counts down", () => {
  const before = meaning(control("Yes", { id: "yes", question: "q1" }));
  expect(meaning(control("Yes", { id: "yes", question: "q2" }))).not.toBe(before);
  expect(meaning(control("Yes, go", { id: "yes", question: "q1" }))).not.toBe(before);
  expect(meaning(control("Yes", { id: "yes", question: "q1" }))).toBe(before);
  const left = (s: number) => control(`Wait (goes out in ${s} s)`, { id: "wait", scan: "Wait" });
  expect(meaning(left(3))).toBe(meaning(left(2)));
});

test("the board offers what begins like what is written, whatever the case", () => {
  expect(suggestions(["Cheese", "chicken", "tomato"], "ch")).toEqual(["Cheese", "chicken"]);
  expect(suggestions(["green beans", "grapes"], "Green b")).toEqual(["green beans"]);
});

test("the board offers the first four before the first letter, and never what is written in full", () => {
  expect(suggestions(["a", "b", "a", "", "c", "d", "e"], "")).toEqual(["a", "b", "c", "d"]);
  expect(suggestions(["pea", "peas"], "pea")).toEqual(["peas"]);
});
