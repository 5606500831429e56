/** Driving a hand: the table, what the robot thinks, does and why, and the stick. */
import { useEffect } from "preact/hooks";
import { Sign } from "../meal/Sign";
import { intention } from "../meal/words";
import { link, me, panel } from "../store";
import type { Reach, RobotState, RobotView } from "../types";
import { Beliefs } from "./Beliefs";
import { drive } from "./driving";
import { mappingOf } from "./mapping";
import { Scene } from "./Scene";
import { Stick } from "./Pad";
import { phaseOf } from "./words";
import "./reach.css";

interface ReachViewProps {
  robot: RobotView;
  state: RobotState;
  reach: Reach;
}

export function ReachView({ robot, state, reach }: ReachViewProps) {
  const name = me.value?.name ?? "";
  const over = state.phase === "done";
  const may = robot.alive && link.value === "live" && !over && me.value?.role !== "developer";
  if (name) mappingOf(name);
  useEffect(() => {
    if (may) return drive(robot.robot);
  }, [may, robot.robot]);
  const phase = phaseOf(robot);
  const another = reach.driver !== "" && reach.driver !== name;
  return (
    <section class="reach" data-testid="reach" data-phase={robot.alive ? state.phase : "lost"} aria-label="Reaching">
      <header class="meal-head">
        <h2>{state.title || robot.robot}</h2>
        <p class={`phase${phase.calm ? "" : " is-held"}`} data-testid="phase">
          <Sign of={phase.icon} /> <span>{phase.words}</span>
        </p>
      </header>
      <Scene reach={reach} />
      <div class="reach-side">
        <p class="reach-doing" role={over ? "status" : undefined} data-testid="doing">
          {robot.alive ? intention(state) : ""}
        </p>
        {another && <p class="effect">{reach.driver} steers.</p>}
        {!over && <Stick disabled={!may} />}
        <Beliefs reach={reach} />
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
      </div>
    </section>
  );
}
