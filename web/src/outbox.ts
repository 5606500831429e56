/** Replies on their way. Each is kept on the device until the server has said what became of it, and sent again with
 * the same token, so that it counts once however often it is sent. */

import { signal } from "@preact/signals";
import { Refused, sendReply } from "./api";
import { dropDraftOf, endDraft } from "./drafts";
import { fresh, isOld, keep, kept } from "./kept";
import { isWaiting, link, me, picked, say, takeRecord } from "./store";
import type { ReceiptView, Reply, ReplyKind, Value } from "./types";

export interface Unsent {
  reply: Reply;
  /** What it says, in words. */
  said: string;
  /** Whose it is: another person who pairs this device does not send it. */
  by: string;
  /** For which store: in another one the question of the same id is another question. */
  store: string;
  at_s: number;
}

const MOST = 50;
export const unsent = signal<readonly Unsent[]>(restored());
let sending = false;
/** What is on its way just now, so that it can be called back as far as this device can. */
let underway: { token: string; abort: AbortController } | null = null;
let again: number | undefined;

/** Whether somebody who is here now said it, and to this robot. */
export const isMine = (each: Unsent): boolean => each.by === me.value?.name && each.store === me.value.store;

export const unsentFor = (id: string): Unsent | undefined =>
  unsent.value.find((each) => each.reply.question === id && isMine(each));

/** Whole replies that are not too old: what is kept may be damaged. */
function restored(): Unsent[] {
  const all = kept<(Unsent | null)[]>("unsent");
  return Array.isArray(all) ? all.filter((each): each is Unsent => !!each?.reply?.token && !isOld(each.at_s)) : [];
}

function store(next: readonly Unsent[]): void {
  unsent.value = next.slice(-MOST);
  keep("unsent", unsent.value);
}

export function send(question: string, kind: ReplyKind, said: string, value?: Value): void {
  if (me.value === null || unsentFor(question)) return;
  const { name: by, store: of, device } = me.value;
  const reply: Reply = { question, kind, token: fresh(), device };
  if (value !== undefined) reply.value = value;
  store([...unsent.value, { reply, said, by, store: of, at_s: Date.now() / 1000 }]);
  void flush();
}

/** Do not send it again. Where it got through unnoticed it counts all the same, and the next reply is told so. */
export function takeBack(question: string): void {
  const given = unsentFor(question);
  if (!given) return;
  store(unsent.value.filter((each) => each !== given));
  if (underway?.token === given.reply.token) underway.abort.abort(); // else the browser may send it again by itself
}

/** The same for all of them: what was chosen stays as it was before it was sent. */
export function takeAllBack(): void {
  for (const each of unsent.value.filter(isMine)) takeBack(each.reply.question);
}

/** Send what waits, one after the other. Called whenever the link comes back, and again while anything is left. */
export async function flush(): Promise<void> {
  if (sending) return;
  sending = true;
  window.clearTimeout(again);
  try {
    for (;;) {
      const next = unsent.value.find(isMine);
      if (!next) return;
      if (kept("stopping") !== null) break; // a stop goes first
      const receipt = await delivered(next);
      if (receipt === null) break;
      store(unsent.value.filter((each) => each.reply.token !== next.reply.token));
      settle(next, receipt);
    }
  } finally {
    sending = false;
  }
  again = window.setTimeout(() => void flush(), 700 + Math.random() * 300);
}

/** What became of it; null where it did not get through. */
async function delivered(each: Unsent): Promise<ReceiptView | null> {
  const abort = new AbortController();
  underway = { token: each.reply.token, abort };
  try {
    return await sendReply(each.reply, each.store, abort.signal);
  } catch (error) {
    if (!(error instanceof Refused) || error.passing) return null;
    if (error.status === 401) {
      link.value = "unpaired";
      return null;
    }
    return { status: "invalid", message: error.words, again: false, record: null };
  }
}

function settle(each: Unsent, receipt: ReceiptView): void {
  if (receipt.record) takeRecord(receipt.record);
  if (receipt.status === "accepted") {
    say(receipt.message, "good");
    dropDraftOf(each.reply.question, each);
    if (picked.value === each.reply.question) picked.value = null;
  } else {
    if (receipt.record && !isWaiting(receipt.record)) endDraft(receipt.record, each);
    say(`${receipt.message} Yours (${each.said}) did not count.`, "warn");
  }
}
