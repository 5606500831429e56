/** The part of the recipe that is under way, as nested lists: what is done, where it is, what comes. */
import { Sign } from "../signs/Sign";
import { times } from "../signs/words";
import type { StepState } from "../types";
import { KINDS, named, STATUSES } from "./words";

interface Node {
  step: StepState;
  below: Node[];
}

/** Rows with depths as a tree. */
export function nested(steps: readonly StepState[]): Node[] {
  const top: Node[] = [];
  const way: Node[] = [];
  for (const step of steps) {
    const node = { step, below: [] };
    way.length = Math.min(way.length, step.depth);
    (way[way.length - 1]?.below ?? top).push(node);
    way.push(node);
  }
  return top;
}

export function Steps({ steps }: { steps: readonly StepState[] }) {
  if (steps.length === 0) return null;
  const here = steps.reduce((last, step, index) => (HERE.includes(step.status) ? index : last), -1);
  return (
    <section class="steps" aria-labelledby="steps-title">
      <h3 id="steps-title">Where it is</h3>
      <List nodes={nested(steps)} here={steps[here]} />
    </section>
  );
}

const HERE: readonly string[] = ["now", "asking", "failed"];

function List({ nodes, here }: { nodes: readonly Node[]; here: StepState | undefined }) {
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

function Row({ step, here }: { step: StepState; here: boolean }) {
  const { icon, words } = STATUSES[step.status];
  const aborts = step.aborts ?? 0;
  return (
    <div
      class={`task-step is-${step.status} of-${step.kind}${here ? " is-here" : ""}`}
      data-testid="step"
      data-status={step.status}
      aria-current={here ? "step" : undefined}
    >
      <span class="task-step-sign">
        <Sign of={step.kind === "recovery" ? "again" : icon} />
      </span>
      <span class="task-step-words">
        <span class="hidden-words">{words}: </span>
        {step.kind === "recovery" && <span class="task-step-kind">{KINDS.recovery} </span>}
        <b>{named(step.name)}</b>
        {step.details && <span class="task-step-details">{step.details}</span>}
        {aborts > 0 && (
          <span class="task-step-tries">
            failed {times(aborts, "time", "times")}
            {step.tried?.length ? `; tried ${step.tried.join(", ")}` : ""}
          </span>
        )}
      </span>
    </div>
  );
}
