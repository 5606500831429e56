/** Requests to the server that this page came from, and to nobody else. */

import type {
  ErrorBody,
  KnownPeople,
  Me,
  PersonSetup,
  PersonView,
  PresenceAnswer,
  ReceiptView,
  RecordView,
  Reply,
  Value,
} from "./types";

const BASE = "/api/v1";
/** Refused because it is meant for another server or store. */
const FOREIGN = "HU503";

/** The server answered, and refused. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly problem: ErrorBody,
  ) {
    super(problem.cause);
  }

  /** For a person: what is wrong and what to do. */
  get words(): string {
    const cause = this.problem.cause.replace(/\.?$/, ".");
    return `${cause.charAt(0).toUpperCase()}${cause.slice(1)} ${this.problem.hint}`.trim();
  }

  /** Whether the same request may get through later, or to the server that it is meant for. */
  get passing(): boolean {
    return this.status === 429 || this.status >= 500 || this.problem.code === FOREIGN;
  }
}

export async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  { timeoutMs = 5000, signal, store }: { timeoutMs?: number; signal?: AbortSignal; store?: string } = {},
): Promise<T> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch(`${BASE}${path}`, {
    method,
    credentials: "same-origin",
    cache: "no-store",
    signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    headers: {
      ...(store ? { "Handup-Store": store } : {}), // a server on another store refuses it
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  let read: unknown = null;
  try {
    read = text ? JSON.parse(text) : null;
  } catch {
    // said below
  }
  if (!response.ok) {
    const problem = (read as { error?: ErrorBody } | null)?.error;
    throw new Refused(
      response.status,
      problem ?? { code: `HTTP ${response.status}`, cause: "the server refused this", hint: "Try again." },
    );
  }
  return read as T;
}

const path = (name: string): string => name.split("/").map(encodeURIComponent).join("/");

/** Where a picture is; of one that changes all the time, the one with this number. */
export const pictureUrl = (name: string, seq?: number): string =>
  `${BASE}/pictures/${path(name)}${seq === undefined ? "" : `?seq=${seq}`}`;
export const getPeople = (): Promise<KnownPeople> => call("GET", "/people");
export const putPerson = (name: string, setup: PersonSetup): Promise<PersonView> =>
  call("PUT", `/people/${path(name)}`, setup);
export const sayPresence = (busy: boolean, forS: number | null): Promise<PresenceAnswer> =>
  call("POST", "/presence", { busy, for_s: forS });
export const whoAmI = (): Promise<Me> => call("GET", "/me");
export const pair = (code: string, device: string): Promise<Me> => call("POST", "/pair", { code, device });
export const leave = (): Promise<void> => call("POST", "/leave");
/** All that wait, however many. */
export const getQuestions = (store: string): Promise<{ questions: RecordView[] }> =>
  call("GET", "/questions", undefined, { store });
/** One, also where it is over. */
export const getQuestion = (id: string, store: string): Promise<RecordView> =>
  call("GET", `/questions/${path(id)}`, undefined, { store });
export const sendReply = (reply: Reply, store: string, signal: AbortSignal): Promise<ReceiptView> =>
  call("POST", "/replies", reply, { store, signal });
export const sendStop = (token: string): Promise<{ stopped: boolean; written: boolean }> =>
  call("POST", "/stop", { token }, { timeoutMs: 2000 });
/** Lift the stop with this number, and those before it; the server refuses it where there is a newer one. */
export const sendEnable = (stop: number | null): Promise<{ stopped: boolean }> => call("POST", "/enable", { stop });

export interface StoredDraft {
  value: Value | object | null;
  at_s: number;
}
export const getDraft = (id: string, store: string): Promise<StoredDraft> =>
  call("GET", `/drafts/${path(id)}`, undefined, { store });
export const putDraft = (id: string, store: string, draft: StoredDraft): Promise<void> =>
  call("PUT", `/drafts/${path(id)}`, draft, { store });
export const dropDraft = (id: string, store: string): Promise<void> =>
  call("DELETE", `/drafts/${path(id)}`, undefined, { store });
