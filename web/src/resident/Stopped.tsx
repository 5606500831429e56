/** Everything is stopped. To let it go on takes two presses, and the second is not where the first was. */

import { useEffect, useState } from "preact/hooks";
import { arrange } from "../panels/registry";
import { Shown } from "../panels/Shown";
import { enable, stopping } from "../stop";
import { mayMove, me, notice, robots, say, stopped } from "../store";
import { Icon } from "../Icon";
import { shownRobot } from "./Waiting";

export function StoppedScreen() {
  const [asked, setAsked] = useState(false);
  const by = stopped.value?.by;
  const mine = by === me.value?.name;
  const why = stopped.value?.why ? `: ${stopped.value.why}` : "";
  const who = mine ? "You pressed Stop." : `Stopped by ${by || "somebody"}${why}.`;
  const robot = shownRobot(robots.value.values());
  const seen = robot?.state && arrange(robot.state).slots.stage.find(({ panel }) => panel.panel === "picture");
  return (
    <section class="stopped" data-testid="stopped" aria-labelledby="stopped-title">
      <Icon name="stop" filled />
      <h1 id="stopped-title" aria-live="polite">
        Stopped
      </h1>
      <p class="lead">{who} The robot does nothing until somebody lets it go on.</p>
      {robot?.state && seen && (
        <div class="stopped-picture">
          <Shown view={seen.view} with={{ panel: seen.panel, robot, state: robot.state, asked: false }} />
        </div>
      )}
      {!mayMove.value ? (
        <p>A resident, caregiver or operator can let it go on.</p>
      ) : asked ? (
        <div class="confirm" role="group" aria-label="Let the robot go on?">
          <p>
            <b>Let the robot go on?</b> It may move at once.
          </p>
          <div class="row">
            <button type="button" class="secondary" data-testid="enable-no" data-scan onClick={() => setAsked(false)}>
              No, stay stopped
            </button>
            <button type="button" class="primary" data-testid="enable-yes" data-scan onClick={() => void enable()}>
              Yes, let it go on
            </button>
          </div>
        </div>
      ) : (
        <button type="button" class="primary wide" data-testid="enable" data-scan onClick={() => setAsked(true)}>
          Let it go on
        </button>
      )}
    </section>
  );
}

/** What was said before a stop is over with it; whoever stopped is told when somebody else lets the robot go on. */
export function useStopNews(): void {
  const now = stopped.value;
  const begun = stopping.value !== null || now !== null;
  const mine = now !== null && now.by === me.value?.name;
  useEffect(() => {
    if (begun && notice.value?.tone === "good") notice.value = null;
  }, [begun]);
  useEffect(() => {
    if (!mine) return;
    return () => {
      if (stopped.value === null && notice.value?.tone !== "good") say("Somebody let the robot go on again.");
    };
  }, [mine]);
}

/** A stop that has not reached the robot. It says so plainly: nobody may rely on it. */
export function StopFailing() {
  if (!stopping.value?.failing) return null;
  return (
    <div class="banner alarm" role="alert" data-testid="stop-failing">
      <Icon name="stop" filled />
      <p>
        <b>Stop could not reach the robot.</b> Use the robot's own button. This page keeps trying.
      </p>
    </div>
  );
}
