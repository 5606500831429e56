/** *I am busy* and *I am back*: the button that is always there, and what holds while one is busy. */

import { hour, mayBeAsked, sayBusy } from "../busy";
import { Icon } from "../Icon";
import { busy } from "../store";
import { TOOLS } from "./groups";
import { Pick } from "./Settings";

export function BusyButton() {
  if (!mayBeAsked.value) return null;
  const now = busy.value !== null;
  return (
    <button
      type="button"
      class={now ? "tool is-busy" : "tool"}
      data-testid="busy"
      data-scan
      data-scan-group={TOOLS}
      onClick={() => void sayBusy(!now)}
    >
      <Icon name={now ? "hand" : "rest"} />
      <span>{now ? "I am back" : "I am busy"}</span>
    </button>
  );
}

const SPANS = [
  { value: 0, words: "When I say so" },
  { value: 1800, words: "In 30 minutes" },
  { value: 3600, words: "In an hour" },
  { value: 10800, words: "In 3 hours" },
];

/** What happens meanwhile, and when it ends. */
export function BusyCard() {
  const said = busy.value;
  if (said === null) return null;
  const until = said.until_s === null ? "until you press “I am back”" : `until ${hour(said.until_s)}`;
  return (
    <div class="busy-card" data-testid="busy-card">
      <h2>You are busy</h2>
      <p role="status">
        I do not ask you {until}. Meanwhile I ask somebody else. Where nobody else can be asked, I wait for you.
      </p>
      <Pick
        title="Ask me again"
        name="busyfor"
        options={SPANS}
        value={said.until_s === null ? 0 : Math.round(said.until_s - said.since_s)}
        onPick={(span) => void sayBusy(true, span || null)}
      />
    </div>
  );
}
