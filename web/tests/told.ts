/** What a server tells: somebody, questions, robots. */

import type { HelloFrame, Me, Panel, Question, RecordView, RobotView } from "../src/types";

export const ME: Me = { id: "p1", name: "Ada", role: "resident", device: "d1", until_s: 9e9, store: "kitchen" };

export function record(id: string, more: Partial<RecordView> = {}, question: Partial<Question> = {}): RecordView {
  return {
    id,
    run: "run",
    step: "skewer",
    attempt: 1,
    question: { prompt: "What is it?", kind: "text", options: [], ...question },
    load: 0,
    audience: ["Ada", "Ben"],
    turn: "Ada",
    status: "open",
    number: 1,
    asked_s: 0,
    told: "Ben answers this.",
    sureness: "",
    choices: [],
    value_schema: {},
    now_s: 0,
    ...more,
  };
}

export function hello(questions: RecordView[], more: Partial<HelloFrame> = {}): HelloFrame {
  const greeting = {
    type: "hello" as const,
    server: "s1",
    me: ME,
    now_s: 0,
    beat_s: 0.25,
    hold_s: 1,
    stopped: null,
    more: 0,
    people: null,
    robots: [],
  };
  return { ...greeting, questions, ...more };
}

export function robot(name: string, more: Partial<RobotView> = {}, panels: Panel[] = []): RobotView {
  return { robot: name, alive: true, last_s: 0, state: { robot: name, phase: "moving", at_s: 0, panels }, ...more };
}
