import { expect, test } from "vitest";
import { isTold, later, summaryOf, withWay } from "../src/people/words";
import type { PersonSetup } from "../src/types";

const setup = (channels: string[]): PersonSetup => ({ abilities: [], limits: {}, channels });

test("a time of day moves by half hours and around midnight", () => {
  expect([later("22:00", 30), later("22:10", 30), later("22:10", -30)]).toEqual(["22:30", "22:30", "22:00"]);
  expect([later("23:30", 30), later("00:00", -30)]).toEqual(["00:00", "23:30"]);
});

test("no channels stand for every way, and turning all on again leaves none", () => {
  const less = withWay(setup([]), "email");
  expect(less).toEqual(["page", "terminal", "ntfy", "mqtt"]);
  expect([isTold(setup(less), "email"), isTold(setup(less), "ntfy")]).toEqual([false, true]);
  expect(withWay(setup(less), "email")).toEqual([]);
});

test("channels of a file that this page does not know stay", () => {
  expect(withWay(setup(["pager"]), "ntfy")).toEqual(["pager", "ntfy"]);
  expect(withWay(setup(["pager", "ntfy"]), "ntfy")).toEqual(["pager"]);
});

test("who has said nothing may be asked at any time, one question at a time", () => {
  const facts = Object.fromEntries(summaryOf(setup([])));
  expect([facts["I may ask"], facts.Questions]).toEqual(["at any time", "1 at a time"]);
});
