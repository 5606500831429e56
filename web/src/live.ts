/** The socket: beats both ways, everything anew after each connection, and no more than a second between tries. */

import { batch } from "@preact/signals";
import { Refused, whoAmI } from "./api";
import { endDraft, tellDrafts, tidyDrafts } from "./drafts";
import { flush, unsentFor } from "./outbox";
import { fetchRest, forgetRest, tellRest } from "./rest";
import {
  busy,
  heardMs,
  isWaiting,
  link,
  me,
  picked,
  records,
  robots,
  say,
  silentS,
  stopped,
  takeRecord,
  takeRobot,
} from "./store";
import { stopMeets, stopWritten } from "./stop";
import type { FromPerson, ToPerson, Me, RecordView, StopView } from "./types";

const CHECK_MS = 200;
const SHORTEST_MS = 250;
const LONGEST_MS = 1000;
/** A socket that is silent for so long is given up and opened anew. */
const GIVE_UP_MS = 3000;

let socket: WebSocket | null = null;
let beatMs = 250;
let holdMs = 1000;
let tries = 0;
let begunMs = 0;
let lastBeatMs = 0;
let timer: number | undefined;
let round = 0;
/** What was said about a stop on this socket before its hello: a stop may overtake it, and then holds. */
let early: StopView | null | undefined;

/** The server's time as it was last told: with it a frame can be dated. */
export let toldS = 0;

export function sendLive(message: FromPerson): boolean {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
}

/** Stay connected for as long as the page is open; with a code in hand, only once it has been used. */
export function start(paired: boolean): void {
  window.setInterval(check, CHECK_MS);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) hurry();
  });
  window.addEventListener("online", hurry);
  if (paired) void connect();
}

/** Try at once, after pairing or waking up. */
export function hurry(): void {
  if (socket?.readyState === WebSocket.OPEN || link.value === "unpaired") return;
  tries = 0;
  void connect();
}

/** Who this device is, and with which store it speaks: what was shown of another one is not shown any more. */
export function meet(found: Me): void {
  batch(() => {
    if (me.value !== null && me.value.store !== found.store) {
      forgetRest();
      records.value = new Map();
      robots.value = new Map();
      stopped.value = null;
      picked.value = null;
    }
    me.value = found;
    stopMeets(found.store);
  });
}

async function connect(): Promise<void> {
  window.clearTimeout(timer);
  drop();
  begunMs = performance.now();
  round += 1;
  const mine = round;
  try {
    const found = await whoAmI();
    if (mine !== round) return; // another try began meanwhile
    meet(found);
  } catch (error) {
    if (mine !== round) return;
    if (error instanceof Refused && (error.status === 401 || error.status === 403)) {
      link.value = "unpaired";
      return;
    }
    if (link.value !== "unpaired") link.value = link.value === "starting" && tries === 0 ? "starting" : "lost";
    return later();
  }
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const opened = new WebSocket(`${scheme}://${location.host}/api/v1/live?panels=1`, ["handup"]);
  socket = opened;
  early = undefined;
  opened.onmessage = (event) => {
    if (socket === opened) take(JSON.parse(String(event.data)) as ToPerson);
  };
  opened.onclose = () => {
    if (socket === opened) lost();
  };
}

function drop(): void {
  const old = socket;
  socket = null;
  old?.close();
}

function lost(): void {
  socket = null;
  if (link.value !== "unpaired") link.value = "lost";
  later();
}

function later(): void {
  const pause = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** tries);
  tries += 1;
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void connect(), pause * (0.5 + Math.random() / 2));
}

function check(): void {
  const now = performance.now();
  if (socket?.readyState === WebSocket.OPEN && now - lastBeatMs >= beatMs) {
    lastBeatMs = now;
    sendLive({ type: "beat" });
  }
  if (heardMs.value > 0 && link.value !== "unpaired") {
    const silence = now - heardMs.value;
    silentS.value = silence > holdMs ? Math.floor(silence / 1000) : 0;
    if (silence > holdMs && link.value === "live") link.value = "lost";
  }
  if (socket !== null && now - Math.max(heardMs.value, begunMs) > GIVE_UP_MS) {
    drop();
    lost();
  }
}

function take(message: ToPerson): void {
  heardMs.value = performance.now();
  batch(() => {
    silentS.value = 0;
    if (link.value === "lost") link.value = "live";
    read(message);
  });
}

function read(message: ToPerson): void {
  switch (message.type) {
    case "hello":
      tries = 0;
      toldS = message.now_s;
      beatMs = message.beat_s * 1000;
      holdMs = message.hold_s * 1000;
      meet(message.me);
      forgetRest();
      greet(message.questions, message.more ?? 0);
      robots.value = new Map(message.robots.map((each) => [each.robot, each]));
      stopped.value = early === undefined ? message.stopped : early;
      busy.value = message.busy ?? null;
      link.value = "live";
      void tellDrafts();
      void flush();
      break;
    case "stopped":
      early = message.stopped;
      stopped.value = message.stopped;
      break;
    case "busy":
      busy.value = message.busy;
      break;
    case "stop":
      if (message.written) stopWritten(message.token);
      break;
    case "question":
      takeQuestion(message.record);
      break;
    case "robot":
      takeRobot(message);
      break;
    case "error":
      say(`${message.error.cause}. ${message.error.hint}`, "warn");
      break;
    case "bye":
      drop();
      lost();
      break;
    case "beat":
      toldS = message.at_s;
      break;
    case "receipt":
      break;
  }
}

/** Where the greeting does not hold all, what is known already stays until all are there. */
function greet(questions: readonly RecordView[], more: number): void {
  const told = new Map(questions.map((each) => [each.id, each]));
  if (more === 0) return takeAll(told);
  records.value = new Map([...records.value, ...told]);
  void fetchRest(me.value?.store ?? "", () => records.value).then((all) => all && batch(() => takeAll(all)));
}

/** All that wait. */
function takeAll(all: ReadonlyMap<string, RecordView>): void {
  tellWhatEnded(all);
  records.value = all;
  void tidyDrafts();
}

/** What was on the screen when the link was lost and is not there any more. */
function tellWhatEnded(there: ReadonlyMap<string, RecordView>): void {
  const shown = picked.value ?? [...records.value.keys()][0];
  if (shown !== undefined && records.value.has(shown) && !there.has(shown))
    say("The question that was here is settled by now.");
}

function takeQuestion(record: RecordView): void {
  const known = records.value.has(record.id);
  tellRest(record.id);
  takeRecord(record);
  if (!isWaiting(record) && !unsentFor(record.id)) endDraft(record);
  if (!known || unsentFor(record.id)) return; // what becomes of a reply of this device its receipt says
  const told = whatHappened(record);
  if (told) say(told);
}

/** One sentence where a question left this screen without this device's doing; empty where it did not. */
function whatHappened(record: RecordView): string {
  const mine = record.by === me.value?.name;
  switch (record.status) {
    case "answered":
      return mine ? "You answered this on another device. That answer counts." : `${record.told} That answer counts.`;
    case "delegated":
      return mine ? "You let the robot try, on another device." : record.told;
    case "withdrawn":
    case "expired":
      return record.told;
    default:
      return "";
  }
}
