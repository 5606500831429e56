/** "You say: chicken. [Send] [Undo]": the last look before anything goes out. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { settings } from "../settings";
import { Icon } from "./Icon";
import { sentence } from "./words";

interface SendBarProps {
  said: string;
  effect: string;
  /** Whether it may go out by itself, where the person has asked for that. */
  mayGo: boolean;
  /** Whether to bring the focus here: it was chosen by a key. */
  byKey: boolean;
  onSend: () => void;
  onUndo: () => void;
}

export function SendBar({ said, effect, mayGo, byKey, onSend, onUndo }: SendBarProps) {
  const button = useRef<HTMLButtonElement>(null);
  const root = useRef<HTMLElement>(null);
  const after = settings.value.sendAfter;
  const [left, setLeft] = useState<number | null>(null);
  useLayoutEffect(() => {
    if (byKey) button.current?.focus();
    root.current?.scrollIntoView({ block: "nearest" });
  }, [said, byKey]);
  useEffect(() => {
    setLeft(mayGo && after > 0 ? after : null);
  }, [said, mayGo, after]);
  useEffect(() => {
    if (left === null) return;
    if (left <= 0) return onSend();
    const timer = window.setTimeout(() => setLeft(left - 1), 1000);
    return () => window.clearTimeout(timer);
  }, [left]);
  return (
    <section class="sendbar" aria-label="Your reply" ref={root}>
      <p class="says" role="status">
        <span class="says-label">You say</span> <b>{sentence(said)}</b> {effect && <span class="effect">{effect}</span>}
      </p>
      <div class="sendbar-buttons">
        <button
          type="button"
          class="primary"
          data-testid="send"
          data-scan
          data-scan-soon
          ref={button}
          onClick={onSend}
        >
          <Icon name="send" />
          <span>Send</span>
        </button>
        <button type="button" class="secondary" data-testid="undo" data-scan data-scan-soon data-scan-group="Your reply" onClick={onUndo}>
          <Icon name="undo" />
          <span>Undo</span>
        </button>
        {left !== null && (
          <button
            type="button"
            class="secondary"
            data-testid="wait"
            data-scan="Wait"
            data-scan-soon
            data-scan-group="Your reply"
            onClick={() => setLeft(null)}
          >
            <Icon name="later" />
            <span>Wait (goes out in {left} s)</span>
          </button>
        )}
      </div>
    </section>
  );
}
