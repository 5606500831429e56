// Written by `make wire` from the server's OpenAPI document. Change the Python classes, not this file.

/** Something that a person can do for a robot. */
export type Ability = "see" | "hands" | "goal" | "diagnose";

/** Answer of a person. */
export interface Answer {
  /** Its content; None where it was erased. */
  value: string | boolean | number | Box | Resolution | Point[] | null;
  /** Name of the person. */
  by?: string | null;
  /** Seconds between the question and the answer, at least 0. */
  latency_s?: number | null;
  /** How sure the person was, 0 to 1; 1 where they did not say. */
  certainty?: number;
}

/** A heartbeat. The server repeats its number, so that the other side knows the age of what it hears. */
export interface BeatFrame {
  type: "beat";
  n?: number | null;
}

/** A heartbeat of the server, with the newest number that it has heard. */
export interface BeatToldFrame {
  type: "beat";
  at_s: number;
  heard: number | null;
}

/** A belief; its latest statement is first, and counts. */
export interface BeliefPart {
  key: string;
  contradicted?: boolean;
  said: StatementPart[];
}

/** The robot's beliefs about the world, each with the source that said so. */
export interface BeliefsPanel {
  panel: "beliefs";
  version?: 1;
  beliefs: BeliefPart[];
}

/** A rectangle on a picture, in shares of its width and height. Corners may be given in any order. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A rectangle on a picture, in shares of its width and height. */
export interface BoxPart {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A person's own word that they are busy, for all their devices; null where they are back. */
export interface BusyFrame {
  type: "busy";
  busy: BusyView | null;
}

/** A person's word that they are not to be asked. */
export interface BusyView {
  since_s: number;
  until_s: number | null;
}

/** The last frame: the server closes the socket. */
export interface ByeFrame {
  type: "bye";
  why: string;
}

/** One module of the robot's policy, and what it says. */
export interface ChainLink {
  module: string;
  label?: string;
  says?: string;
  confidence?: number | null;
  by?: "robot" | "person";
  asking?: boolean;
}

/** The modules of the robot's policy in order, each with what it says and how sure it is. */
export interface ChainPanel {
  panel: "chain";
  version?: 1;
  links: ChainLink[];
}

/** The last decision of the robot, with its reason and the probability that what it does works. */
export interface DecisionPanel {
  panel: "decision";
  version?: 1;
  action: "act" | "recover" | "ask" | "wait" | "yield";
  module?: string | null;
  reason?: string;
  reliability?: number | null;
}

/** A half-made answer. */
export interface DraftFrame {
  value: unknown;
  at_s?: number;
  type: "draft";
  id: string;
}

/** An error: its code, its cause and the next step. */
export interface ErrorBody {
  code: string;
  cause: string;
  hint: string;
}

/** A refusal of a frame. */
export interface ErrorFrame {
  error: ErrorBody;
  type: "error";
  /** Token of the reply that was refused; empty for every other frame. */
  token?: string;
}

export type FromPerson = BeatFrame | StopFrame | ReplyFrame | DraftFrame | StickFrame;

/** A grasp that the person may want, with the probability that it is that one. */
export interface GoalPart {
  object: string;
  grasp: string;
  chance: number;
}

/** The first frame: everything that a page or robot needs to begin. */
export interface HelloFrame {
  type: "hello";
  /** Version of the server. */
  server: string;
  me: Me;
  now_s: number;
  beat_s: number;
  hold_s: number;
  stopped: StopView | null;
  questions: RecordView[];
  /** Number of further waiting questions that are not listed. */
  more: number;
  /** For robots: number of people who could answer now. */
  people: number | null;
  robots: RobotView[];
  /** For people: their own word that they are busy. */
  busy?: BusyView | null;
}

/** One piece of the robot's work, such as a bite. */
export interface ItemPart {
  number: number;
  label?: string;
  outcome: "got" | "lost" | "wrong" | "now" | "later";
  attempts?: number;
  queries?: number;
}

/** The pieces of the robot's work: those that are over, the present one and those to come. */
export interface ItemsPanel {
  panel: "items";
  version?: 1;
  /** One of them, such as `bite`. */
  unit?: string;
  /** Several of them. */
  units?: string;
  items: ItemPart[];
  /** Result, once the work is over. */
  summary?: ItemsSummary | null;
}

/** Result of the work, in numbers. */
export interface ItemsSummary {
  got: number;
  of: number;
  queries?: number;
  attempts?: number;
}

/** Marks drawn between two points on a picture. */
export type Joining = "line" | "arrow" | "around" | "none";

/** People who can be asked, in the order in which they came to be known. */
export interface KnownPeople {
  people: PersonView[];
  now_s: number;
}

/** Limits of asking a person. */
export interface LimitsPart {
  at_once?: number;
  per_hour?: number | null;
  load_per_hour?: number | null;
  quiet?: QuietPart[];
}

/** Owner of a token. */
export interface Me {
  id: string;
  name: string;
  role: Role | "robot";
  device: string;
  until_s: number;
  store: string;
}

/** A number with its name and unit. */
export interface NumberPart {
  label: string;
  value: number;
  unit?: string;
}

/** Numbers about the task, with a sentence that sums them up. */
export interface NumbersPanel {
  panel: "numbers";
  version?: 1;
  summary?: string;
  numbers?: NumberPart[];
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

/** Abilities of a person, their limits, and the channels on which they want to be told. */
export interface PersonSetup {
  abilities: Ability[];
  limits: LimitsPart;
  /** All channels where it is empty. */
  channels: string[];
}

/** A person who can be asked. */
export interface PersonView {
  abilities: Ability[];
  limits: LimitsPart;
  /** All channels where it is empty. */
  channels: string[];
  name: string;
  role: Role;
  busy: BusyView | null;
  /** True where they have a device that is let in. */
  paired: boolean;
  /** True where they have a page open at this server now. */
  here: boolean;
}

/** Phases of a robot that every page has a sign and words for. */
export type Phase = "looking" | "deciding" | "asking" | "moving" | "holding" | "resting" | "done" | "stopped";

/** A picture from the robot's camera, with the robot's plan drawn on it. */
export interface PicturePanel {
  panel: "picture";
  version?: 1;
  /** Name under which the picture was put on the server. */
  name: string;
  /** Grows with each new picture of this name. */
  seq?: number;
  caption?: string;
  box?: BoxPart | null;
  points?: PlacePart[];
  /** Mark drawn between two points. */
  shape?: Joining;
}

/** A place on a picture, in shares of its width and height from the upper left corner. */
export interface PlacePart {
  x: number;
  y: number;
}

/** A place on a picture, in shares of its width and height, from the upper left corner. */
export interface Point {
  x: number;
  y: number;
}

/** Result of such a word, and what happens next. */
export interface PresenceAnswer {
  status: ReceiptStatus;
  message: string;
  busy: BusyView | null;
}

/** A question in the words of the person who will read it. */
export interface Question {
  /** The sentence to show or say. */
  prompt: string;
  /** A `QuestionKind`, or a kind added with `add_kind`: it says what an answer looks like. */
  kind: "choice" | "text" | "yes-no" | "number" | "box" | "points" | "diagnosis" | "action" | "permission" | "physical";
  /** Texts to choose from; for `text` and `diagnosis`, suggestions. Other kinds make no use of them. */
  options: string[];
  /** Sentence about what the robot was doing. */
  doing?: string;
  /** Sentence about why it asks. */
  why?: string;
  /** Its own guess: a value that the question allows, or the JSON of one. */
  guess?: string | boolean | number | Box | Resolution | Point[] | null;
  /** Probability that its guess is right, 0 to 1. */
  sure?: number | null;
  /** Effect of each option, in the order of `choices`. */
  effects?: string[];
  /** One picture for each option, by name. */
  pictures?: string[];
  /** The picture that the question is about, by name. */
  image?: string | null;
  /** Help for answering: known facts, a recommendation. */
  support?: string;
  /** Smallest number that is an answer, for `number`. */
  low?: number | null;
  /** Largest number that is an answer. */
  high?: number | null;
  /** Unit of the number. */
  unit?: string;
  /** Names of the points that are asked for, in order. */
  marks?: string[];
  /** Mark drawn between two points, a `Joining`; a line where it is None. */
  joined?: "line" | "arrow" | "around" | "none" | null;
  /** Names of the people to ask, in order; the desk chooses where it is empty. */
  to?: string[];
  /** Time in seconds after which an answer comes too late; never where it is None. */
  deadline_s?: number | null;
}

/** A question that is new or has changed, for people. */
export interface QuestionFrame {
  type: "question";
  record: RecordView;
}

/** A part of every day in which a person is not asked. */
export interface QuietPart {
  start: string;
  end: string;
  zone?: string;
}

/** Result of a reply. */
export interface ReceiptFrame {
  type: "receipt";
  token: string;
  receipt: ReceiptView;
}

/** Result of a reply or another command. */
export type ReceiptStatus =
  | "accepted"
  | "late"
  | "stale"
  | "unauthorised"
  | "claimed"
  | "invalid"
  | "unknown"
  | "stopped";

/** Result of a reply, and the question as it is then. */
export interface ReceiptView {
  status: ReceiptStatus;
  message: string;
  again?: boolean;
  record: RecordView | null;
}

/** A question and its state. */
export interface RecordView {
  id: string;
  run: string;
  step: string;
  attempt: number;
  question: Question;
  load: number;
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
  answer?: Answer | null;
  why?: string;
  cause?: WithdrawalCause | null;
  passed?: string[];
  /** One sentence about its state, for people. */
  told: string;
  /** The robot's certainty of its guess, in words; empty where it is unknown. */
  sureness: string;
  /** Choices, in words. */
  choices: string[];
  /** JSON Schema of its answers. */
  value_schema: Record<string, unknown>;
  now_s: number;
}

/** A person's reply; the server knows the person by the token. */
export interface ReplyFrame {
  question: string;
  kind: ReplyKind;
  token: string;
  value?: string | boolean | number | Box | Resolution | Point[] | null;
  device?: string;
  until_s?: number | null;
  certainty?: number;
  type: "reply";
}

/** Kinds of reply: an answer, or one of the four that are always possible. */
export type ReplyKind = "answer" | "not-now" | "someone-else" | "let-robot-try" | "stop";

/** Action after a failure, and the way to resume. */
export interface Resolution {
  action: string;
  resume: "none" | "continue" | "retry" | "next" | "previous";
}

/** A robot that is new or has changed, for people. */
export interface RobotFrame {
  robot: string;
  alive: boolean;
  last_s: number | null;
  state: RobotState | null;
  type: "robot";
}

/** State that a robot shows people: a phase, a title, a sentence about its work, and panels. */
export interface RobotState {
  robot: string;
  phase: Phase;
  /** Time in seconds, by the server's clock. */
  at_s: number;
  title?: string;
  doing?: string;
  why?: string;
  panels?: Panel[];
}

/** A robot as people see it. Where it is not alive, nothing was heard of it lately, and it stands still. */
export interface RobotView {
  robot: string;
  alive: boolean;
  last_s: number | null;
  state: RobotState | null;
}

/** Role of a person: what they are to the robot. An old record may call the operator `remote`. */
export type Role = "resident" | "caregiver" | "bystander" | "operator" | "developer";

/** A hand above a table, drawn from its numbers; where `steered`, a person at the page moves it. */
export interface ScenePanel {
  panel: "scene";
  version?: 1;
  scene: string;
  task?: string;
  /** One corner of the room that the hand can reach, in metres. */
  low: [number, number, number];
  high: [number, number, number];
  things: ThingPart[];
  hand: [number, number, number, number, number, number, number];
  /** Pose at which the robot would hold the hand. */
  ghost?: [number, number, number, number, number, number, number] | null;
  goals?: GoalPart[];
  /** The probability that it is none of them. */
  other?: number;
  steered?: boolean;
  mode?: "translate" | "rotate";
  /** Name of the person who steers now; empty where nobody does. */
  driver?: string;
}

/** A value that one source holds to be true. */
export interface StatementPart {
  source: "script" | "monitor" | "person";
  value: string;
  probability?: number;
  at_s?: number;
}

/** Status of a question. */
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

/** One step of a recipe, or of a recovery that is under way. */
export interface StepPart {
  depth?: number;
  kind?: "task" | "action" | "op" | "choice" | "loop" | "recovery" | "more";
  name: string;
  status: "done" | "now" | "next" | "failed" | "asking";
  details?: string;
  aborts?: number;
  tried?: string[];
}

/** The steps of a task, with the present one, those before and those after it. */
export interface StepsPanel {
  panel: "steps";
  version?: 1;
  steps: StepPart[];
}

/** Position of the stick with which a person steers a robot: passed on, never kept. */
export interface StickFrame {
  type: "stick";
  robot: string;
  mode: "translate" | "rotate";
  push: [number, number, number];
  close?: boolean;
  /** The latest server time that the page had heard. A push that is older than `hold_s` moves nothing. */
  heard_s: number;
}

/** A stop; everybody may send it. The answer is `StopToldFrame`; until that says `written`, send it again. */
export interface StopFrame {
  why?: string;
  token?: string;
  type: "stop";
}

/** Answer to a stop; `written` is true once it is in the journal. */
export interface StopToldFrame {
  type: "stop";
  token: string;
  written: boolean;
}

/** A stop that holds. */
export interface StopView {
  by: string;
  why: string;
  at_s: number;
  seq: number | null;
  written: boolean;
}

/** Somebody pressed stop; with null, somebody let the robots go on. It overtakes all frames but the first. */
export interface StoppedFrame {
  type: "stopped";
  stopped: StopView | null;
}

/** An object. Boxes: middle, size (three numbers each, metres) and yaw; rings: middle, radius and height. */
export interface ThingPart {
  name: string;
  boxes?: [number, number, number, number, number, number, number][];
  rings?: [number, number, number, number, number][];
}

/** Something that happened. */
export interface TimelineEntry {
  at_s: number;
  kind: "failed" | "recovering" | "recovered" | "asked" | "answered" | "said";
  words: string;
}

/** The latest events, oldest first. */
export interface TimelinePanel {
  panel: "timeline";
  version?: 1;
  entries: TimelineEntry[];
}

export type ToPerson =
  | HelloFrame
  | BeatToldFrame
  | StoppedFrame
  | StopToldFrame
  | QuestionFrame
  | RobotFrame
  | ReceiptFrame
  | BusyFrame
  | ErrorFrame
  | ByeFrame;

/** Cause for which a question was withdrawn. */
export type WithdrawalCause = "asker" | "stop" | "erased" | "nobody";
