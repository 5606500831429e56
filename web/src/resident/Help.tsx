/** Help: what each button does, and how to reach somebody. */

import { settings } from "../settings";
import { current, me } from "../store";
import { Sheet } from "./Sheet";

export function Help() {
  const others = (current.value?.audience ?? []).filter((name) => name !== me.value?.name);
  const { contact, keys, scan } = settings.value;
  return (
    <Sheet title="Help">
      <dl class="helps">
        <dt>Stop</dt>
        <dd>
          I stop as soon as you press it. I stay stopped until somebody lets me go on. This is no emergency stop: for
          that, use the button on me.
        </dd>
        <dt>Not now</dt>
        <dd>Puts the question off. I may go on without your answer. Otherwise I ask you again later.</dd>
        <dt>I am busy, I am back</dt>
        <dd>
          While you are busy I do not ask you. What I want to ask goes to somebody else, or waits for you. You can say
          for how long.
        </dd>
        <dt>Someone else</dt>
        <dd>
          {others.length > 0 ? `I ask ${others.join(" or ")} instead.` : "I ask the next person."} If nobody else can be
          asked, I decide by myself.
        </dd>
        <dt>Let the robot try</dt>
        <dd>I decide by myself, with my best guess. I cannot where I need your permission or your hands.</dd>
        <dt>Send and Undo</dt>
        <dd>Nothing goes out before you press Send. Undo takes your choice back. There is no hurry.</dd>
        <dt>To reach somebody</dt>
        <dd>
          {contact ||
            "Press “Someone else” at a question. In Settings you can write whom to call; it is then shown here."}
        </dd>
        <dt>Keys</dt>
        <dd>
          <kbd>F9</kbd> stops at any time, <kbd>F2</kbd> says “not now”, <kbd>F8</kbd> says busy or back, <kbd>F1</kbd>{" "}
          opens this.{" "}
          {keys && (
            <>
              So do <kbd>S</kbd>, <kbd>N</kbd>, <kbd>B</kbd> and <kbd>H</kbd> where you are not writing.{" "}
            </>
          )}
          <kbd>Tab</kbd> and <kbd>Enter</kbd> reach everything.{" "}
          {keys && (
            <>
              <kbd>1</kbd> to <kbd>9</kbd> choose an answer.{" "}
            </>
          )}
          <kbd>Esc</kbd> closes this or takes a choice back, and does nothing else.
        </dd>
        <dt>One switch</dt>
        <dd>
          Stop is marked first in every round. Hold the switch for 2 seconds to stop the robot at once, whatever is
          marked.
          {scan === "off" && " Scanning is off now: see Settings."}
        </dd>
      </dl>
    </Sheet>
  );
}
