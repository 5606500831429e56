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

// Panels, as `handup.core.panels` describes them. What has a default there may be missing.

/** A picture of what the robot sees, with what it has in mind drawn on it. */
export interface PicturePanel {
  panel: "picture";
  version?: 1;
  name: string;
  seq?: number;
  caption?: string;
  box?: Box | null;
  points?: Point[];
  shape?: "line" | "arrow" | "around" | "none";
}

export interface ChainLink {
  module: string;
  label?: string;
  says?: string;
  confidence?: number | null;
  by?: "robot" | "person";
  asking?: boolean;
}

export interface ChainPanel {
  panel: "chain";
  version?: 1;
  links: ChainLink[];
}

export interface DecisionPanel {
  panel: "decision";
  version?: 1;
  action: "act" | "recover" | "ask" | "wait" | "yield";
  module?: string | null;
  reason?: string;
  reliability?: number | null;
}

/** One step of a recipe, or of a recovery, with its depth below the task at the top. */
export interface StepPart {
  depth?: number;
  kind?: "task" | "action" | "op" | "choice" | "loop" | "recovery" | "more";
  name: string;
  status: "done" | "now" | "next" | "failed" | "asking";
  details?: string;
  aborts?: number;
  tried?: string[];
}

export interface StepsPanel {
  panel: "steps";
  version?: 1;
  steps: StepPart[];
}

export interface StatementPart {
  source: "script" | "monitor" | "person";
  value: string;
  probability?: number;
  at_s?: number;
}

/** A belief; its latest statement is first, and counts. */
export interface BeliefPart {
  key: string;
  contradicted?: boolean;
  said: StatementPart[];
}

export interface BeliefsPanel {
  panel: "beliefs";
  version?: 1;
  beliefs: BeliefPart[];
}

export interface TimelineEntry {
  at_s: number;
  kind: "failed" | "recovering" | "recovered" | "asked" | "answered" | "said";
  words: string;
}

export interface TimelinePanel {
  panel: "timeline";
  version?: 1;
  entries: TimelineEntry[];
}

export interface ItemPart {
  number: number;
  label?: string;
  outcome: "got" | "lost" | "wrong" | "now" | "later";
  attempts?: number;
  queries?: number;
}

export interface ItemsSummary {
  got: number;
  of: number;
  queries?: number;
  attempts?: number;
}

export interface ItemsPanel {
  panel: "items";
  version?: 1;
  unit?: string;
  units?: string;
  items: ItemPart[];
  summary?: ItemsSummary | null;
}

export interface NumberPart {
  label: string;
  value: number;
  unit?: string;
}

export interface NumbersPanel {
  panel: "numbers";
  version?: 1;
  summary?: string;
  numbers?: NumberPart[];
}

/** x, y, z in metres, then the rotation as w, x, y, z. */
export type Pose = [number, number, number, number, number, number, number];
/** Middle (three numbers), radius and height, in metres. */
export type Ring = [number, number, number, number, number];
export type Mode = "translate" | "rotate";

/** Boxes: middle, size (three numbers each, metres) and yaw. */
export interface ThingPart {
  name: string;
  boxes?: Pose[];
  rings?: Ring[];
}

export interface GoalPart {
  object: string;
  grasp: string;
  chance: number;
}

/** A hand above a table; where `steered`, a person at the page moves it. */
export interface ScenePanel {
  panel: "scene";
  version?: 1;
  scene: string;
  task?: string;
  low: [number, number, number];
  high: [number, number, number];
  things: ThingPart[];
  hand: Pose;
  ghost?: Pose | null;
  goals?: GoalPart[];
  other?: number;
  steered?: boolean;
  mode?: Mode;
  driver?: string;
}

export type Panel =
  | PicturePanel
  | ChainPanel
  | DecisionPanel
  | StepsPanel
  | BeliefsPanel
  | TimelinePanel
  | ItemsPanel
  | NumbersPanel
  | ScenePanel;

/** What a robot shows people: a phase, a title, a sentence about what it does, and panels. */
export interface RobotState {
  robot: string;
  phase: Phase;
  at_s: number;
  title?: string;
  doing?: string;
  why?: string;
  panels?: Panel[];
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
