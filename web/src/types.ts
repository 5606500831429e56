/** What the server sends and takes, as JSON. One place, so that a change there is one change here. */

export type Kind =
  | "choice"
  | "text"
  | "yes-no"
  | "number"
  | "box"
  | "points"
  | "diagnosis"
  | "action"
  | "permission"
  | "physical";

/** A place on a picture, in shares of its width and height from the upper left corner. */
export interface Point {
  x: number;
  y: number;
}

/** A rectangle on a picture, in shares of its width and height. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export type ResumeHint = "none" | "continue" | "retry" | "next" | "previous";

export interface Resolution {
  action: string;
  resume: ResumeHint;
}

export type Value = string | boolean | number | Box | Resolution | Point[];

/** A question as `Question.to_json` writes it: fields that say nothing are left out. */
export interface Question {
  prompt: string;
  kind: Kind;
  options: string[];
  doing?: string;
  why?: string;
  guess?: Value | null;
  sure?: number | null;
  effects?: string[];
  pictures?: string[];
  image?: string | null;
  support?: string;
  low?: number | null;
  high?: number | null;
  unit?: string;
  marks?: string[];
  deadline_s?: number | null;
}

export type Status =
  | "held"
  | "open"
  | "claimed"
  | "deferred"
  | "handed-on"
  | "answered"
  | "delegated"
  | "withdrawn"
  | "expired";

export interface RecordView {
  id: string;
  run: string;
  step: string;
  attempt: number;
  question: Question;
  audience: string[];
  turn: string | null;
  status: Status;
  number: number;
  asked_s: number;
  opened_s?: number | null;
  until_s?: number | null;
  deadline_s?: number | null;
  by?: string | null;
  device?: string | null;
  answer?: { value: Value | null } | null;
  why?: string;
  /** Why it was withdrawn: `stop`, or the robot's own doing. */
  cause?: string | null;
  told: string;
  sureness: string;
  choices: string[];
  now_s: number;
}

export type ReplyKind = "answer" | "not-now" | "someone-else" | "let-robot-try";

/** What a device sends; who it is from the server knows. */
export interface Reply {
  question: string;
  kind: ReplyKind;
  token: string;
  value?: Value;
  device?: string;
  until_s?: number | null;
}

export type ReceiptStatus =
  | "accepted"
  | "late"
  | "stale"
  | "unauthorised"
  | "claimed"
  | "invalid"
  | "unknown"
  | "stopped";

export interface Receipt {
  status: ReceiptStatus;
  message: string;
  again: boolean;
  record: RecordView | null;
}

export type Role = "robot" | "resident" | "caregiver" | "bystander" | "operator" | "developer";

export interface Me {
  id: string;
  name: string;
  role: Role;
  device: string;
  until_s: number | null;
  /** A name for the server's store, which no other has: ids of questions come again in others. */
  store: string;
}

export interface Stopped {
  by: string;
  why: string;
  at_s: number;
  /** Its number, once it is written. */
  seq?: number | null;
  written?: boolean;
}

export type Phase = "looking" | "deciding" | "asking" | "moving" | "holding" | "resting" | "done" | "stopped";

export interface ChainLink {
  module: string;
  label: string;
  says: string;
  confidence: number | null;
  by: "robot" | "person";
  asking: boolean;
}

export interface Bite {
  number: number;
  label: string;
  outcome: "got" | "lost" | "wrong" | "now" | "later";
  attempts: number;
  queries: number;
}

/** x, y, z in metres, then the rotation as w, x, y, z. */
export type Placed = [number, number, number, number, number, number, number];
export type Mode = "translate" | "rotate";

/** Boxes: middle, size and yaw; rings: middle, radius and height. Metres, radians. */
export interface Thing {
  name: string;
  boxes: Placed[];
  rings: [number, number, number, number, number][];
}

export interface GoalChance {
  object: string;
  grasp: string;
  chance: number;
}

/** A hand that somebody steers: the table, the hand, where the robot would have it, and what it thinks. */
export interface Reach {
  scene: string;
  task: string;
  low: [number, number, number];
  high: [number, number, number];
  things: Thing[];
  hand: Placed;
  ghost: Placed | null;
  goals: GoalChance[];
  other: number;
  mode: Mode;
  driver: string;
  seconds: number;
  mode_changes: number;
  questions: number;
}

/** What a robot says about itself; only its name, phase and time are sure to be there. */
export interface RobotState {
  robot: string;
  phase: Phase;
  at_s: number;
  title?: string;
  doing?: string;
  why?: string;
  picture?: string | null;
  picture_seq?: number;
  overlay?: { box?: Box | null; points?: Point[] } | null;
  chain?: ChainLink[];
  decision?: { action: string; module: string | null; reason: string; reliability: number | null } | null;
  items?: Bite[];
  summary?: { got: number; of: number; queries: number; attempts: number } | null;
  reach?: Reach | null;
  task?: TaskState | null;
}

/** One step of a recipe, or of a recovery, with its depth below the task at the top. */
export interface StepState {
  depth: number;
  kind: "task" | "action" | "op" | "choice" | "loop" | "recovery" | "more";
  name: string;
  status: "done" | "now" | "next" | "failed" | "asking";
  details?: string;
  aborts?: number;
  tried?: string[];
}

/** A belief; the latest word is first, and counts. */
export interface BeliefState {
  key: string;
  contradicted?: boolean;
  said: { source: "script" | "monitor" | "person"; value: string; probability?: number; at_s?: number }[];
}

export interface NewsState {
  at_s: number;
  kind: "failed" | "recovering" | "recovered" | "asked" | "answered" | "said";
  words: string;
}

/** A task that a robot runs. */
export interface TaskState {
  steps?: StepState[];
  beliefs?: BeliefState[];
  news?: NewsState[];
  counts?: { starts?: number; failures?: number; recoveries?: number; questions?: number };
  result?: string;
}

export interface RobotView {
  robot: string;
  alive: boolean;
  last_s?: number | null;
  state: RobotState | null;
}

/** What an input for a value is given; `value` is null while nothing, or not everything, is said. */
export interface InputProps<V> {
  question: Question;
  value: V | null;
  onChange: (value: V | null) => void;
  pictureUrl: (name: string, seq?: number | null) => string;
  /** A half-made answer from a draft: a box without area has one corner, points are those set so far. */
  half?: V | null;
  /** Told on every change, whole or not, so that a draft can keep it. */
  onHalf?: (half: V | null) => void;
}

export type FromServer =
  | {
      type: "hello";
      server: string;
      me: Me;
      now_s: number;
      beat_s: number;
      hold_s: number;
      stopped: Stopped | null;
      questions: RecordView[];
      /** How many more wait than are told here. */
      more?: number;
      robots: RobotView[];
    }
  | { type: "beat"; at_s: number }
  | { type: "stopped"; stopped: Stopped | null }
  | { type: "stop"; token: string; written: boolean }
  | { type: "question"; record: RecordView }
  | ({ type: "robot" } & RobotView)
  | { type: "receipt"; token: string; receipt: Receipt }
  | { type: "error"; error: ApiProblem }
  | { type: "bye"; why: string };

export interface ApiProblem {
  code: string;
  cause: string;
  hint: string;
}
