import { beforeEach, expect, test } from "vitest";
import { arrange, isSteered, KNOWN, SLOTS, type View } from "../src/panels/registry";
import type { Panel, RobotState, ScenePanel } from "../src/types";
import { begin } from "./browser";

const SCENE: ScenePanel = {
  panel: "scene",
  scene: "S1",
  low: [0, 0, 0],
  high: [1, 1, 1],
  things: [],
  hand: [0, 0, 0, 1, 0, 0, 0],
};
const PICTURE: Panel = { panel: "picture", name: "live/plate" };
const STEPS: Panel = { panel: "steps", steps: [] };
const NUMBERS: Panel = { panel: "numbers" };
const ITEMS: Panel = { panel: "items", items: [] };

const state = (...panels: unknown[]): RobotState => ({
  robot: "r1",
  phase: "moving",
  at_s: 0,
  panels: panels as Panel[],
});

beforeEach(begin);

test("every panel has a view that can be fetched, in a place of its own", async () => {
  expect(Object.keys(KNOWN)).toHaveLength(9);
  for (const known of Object.values(KNOWN)) {
    const views = SLOTS.flatMap((slot) => (known[slot] as View<never> | undefined) ?? []);
    expect(views.length).toBeGreaterThan(0);
    for (const view of views) {
      await view.load();
      expect(view.component).toBeTypeOf("function");
    }
  }
});

test("panels stand in their places, in the order in which the robot sends them", () => {
  const { slots, unknown } = arrange(state(NUMBERS, ITEMS, STEPS, PICTURE, SCENE, PICTURE));
  const keys = (slot: keyof typeof slots) => slots[slot].map(({ key }) => key);
  expect(keys("stage")).toEqual(["steps 0", "picture 0", "scene 0", "picture 1"]);
  expect(keys("side")).toEqual(["numbers 0", "scene 0"]);
  expect(keys("foot")).toEqual(["items 0"]);
  expect(unknown).toEqual([]);
});

test("a panel keeps its key when another comes before it, so that it is not drawn anew", () => {
  const keys = (...panels: Panel[]) => arrange(state(...panels)).slots.stage.map(({ key }) => key);
  expect(keys(STEPS, PICTURE)).toContain(keys(PICTURE)[0]);
});

test("what this page does not know is left out and named once", () => {
  const gauge = { panel: "gauge", version: 1 };
  const { slots, unknown } = arrange(state(gauge, { ...PICTURE, version: 2 }, gauge, ITEMS, { panel: "constructor" }));
  expect(unknown).toEqual(["constructor 1", "gauge 1", "picture 2"]);
  expect([slots.stage, slots.foot.length]).toEqual([[], 1]);
});

test("a question stands over a scene, above steps, else alone", () => {
  const place = (...panels: Panel[]) => arrange(state(...panels)).question;
  expect([place(), place(PICTURE, ITEMS)]).toEqual(["alone", "alone"]);
  expect(place(PICTURE, STEPS)).toBe("above");
  expect([place(STEPS, SCENE), place(SCENE, STEPS)]).toEqual(["over", "over"]);
});

test("a hand is steered unless the robot says that it is not", () => {
  expect([isSteered(state(SCENE)), isSteered(state({ ...SCENE, steered: false })), isSteered(state(ITEMS))]).toEqual([
    true,
    false,
    false,
  ]);
});

test("a view that could not be fetched is fetched again, and then not once more", async () => {
  const { View: Fetched } = await import("../src/panels/registry");
  let tries = 0;
  const view = new Fetched(async () => {
    tries += 1;
    if (tries === 1) throw new TypeError("fetch failed");
    return { default: () => null };
  });
  await expect(view.load()).rejects.toThrow("fetch failed");
  await view.load();
  await view.load();
  expect(tries).toBe(2);
});
