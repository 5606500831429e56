/** What the page's modules use of a browser and of a server, on a clock that stands still until a test lets it run. */

import { h, render } from "preact";
import { vi } from "vitest";

interface Request {
  body: unknown;
  /** The store that it is meant for. */
  store: string | undefined;
  signal: AbortSignal | null | undefined;
}

interface Response {
  status?: number;
  body?: unknown;
}

/** Answers by method and path, such as "POST /stop"; whatever has none is a server that cannot be reached. */
export class Server {
  private readonly routes = new Map<string, (request: Request) => Response | Promise<Response>>();
  private readonly requests: [string, Request][] = [];

  on(route: string, respond: (request: Request) => Response | Promise<Response>): void {
    this.routes.set(route, respond);
  }

  off(route: string): void {
    this.routes.delete(route);
  }

  heard(route: string): Request[] {
    return this.requests.filter(([name]) => name === route).map(([, request]) => request);
  }

  readonly fetch = async (url: string, { method, body, headers, signal }: RequestInit): Promise<unknown> => {
    const route = `${method} ${url.replace("/api/v1", "")}`;
    const request = {
      body: body && JSON.parse(String(body)),
      store: new Headers(headers).get("Handup-Store") ?? undefined,
      signal,
    };
    this.requests.push([route, request]);
    const respond = this.routes.get(route);
    if (!respond) throw new TypeError("fetch failed");
    const aborted = new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    const { status = 200, body: said } = await Promise.race([respond(request), aborted]);
    return { ok: status < 400, status, text: async () => (said === undefined ? "" : JSON.stringify(said)) };
  };
}

/** One end of a socket; the test is the other. */
export class Socket {
  static readonly OPEN = 1;
  static all: Socket[] = [];
  readyState = 0;
  readonly sent: unknown[] = [];
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;

  constructor(readonly url: string) {
    Socket.all.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.readyState = 3;
    this.onclose?.();
  }

  /** The server says something. */
  says(message: object): void {
    this.readyState = Socket.OPEN;
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

/** What a device keeps while the page is loaded anew. */
export class Storage {
  readonly items = new Map<string, string>();
  full = false;

  get length(): number {
    return this.items.size;
  }
  key = (index: number): string | null => [...this.items.keys()][index] ?? null;
  getItem = (key: string): string | null => this.items.get(key) ?? null;
  removeItem = (key: string): boolean => this.items.delete(key);
  setItem = (key: string, text: string): void => {
    if (this.full) throw new DOMException("full", "QuotaExceededError");
    this.items.set(key, text);
  };
}

export let server = new Server();
export let storage = new Storage();
/** What somebody holds in their hands; none at first. */
export const gamepads: Partial<Gamepad>[] = [];

/** The icon of the page. */
export const icon = { href: "" };

class Element extends EventTarget {}

/** Another device, another server, and the clock at its beginning. */
export function begin(): void {
  vi.useFakeTimers({ now: new Date("2026-03-01T12:00:00Z") });
  server = new Server();
  storage = new Storage();
  gamepads.length = 0;
  load();
}

/** The page is loaded anew on the same device: import its modules after this. */
export function load(): void {
  vi.resetModules();
  vi.clearAllTimers();
  Socket.all = [];
  const target = new EventTarget();
  icon.href = "/icon.svg";
  const root = { style: { setProperty: () => undefined }, dataset: {} };
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal(
    "document",
    Object.assign(new EventTarget(), { hidden: false, title: "", querySelector: () => icon, documentElement: root }),
  );
  vi.stubGlobal("addEventListener", target.addEventListener.bind(target));
  vi.stubGlobal("removeEventListener", target.removeEventListener.bind(target));
  vi.stubGlobal("dispatchEvent", target.dispatchEvent.bind(target));
  vi.stubGlobal("location", { protocol: "http:", host: "robot.test" });
  vi.stubGlobal("navigator", { getGamepads: () => gamepads });
  vi.stubGlobal("localStorage", storage);
  vi.stubGlobal("fetch", server.fetch);
  vi.stubGlobal("WebSocket", Socket);
  vi.stubGlobal("HTMLElement", Element);
}

/** Let so much time pass, and everything that waits for it or for an answer happen. */
export const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

/** A key goes down or comes up. */
export function key(type: "keydown" | "keyup", name: string, more: object = {}): void {
  window.dispatchEvent(Object.assign(new Event(type, { cancelable: true }), { key: name, ...more }));
}

interface HostProps<T> {
  use: () => T;
  show: (now: T) => void;
  /** Counts up, else what is the same is not drawn again. */
  round: number;
}

function Host<T>({ use, show }: HostProps<T>): null {
  show(use());
  return null;
}

/** What a hook of a component returns now; asked again after whatever it does. */
export async function mounted<T>(use: () => T): Promise<{ now: () => T; again: () => Promise<void> }> {
  let latest: T;
  let round = 0;
  const show = (now: T) => {
    latest = now;
  };
  const root = { nodeType: 1, childNodes: [], firstChild: null } as unknown as HTMLElement;
  const again = async () => {
    render(h(Host<T>, { use, show, round: round++ }), root);
    await pass(50); // until effects have run
  };
  await again();
  return { now: () => latest, again };
}

begin();
