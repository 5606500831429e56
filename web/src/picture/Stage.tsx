/** A picture, or an enlarged part of it, with what is drawn on it. Everything inside is placed in shares. */
import type { ComponentChildren } from "preact";
import { within, type Place, type Region } from "./geometry";

interface StageProps {
  url: string | null;
  ratio: number;
  region: Region;
  class?: string;
  children?: ComponentChildren;
}

const share = (number: number) => `${(number * 100).toFixed(4)}%`;

export function Stage({ url, ratio, region, class: more = "", children }: StageProps) {
  const scale = 1 / region.size;
  const at = {
    width: share(scale),
    height: share(scale),
    left: share(-region.left * scale),
    top: share(-region.top * scale),
  };
  return (
    <div class={`stage ${more}`} style={{ "--ratio": String(ratio) }}>
      {url && <img class="stage-picture" src={url} alt="" style={at} draggable={false} />}
      {children}
    </div>
  );
}

interface MarkProps {
  at: Place;
  region: Region;
  label: string;
  chosen?: boolean;
  guessed?: boolean;
}

/** A ring with its number beside it, so that the place itself stays in sight. */
export function Mark({ at, region, label, chosen = false, guessed = false }: MarkProps) {
  const { x, y } = within(at, region);
  if (x < -0.02 || x > 1.02 || y < -0.02 || y > 1.02) return null;
  const side = `${x > 0.85 ? " to-left" : ""}${y < 0.15 ? " to-below" : ""}`;
  return (
    <span
      class={`pin${chosen ? " is-chosen" : ""}${guessed ? " is-guessed" : ""}${side}`}
      style={{ left: share(x), top: share(y) }}
      aria-hidden="true"
    >
      {label && <span class="pin-label">{label}</span>}
    </span>
  );
}
