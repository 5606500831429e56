/** The stick on the screen: hold a button to push, tap it or choose it by a switch to move for a moment. */
import type { Mode } from "../../types";
import { hold, layer, nudge, press, pushed } from "./driving";
import { DIRECTIONS, mapping, shownKey, type Direction } from "./mapping";

const DIRECTION_WORDS: Record<Mode, Record<Direction, string>> = {
  translate: { forward: "Away", back: "Back", left: "Left", right: "Right", up: "Up", down: "Down" },
  rotate: {
    forward: "Tip down",
    back: "Tip up",
    left: "Turn left",
    right: "Turn right",
    up: "Roll right",
    down: "Roll left",
  },
};

const ARROWS: Record<Direction, string> = {
  forward: "M12 20V5M6 11l6-6 6 6",
  back: "M12 4v15M6 13l6 6 6-6",
  left: "M20 12H5M11 6l-6 6 6 6",
  right: "M4 12h15M13 6l6 6-6 6",
  up: "M12 20V8M7 12l5-5 5 5M6 4h12",
  down: "M12 4v12M7 12l5 5 5-5M6 20h12",
};

export function Stick({ disabled }: { disabled: boolean }) {
  const { mode, means, words } = layer();
  const { keys } = mapping.value;
  return (
    <div class="stick" data-testid="stick" data-mode={mode}>
      <div class="pad" role="group" aria-label={words}>
        {DIRECTIONS.map((direction) => {
          const meant = means[direction];
          if (!meant) return null;
          return (
            <button
              key={direction}
              type="button"
              class={`secondary push push-${direction}`}
              data-testid={`push-${direction}`}
              data-scan
              data-scan-group={words}
              data-pushed={(pushed.value[direction] ?? 0) > 0}
              disabled={disabled}
              onPointerDown={(event) => {
                if (event.button !== 0) return;
                event.currentTarget.setPointerCapture(event.pointerId);
                hold(direction, true);
              }}
              onPointerUp={() => hold(direction, false)}
              onPointerCancel={() => hold(direction, false, false)}
              onLostPointerCapture={() => hold(direction, false, false)}
              onContextMenu={(event) => event.preventDefault()}
              onClick={(event) => {
                if (event.detail === 0) nudge(direction); // by a key or a switch
              }}
            >
              <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
                <path d={ARROWS[meant]} />
              </svg>
              <span>{DIRECTION_WORDS[mode][meant]}</span>
              {keys[direction] && <kbd aria-hidden="true">{shownKey(keys[direction])}</kbd>}
            </button>
          );
        })}
      </div>
      <div class="presses">
        <button
          type="button"
          class="secondary"
          data-testid="mode"
          data-scan={`Now: ${words}. Change`}
          data-scan-group="Hand"
          disabled={disabled}
          onClick={() => press("mode")}
        >
          <span>
            Now: <b>{words}</b>. Change
          </span>
          {keys.mode && <kbd aria-hidden="true">{shownKey(keys.mode)}</kbd>}
        </button>
        <button
          type="button"
          class="primary"
          data-testid="close-hand"
          data-scan="Close the hand"
          data-scan-group="Hand"
          disabled={disabled}
          onClick={() => press("close")}
        >
          <span>Close the hand</span>
          {keys.close && <kbd aria-hidden="true">{shownKey(keys.close)}</kbd>}
        </button>
      </div>
    </div>
  );
}
