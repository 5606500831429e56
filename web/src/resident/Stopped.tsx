/** Everything is stopped. To let it go on takes two presses, and the second is not where the first was. */

import { useState } from "preact/hooks";
import { enable, stopping } from "../stop";
import { me, stopped } from "../store";
import { Icon } from "./Icon";

export function StoppedScreen() {
  const [asked, setAsked] = useState(false);
  const by = stopped.value?.by;
  const mine = by === me.value?.name;
  const why = stopped.value?.why ? `: ${stopped.value.why}` : "";
  const who = mine ? "You pressed Stop." : `Stopped by ${by || "somebody"}${why}.`;
  const mayEnable = me.value?.role !== "developer" && me.value?.role !== "robot";
  return (
    <section class="stopped" data-testid="stopped" aria-labelledby="stopped-title">
      <Icon name="stop" filled />
      <h1 id="stopped-title" aria-live="polite">
        Stopped
      </h1>
      <p class="lead">
        {who} The robot does nothing until somebody lets it go on.
      </p>
      {!mayEnable ? (
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
