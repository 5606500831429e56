import { beforeEach, expect, test } from "vitest";
import { begin, load, storage } from "./browser";

const page = () => import("../src/settings");
const keptAs = (value: unknown) => storage.items.set("handup.settings", JSON.stringify(value));
beforeEach(begin);

test("one value that nobody can have chosen does not spoil the others", async () => {
  keptAs({ text: 1e9, scan: "auto", scanMs: "fast", sendAfter: -1, theme: "dark", speech: "yes" });
  const { DEFAULTS, settings } = await page();
  expect(settings.value).toEqual({ ...DEFAULTS, scan: "auto", theme: "dark" });
});

test("a switch always has a key", async () => {
  keptAs({ scanKeys: [3, null] });
  const { DEFAULTS, settings } = await page();
  expect(settings.value.scanKeys).toEqual(DEFAULTS.scanKeys);
});

test("what is no record of settings stands for the usual ones", async () => {
  for (const damaged of [null, 7, "dark", []]) {
    load();
    keptAs(damaged);
    const { DEFAULTS, settings } = await page();
    expect(settings.value).toEqual(DEFAULTS);
  }
});
