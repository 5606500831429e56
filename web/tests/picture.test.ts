import { expect, test } from "vitest";
import { boxOf, gridFor, hasArea, middleOf, moved, placeAt, regionOf, tooClose, within } from "../src/picture/geometry";
import { begin, mounted } from "./browser";

const SHOWN = { left: 100, top: 50, width: 400, height: 300 } as DOMRect;
const WHOLE = { left: 0, top: 0, size: 1 };
const GRID = gridFor(4 / 3);
const shares = (count: number) => Array.from({ length: count + 1 }, (_, index) => index / count);

test("no mark leaves the picture", () => {
  expect(placeAt(99, 1000, SHOWN, WHOLE)).toEqual({ x: 0, y: 1 });
  expect(placeAt(501, 49, SHOWN, WHOLE)).toEqual({ x: 1, y: 0 });
  expect(moved({ x: 0.99, y: 0.5 }, "right", 0.08)).toEqual({ x: 1, y: 0.5 });
});

test("a finger on an enlarged part sets the place that is seen there", () => {
  const region = { left: 0.5, top: 0.25, size: 0.25 };
  expect(placeAt(300, 200, SHOWN, region)).toEqual({ x: 0.625, y: 0.375 });
  expect(placeAt(9999, 200, SHOWN, region)).toEqual({ x: 0.75, y: 0.375 });
  expect(within({ x: 0.625, y: 0.375 }, region)).toEqual({ x: 0.5, y: 0.5 });
});

test("corners on one line are too close, and make no box", () => {
  const [first, second] = [
    { x: 0.2, y: 0.5 },
    { x: 0.9, y: 0.505 },
  ];
  expect(tooClose(first, second)).toBe(true);
  expect(tooClose(first, { x: 0.21, y: 0.51 })).toBe(false);
  expect(hasArea(boxOf(first, { x: 0.9, y: 0.5 }))).toBe(false);
});

test("three numbers reach every place on the picture within two hundredths", () => {
  const nearest = (at: { x: number; y: number }, path: readonly number[]): number[] => {
    const off = (number: number) => {
      const { x, y } = middleOf(number, GRID, regionOf(path, GRID));
      return Math.max(Math.abs(x - at.x) * GRID.columns, Math.abs(y - at.y) * GRID.rows);
    };
    const [best = 1] = Array.from({ length: 12 }, (_, index) => index + 1).sort((a, b) => off(a) - off(b));
    return [...path, best];
  };
  for (const x of shares(20)) {
    for (const y of shares(20)) {
      const [first = 1, second = 1, third = 1] = nearest({ x, y }, nearest({ x, y }, nearest({ x, y }, [])));
      const region = regionOf([first, second], GRID);
      expect(Math.min(region.left, region.top, 1 - region.left - region.size)).toBeGreaterThan(-1e-9);
      const { x: across, y: down } = middleOf(third, GRID, region);
      expect(Math.max(Math.abs(across - x), Math.abs(down - y))).toBeLessThan(0.02);
    }
  }
});

test("a box without area and points that are too few are no answers yet", async () => {
  begin();
  const { isWhole } = await import("../src/resident/kinds");
  const asked = { prompt: "Where?", options: [] };
  for (const kind of ["text", "number", "box", "points"] as const)
    expect(isWhole({ ...asked, kind }, null)).toBe(false);
  expect(isWhole({ ...asked, kind: "box" }, { left: 0.2, top: 0.2, right: 0.2, bottom: 0.8 })).toBe(false);
  expect(isWhole({ ...asked, kind: "points", marks: ["from", "to"] }, [{ x: 0, y: 0 }])).toBe(false);
  expect(isWhole({ ...asked, kind: "points" }, [{ x: 0, y: 0 }])).toBe(true);
});

/** Somebody who sets two marks; marks at one height are refused. */
async function placing() {
  begin();
  const { usePlacing } = await import("../src/picture/placing");
  let points: readonly { x: number; y: number }[] = [];
  const asked = { names: ["one corner", "the other"], guess: null, ratio: 4 / 3 };
  const refuse = (next: readonly { y: number }[]) => (next[0]?.y === next[1]?.y ? "Not taken." : null);
  const onPoints = (next: readonly { x: number; y: number }[]) => {
    points = next;
  };
  const hook = await mounted(() => usePlacing({ ...asked, points, refuse, onPoints }));
  const act = async (what: (now: ReturnType<typeof hook.now>) => void) => {
    what(hook.now());
    await hook.again();
  };
  return { act, now: hook.now, points: () => points };
}

test("one mark is set after the other, and then none by a stray tap", async () => {
  const { act, now, points } = await placing();
  await act(({ tap }) => tap({ x: 0.1, y: 0.1 }));
  expect([now().active, now().whole]).toEqual([1, false]);
  await act(({ tap }) => tap({ x: 0.9, y: 0.9 }));
  await act(({ tap }) => tap({ x: 0.5, y: 0.5 }));
  expect([points(), now().whole]).toEqual([
    [
      { x: 0.1, y: 0.1 },
      { x: 0.9, y: 0.9 },
    ],
    true,
  ]);
});

test("a refused mark changes nothing and says why", async () => {
  const { act, now, points } = await placing();
  await act(({ tap }) => tap({ x: 0.1, y: 0.5 }));
  await act(({ tap }) => tap({ x: 0.9, y: 0.5 }));
  expect([points(), now().note, now().active]).toEqual([[{ x: 0.1, y: 0.5 }], "Not taken.", 1]);
});

test("the third number sets the mark, and the next mark begins with the whole picture", async () => {
  const { act, now, points } = await placing();
  for (const number of [1, 12, 6]) await act(({ pick }) => pick(number));
  expect([points().length, now().path, now().active]).toEqual([1, [], 1]);
});
