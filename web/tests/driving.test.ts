import { beforeEach, expect, test } from "vitest";
import { begin, gamepads, key, pass, server, Socket, storage } from "./browser";
import { hello, ME } from "./told";

interface Stick {
  type: string;
  push: number[];
  close: boolean;
}

/** A page that steers a robot, and what the robot has been told so far. */
async function page() {
  const [driving, live, mapping] = await Promise.all([
    import("../src/panels/scene/driving"),
    import("../src/live"),
    import("../src/panels/scene/mapping"),
  ]);
  server.on("GET /me", () => ({ body: ME }));
  live.start(true);
  await pass(1000);
  const socket = Socket.all[0]!;
  socket.says(hello([]));
  const sticks = () => (socket.sent as Stick[]).filter(({ type }) => type === "stick");
  const pushes = () => sticks().map(({ push }) => push.join(" "));
  return { ...driving, ...mapping, socket, sticks, pushes };
}

/** A gamepad with its first stick pushed to the left and right so far, and one button. */
function pad(across: number, button: number, value = 1): void {
  const buttons = Array.from({ length: 16 }, (_, index) => ({ value: index === button ? value : 0, pressed: false }));
  gamepads[0] = { connected: true, index: 0, axes: [across, 0, 0, 0], buttons: buttons as unknown as GamepadButton[] };
}

beforeEach(begin);

test("a key that is held pushes ten times a second, at the speed that was set", async () => {
  const { drive, pushes, setMapping } = await page();
  setMapping({ speed: 0.5 });
  drive("r1");
  key("keydown", "ArrowUp");
  await pass(1000);
  expect(pushes()).toEqual(Array(10).fill("0.5 0 0"));
});

test("a tap moves for as long as taps do, and then the robot is told that nothing is pushed", async () => {
  const { drive, pushes } = await page();
  drive("r1");
  key("keydown", "ArrowUp");
  await pass(20);
  key("keyup", "ArrowUp");
  await pass(980);
  expect(pushes().filter((push) => push === "1 0 0").length).toBe(5);
  expect(pushes().at(-1)).toBe("0 0 0");
});

test("whoever leaves the page lets go of everything", async () => {
  const { drive, pushes } = await page();
  drive("r1");
  key("keydown", "ArrowUp");
  await pass(160);
  window.dispatchEvent(new Event("blur"));
  expect(pushes()).toEqual(["1 0 0", "0 0 0"]);
});

test("with one axis the same key goes through all directions, and a trembling press through none", async () => {
  const { layer, press, pushOf, setMapping } = await page();
  setMapping({ axes: 1 });
  press("mode");
  press("mode");
  expect(layer().words).toBe("Move left and right");
  expect(pushOf(layer(), { forward: 1, left: 1 })).toEqual([0, 1, 0]);
});

test("a worn stick does not push; beyond its rest it pushes evenly more", async () => {
  const { drive, pushes } = await page();
  pad(-0.15, -1);
  drive("r1");
  await pass(100);
  pad(-0.575, -1);
  await pass(100);
  pad(-1, -1);
  await pass(100);
  expect(pushes().slice(-2)).toEqual(["0 0.5 0", "0 1 0"]);
});

test("a button that answered a question does not close the hand before it is pressed again", async () => {
  const { drive, sticks } = await page();
  pad(0, 1);
  drive("r1");
  await pass(300);
  expect(sticks().some(({ close }) => close)).toBe(false);
  pad(0, -1);
  await pass(100);
  pad(0, 1);
  await pass(200);
  expect(sticks().some(({ close }) => close)).toBe(true);
});

test("a key does one thing, and none that stops or answers can be given away", async () => {
  const { actionOf, mapping, setKey } = await page();
  expect(setKey("close", "S")).toContain("is taken");
  expect(setKey("close", "W")).toBe("");
  expect([actionOf("w"), mapping.value.keys.up]).toEqual(["close", ""]);
});

test("each person has their own keys; what is damaged of them is as usual", async () => {
  storage.items.set("handup.drive.Ada", JSON.stringify({ axes: 7, keys: { up: "F9", down: "k" }, pads: "none" }));
  const { actionOf, mapping, mappingOf } = await page();
  mappingOf("Ada");
  expect([mapping.value.axes, actionOf("w"), actionOf("k")]).toEqual([3, "up", "down"]);
  mappingOf("Ben");
  expect(actionOf("k")).toBeUndefined();
});
