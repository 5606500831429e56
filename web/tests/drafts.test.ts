import { beforeEach, expect, test } from "vitest";
import type { Draft } from "../src/drafts";
import { begin, load, pass, server, storage } from "./browser";
import { ME, record } from "./told";

const PAUSE_MS = 400;
const PEAS: Draft = { other: false, kind: "answer", value: "peas", part: "peas" };
const BEANS: Draft = { ...PEAS, value: "beans", part: "beans" };
const TAKEN_BACK = { status: "withdrawn", cause: "stop" } as const;

async function page() {
  const [drafts, store] = await Promise.all([import("../src/drafts"), import("../src/store")]);
  store.me.value = ME;
  return { ...drafts, ...store };
}

beforeEach(begin);

test("a draft is there after the page is loaded anew", async () => {
  (await page()).saveDraft(record("q1"), PEAS);
  load();
  expect((await page()).draftOf("q1")).toEqual(PEAS);
});

test("a draft is of one question, one person and one store", async () => {
  const { draftOf, EMPTY, me, saveDraft } = await page();
  saveDraft(record("q1"), PEAS);
  expect(draftOf("q2")).toBe(EMPTY);
  me.value = { ...ME, name: "Ben" };
  expect(draftOf("q1")).toBe(EMPTY);
  me.value = { ...ME, store: "hall" };
  expect(draftOf("q1")).toBe(EMPTY);
});

test("what is no draft counts as none", async () => {
  storage.items.set("handup.draft.kitchen.Ada.q1", JSON.stringify({ value: "peas", at_s: 1 }));
  const { draftOf, EMPTY } = await page();
  expect(draftOf("q1")).toBe(EMPTY);
});

test("the server is told once a person pauses, and of the latest", async () => {
  server.on("PUT /drafts/q1", () => ({}));
  const { saveDraft } = await page();
  saveDraft(record("q1"), BEANS);
  await pass(PAUSE_MS / 2);
  saveDraft(record("q1"), PEAS);
  await pass(PAUSE_MS);
  expect(server.heard("PUT /drafts/q1")).toMatchObject([{ store: "kitchen", body: { value: PEAS } }]);
});

test("the server's draft holds where it is newer, and only there", async () => {
  const { newerDraft, saveDraft } = await page();
  saveDraft(record("q1"), PEAS);
  const now = Date.now() / 1000;
  server.on("GET /drafts/q1", () => ({ body: { value: BEANS, at_s: now - 1 } }));
  expect(await newerDraft(record("q1"))).toBeNull();
  server.on("GET /drafts/q1", () => ({ body: { value: BEANS, at_s: now + 1 } }));
  expect(await newerDraft(record("q1"))).toEqual(BEANS);
});

test("what was begun before a stop comes back, once, on the same question under another id", async () => {
  const { draftFromBefore, endDraft, saveDraft } = await page();
  saveDraft(record("q1"), PEAS);
  endDraft({ id: "q1", ...TAKEN_BACK });
  expect(draftFromBefore(record("q3", {}, { prompt: "Which plate?" }))).toBeNull();
  expect(draftFromBefore(record("q2"))).toMatchObject({ value: "peas" });
  expect(draftFromBefore(record("q4"))).toBeNull();
});

test("what was begun does not come back where the robot itself took its question back", async () => {
  const { draftFromBefore, endDraft, saveDraft } = await page();
  saveDraft(record("q1"), PEAS);
  endDraft({ id: "q1", status: "withdrawn", cause: null });
  expect(draftFromBefore(record("q2"))).toBeNull();
});

test("a place does not come back on another picture", async () => {
  const { draftFromBefore, endDraft, saveDraft } = await page();
  const asked = { kind: "box", image: "plate/1" } as const;
  const box = { left: 0, top: 0, right: 1, bottom: 1 };
  saveDraft(record("q1", {}, asked), { ...PEAS, value: box, part: box });
  endDraft({ id: "q1", ...TAKEN_BACK });
  expect(draftFromBefore(record("q2", {}, { ...asked, image: "plate/2" }))).toBeNull();
});

test("neither a permission nor the wish to put a question off comes back after a stop", async () => {
  const { draftFromBefore, endDraft, saveDraft } = await page();
  saveDraft(record("q1", {}, { kind: "permission" }), { ...PEAS, value: true, part: null });
  saveDraft(record("q2"), { ...PEAS, kind: "not-now", value: null, part: null });
  for (const id of ["q1", "q2"]) endDraft({ id, ...TAKEN_BACK });
  expect(draftFromBefore(record("q3", {}, { kind: "permission" }))).toBeNull();
  expect(draftFromBefore(record("q4"))).toBeNull();
});

test("drafts of questions that ended meanwhile go; those of another store stay for a month", async () => {
  const { draftOf, EMPTY, me, saveDraft, takeRecord, tidyDrafts } = await page();
  me.value = { ...ME, store: "hall" };
  saveDraft(record("q1"), BEANS);
  me.value = ME;
  saveDraft(record("q1"), PEAS);
  saveDraft(record("q2"), PEAS);
  takeRecord(record("q2"));
  server.on("GET /questions/q1", () => ({ body: record("q1", { status: "answered" }) }));
  await tidyDrafts();
  expect([draftOf("q1"), draftOf("q2")]).toEqual([EMPTY, PEAS]);
  me.value = { ...ME, store: "hall" };
  expect(draftOf("q1")).toEqual(BEANS);
});
