/** The mark of scanning: a thick double outline and a flag with words, so that it needs no colour to be seen. */
import { useEffect, useState } from "preact/hooks";
import type { Sight } from "./scanner";

interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
}

const ROOM = 6;
const FLAG_HIGH = 44;
/** So wide a frame carries its flag on its upper edge, where it hides least. */
const WIDE = 240;
const FOLLOW_MS = 100;

export function Highlight({ sight }: { sight: Sight }) {
  const { entry, group, note } = sight;
  const frame = useFrame(sight);
  useEffect(() => {
    const marked = entry?.elements ?? [];
    for (const each of marked) each.dataset.scanNow = entry!.kind;
    return () => {
      for (const each of marked) delete each.dataset.scanNow;
    };
  }, [entry]);
  if (!entry || !frame) {
    return note ? (
      <p class="scan-note" aria-hidden="true">
        {note}
      </p>
    ) : null;
  }
  const place = {
    left: `${frame.left}px`,
    top: `${frame.top}px`,
    width: `${frame.width}px`,
    height: `${frame.height}px`,
  };
  const wide = frame.width >= WIDE;
  const below = frame.top < FLAG_HIGH;
  const right = wide || frame.left > window.innerWidth / 2;
  const icon = entry.kind === "group" ? "▶▶" : entry.kind === "back" ? "◀" : "▶";
  return (
    <div
      class={`scan-mark is-${entry.kind}`}
      style={place}
      aria-hidden="true"
      data-testid="scan-mark"
      data-label={entry.label}
    >
      <span class={`scan-flag${wide ? " is-on-edge" : below ? " is-below" : ""}${right ? " is-right" : ""}`}>
        <span class="scan-icon">{icon}</span> {entry.kind === "back" ? `Back from: ${group}` : entry.label}
        {note && <span class="scan-why">{note}</span>}
      </span>
    </div>
  );
}

/** Where the marked controls are on the screen, followed while they move. */
function useFrame({ entry }: Sight): Frame | null {
  const [frame, setFrame] = useState<Frame | null>(null);
  useEffect(() => {
    const look = () => setFrame((before) => unlessSame(before, around(entry?.elements ?? [])));
    look();
    const timer = window.setInterval(look, FOLLOW_MS);
    window.addEventListener("scroll", look, { capture: true, passive: true });
    window.addEventListener("resize", look);
    return () => {
      window.clearInterval(timer);
      window.removeEventListener("scroll", look, { capture: true });
      window.removeEventListener("resize", look);
    };
  }, [entry]);
  return frame;
}

function around(elements: readonly HTMLElement[]): Frame | null {
  const all = elements.filter((each) => each.isConnected).map((each) => each.getBoundingClientRect());
  if (!all.length) return null;
  const left = Math.max(2, Math.min(...all.map((each) => each.left)) - ROOM);
  const top = Math.max(2, Math.min(...all.map((each) => each.top)) - ROOM);
  const right = Math.min(window.innerWidth - 2, Math.max(...all.map((each) => each.right)) + ROOM);
  const bottom = Math.min(window.innerHeight - 2, Math.max(...all.map((each) => each.bottom)) + ROOM);
  return { left, top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

function unlessSame(before: Frame | null, after: Frame | null): Frame | null {
  const same = before && after && (Object.keys(after) as (keyof Frame)[]).every((key) => before[key] === after[key]);
  return same ? before : after;
}
