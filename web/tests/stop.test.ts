import { beforeEach, expect, test } from "vitest";
import { begin, load, pass, server, Socket } from "./browser";
import { hello, ME } from "./told";

const written = (is: boolean) => ({ body: { stopped: true, written: is } });
const tokens = () => new Set(server.heard("POST /stop").map(({ body }) => (body as { token: string }).token));

async function page() {
  const [live, outbox, stop, store] = await Promise.all([
    import("../src/live"),
    import("../src/outbox"),
    import("../src/stop"),
    import("../src/store"),
  ]);
  return { ...live, ...outbox, ...stop, ...store };
}

/** A page that is connected, and its socket. */
async function connected() {
  const all = await page();
  server.on("GET /me", () => ({ body: ME }));
  all.start(true);
  await pass(0);
  const socket = Socket.all[0]!;
  socket.says(hello([]));
  return { ...all, socket };
}

const stopsOf = (socket: Socket) => socket.sent.filter((each) => (each as { type: string }).type === "stop");

beforeEach(begin);

test("a stop goes out by both ways at once, under one token", async () => {
  const { socket, stop } = await connected();
  stop();
  expect(stopsOf(socket)).toEqual([{ type: "stop", token: [...tokens()][0] }]);
});

test("pressing again while a stop is on its way begins no other", async () => {
  const { stop } = await connected();
  stop();
  await pass(100);
  stop();
  await pass(3000);
  expect(tokens().size).toBe(1);
});

test("a stop is sent until the server says that it is written", async () => {
  const { stop, stopping } = await connected();
  server.on("POST /stop", () => written(false));
  stop();
  await pass(1600);
  expect([server.heard("POST /stop").length, stopping.value?.failing]).toEqual([4, false]);
  server.on("POST /stop", () => written(true));
  await pass(600);
  expect(stopping.value).toBeNull();
});

test("a stop that has not got through after a second is said to fail", async () => {
  const { stop, stopping } = await page();
  server.on("POST /stop", () => new Promise(() => undefined));
  stop();
  await pass(900);
  expect(stopping.value?.failing).toBe(false);
  await pass(200);
  expect(stopping.value?.failing).toBe(true);
});

test("the word of the socket that another stop is written does not settle this one", async () => {
  const { socket, stop, stopping } = await connected();
  stop();
  const { token } = stopping.value!;
  socket.says({ type: "stop", token: "another", written: true });
  expect(stopping.value?.token).toBe(token);
  socket.says({ type: "stop", token, written: true });
  expect(stopping.value).toBeNull();
});

test("an answer that has not got through does not move the robot after a stop", async () => {
  const { send, stop, unsent } = await connected();
  send("q1", "answer", "peas", "peas");
  stop();
  expect(unsent.value).toEqual([]);
});

test("a stop that was not written survives a reload, and waits until it is clear who is there", async () => {
  (await connected()).stop();
  await pass(100);
  const before = server.heard("POST /stop").length;
  load();
  const { meet, pushStop } = await page();
  server.on("POST /stop", () => written(true));
  void pushStop();
  await pass(2000);
  expect(server.heard("POST /stop")).toHaveLength(before);
  meet(ME);
  await pass(600);
  expect([server.heard("POST /stop").length, tokens().size]).toEqual([before + 1, 1]);
});

test("a stop for one robot is not sent to another, and that is said", async () => {
  (await connected()).stop();
  await pass(0);
  load();
  const { meet, notice, stopping } = await page();
  meet({ ...ME, store: "hall" });
  expect([stopping.value, notice.value?.tone]).toEqual([null, "warn"]);
});
