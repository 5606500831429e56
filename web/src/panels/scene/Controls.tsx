/** Which key, button or axis does what, for this person on this device. */
import { useLayoutEffect, useState } from "preact/hooks";
import { Sheet } from "../../resident/Sheet";
import { Pick } from "../../resident/Settings";
import { change, settings } from "../../settings";
import { me } from "../../store";
import { connected, first, rest } from "./gamepad";
import {
  ACTIONS,
  mapping,
  NUDGES,
  PRESETS,
  setKey,
  setMapping,
  setPad,
  shownKey,
  shownPad,
  SPEEDS,
  type Action,
} from "./mapping";

const LOOK_MS = 50;
const ACTION_WORDS: Record<Action, string> = {
  forward: "Away, or tip down",
  back: "Back, or tip up",
  left: "Left",
  right: "Right",
  up: "Up, or roll right",
  down: "Down, or roll left",
  mode: "Change between moving and turning",
  close: "Close the hand",
  yes: "Yes, to a question",
  no: "No, to a question",
  stop: "Stop",
};

export default function Controls() {
  const [waiting, setWaiting] = useState<Action | null>(null);
  const [refused, setRefused] = useState("");
  const { axes, speed, nudgeMs, keys, pads } = mapping.value;
  useCapture(waiting, (why) => {
    setRefused(why);
    setWaiting(null);
  });
  return (
    <Sheet title="Controls">
      <p class="effect">
        What you set here is kept on this device, for {me.value?.name ?? "you"} alone.{" "}
        {connected() > 0 ? "A gamepad is connected." : "To use a gamepad, connect it and press one of its buttons."}
      </p>
      <fieldset class="pick">
        <legend>Begin with</legend>
        <div class="row">
          {Object.entries(PRESETS).map(([name, preset]) => (
            <button
              key={name}
              type="button"
              class="secondary"
              data-testid={`preset-${name}`}
              data-scan
              data-scan-group="Begin with"
              onClick={() => setMapping(preset.mapping)}
            >
              {preset.words}
            </button>
          ))}
        </div>
      </fieldset>
      <Pick
        title="Axes at once"
        note="With fewer, the mode key goes through more modes. One is enough for everything."
        name="axes"
        options={([3, 2, 1] as const).map((value) => ({ value, words: `${value}` }))}
        value={axes}
        onPick={(value) => setMapping({ axes: value })}
      />
      <Pick
        title="Speed"
        name="speed"
        options={SPEEDS.map((value) => ({ value, words: `${value * 100} %` }))}
        value={speed}
        onPick={(value) => setMapping({ speed: value })}
      />
      <Pick
        title="A tap or a switch moves for"
        name="nudge"
        options={NUDGES.map((value) => ({ value, words: `${value / 1000} s` }))}
        value={nudgeMs}
        onPick={(value) => setMapping({ nudgeMs: value })}
      />
      <Pick<"off" | "auto">
        title="One switch"
        note="The buttons on the screen are marked one after the other; the switch presses the marked one."
        name="steering-scan"
        options={[
          { value: "off", words: "Off" },
          { value: "auto", words: "On" },
        ]}
        value={settings.value.scan === "off" ? "off" : "auto"}
        onPick={(value) => change({ scan: value })}
      />
      <h2 class="controls-title">Keys and buttons</h2>
      <p class="refused" role="status" data-testid="refused">
        {waiting ? `${ACTION_WORDS[waiting]}: press a key, or push the gamepad. Esc leaves it as it is.` : refused}
      </p>
      <ul class="controls">
        {ACTIONS.map((action) => {
          const pad = pads[action];
          return (
            <li key={action}>
              <span>
                <b>{ACTION_WORDS[action]}</b>
                <span class="effect" data-testid={`input-${action}`}>
                  {[keys[action] && `key ${shownKey(keys[action])}`, pad && shownPad(pad)].filter(Boolean).join(", ") ||
                    "nothing yet"}
                </span>
              </span>
              <button
                type="button"
                class="secondary"
                data-testid={`change-${action}`}
                data-scan
                data-scan-group="Keys and buttons"
                aria-label={`Change: ${ACTION_WORDS[action]}`}
                onClick={() => setWaiting(action)}
              >
                {waiting === action ? "Press it now" : "Change"}
              </button>
            </li>
          );
        })}
      </ul>
    </Sheet>
  );
}

/** Wait for a key, or for something on a gamepad, from the moment it is asked for; a key that is taken is said to be. */
function useCapture(waiting: Action | null, done: (why: string) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is at rest is looked at once, when the waiting begins
  useLayoutEffect(() => {
    if (!waiting) return;
    const atRest = rest();
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "F9" || ["Shift", "Control", "Alt", "Meta"].includes(event.key)) return; // Stop stays Stop
      event.preventDefault();
      event.stopImmediatePropagation();
      done(event.key === "Escape" ? "" : setKey(waiting, event.key));
    };
    const timer = window.setInterval(() => {
      const pad = first(atRest);
      if (!pad) return;
      setPad(waiting, pad);
      done("");
    }, LOOK_MS);
    window.addEventListener("keydown", onKey, { capture: true });
    return () => {
      window.clearInterval(timer);
      window.removeEventListener("keydown", onKey, { capture: true });
    };
  }, [waiting]);
}
