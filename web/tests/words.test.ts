import { beforeEach, expect, test } from "vitest";
import { likeliest } from "../src/panels/scene/Goals";
import { nested } from "../src/panels/Steps";
import { phaseOf, sureness } from "../src/panels/words";
import type { Kind, Phase, StepPart } from "../src/types";
import { begin } from "./browser";
import { record, robot } from "./told";

beforeEach(begin);

const step = (name: string, depth: number): StepPart => ({ name, depth, kind: "action", status: "next" });
const goal = (object: string, chance: number) => ({ object, chance, grasp: "side" });

test("an answer is said in the words of its question", async () => {
  const { inWords } = await import("../src/resident/kinds");
  const asked = (kind: Kind, choices: string[] = []) => record("q1", { choices }, { kind, unit: "g" });
  expect(inWords(asked("yes-no", ["peas", "beans"]), false)).toBe("beans");
  expect(inWords(asked("number"), 0.1 + 0.2)).toBe("0.3 g");
  expect(inWords(asked("action"), { action: "wipe it", resume: "retry" })).toBe("wipe it, then do the same step again");
  expect(inWords(record("q2", { choices: ["yes", "no"] }, { kind: "permission" }), false)).toBe("no, you may not");
});

test("sureness changes its words exactly at its limits", () => {
  expect([0.95, 0.9499, 0.6, 0.3999].map(sureness)).toEqual([
    "almost sure",
    "fairly sure",
    "not quite sure",
    "only guessing",
  ]);
});

test("a robot that has finished says so, also once its program has ended", () => {
  const gone = (phase: Phase) => phaseOf({ ...robot("r1"), alive: false, state: { robot: "r1", phase, at_s: 0 } });
  expect(gone("done")).toEqual({ icon: "done", words: "Finished", calm: true });
  expect(gone("moving").calm).toBe(false);
  expect(gone("stopped").words).toMatch("does not answer");
});

test("rows of a recipe hang below the row before them, also where depths are left out", () => {
  const tree = nested([step("a", 0), step("b", 2), step("c", 1), step("d", 0), step("e", 5)]);
  const names = (nodes: typeof tree): unknown[] => nodes.map((node) => [node.step.name, names(node.below)]);
  expect(names(tree)).toEqual([
    [
      "a",
      [
        ["b", []],
        ["c", []],
      ],
    ],
    ["d", [["e", []]]],
  ]);
});

test("beside a question the likeliest goals are shown, in their places, however many are as likely as the fourth", () => {
  const goals = [goal("a", 0.1), goal("b", 0.1), goal("c", 0.1), goal("d", 0.1), goal("e", 0.6)];
  expect(likeliest(goals).map(({ object }) => object)).toEqual(["a", "b", "c", "e"]);
});

test("every phase has words that hold for any robot, and one that is not heard stands still", () => {
  const words = (phase: Phase, alive = true) =>
    phaseOf({ ...robot("r1"), alive, state: { robot: "r1", phase, at_s: 0 } }).words;
  expect([words("looking"), words("resting"), words("done")]).toEqual(["Looking", "Waiting", "Finished"]);
  expect(words("moving", false)).toBe("The robot does not answer. It stands still.");
  const recovery: StepPart = { name: "jog", kind: "recovery", status: "now" };
  expect(phaseOf(robot("r1", {}, [{ panel: "steps", steps: [recovery] }])).words).toBe("Recovering");
});

test("a kind of question that only newer pages know is said to be newer, and nothing is guessed", async () => {
  const { canConfirm, guessInWords } = await import("../src/resident/Guess");
  const { viewOf } = await import("../src/resident/kinds");
  const { Newer } = await import("../src/resident/Newer");
  const newer = record("q1", {}, { kind: "constructor" as Kind, guess: "peas" });
  expect(viewOf(newer.question.kind).Input).toBe(Newer);
  expect([canConfirm(newer), guessInWords(newer)]).toEqual([false, ""]);
});
