/** The panels that this page knows. The view of a panel is fetched when a robot sends the first one of its type. */
import type { FunctionComponent } from "preact";
import type { Panel, RobotState, RobotView } from "../types";

export type Slot = "stage" | "side" | "foot";
export const SLOTS: readonly Slot[] = ["stage", "side", "foot"];

export interface PanelProps<P> {
  panel: P;
  robot: RobotView;
  state: RobotState;
  /** True if a question is shown over it. */
  asked: boolean;
}

/** A component that is fetched when it is first shown. */
export class View<Props> {
  component: FunctionComponent<Props> | null = null;

  constructor(private readonly fetch: () => Promise<{ default: FunctionComponent<Props> }>) {}

  async load(): Promise<void> {
    this.component ??= (await this.fetch()).default;
  }
}

type PanelView<P> = View<PanelProps<P>>;

interface Known<P> extends Partial<Record<Slot, PanelView<P>>> {
  version: 1;
  /** Place of a question that is asked while a robot shows such a panel; without it, the question is shown alone. */
  question?: "over" | "above";
}

/** A panel of a new type needs a component and a line here. */
export const KNOWN: { [P in Panel as P["panel"]]: Known<P> } = {
  picture: { version: 1, stage: new View(() => import("./Picture")) },
  scene: {
    version: 1,
    stage: new View(() => import("./scene/Scene")),
    side: new View(() => import("./scene/Steering")),
    question: "over",
  },
  steps: { version: 1, stage: new View(() => import("./Steps")), question: "above" },
  chain: { version: 1, side: new View(() => import("./Chain")) },
  decision: { version: 1, side: new View(() => import("./Decision")) },
  beliefs: { version: 1, side: new View(() => import("./Beliefs")) },
  timeline: { version: 1, side: new View(() => import("./Timeline")) },
  numbers: { version: 1, side: new View(() => import("./Numbers")) },
  items: { version: 1, foot: new View(() => import("./Items")) },
};

function knownOf({ panel, version = 1 }: { panel: string; version?: number }): Known<Panel> | null {
  const known = Object.hasOwn(KNOWN, panel) ? (KNOWN[panel as Panel["panel"]] as unknown as Known<Panel>) : null;
  return known?.version === version ? known : null;
}

/** Return true if a person at the page moves the robot. */
export const isSteered = ({ panels = [] }: RobotState): boolean =>
  panels.some((panel) => panel.panel === "scene" && panel.steered !== false);

export interface Placed {
  /** Key of the panel; it stays the same from state to state. */
  key: string;
  panel: Panel;
  view: PanelView<Panel>;
}

export interface Arrangement {
  slots: Record<Slot, Placed[]>;
  /** Types and versions that this page does not know. */
  unknown: string[];
  question: "over" | "above" | "alone";
}

/** Put the panels of a robot in their places, in the order in which the robot sends them. */
export function arrange({ panels = [] }: RobotState): Arrangement {
  const slots: Arrangement["slots"] = { stage: [], side: [], foot: [] };
  const unknown = new Set<string>();
  const counts = new Map<string, number>();
  let question: Arrangement["question"] = "alone";
  for (const panel of panels) {
    const known = knownOf(panel);
    if (known === null) {
      unknown.add(`${String(panel.panel)} ${String(panel.version ?? 1)}`);
      continue;
    }
    const count = counts.get(panel.panel) ?? 0;
    counts.set(panel.panel, count + 1);
    for (const slot of SLOTS) {
      const view = known[slot];
      if (view) slots[slot].push({ key: `${panel.panel} ${count}`, panel, view });
    }
    if (known.question && question !== "over") question = known.question;
  }
  return { slots, unknown: [...unknown].sort(), question };
}
