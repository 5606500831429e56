/** Nothing to answer just now: what the robot is doing, and what waits elsewhere. */

import { sound } from "../attention";
import { RobotScreen } from "../panels/RobotScreen";
import { settings } from "../settings";
import { answerable, busy, me, picked, robots } from "../store";
import type { RecordView, RobotView } from "../types";
import { Icon } from "../Icon";
import { BusyCard } from "./Busy";
import { sentence } from "../panels/words";

/** The robot to show: one that answers rather than one that does not, the latest of them. */
export function shownRobot(all: Iterable<RobotView>): RobotView | null {
  const at = (each: RobotView) => (each.alive ? 1e12 : 0) + (each.state?.at_s ?? 0);
  return [...all].filter((each) => each.state !== null).sort((a, b) => at(b) - at(a))[0] ?? null;
}

/** What is only watched can be reached by Tab, so that keys can scroll it. */
export function Waiting() {
  const robot = shownRobot(robots.value.values());
  return (
    <section class="waiting" data-testid="waiting" tabIndex={robot ? 0 : undefined}>
      {robot && <h1 class="unseen">Nothing to answer</h1>}
      <BusyCard />
      {robot ? (
        <RobotScreen robot={robot} />
      ) : (
        <div class="calm">
          <Icon name="robot" />
          <h1>Nothing to answer</h1>
          <p>When the robot needs you, its question appears here. You can leave this page open.</p>
          <Silent />
        </div>
      )}
      {robot && <Silent />}
      <Elsewhere />
    </section>
  );
}

/** A browser that was opened and not touched makes no sound, whatever is set. */
function Silent() {
  if (sound.value !== "locked" || settings.value.chime === "off") return null;
  return (
    <p class="effect" data-testid="sound-locked">
      A question makes no sound yet. Touch this page or press a key once, then it does.
    </p>
  );
}

/** Questions that this person may answer though they are not before them: put off, held, or with somebody else. */
function Elsewhere() {
  const all = answerable.value;
  if (all.length === 0) return null;
  return (
    <div class="elsewhere">
      <h2>You may also answer</h2>
      <ul>
        {all.slice(0, 5).map((record) => (
          <li key={record.id}>
            <p>
              <b>{record.question.prompt}</b>
              <span class="effect">{where(record)}</span>
            </p>
            <button
              type="button"
              class="secondary"
              data-testid="answer-now"
              data-scan
              data-scan-group="Other questions"
              onClick={() => {
                picked.value = record.id;
              }}
            >
              Answer now
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function where(record: RecordView): string {
  const own = me.value?.name;
  if (record.status === "deferred") return record.by === own ? "You said: not now." : record.told;
  if (record.status === "held" && record.turn === own && busy.value) return "I ask you once you are back.";
  return sentence(record.told);
}
