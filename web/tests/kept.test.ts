import { beforeEach, expect, test, vi } from "vitest";
import { begin, load, storage } from "./browser";

const page = () => import("../src/kept");
beforeEach(begin);

test("a device that is full gives back the newest, not what was kept before it was full", async () => {
  const { keep, kept } = await page();
  keep("draft.1", "pea");
  storage.full = true;
  keep("draft.1", "peas");
  expect(kept("draft.1")).toBe("peas");
});

test("what was kept while the device was full is kept on it once there is room", async () => {
  const { keep } = await page();
  storage.full = true;
  keep("draft.1", "pea");
  storage.full = false;
  keep("draft.1", "peas");
  load();
  expect((await page()).kept("draft.1")).toBe("peas");
});

test("a device that keeps nothing works until the page is closed", async () => {
  vi.stubGlobal("localStorage", undefined);
  const { keep, kept, keysFrom } = await page();
  keep("draft.1", "peas");
  expect([kept("draft.1"), keysFrom("draft.")]).toEqual(["peas", ["draft.1"]]);
});

test("what another page of the device has forgotten is gone", async () => {
  const { keep, kept } = await page();
  keep("stopping", { token: "t" });
  storage.items.clear();
  expect(kept("stopping")).toBeNull();
});

test("an entry that was cut off reads as nothing", async () => {
  storage.items.set("handup.draft.1", '{"words": "pe');
  expect((await page()).kept("draft.1")).toBeNull();
});
