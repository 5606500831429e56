/** From metres in the room to a drawing in millimetres: from above, and from the person's right. */
import type { Pose, ScenePanel } from "../../types";

export type Spot = [number, number];
export type View = "above" | "side";
type Vector = [number, number, number];

const MM = 1000;
/** Half of what is between the open fingers, and how far palm and wrist lie behind their tips, in metres. */
const ACROSS = 0.0485;
const PALM = -0.06;
const WRIST = -0.19;

/** Away from the person is up in the drawing from above, and right on the one from the side. */
export function spot([x, y, z]: Vector, view: View): Spot {
  return view === "above" ? [-y * MM, -x * MM] : [x * MM, -z * MM];
}

/** Room around the middle of what is drawn, in metres, and beside its edge, where its name stands. */
const ROOM = 0.14;
const ROOM_FOR_NAME = 0.06;

/** The frame of a drawing: left, top, width and height. It holds all objects and the hand, and the room that the hand begins in. */
export function frame({ things, hand, ghost, high }: ScenePanel, view: View): [number, number, number, number] {
  const parts: number[][] = things.flatMap((thing) => [...(thing.boxes ?? []), ...(thing.rings ?? [])]);
  const all = [...parts, hand, ...(ghost ? [ghost] : [])];
  const sizes = things.flatMap(({ boxes = [], rings = [] }) => [
    ...boxes.map((box) => box[3] / 2),
    ...rings.map((ring) => ring[3]),
  ]);
  const room = Math.max(ROOM, ...sizes.map((size) => size + ROOM_FOR_NAME));
  const from = (axis: 0 | 1) => Math.min(...all.map((each) => each[axis] ?? 0)) - room;
  const to = (axis: 0 | 1) => Math.max(...all.map((each) => each[axis] ?? 0)) + room;
  const near = Math.min(from(0), 0);
  const top = Math.min(high[2], Math.max(0.4, (hand[2] ?? 0) + ROOM));
  const corners: [Vector, Vector] =
    view === "above"
      ? [
          [near, to(1), 0],
          [to(0), from(1), 0],
        ]
      : [
          [near, 0, -0.02],
          [to(0), 0, top],
        ];
  const [[left, bottom], [right, upper]] = [spot(corners[0], view), spot(corners[1], view)];
  return [left, upper, right - left, bottom - upper].map(Math.round) as [number, number, number, number];
}

function turned([w, x, y, z]: [number, number, number, number], [a, b, c]: Vector): Vector {
  const [d, e, f] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * d + y * f - z * e, b + w * e + z * d - x * f, c + w * f + x * e - y * d];
}

/** Lines of a gripper: one finger over the palm to the other, and the wrist. */
export function gripper(at: Pose, view: View): { fingers: Spot[]; wrist: Spot[] } {
  const [x, y, z, ...rotation] = at;
  const place = (own: Vector): Spot => {
    const [a, b, c] = turned(rotation, own);
    return spot([x + a, y + b, z + c], view);
  };
  return {
    fingers: [place([0, ACROSS, 0]), place([PALM, ACROSS, 0]), place([PALM, -ACROSS, 0]), place([0, -ACROSS, 0])],
    wrist: [place([PALM, 0, 0]), place([WRIST, 0, 0])],
  };
}

/** The outline of a box: middle, size, yaw. From the side it is as wide as its corners reach. */
export function outline([x, y, z, length, width, height, yaw]: Pose, view: View): Spot[] {
  const [cos, sin] = [Math.cos(yaw), Math.sin(yaw)];
  const corners = [
    [1, 1],
    [1, -1],
    [-1, -1],
    [-1, 1],
  ].map(([a, b]): Vector => {
    const [dx, dy] = [((a ?? 0) * length) / 2, ((b ?? 0) * width) / 2];
    return [x + dx * cos - dy * sin, y + dx * sin + dy * cos, z];
  });
  if (view === "above") return corners.map((each) => spot(each, view));
  const xs = corners.map((each) => each[0]);
  const [near, far, low, high] = [Math.min(...xs), Math.max(...xs), z - height / 2, z + height / 2];
  return [
    spot([near, y, low], view),
    spot([far, y, low], view),
    spot([far, y, high], view),
    spot([near, y, high], view),
  ];
}

export const line = (spots: Spot[]): string => spots.map(([x, y]) => `${x.toFixed(0)},${y.toFixed(0)}`).join(" ");
