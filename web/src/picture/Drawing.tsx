/** Shapes between marks: a box, a line, an arrow, a ring. */
import { boxOf, within, type Place, type Region } from "./geometry";
import type { Joining } from "../types";

export type Shape = "box" | Joining;

interface DrawingProps {
  shape: Shape;
  points: readonly Place[];
  region: Region;
  ratio: number;
  guessed?: boolean;
}

const WIDE = 1000;
const HEAD = 46;

/** Each shape is drawn twice, light under dark or dark under light, so that it is seen on anything. */
export function Drawing({ shape, points, region, ratio, guessed = false }: DrawingProps) {
  const [first, second] = points;
  if (!first || !second || shape === "none") return null;
  const high = WIDE / ratio;
  const drawn = (at: Place): Place => {
    const { x, y } = within(at, region);
    return { x: x * WIDE, y: y * high };
  };
  const path = PATHS[shape](drawn(first), drawn(second));
  return (
    <svg
      class={`drawing${guessed ? " is-guessed" : ""}`}
      viewBox={`0 0 ${WIDE} ${high}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path class="drawing-halo" d={path} />
      <path class="drawing-ink" d={path} />
    </svg>
  );
}

const PATHS: Record<Exclude<Shape, "none">, (from: Place, to: Place) => string> = {
  box: (from, to) => {
    const { left, top, right, bottom } = boxOf(from, to);
    return `M${left} ${top}H${right}V${bottom}H${left}Z`;
  },
  line: (from, to) => {
    const { x, y } = between(from, to);
    return `M${from.x} ${from.y}L${to.x} ${to.y}M${x - 14} ${y - 14}L${x + 14} ${y + 14}M${x - 14} ${y + 14}L${x + 14} ${y - 14}`;
  },
  arrow: (from, to) => `M${from.x} ${from.y}L${to.x} ${to.y}${head(from, to)}`,
  around: (from, to) => {
    const radius = Math.hypot(to.x - from.x, to.y - from.y) / 2;
    return `M${from.x} ${from.y}A${radius} ${radius} 0 1 1 ${to.x} ${to.y}A${radius} ${radius} 0 1 1 ${from.x} ${from.y}`;
  },
};

function between(from: Place, to: Place): Place {
  return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
}

function head(from: Place, to: Place): string {
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  const side = (turn: number) => `${to.x - HEAD * Math.cos(angle + turn)} ${to.y - HEAD * Math.sin(angle + turn)}`;
  return `M${side(0.5)}L${to.x} ${to.y}L${side(-0.5)}`;
}
