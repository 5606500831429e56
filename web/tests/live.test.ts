import { beforeEach, expect, test } from "vitest";
import type { RecordView } from "../src/types";
import { begin, pass, server, Socket } from "./browser";
import { hello, ME, record, robot } from "./told";

const BY_BEN = { by: "Ben", seq: 3, why: "", at_s: 0, written: true };
const asked = (told: RecordView) => ({ type: "question", record: told });

/** A page whose socket has been opened; the server has not greeted it. */
async function page() {
  const [live, store] = await Promise.all([import("../src/live"), import("../src/store")]);
  server.on("GET /me", () => ({ body: ME }));
  live.start(true);
  await pass(1);
  return { ...live, ...store, ids: () => [...store.records.value.keys()], socket: Socket.all[0]! };
}

beforeEach(begin);

test("the server is told that this page shows panels", async () => {
  expect((await page()).socket.url).toMatch(/\/api\/v1\/live\?panels=1$/);
});

test("a greeting replaces what was known", async () => {
  const { ids, link, robots, socket } = await page();
  socket.says(hello([record("q1")], { robots: [robot("r1")] }));
  socket.says(hello([record("q2")], { robots: [robot("r2")] }));
  expect([ids(), [...robots.value.keys()], link.value]).toEqual([["q2"], ["r2"], "live"]);
});

test("a question that is over leaves, and whose answer counts is said", async () => {
  const { ids, notice, socket } = await page();
  socket.says(hello([record("q1")]));
  socket.says(asked(record("q1", { status: "answered", by: "Ben", told: "Ben answered: peas." })));
  expect([ids(), notice.value?.text]).toEqual([[], "Ben answered: peas. That answer counts."]);
});

test("what is told of a stop before the greeting is newer than the greeting", async () => {
  const { socket, stopped } = await page();
  socket.says({ type: "stopped", stopped: BY_BEN });
  socket.says(hello([], { stopped: null }));
  expect(stopped.value).toEqual(BY_BEN);
});

test("what a greeting left out is fetched, and what the socket tells meanwhile holds", async () => {
  const { ids, socket } = await page();
  let respond: (response: { body: unknown }) => void = () => undefined;
  server.on("GET /questions", () => new Promise((resolve) => (respond = resolve)));
  socket.says(hello([record("q1")], { more: 2 }));
  socket.says(asked(record("q2", { status: "withdrawn" })));
  socket.says(asked(record("q4")));
  respond({ body: { questions: [record("q1"), record("q2"), record("q3")] } });
  await pass(0);
  expect(ids()).toEqual(["q1", "q3", "q4"]);
});

test("what is fetched for one greeting does not hold after the next", async () => {
  const { ids, socket } = await page();
  let respond: (response: { body: unknown }) => void = () => undefined;
  server.on("GET /questions", () => new Promise((resolve) => (respond = resolve)));
  socket.says(hello([record("q1")], { more: 1 }));
  await pass(0);
  socket.says(hello([record("q9")]));
  respond({ body: { questions: [record("q1"), record("q2")] } });
  await pass(0);
  expect(ids()).toEqual(["q9"]);
});

test("a server that is silent for longer than a hand may move is lost, until its next word", async () => {
  const { link, silentS, socket } = await page();
  socket.says(hello([]));
  await pass(1300);
  expect([link.value, silentS.value]).toEqual(["lost", 1]);
  socket.says({ type: "beat", at_s: 1 });
  expect([link.value, silentS.value]).toEqual(["live", 0]);
});

test("a socket that stays silent is given up, and what it says then no longer counts", async () => {
  const { ids, socket } = await page();
  socket.says(hello([record("q1")]));
  await pass(4500);
  expect(Socket.all.length).toBeGreaterThan(1);
  socket.onmessage?.({ data: JSON.stringify(hello([record("q2")])) });
  expect(ids()).toEqual(["q1"]);
});

test("while nobody is there a second at most passes between two tries", async () => {
  const { socket } = await page();
  server.off("GET /me");
  socket.close();
  await pass(10_000);
  expect(server.heard("GET /me").length).toBeGreaterThan(9);
});

test("a device that is not paired any more stops trying", async () => {
  const { link, socket } = await page();
  server.on("GET /me", () => ({ status: 401, body: {} }));
  socket.close();
  await pass(10_000);
  expect([link.value, server.heard("GET /me").length]).toEqual(["unpaired", 2]);
});

test("nothing of one store is shown with another", async () => {
  const { ids, picked, robots, socket, stopped } = await page();
  socket.says(hello([record("q1")], { robots: [robot("r1")], stopped: BY_BEN }));
  picked.value = "q1";
  socket.says(hello([], { me: { ...ME, store: "hall" } }));
  expect([ids(), robots.value.size, stopped.value, picked.value]).toEqual([[], 0, null, null]);
});

test("a question that was settled while the link was lost is said to be", async () => {
  const { notice, socket } = await page();
  socket.says(hello([record("q1")]));
  socket.says(hello([]));
  expect(notice.value?.text).toBe("The question that was here is settled by now.");
});
