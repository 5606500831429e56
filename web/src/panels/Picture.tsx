/** A live picture with what the robot has in mind on it, marked with its age when it is old. */
import { useEffect, useState } from "preact/hooks";
import { pictureUrl } from "../api";
import { Icon } from "../Icon";
import { Drawing, Mark, Stage } from "../picture";
import { WHOLE } from "../picture/geometry";
import { link } from "../store";
import type { Phase, PicturePanel } from "../types";
import type { PanelProps } from "./registry";
import { age } from "./words";

const OLD_S = 3;
/** While a robot is at these, new pictures are to come; else nothing that it sees moves. */
const SHOWING: readonly Phase[] = ["looking", "moving"];
const USUAL_RATIO = 4 / 3;

export default function Picture({ panel, robot, state }: PanelProps<PicturePanel>) {
  const { name, seq, caption, box, points = [], shape = "line" } = panel;
  const shown = useSteady(pictureUrl(name, seq));
  const oldS = useAge(shown?.sinceMs ?? null);
  const late = SHOWING.includes(state.phase) && oldS !== null && oldS >= OLD_S;
  const old = oldS !== null && (!robot.alive || link.value === "lost" || late);
  const ratio = shown?.ratio ?? USUAL_RATIO;
  const drawn = { region: WHOLE, ratio };
  return (
    <figure class={old ? "seen is-old" : "seen"} data-testid="panel-picture" data-old={old}>
      <Stage url={shown?.url ?? null} ratio={ratio} region={WHOLE}>
        {!shown && <p class="stage-missing">The picture is coming …</p>}
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
        {shown && points.length === 2 && <Drawing {...drawn} shape={shape} points={points} />}
        {shown && points.map((at, index) => <Mark key={index} at={at} region={WHOLE} label="" />)}
        {old && (
          <p class="seen-age">
            <Icon name="later" /> <span>Old picture{oldS > 0 && `: ${age(oldS)}`}</span>
          </p>
        )}
      </Stage>
      <figcaption>{caption || "What the robot sees"}</figcaption>
    </figure>
  );
}

interface Steady {
  url: string;
  ratio: number;
  sinceMs: number;
}

/** The last picture that could be had; a new one takes its place when it is there, without a gap. */
function useSteady(url: string): Steady | null {
  const [shown, setShown] = useState<Steady | null>(null);
  useEffect(() => {
    let wanted = true;
    const sinceMs = performance.now();
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

/** Whole seconds since then. */
function useAge(sinceMs: number | null): number | null {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    setNow(performance.now());
    const timer = window.setInterval(() => setNow(performance.now()), 1000);
    return () => window.clearInterval(timer);
  }, [sinceMs]);
  return sinceMs === null ? null : Math.max(0, Math.floor((now - sinceMs) / 1000));
}
