/** Places on a picture: everything is a share of its width and height, from the upper left corner. No DOM here. */

export interface Place {
  x: number;
  y: number;
}

export interface Corners {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The part of the picture that is shown; as wide as it is high in shares, so that nothing is stretched. */
export interface Region {
  left: number;
  top: number;
  size: number;
}

export type Direction = "left" | "right" | "up" | "down";

export const WHOLE: Region = { left: 0, top: 0, size: 1 };
/** So often a chosen field is enlarged before the next choice is the place itself. */
export const ZOOMS = 2;
/** Corners of a box nearer than this would make a box that nobody can see. */
export const LEAST_SIDE = 0.01;
export const STEPS = [
  { name: "Small", share: 0.005 },
  { name: "Medium", share: 0.02 },
  { name: "Large", share: 0.08 },
] as const;

const AWAY: Record<Direction, [number, number]> = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] };

export function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}

/** Shares with four digits: finer than any screen shows, and short enough to read in a record. */
export function rounded(share: number): number {
  return Math.round(clamp(share) * 10_000) / 10_000;
}

export function place(x: number, y: number): Place {
  return { x: rounded(x), y: rounded(y) };
}

/** Where on the picture a finger was, for a rectangle on the screen that shows a region of it. */
export function placeAt(clientX: number, clientY: number, shown: DOMRect, region: Region): Place {
  const across = (clientX - shown.left) / shown.width;
  const down = (clientY - shown.top) / shown.height;
  return place(region.left + clamp(across) * region.size, region.top + clamp(down) * region.size);
}

/** Where in a shown region a place lies, in shares of the region; outside it the numbers leave 0 to 1. */
export function within(at: Place, region: Region): Place {
  return { x: (at.x - region.left) / region.size, y: (at.y - region.top) / region.size };
}

export function moved(at: Place, direction: Direction, share: number): Place {
  const [dx, dy] = AWAY[direction];
  return place(at.x + dx * share, at.y + dy * share);
}

export interface Grid {
  columns: number;
  rows: number;
}

/** Twelve fields, laid out so that they come close to squares. */
export function gridFor(ratio: number): Grid {
  return ratio >= 1 ? { columns: 4, rows: 3 } : { columns: 3, rows: 4 };
}

/** The middle of the field with this number (from 1, row by row) in a region. */
export function middleOf(number: number, grid: Grid, region: Region): Place {
  const column = (number - 1) % grid.columns;
  const row = Math.floor((number - 1) / grid.columns);
  return place(
    region.left + ((column + 0.5) / grid.columns) * region.size,
    region.top + ((row + 0.5) / grid.rows) * region.size,
  );
}

/** The region to show after a field was chosen: as small as the field is long, moved back inside the picture. */
export function zoomed(number: number, grid: Grid, region: Region): Region {
  const middle = middleOf(number, grid, region);
  const size = region.size / Math.min(grid.columns, grid.rows);
  const inside = (at: number) => Math.min(1 - size, Math.max(0, at - size / 2));
  return { left: inside(middle.x), top: inside(middle.y), size };
}

export function regionOf(path: readonly number[], grid: Grid): Region {
  return path.reduce((region, number) => zoomed(number, grid, region), WHOLE);
}

export function boxOf(first: Place, second: Place): Corners {
  return {
    left: Math.min(first.x, second.x),
    top: Math.min(first.y, second.y),
    right: Math.max(first.x, second.x),
    bottom: Math.max(first.y, second.y),
  };
}

export function hasArea(box: Corners): boolean {
  return box.right > box.left && box.bottom > box.top;
}

export function tooClose(first: Place, second: Place): boolean {
  const near = (one: number, other: number) => rounded(Math.abs(one - other)) < LEAST_SIDE;
  return near(first.x, second.x) || near(first.y, second.y);
}
