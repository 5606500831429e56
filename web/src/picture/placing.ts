/** Where a person is while setting marks one after the other. The marks themselves belong to the answer. */
import { useLayoutEffect, useState } from "preact/hooks";
import { scanning } from "../scan/active";
import { STEPS, ZOOMS, gridFor, middleOf, moved, place, regionOf, type Direction, type Place } from "./geometry";
import { exactly, whereabouts } from "./words";

export interface Asking {
  names: readonly string[];
  points: readonly Place[];
  guess: readonly Place[] | null;
  /** Why these points cannot be an answer; null where they can. */
  refuse: (points: readonly Place[]) => string | null;
  onPoints: (points: Place[]) => void;
  ratio: number;
}

export type Placing = ReturnType<typeof usePlacing>;

/** The steps of setting marks: choose which one, tap or choose fields, move it, look again. */
export function usePlacing({ names, points, guess, refuse, onPoints, ratio }: Asking) {
  const [wanted, setWanted] = useState(points.length);
  const [moving, setMoving] = useState(false);
  const [path, setPath] = useState<readonly number[]>([]);
  const [step, setStep] = useState(1);
  const [note, setNote] = useState("");
  const [refused, setRefused] = useState("");
  const [byTap, setByTap] = useState<boolean | null>(null);

  const whole = points.length === names.length;
  const active = Math.min(wanted, points.length, names.length - 1);
  const name = names[active]!;
  const grid = gridFor(ratio);
  const region = regionOf(path, grid);
  const fields = !(byTap ?? !scanning.value) && (!whole || moving);
  const empty = points.length === 0;

  useLayoutEffect(() => {
    if (!empty) return;
    setWanted(0);
    setMoving(false);
    setPath([]);
  }, [empty]);

  function put(at: Place, goOn: boolean): void {
    const next = [...points];
    next[active] = at;
    const why = refuse(next);
    setPath([]);
    setRefused(why ?? "");
    if (why) return;
    onPoints(next);
    setNote(`${names[active]}: ${exactly(at)}.`);
    if (!goOn) return;
    setMoving(false);
    if (next.length < names.length) setWanted(next.length);
  }

  return {
    ...{ names, points, guess, active, name, whole, moving, step, path, grid, region, fields, setStep },
    last: path.length === ZOOMS,
    /** What was just done, or why it was not. */
    note: refused || note,
    refused: refused !== "",
    /** A finger lifted over the picture. */
    tap(at: Place): void {
      if (whole && !moving) setNote("Everything is set. To move a mark, choose it first.");
      else put(at, true);
    },
    pick(number: number): void {
      const middle = middleOf(number, grid, region);
      if (path.length === ZOOMS) return put(middle, true);
      setRefused("");
      setPath([...path, number]);
      setNote(`Field ${number} enlarged: ${whereabouts(middle)}.`);
    },
    goodEnough(): void {
      put(place(region.left + region.size / 2, region.top + region.size / 2), true);
    },
    zoomOut(): void {
      setPath(path.slice(0, -1));
      setNote("");
    },
    nudge(direction: Direction, larger = false): void {
      const share = STEPS[Math.min(step + (larger ? 1 : 0), STEPS.length - 1)]!.share;
      const from = points[active] ?? place(region.left + region.size / 2, region.top + region.size / 2);
      put(points[active] ? moved(from, direction, share) : from, false);
    },
    choose(index: number): void {
      setRefused("");
      setWanted(index);
      setMoving(index < points.length);
      setPath([]);
      setNote("");
    },
    /** Enter on the picture: what stands is right, go on with the next mark. */
    goOn(): void {
      if (points[active]) {
        setMoving(false);
        setWanted(Math.min(active + 1, names.length - 1));
        setNote("");
      } else put(place(region.left + region.size / 2, region.top + region.size / 2), false);
    },
    adopt(): void {
      if (!guess) return;
      setRefused("");
      onPoints([...guess]);
      setWanted(0);
      setMoving(false);
      setPath([]);
      setNote("The robot's guess is drawn.");
    },
    startOver(): void {
      setRefused("");
      onPoints([]);
      setNote("");
    },
    showFields(show: boolean): void {
      setRefused("");
      setByTap(!show);
      setPath([]);
      setNote("");
    },
  };
}
