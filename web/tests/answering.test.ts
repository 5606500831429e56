import { beforeEach, expect, test } from "vitest";
import type { RecordView } from "../src/types";
import { begin, mounted, pass, server } from "./browser";
import { ME, record } from "./told";

async function page() {
  const [{ useAnswering }, { useCountdown }, store, { EMPTY }] = await Promise.all([
    import("../src/resident/useAnswering"),
    import("../src/resident/SendBar"),
    import("../src/store"),
    import("../src/drafts"),
  ]);
  store.me.value = ME;
  return { useAnswering, useCountdown, EMPTY, ...store };
}

beforeEach(begin);

test("what was begun on one question is not shown on the next, and is there again on the first", async () => {
  const { useAnswering } = await page();
  let shown: RecordView = record("q1");
  const drawn = new Set<string>();
  const { again, now } = await mounted(() => {
    const answering = useAnswering(shown);
    drawn.add(`${shown.id}: ${answering?.said}`);
    return answering;
  });
  now()?.choose("peas", "peas");
  await pass(10);
  drawn.clear();
  for (const id of ["q2", "q1"]) {
    shown = record(id);
    await again();
  }
  expect([...drawn]).toEqual(["q2: ", "q1: peas"]);
});

test("what another device began comes up, but not over what was chosen here", async () => {
  const { useAnswering } = await page();
  const draft = { other: false, kind: "answer", value: "beans", part: "beans" };
  for (const id of ["q1", "q2"]) server.on(`GET /drafts/${id}`, () => ({ body: { value: draft, at_s: 1e12 } }));
  const first = await mounted(() => useAnswering(record("q1")));
  expect([first.now()?.said, first.now()?.armed]).toEqual(["beans", false]);
  let respond: (response: object) => void = () => undefined;
  server.on("GET /drafts/q2", () => new Promise((resolve) => (respond = resolve)));
  const second = await mounted(() => useAnswering(record("q2")));
  second.now()?.choose("peas", "peas");
  respond({ body: { value: draft, at_s: 1e12 } });
  await pass(10);
  expect(second.now()?.said).toBe("peas");
});

test("what was chosen before a stop does not go out by itself after it", async () => {
  const { stopped, useAnswering } = await page();
  const { again, now } = await mounted(() => useAnswering(record("q1")));
  now()?.choose("peas", "peas");
  await pass(10);
  const before = now()?.armed;
  stopped.value = { by: "Ben", why: "", at_s: 0, seq: 1, written: true };
  await again();
  expect([before, now()?.armed]).toEqual([true, false]);
});

test("another choice begins the seconds anew, also one that is said in the same words", async () => {
  const { EMPTY, useCountdown } = await page();
  let choice = { ...EMPTY };
  let sent = 0;
  const { again, now } = await mounted(() => useCountdown(choice, 3, () => sent++));
  await pass(2900);
  choice = { ...EMPTY };
  await again();
  await pass(2900);
  expect([now()[0], sent]).toEqual([1, 0]);
  await pass(500);
  expect(sent).toBe(1);
});

test("before a person is what is their turn or theirs, in the order of asking, unless they pick another", async () => {
  const { current, picked, records } = await page();
  const all = [
    record("q1", { number: 1, turn: "Ben" }),
    record("q2", { number: 2, audience: ["Ben"] }),
    record("q4", { number: 4 }),
    record("q3", { number: 3, status: "claimed", by: "Ada" }),
  ];
  records.value = new Map(all.map((each) => [each.id, each]));
  expect(current.value?.id).toBe("q3");
  picked.value = "q1";
  expect(current.value?.id).toBe("q1");
  picked.value = "q2";
  expect(current.value?.id).toBe("q3");
});
