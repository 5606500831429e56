/** Beside the drawing of a hand: the stick of whoever moves it, and what the robot thinks they want. */
import { useLayoutEffect } from "preact/hooks";
import { link, mayMove, me, sheet } from "../../store";
import type { ScenePanel } from "../../types";
import type { PanelProps } from "../registry";
import { drive } from "./driving";
import { connected } from "./gamepad";
import { Goals } from "./Goals";
import { mapping, shownPad } from "./mapping";
import { answerByPad } from "./presses";
import { Stick } from "./Stick";

export default function Steering({ panel, robot, state, asked }: PanelProps<ScenePanel>) {
  const { steered = true, driver = "" } = panel;
  const over = state.phase === "done";
  const may = steered && robot.alive && link.value === "live" && !over && mayMove.value;
  useLayoutEffect(() => {
    if (asked) return steered ? answerByPad() : undefined;
    return may ? drive(robot.robot) : undefined;
  }, [asked, steered, may, robot.robot]);
  return (
    <div class="steering">
      {asked && steered && <ByPad />}
      {driver !== "" && driver !== me.value?.name && <p class="effect">{driver} steers.</p>}
      {steered && !over && <Stick disabled={!may || asked} />}
      <Goals panel={panel} few={asked} />
      {steered && !asked && (
        <button
          type="button"
          class="quiet"
          data-testid="controls"
          data-scan
          data-scan-group="Hand"
          onClick={() => {
            sheet.value = "controls";
          }}
        >
          Controls
        </button>
      )}
    </div>
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
