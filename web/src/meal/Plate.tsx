/** The live picture of the plate with what the robot has in mind on it, marked with its age when it is old. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Drawing, Mark, Stage, type Shape } from "../picture";
import { WHOLE } from "../picture/geometry";
import { Sign } from "../signs/Sign";
import { link } from "../store";
import type { Phase, RobotState } from "../types";
import { age } from "./words";

interface PlateProps {
  state: RobotState | null;
  alive: boolean;
  pictureUrl: (name: string, seq?: number | null) => string;
  nowS?: number | undefined;
}

const OLD_S = 3;
/** While it is at these, new pictures are to come; else nothing on the plate moves. */
const SHOWING: readonly Phase[] = ["looking", "moving"];
const USUAL_RATIO = 4 / 3;

export function Plate({ state, alive, pictureUrl, nowS }: PlateProps) {
  const wanted = urlOf(state, pictureUrl);
  const behindS = nowS !== undefined && state ? Math.max(0, nowS - state.at_s) : 0;
  const shown = useSteady(wanted, behindS);
  const oldS = useAge(shown?.sinceMs ?? null);
  const showing = state !== null && SHOWING.includes(state.phase);
  const old = oldS !== null && (!alive || link.value === "lost" || (showing && oldS >= OLD_S));
  const { box, points = [] } = state?.overlay ?? {};
  const ratio = shown?.ratio ?? USUAL_RATIO;
  const drawn = { region: WHOLE, ratio };
  return (
    <figure class={`plate${old ? " is-old" : ""}`} data-testid="plate" data-old={old}>
      <Stage url={shown?.url ?? null} ratio={ratio} region={WHOLE}>
        {!shown && <p class="stage-missing">{wanted ? "The picture is coming …" : "No picture yet."}</p>}
        {shown && box && (
          <Drawing
            {...drawn}
            shape="box"
            points={[
              { x: box.left, y: box.top },
              { x: box.right, y: box.bottom },
            ]}
          />
        )}
        {shown && points.length === 2 && <Drawing {...drawn} shape={shapeOf(state)} points={points} />}
        {shown && points.map((at, index) => <Mark key={index} at={at} region={WHOLE} label="" />)}
        {old && (
          <p class="plate-age">
            <Sign of="old" /> <span>Old picture{oldS > 0 && `: ${age(oldS)}`}</span>
          </p>
        )}
      </Stage>
      <figcaption class="hidden-words">{caption(state)}</figcaption>
    </figure>
  );
}

function urlOf(state: RobotState | null, pictureUrl: PlateProps["pictureUrl"]): string | null {
  if (!state?.picture) return null;
  const url = pictureUrl(state.picture, state.picture_seq);
  if (state.picture_seq === undefined || url.includes("seq=")) return url;
  return `${url}${url.includes("?") ? "&" : "?"}seq=${state.picture_seq}`;
}

function shapeOf(state: RobotState | null): Shape {
  const doing = state?.doing ?? "";
  return doing.includes("twirl") ? "around" : doing.includes("scoop") ? "arrow" : "line";
}

function caption(state: RobotState | null): string {
  const { box, points = [] } = state?.overlay ?? {};
  const drawn = [box && "a box around the food", points.length > 0 && "where the fork goes in"].filter(Boolean);
  return drawn.length ? `The plate from above, with ${drawn.join(" and ")}.` : "The plate from above.";
}

interface Shown {
  url: string;
  ratio: number;
  sinceMs: number;
}

/** The last picture that could be had; a new one takes its place when it is there, without a gap. */
function useSteady(url: string | null, behindS: number): Shown | null {
  const [shown, setShown] = useState<Shown | null>(null);
  const behind = useRef(behindS);
  behind.current = behindS;
  useEffect(() => {
    if (!url) return;
    let wanted = true;
    const sinceMs = performance.now() - behind.current * 1000;
    const image = new Image();
    image.onload = () => {
      const ratio = image.naturalWidth / image.naturalHeight;
      if (wanted) setShown({ url, ratio: ratio > 0 ? ratio : USUAL_RATIO, sinceMs });
    };
    image.src = url;
    return () => {
      wanted = false;
    };
  }, [url]);
  return shown;
}

/** Whole seconds since then, counted as long as it matters. */
function useAge(sinceMs: number | null): number | null {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    setNow(performance.now());
    const timer = window.setInterval(() => setNow(performance.now()), 1000);
    return () => window.clearInterval(timer);
  }, [sinceMs]);
  return sinceMs === null ? null : Math.max(0, Math.floor((now - sinceMs) / 1000));
}
