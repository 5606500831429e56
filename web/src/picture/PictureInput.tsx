/** Marks on a picture by touch, by numbered fields, by nudge buttons or by keyboard: one control for boxes and points. */
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { settings } from "../settings";
import { Drawing, type Shape } from "./Drawing";
import { Fields } from "./Fields";
import { WHOLE, placeAt, type Direction, type Place } from "./geometry";
import { useLoading, type Loading } from "./loading";
import { Nudge } from "./Nudge";
import { usePlacing, type Placing } from "./placing";
import { Mark, Stage } from "./Stage";
import { whereabouts } from "./words";
import "./picture.css";

interface PictureInputProps {
  url: string | null;
  names: readonly string[];
  points: readonly Place[];
  onPoints: (points: Place[]) => void;
  refuse: (points: readonly Place[]) => string | null;
  guess: readonly Place[] | null;
  shape: Shape;
}

const ARROWS: Record<string, Direction> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};
/** The upper row of a keyboard holds twelve keys: one for each field. */
const NUMBERS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "-", "="];

/** Lower than this there is no room for words. */
const LOW = 0.8;

export function PictureInput({ url, names, points, onPoints, refuse, guess, shape }: PictureInputProps) {
  const picture = useLoading(url);
  const placing = usePlacing({ names, points, guess, refuse, onPoints, ratio: picture.ratio });
  const { region, active, fields, path } = placing;
  const root = useRef<HTMLDivElement>(null);
  const says = useId();
  useNumberKeys(root, placing);
  useKeptFocus(root);
  useSecondLook(root, placing.whole);

  const drawn = { region, ratio: picture.ratio, shape };
  return (
    <div class="placing" ref={root}>
      <div class="placing-grid">
        <p class="placing-says" role="status" id={says}>
          <strong>{heading(placing)}</strong> {instruction(placing)}
          {placing.note && <span class={`placing-note${placing.refused ? " is-refused" : ""}`}>{placing.note}</span>}
        </p>
        <div class="placing-picture">
          <Stage url={picture.url} ratio={picture.ratio} region={region}>
            {picture.state === "coming" && <p class="stage-missing">The picture is coming …</p>}
            {guess && !placing.whole && <Drawing {...drawn} points={guess} guessed />}
            {guess &&
              !placing.whole &&
              shape !== "box" &&
              guess.map((at, index) => <Mark key={index} at={at} region={region} label="?" guessed />)}
            {guess && !placing.whole && path.length === 0 && <GuessTag guess={guess} />}
            <Drawing {...drawn} points={points} />
            {points.map((at, index) => (
              <Mark key={index} at={at} region={region} label={String(index + 1)} chosen={index === active} />
            ))}
            {fields ? (
              <Fields
                grid={placing.grid}
                region={region}
                sight={`${active}:${path.join(".")}`}
                last={placing.last}
                onPick={placing.pick}
              />
            ) : (
              <button
                type="button"
                class="stage-surface"
                data-testid="picture"
                aria-label={`Picture. ${heading(placing)} Arrow keys move the mark, Enter goes on.`}
                aria-describedby={says}
                onClick={(event) => {
                  if (event.detail === 0) return placing.goOn();
                  placing.tap(
                    placeAt(event.clientX, event.clientY, event.currentTarget.getBoundingClientRect(), region),
                  );
                }}
                onKeyDown={(event) => {
                  const direction = ARROWS[event.key];
                  if (!direction || event.ctrlKey || event.altKey || event.metaKey) return;
                  event.preventDefault();
                  placing.nudge(direction, event.shiftKey);
                }}
              />
            )}
          </Stage>
          {picture.state === "failed" && <Failed again={url ? picture.again : null} />}
        </div>
        <div class="placing-tools">
          <Tools placing={placing} />
          <ol class="pins">
            {names.map((name, index) => (
              <li key={name}>
                <button
                  type="button"
                  class="quiet pin-choice"
                  data-testid={`mark-${index}`}
                  data-scan={`${index + 1}, ${name}`}
                  data-scan-group="Which mark"
                  aria-pressed={index === active}
                  disabled={index > points.length}
                  onClick={() => placing.choose(index)}
                >
                  <span class="pin-number" aria-hidden="true">
                    {index + 1}
                  </span>
                  <span>
                    <b>{name}</b>
                    <span class="pin-where">{points[index] ? whereabouts(points[index]) : "not set yet"}</span>
                  </span>
                  <span class="pin-state">{index === active ? (points[index] ? "moves" : "now") : ""}</span>
                </button>
              </li>
            ))}
          </ol>
          <div class="placing-fine">
            <Nudge name={placing.name} step={placing.step} onStep={placing.setStep} onNudge={placing.nudge} />
            <Loupe picture={picture} placing={placing} shape={shape} />
          </div>
        </div>
      </div>
    </div>
  );
}

function heading({ names, active, whole, moving, name }: Placing): string {
  if (whole && !moving) return names.length === 2 ? "Both are set." : "All are set.";
  return `${active + 1} of ${names.length}: ${name}.`;
}

function instruction({ whole, moving, fields, path, last, points, active }: Placing): string {
  if (whole && !moving) return "Look again. You can still move each of them.";
  if (fields && last) return "This choice sets the place.";
  if (fields) return path.length ? "Choose again: the picture is larger now." : "Choose the field it is in.";
  return points[active] ? "Tap its new place, or move it by the arrows." : "Tap it on the picture.";
}

function Tools({ placing }: { placing: Placing }) {
  const { fields, path, guess, points, whole, moving } = placing;
  const tool = (id: string, words: string, act: () => void) => (
    <button
      type="button"
      class="quiet"
      key={id}
      data-testid={id}
      data-scan
      data-scan-group="Picture tools"
      onClick={act}
    >
      {words}
    </button>
  );
  return (
    <div class="placing-buttons" role="group" aria-label="Picture tools">
      {fields && path.length > 0 && tool("good-enough", "The middle of this is good enough", placing.goodEnough)}
      {fields && path.length > 0 && tool("zoom-out", "Back, show more", placing.zoomOut)}
      {guess &&
        points.length === 0 &&
        path.length === 0 &&
        tool("from-guess", "Start from the robot's guess", placing.adopt)}
      {(!whole || moving) &&
        path.length === 0 &&
        (fields
          ? tool("by-tap", "Tap instead of numbers", () => placing.showFields(false))
          : tool("by-number", "Numbered fields", () => placing.showFields(true)))}
      {points.length > 0 && path.length === 0 && tool("start-over", "Start over", placing.startOver)}
    </div>
  );
}

/** Below what the robot has guessed, or above it where there is no room: what it names stays in sight. */
function GuessTag({ guess }: { guess: readonly Place[] }) {
  const ys = guess.map(({ y }) => y);
  const above = Math.max(...ys) > LOW;
  const x = guess.reduce((sum, at) => sum + at.x, 0) / guess.length;
  const style = {
    left: `clamp(4rem, ${x * 100}%, calc(100% - 4rem))`,
    top: `${(above ? Math.min(...ys) : Math.max(...ys)) * 100}%`,
  };
  return (
    <span class={`guess-tag${above ? " is-above" : ""}`} style={style} aria-hidden="true">
      robot's guess
    </span>
  );
}

function Failed({ again }: { again: (() => void) | null }) {
  return (
    <div class="placing-failed">
      <p role="alert">The picture cannot be shown. You can still set the places, or choose “not now”.</p>
      {again && (
        <button type="button" class="quiet" data-testid="picture-again" data-scan onClick={again}>
          Try the picture again
        </button>
      )}
    </div>
  );
}

const LOUPE = 0.16;

/** Beside an enlarged part, the whole with the part marked; else the surroundings of the chosen mark, enlarged. */
function Loupe({ picture: { url, ratio }, placing, shape }: { picture: Loading; placing: Placing; shape: Shape }) {
  const { points, active, path, region: part } = placing;
  const at = points[active] ?? points[points.length - 1];
  if (path.length > 0) {
    const corners = [
      { x: part.left, y: part.top },
      { x: part.left + part.size, y: part.top + part.size },
    ];
    return (
      <div class="loupe" aria-hidden="true">
        <Stage url={url} ratio={ratio} region={WHOLE}>
          <Drawing region={WHOLE} ratio={ratio} shape="box" points={corners} />
        </Stage>
      </div>
    );
  }
  const region = at ? { left: at.x - LOUPE / 2, top: at.y - LOUPE / 2, size: LOUPE } : WHOLE;
  return (
    <div class={`loupe${at && url ? "" : " is-empty"}`} aria-hidden="true">
      <Stage url={at ? url : null} ratio={ratio} region={region}>
        {at && <Drawing region={region} ratio={ratio} shape={shape} points={points} />}
        {at && <Mark at={at} region={region} label={String(points.indexOf(at) + 1)} chosen />}
      </Stage>
    </div>
  );
}

/** Where the control that had the focus is gone after a choice, the focus goes to the picture and not to nowhere. */
function useKeptFocus(root: { current: HTMLDivElement | null }): void {
  const inside = useRef(false);
  useEffect(() => {
    const look = (event: Event) => {
      inside.current = root.current?.contains(event.target as Node) ?? false;
    };
    document.addEventListener("focusin", look);
    document.addEventListener("pointerdown", look);
    return () => {
      document.removeEventListener("focusin", look);
      document.removeEventListener("pointerdown", look);
    };
  }, [root]);
  useLayoutEffect(() => {
    if (!inside.current || document.activeElement !== document.body) return;
    root.current?.querySelector<HTMLElement>(".cell, .stage-surface")?.focus({ preventScroll: true });
  });
}

/** What is whole is seen whole: the bar that offers to send it must not hide it, nor a picture that comes later. */
function useSecondLook(root: { current: HTMLDivElement | null }, whole: boolean): void {
  useEffect(() => {
    if (!whole) return;
    const stage = root.current?.querySelector(".stage");
    const room = root.current?.closest("main");
    if (!stage || !room) return;
    const observer = new ResizeObserver(() => stage.scrollIntoView({ block: "nearest" }));
    for (const element of [stage, room]) observer.observe(element); // looks at once, and when either changes its size
    return () => observer.disconnect();
  }, [root, whole]);
}

/** Number keys choose fields wherever the focus is, unless somebody is writing or has turned single keys off. */
function useNumberKeys(root: { current: HTMLDivElement | null }, placing: Placing): void {
  const now = useRef(placing);
  now.current = placing;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const number = NUMBERS.indexOf(event.key) + 1;
      if (!number || event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.defaultPrevented) return;
      const target = event.target as HTMLElement;
      const inside = root.current?.contains(target) ?? false;
      if (target.closest?.("input, textarea, select, dialog") || (!inside && !settings.value.keys)) return;
      const { fields, whole, moving, pick, showFields } = now.current;
      if (whole && !moving) return;
      event.preventDefault();
      if (fields) pick(number);
      else showFields(true);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [root]);
}
