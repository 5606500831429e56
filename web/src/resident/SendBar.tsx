/** "You say: chicken. [Send] [Undo]": the last look before anything goes out. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Draft } from "../drafts";
import { settings } from "../settings";
import { Icon } from "../Icon";
import { sentence } from "../panels/words";

interface SendBarProps {
  /** Another object for each choice: a box that was moved is said in the same words. */
  choice: Draft;
  said: string;
  effect: string;
  /** Whether it may go out by itself, where the person has asked for that. */
  mayGo: boolean;
  /** Whether to bring the focus here: it was chosen by a key. */
  byKey: boolean;
  onSend: () => void;
  onUndo: () => void;
}

/** Seconds until what is said goes out, anew for each choice; null where it waits for a press. With a way to hold it. */
export function useCountdown(choice: Draft, seconds: number, onEnd: () => void): [number | null, () => void] {
  const [left, setLeft] = useState<{ s: number } | null>(null); // an object: the same seconds of another choice begin anew
  useEffect(() => {
    setLeft(seconds > 0 ? { s: seconds } : null);
  }, [choice, seconds]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn anew meanwhile does not begin a second anew
  useEffect(() => {
    if (left === null) return;
    if (left.s <= 0) return onEnd();
    const timer = window.setTimeout(() => setLeft({ s: left.s - 1 }), 1000);
    return () => window.clearTimeout(timer);
  }, [left]);
  return [left?.s ?? null, () => setLeft(null)];
}

export function SendBar({ choice, said, effect, mayGo, byKey, onSend, onUndo }: SendBarProps) {
  const button = useRef<HTMLButtonElement>(null);
  const root = useRef<HTMLElement>(null);
  const [left, hold] = useCountdown(choice, mayGo ? settings.value.sendAfter : 0, onSend);
  useLayoutEffect(() => {
    if (byKey) button.current?.focus();
    root.current?.scrollIntoView({ block: "nearest" });
  }, [said, byKey]);
  return (
    <section class="sendbar" aria-label="Your reply" ref={root}>
      <p class="says" role="status">
        <span class="says-label">You say</span> <b>{sentence(said)}</b> {effect && <span class="effect">{effect}</span>}
      </p>
      <div class="sendbar-buttons">
        <button type="button" class="primary" data-testid="send" data-scan data-scan-soon ref={button} onClick={onSend}>
          <Icon name="send" />
          <span>Send</span>
        </button>
        <button
          type="button"
          class="secondary"
          data-testid="undo"
          data-scan
          data-scan-soon
          data-scan-group="Your reply"
          onClick={onUndo}
        >
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
            onClick={hold}
          >
            <Icon name="later" />
            <span>Wait (goes out in {left} s)</span>
          </button>
        )}
      </div>
    </section>
  );
}
