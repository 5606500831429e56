/** Short words under Stop, in sight wherever the page is scrolled: a stop that failed, a lost link, a robot that does not
 * answer, what became of a reply. */

import { link, notice, robots, silentS } from "../store";
import { isMine, unsent } from "../outbox";
import { Icon } from "../Icon";
import { TOOLS } from "./groups";
import { StopFailing } from "./Stopped";

export function Banners() {
  return (
    <div class="banners">
      <StopFailing />
      <Lost />
      <Silent />
      <Said />
    </div>
  );
}

function Lost() {
  if (link.value !== "lost") return null;
  const since = silentS.value > 0 ? ` for ${silentS.value} s` : "";
  const waiting = unsent.value.some(isMine) ? " What you said is kept." : " What you choose is kept.";
  return (
    <div class="banner warn" role="status" data-testid="stale">
      <Icon name="link" />
      <p>
        <b>No connection{since}.</b> What you see may be old.{waiting} To stop the robot now, use its own button too.
      </p>
    </div>
  );
}

function Silent() {
  const quiet = [...robots.value.values()].filter((each) => !each.alive && each.state !== null);
  if (link.value !== "live" || quiet.length === 0 || quiet.length < robots.value.size) return null;
  if (quiet.every((each) => each.state?.phase === "done")) return null;
  return (
    <div class="banner warn" role="status" data-testid="robot-silent">
      <Icon name="robot" />
      <p>
        <b>The robot does not answer.</b> It stands still until it hears from here again.
      </p>
    </div>
  );
}

function Said() {
  const said = notice.value;
  return (
    <div role="status" class="said">
      {said && (
        <div class={`banner ${said.tone}`} data-testid="notice">
          <Icon name={said.tone === "good" ? "send" : "notice"} />
          <p>{said.text}</p>
          <button
            type="button"
            class="quiet"
            data-testid="notice-close"
            data-scan
            data-scan-group={TOOLS}
            onClick={() => {
              notice.value = null;
            }}
          >
            OK
          </button>
        </div>
      )}
    </div>
  );
}
