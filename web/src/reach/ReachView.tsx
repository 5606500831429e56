/** Driving a hand: the table, what the robot thinks, does and why, and the stick. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { Sign } from "../signs/Sign";
import { intention } from "../signs/words";
import { link, mayMove, me, panel } from "../store";
import type { Reach, RobotState, RobotView } from "../types";
import { Beliefs } from "./Beliefs";
import { drive } from "./driving";
import { connected } from "./gamepad";
import { mapping, mappingOf, shownPad } from "./mapping";
import { Scene } from "./Scene";
import { Stick } from "./Pad";
import { answerByPad } from "./presses";
import { phaseOf } from "./words";
import "./reach.css";

interface ReachViewProps {
  robot: RobotView;
  state: RobotState;
  reach: Reach;
  /** The question that stands over it: the hand stands still, and everything else can still be seen. */
  asked?: ComponentChildren;
}

export function ReachView({ robot, state, reach, asked }: ReachViewProps) {
  const name = me.value?.name ?? "";
  const over = state.phase === "done";
  const may = robot.alive && link.value === "live" && !over && mayMove.value;
  const asking = asked !== undefined;
  useEffect(() => {
    if (name) mappingOf(name);
  }, [name]);
  useLayoutEffect(() => {
    if (asking) return answerByPad();
    return may ? drive(robot.robot) : undefined;
  }, [asking, may, robot.robot]);
  const phase = phaseOf(robot);
  const another = reach.driver !== "" && reach.driver !== name;
  return (
    <section
      class={asking ? "reach is-asked" : "reach"}
      data-testid="reach"
      data-phase={robot.alive ? state.phase : "lost"}
      aria-label="Reaching"
    >
      {asking ? (
        <div class="reach-asked">
          {asked}
          <ByPad />
        </div>
      ) : (
        <header class="meal-head">
          <h2>{state.title || robot.robot}</h2>
          <p class={`phase${phase.calm ? "" : " is-held"}`} data-testid="phase">
            <Sign of={phase.icon} /> <span>{phase.words}</span>
          </p>
        </header>
      )}
      <p class="unseen" role="status" data-testid="aloud">
        {robot.alive && !asking && (over || state.why) ? intention(state) : ""}
      </p>
      <Scene reach={reach} asked={asking} />
      <div class="reach-side">
        {!asking && (
          <p class="reach-doing" data-testid="doing">
            {robot.alive ? intention(state) : ""}
          </p>
        )}
        {another && <p class="effect">{reach.driver} steers.</p>}
        {!over && <Stick disabled={!may || asking} />}
        <Beliefs reach={reach} few={asking} />
        {!asking && <More reach={reach} />}
      </div>
    </section>
  );
}

/** How a gamepad answers, where one is there. */
function ByPad() {
  const { yes, no } = mapping.value.pads;
  if (connected() === 0 || !yes || !no) return null;
  return (
    <p class="effect">
      Gamepad: {shownPad(yes)} says yes, {shownPad(no)} no; the same again sends it.
    </p>
  );
}

function More({ reach }: { reach: Reach }) {
  return (
    <p class="reach-more">
      <span>
        {reach.seconds.toFixed(0)} s, {reach.mode_changes} changes of mode, {reach.questions} questions
      </span>
      <button
        type="button"
        class="quiet"
        data-testid="controls"
        data-scan
        data-scan-group="Hand"
        onClick={() => {
          panel.value = "controls";
        }}
      >
        Controls
      </button>
    </p>
  );
}
