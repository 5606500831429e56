/** The part of the recipe that is under way, as nested lists: what is done, where it is, what comes. */
import { Icon, type IconName } from "../Icon";
import type { StepPart, StepsPanel } from "../types";
import type { PanelProps } from "./registry";
import { Tile } from "./Tile";
import { named, times } from "./words";

const STATUSES: Record<StepPart["status"], [IconName, string]> = {
  done: ["done", "done"],
  now: ["now", "now"],
  next: ["later", "to come"],
  failed: ["lost", "failed"],
  asking: ["hand", "asking about this"],
};
const HERE: readonly StepPart["status"][] = ["now", "asking", "failed"];

interface Node {
  step: StepPart;
  below: Node[];
}

/** Rows with depths as a tree. */
export function nested(steps: readonly StepPart[]): Node[] {
  const top: Node[] = [];
  const way: Node[] = [];
  for (const step of steps) {
    const node = { step, below: [] };
    way.length = Math.min(way.length, step.depth ?? 0);
    (way[way.length - 1]?.below ?? top).push(node);
    way.push(node);
  }
  return top;
}

export default function Steps({ panel: { steps } }: PanelProps<StepsPanel>) {
  if (steps.length === 0) return null;
  return (
    <Tile of="steps" title="Where I am">
      <List nodes={nested(steps)} here={steps.findLast(({ status }) => HERE.includes(status))} />
    </Tile>
  );
}

function List({ nodes, here }: { nodes: readonly Node[]; here: StepPart | undefined }) {
  return (
    <ul>
      {nodes.map((node, index) => (
        <li key={index}>
          <Row step={node.step} here={node.step === here} />
          {node.below.length > 0 && <List nodes={node.below} here={here} />}
        </li>
      ))}
    </ul>
  );
}

function Row({ step, here }: { step: StepPart; here: boolean }) {
  const { kind, name, status, details, aborts = 0, tried = [] } = step;
  const [icon, words] = STATUSES[status];
  const recovery = kind === "recovery";
  return (
    <div
      class={`step-row is-${status}${recovery ? " of-recovery" : ""}${here ? " is-here" : ""}`}
      data-testid="step"
      data-status={status}
      aria-current={here ? "step" : undefined}
    >
      <Icon name={recovery ? "again" : icon} />
      <span class="step-words">
        <span class="unseen">{words}: </span>
        {recovery && "Recovery: "}
        <b>{named(name)}</b>
        {details && <span class="quiet-words">{details}</span>}
        {aborts > 0 && (
          <span class="step-tries">
            failed {times(aborts, "time", "times")}
            {tried.length > 0 && `; tried ${tried.join(", ")}`}
          </span>
        )}
      </span>
    </div>
  );
}
