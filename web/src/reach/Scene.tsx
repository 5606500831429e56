/** The table from above and from the side, the hand, and as a ghost where the robot would have it. */
import type { Placed, Reach, Thing } from "../types";
import { gripper, line, outline, sheet, spot, type View } from "./geometry";
import "./reach.css";

const TITLES: Record<View, string> = { above: "From above", side: "From the side" };
const MM = 1000;

export function Scene({ reach, asked }: { reach: Reach; asked: boolean }) {
  return (
    <div class="scene" data-testid="scene" data-scene={reach.scene}>
      <Drawn reach={reach} view="above" asked={asked} />
      <Drawn reach={reach} view="side" asked={asked} />
    </div>
  );
}

function Drawn({ reach, view, asked }: { reach: Reach; view: View; asked: boolean }) {
  const [left, top, width, height] = sheet(reach, view);
  const likely = [...reach.goals].sort((a, b) => b.chance - a.chance)[0]?.object;
  // Whoever looks from the right has what stands on the right in front; what is likely is never behind.
  const rank = (each: Thing) => (each.name === likely ? -9 : ((each.rings[0] ?? each.boxes[0])?.[1] ?? 0));
  const drawn = view === "above" ? reach.things : [...reach.things].sort((a, b) => rank(b) - rank(a));
  return (
    <figure class={`sheet is-${view}`}>
      <figcaption>{TITLES[view]}</figcaption>
      <svg viewBox={`${left} ${top} ${width} ${height}`} role="img" aria-label={described(reach, view, asked)}>
        {view === "side" && <line class="tabletop" x1={left} y1={0} x2={left + width} y2={0} />}
        {drawn.map((thing) => (
          <OnTable key={thing.name} thing={thing} view={view} likely={thing.name === likely} />
        ))}
        {reach.ghost && <Hand at={reach.ghost} view={view} ghost />}
        <Hand at={reach.hand} view={view} />
      </svg>
    </figure>
  );
}

function OnTable({ thing, view, likely }: { thing: Thing; view: View; likely: boolean }) {
  const middle = thing.rings[0] ?? thing.boxes[0];
  const [x, y] = middle ? spot([middle[0], middle[1], middle[2]], view) : [0, 0];
  const size = Math.max(...thing.rings.map((each) => each[3]), ...thing.boxes.map((each) => each[3] / 2), 0);
  const tops = [
    ...thing.rings.map((each) => each[2] + each[4] / 2),
    ...thing.boxes.map((each) => each[2] + each[5] / 2),
  ];
  const high = Math.max(...tops, 0);
  return (
    <g class={likely ? "thing is-likely" : "thing"}>
      {thing.rings.map((ring, index) => (
        <Ring key={index} ring={ring} view={view} />
      ))}
      {thing.boxes.map((box, index) => (
        <polygon key={index} points={line(outline(box, view))} />
      ))}
      {(view === "above" || likely) && (
        <text x={x} y={(view === "above" ? y - size * MM : -high * MM) - 14} text-anchor="middle">
          {thing.name}
        </text>
      )}
    </g>
  );
}

function Ring({ ring: [x, y, z, radius, height], view }: { ring: Thing["rings"][number]; view: View }) {
  if (view === "above") {
    const [cx, cy] = spot([x, y, z], view);
    return <circle cx={cx} cy={cy} r={radius * MM} />;
  }
  const [left, top] = spot([x - radius, y, z + height / 2], view);
  return <rect x={left} y={top} width={2 * radius * MM} height={height * MM} />;
}

function Hand({ at, view, ghost = false }: { at: Placed; view: View; ghost?: boolean }) {
  const { fingers, wrist } = gripper(at, view);
  return (
    <g class={ghost ? "hand is-ghost" : "hand"} data-testid={`${ghost ? "ghost" : "hand"}-${view}`}>
      <polyline points={line(wrist)} />
      <polyline points={line(fingers)} />
    </g>
  );
}

function described({ things, hand, ghost }: Reach, view: View, asked: boolean): string {
  const [x, y, z] = hand.map((each) => Math.round(each * 100));
  const side = (y ?? 0) === 0 ? "straight ahead" : `${Math.abs(y ?? 0)} cm to the ${(y ?? 0) > 0 ? "left" : "right"}`;
  const where = view === "above" ? `${x} cm away, ${side}` : `${x} cm away, ${z} cm high`;
  return `The table ${view === "above" ? "from above" : "from the side"}, with ${things.map((each) => each.name).join(", ")}. The hand is ${where}.${ghost ? ` The dashed hand is ${asked ? "what the robot asks about" : "where the robot would have it"}.` : ""}`;
}
