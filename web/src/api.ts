/** Requests to the server that this page came from, and to nobody else. */

import type { ApiProblem, Me, Receipt, Reply, Value } from "./types";

const BASE = "/api/v1";

/** The server answered, and refused. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly problem: ApiProblem,
  ) {
    super(problem.cause);
  }

  /** For a person: what is wrong and what to do. */
  get words(): string {
    const cause = this.problem.cause.replace(/\.?$/, ".");
    return `${cause.charAt(0).toUpperCase()}${cause.slice(1)} ${this.problem.hint}`.trim();
  }

  /** Whether the same request may get through later. */
  get passing(): boolean {
    return this.status === 429 || this.status >= 500;
  }
}

export async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  { timeoutMs = 5000, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<T> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch(`${BASE}${path}`, {
    method,
    credentials: "same-origin",
    cache: "no-store",
    signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });
  const text = await response.text();
  let read: unknown = null;
  try {
    read = text ? JSON.parse(text) : null;
  } catch {
    // said below
  }
  if (!response.ok) {
    const problem = (read as { error?: ApiProblem } | null)?.error;
    throw new Refused(
      response.status,
      problem ?? { code: `HTTP ${response.status}`, cause: "the server refused this", hint: "Try again." },
    );
  }
  return read as T;
}

const path = (name: string): string => name.split("/").map(encodeURIComponent).join("/");

export const pictureUrl = (name: string): string => `${BASE}/pictures/${path(name)}`;
export const whoAmI = (): Promise<Me> => call("GET", "/me");
export const pair = (code: string, device: string): Promise<Me> => call("POST", "/pair", { code, device });
export const leave = (): Promise<void> => call("POST", "/leave");
export const sendReply = (reply: Reply, signal: AbortSignal): Promise<Receipt> =>
  call("POST", "/replies", reply, { signal });
export const sendStop = (token: string): Promise<{ stopped: boolean }> =>
  call("POST", "/stop", { token }, { timeoutMs: 2000 });
export const sendEnable = (): Promise<{ stopped: boolean }> => call("POST", "/enable", {});

export interface StoredDraft {
  value: Value | object | null;
  at_s: number;
}
export const getDraft = (id: string): Promise<StoredDraft> => call("GET", `/drafts/${path(id)}`);
export const putDraft = (id: string, draft: StoredDraft): Promise<void> => call("PUT", `/drafts/${path(id)}`, draft);
export const dropDraft = (id: string): Promise<void> => call("DELETE", `/drafts/${path(id)}`);
