/** The table from above and from the side, the hand, and as a ghost where the robot would have it. */
import type { Pose, Ring, ScenePanel, ThingPart } from "../../types";
import type { PanelProps } from "../registry";
import { frame, gripper, line, outline, spot, type View } from "./geometry";

const TITLES: Record<View, string> = { above: "From above", side: "From the side" };
const MM = 1000;

export default function Scene({ panel, asked }: PanelProps<ScenePanel>) {
  return (
    <div class="scene" data-testid="panel-scene" data-scene={panel.scene}>
      <Drawn panel={panel} view="above" asked={asked} />
      <Drawn panel={panel} view="side" asked={asked} />
    </div>
  );
}

function Drawn({ panel, view, asked }: { panel: ScenePanel; view: View; asked: boolean }) {
  const { things, hand, ghost, goals = [] } = panel;
  const [left, top, width, height] = frame(panel, view);
  const likely = [...goals].sort((a, b) => b.chance - a.chance)[0]?.object;
  // Whoever looks from the right has what stands on the right in front; what is likely is never behind.
  const rank = (thing: ThingPart) => (thing.name === likely ? -9 : (middleOf(thing)?.[1] ?? 0));
  const drawn = view === "above" ? things : [...things].sort((a, b) => rank(b) - rank(a));
  return (
    <figure class={`drawn is-${view}`}>
      <figcaption>{TITLES[view]}</figcaption>
      <svg viewBox={`${left} ${top} ${width} ${height}`} role="img" aria-label={described(panel, view, asked)}>
        {view === "side" && <line class="tabletop" x1={left} y1={0} x2={left + width} y2={0} />}
        {drawn.map((thing) => (
          <OnTable key={thing.name} thing={thing} view={view} likely={thing.name === likely} />
        ))}
        {ghost && <Hand at={ghost} view={view} ghost />}
        <Hand at={hand} view={view} />
      </svg>
    </figure>
  );
}

const middleOf = ({ rings, boxes }: ThingPart): Pose | Ring | undefined => rings?.[0] ?? boxes?.[0];

function OnTable({ thing, view, likely }: { thing: ThingPart; view: View; likely: boolean }) {
  const { name, rings = [], boxes = [] } = thing;
  const middle = middleOf(thing);
  const [x, y] = middle ? spot([middle[0], middle[1], middle[2]], view) : [0, 0];
  const size = Math.max(...rings.map((ring) => ring[3]), ...boxes.map((box) => box[3] / 2), 0);
  const tops = [...rings.map((ring) => ring[2] + ring[4] / 2), ...boxes.map((box) => box[2] + box[5] / 2)];
  const high = Math.max(...tops, 0);
  return (
    <g class={likely ? "thing is-likely" : "thing"}>
      {rings.map((ring, index) => (
        <OfRing key={index} ring={ring} view={view} />
      ))}
      {boxes.map((box, index) => (
        <polygon key={index} points={line(outline(box, view))} />
      ))}
      {(view === "above" || likely) && (
        <text x={x} y={(view === "above" ? y - size * MM : -high * MM) - 14} text-anchor="middle">
          {name}
        </text>
      )}
    </g>
  );
}

function OfRing({ ring: [x, y, z, radius, height], view }: { ring: Ring; view: View }) {
  if (view === "above") {
    const [cx, cy] = spot([x, y, z], view);
    return <circle cx={cx} cy={cy} r={radius * MM} />;
  }
  const [left, top] = spot([x - radius, y, z + height / 2], view);
  return <rect x={left} y={top} width={2 * radius * MM} height={height * MM} />;
}

function Hand({ at, view, ghost = false }: { at: Pose; view: View; ghost?: boolean }) {
  const { fingers, wrist } = gripper(at, view);
  return (
    <g class={ghost ? "hand is-ghost" : "hand"} data-testid={`${ghost ? "ghost" : "hand"}-${view}`}>
      <polyline points={line(wrist)} />
      <polyline points={line(fingers)} />
    </g>
  );
}

function described({ things, hand, ghost }: ScenePanel, view: View, asked: boolean): string {
  const [x, y, z] = hand.map((metres) => Math.round(metres * 100));
  const side = (y ?? 0) === 0 ? "straight ahead" : `${Math.abs(y ?? 0)} cm to the ${(y ?? 0) > 0 ? "left" : "right"}`;
  const where = view === "above" ? `${x} cm away, ${side}` : `${x} cm away, ${z} cm high`;
  return `The table ${view === "above" ? "from above" : "from the side"}, with ${things.map(({ name }) => name).join(", ")}. The hand is ${where}.${ghost ? ` The dashed hand is ${asked ? "what the robot asks about" : "where the robot would have it"}.` : ""}`;
}
