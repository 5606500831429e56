/** A robot: what it is at, what it does and why, and its panels, each in its place. */
import type { ComponentChildren } from "preact";
import { Icon } from "../Icon";
import { keep, kept } from "../kept";
import type { RobotView } from "../types";
import { arrange, isSteered, SLOTS } from "./registry";
import { Reload, Shown } from "./Shown";
import { holds, intention, phaseOf } from "./words";
import "./panels.css";

interface RobotScreenProps {
  robot: RobotView;
  /** The question that stands over it: the robot waits, and all that it asks about can still be seen. */
  question?: ComponentChildren;
}

/** By itself it takes no focus and holds nothing to press; a panel may. */
export function RobotScreen({ robot, question }: RobotScreenProps) {
  const { state } = robot;
  if (state === null) return null;
  const { slots, unknown } = arrange(state);
  const phase = phaseOf(robot);
  const title = state.title || robot.robot;
  const asked = question !== undefined;
  const over = state.phase === "done" && slots.side.length === 0;
  const told = holds(robot);
  const doing = told ? intention(state) : "";
  const steered = isSteered(state);
  // What a hand that somebody steers does all the time is not read out.
  const aloud = !steered || state.phase === "done" || state.why ? doing : "";
  return (
    <section
      class={`robot${asked ? " is-asked" : ""}${slots.stage.length ? "" : " is-flat"}${over ? " is-over" : ""}`}
      data-testid="robot"
      data-phase={told ? state.phase : "lost"}
      aria-label={title}
    >
      <div class="robot-grid">
        {asked ? (
          <>
            <div class="robot-asked">{question}</div>
            <h2 class="unseen">{title}</h2>
          </>
        ) : (
          <>
            <header class="robot-head">
              <h2>{title}</h2>
              <p class={phase.calm ? "phase" : "phase is-held"} data-testid="phase">
                <Icon name={phase.icon} /> <span>{phase.words}</span>
              </p>
            </header>
            <p class="robot-doing" data-testid="doing" aria-live={steered ? "off" : "polite"}>
              {doing}
            </p>
          </>
        )}
        {steered && (
          <p class="unseen" role="status" data-testid="aloud">
            {asked ? "" : aloud}
          </p>
        )}
        {SLOTS.map(
          (slot) =>
            slots[slot].length > 0 && (
              <div key={slot} class={`robot-${slot}`}>
                {slots[slot].map(({ key, panel, view }) => (
                  <Shown key={key} view={view} with={{ panel, robot, state, asked }} />
                ))}
              </div>
            ),
        )}
        <Unknown names={unknown.join(", ")} />
      </div>
    </section>
  );
}

/** Loading the page anew is offered once: where that did not help, it would not help again. */
function Unknown({ names }: { names: string }) {
  if (!names) return null;
  const reloaded = kept<string>("reloaded") === names;
  return (
    <div class="robot-unknown" role="status" data-testid="unknown">
      <p>
        {reloaded
          ? "This page cannot show everything that the robot sends."
          : "This page is older than the robot: reload it."}
      </p>
      {!reloaded && <Reload before={() => keep("reloaded", names)} />}
    </div>
  );
}
