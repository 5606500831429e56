import { beforeEach, expect, test } from "vitest";
import type { ReceiptView } from "../src/types";
import { begin, load, pass, server, storage } from "./browser";
import { ME, record } from "./told";

const REPLIES = "POST /replies";
const AGAIN_MS = 1100;
const receipt = (more: Partial<ReceiptView> = {}) => ({
  body: { status: "accepted", message: "Thank you.", again: false, record: null, ...more },
});
const refusal = (status: number, code = "HU1") => ({ status, body: { error: { code, cause: "no", hint: "Ask." } } });
const tokens = () => server.heard(REPLIES).map(({ body }) => (body as { token: string }).token);

async function page() {
  const [outbox, drafts, kept, store] = await Promise.all([
    import("../src/outbox"),
    import("../src/drafts"),
    import("../src/kept"),
    import("../src/store"),
  ]);
  store.me.value = ME;
  return { ...outbox, ...drafts, ...kept, ...store };
}

beforeEach(begin);

test("an answer is sent to its store and then done with", async () => {
  server.on(REPLIES, () => receipt());
  const { notice, send, unsent } = await page();
  send("q1", "answer", "peas", "peas");
  await pass(0);
  expect(server.heard(REPLIES)).toMatchObject([{ store: "kitchen", body: { question: "q1", value: "peas" } }]);
  expect([unsent.value, notice.value?.text]).toEqual([[], "Thank you."]);
});

test("an answer that may have got through is sent again under the same token", async () => {
  const { send } = await page();
  send("q1", "answer", "peas", "peas");
  await pass(AGAIN_MS);
  server.on(REPLIES, () => receipt());
  await pass(AGAIN_MS);
  expect(tokens().length).toBeGreaterThan(1);
  expect(new Set(tokens()).size).toBe(1);
  send("q1", "answer", "beans", "beans");
  await pass(0);
  expect(new Set(tokens()).size).toBe(2);
});

test("a second press while the first is on its way sends nothing more", async () => {
  server.on(REPLIES, () => new Promise(() => undefined));
  const { flush, send, unsent } = await page();
  send("q1", "answer", "peas", "peas");
  send("q1", "answer", "beans", "beans");
  void flush();
  await pass(AGAIN_MS);
  expect([server.heard(REPLIES).length, unsent.value.length]).toEqual([1, 1]);
});

test("an answer survives a reload of the page, with its token", async () => {
  (await page()).send("q1", "answer", "peas", "peas");
  await pass(0);
  load();
  server.on(REPLIES, () => receipt());
  void (await page()).flush();
  await pass(0);
  expect(new Set(tokens()).size).toBe(1);
});

test("what one person said for one store goes out neither from another person nor to another store", async () => {
  const { flush, me, send, unsent } = await page();
  send("q1", "answer", "peas", "peas");
  await pass(0);
  server.on(REPLIES, () => receipt());
  for (const other of [{ name: "Ben" }, { store: "hall" }]) {
    me.value = { ...ME, ...other };
    void flush();
    await pass(AGAIN_MS);
  }
  expect([server.heard(REPLIES).length, unsent.value.length]).toEqual([1, 1]);
  me.value = ME;
  void flush();
  await pass(0);
  expect(unsent.value).toEqual([]);
});

test("an answer that is refused for now is kept and sent again", async () => {
  server.on(REPLIES, () => refusal(503));
  const { send, unsentFor } = await page();
  send("q1", "answer", "peas", "peas");
  await pass(AGAIN_MS);
  expect([tokens().length, unsentFor("q1")?.said]).toEqual([2, "peas"]);
});

test("an answer that the server refuses for good is said not to count, and not sent again", async () => {
  server.on(REPLIES, () => refusal(422));
  const { notice, send } = await page();
  send("q1", "answer", "peas", "peas");
  await pass(2 * AGAIN_MS);
  expect([tokens().length, notice.value]).toEqual([1, { text: "No. Ask. Yours (peas) did not count.", tone: "warn" }]);
});

test("an answer that is taken back on its way is not sent again", async () => {
  server.on(REPLIES, () => new Promise(() => undefined));
  const { send, takeBack, unsentFor } = await page();
  send("q1", "answer", "peas", "peas");
  await pass(10);
  takeBack("q1");
  await pass(2 * AGAIN_MS);
  const requests = server.heard(REPLIES);
  expect([requests.length, requests[0]?.signal?.aborted, unsentFor("q1")]).toEqual([1, true, undefined]);
});

test("no answer goes out before a stop that is not written", async () => {
  server.on(REPLIES, () => receipt());
  const { forget, keep, send } = await page();
  keep("stopping", { token: "t", store: "kitchen" });
  send("q1", "answer", "peas", "peas");
  await pass(AGAIN_MS);
  expect(server.heard(REPLIES)).toEqual([]);
  forget("stopping");
  await pass(AGAIN_MS);
  expect(server.heard(REPLIES)).toHaveLength(1);
});

test("where somebody else was quicker, that is said, and the question leaves with its draft", async () => {
  const over = record("q1", { status: "answered", by: "Ben" });
  server.on(REPLIES, () => receipt({ status: "late", message: "Ben was quicker.", record: over }));
  const { draftOf, EMPTY, notice, records, saveDraft, send, takeRecord } = await page();
  takeRecord(record("q1"));
  saveDraft(record("q1"), { ...EMPTY, kind: "answer", value: "peas" });
  send("q1", "answer", "peas", "peas");
  await pass(0);
  expect(notice.value?.text).toBe("Ben was quicker. Yours (peas) did not count.");
  expect([records.value.size, draftOf("q1")]).toEqual([0, EMPTY]);
});

test("what is no list of whole answers does not keep the page from opening", async () => {
  for (const damaged of [{}, "peas", [null, 3, { reply: null, at_s: Date.now() / 1000 }]]) {
    load();
    storage.items.set("handup.unsent", JSON.stringify(damaged));
    expect((await page()).unsent.value).toEqual([]);
  }
});
