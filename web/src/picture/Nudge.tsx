/** Moving the chosen mark by buttons, in three step sizes: the way that needs no aim. */
import { STEPS, type Direction } from "./geometry";

interface NudgeProps {
  name: string;
  step: number;
  onStep: (step: number) => void;
  onNudge: (direction: Direction) => void;
}

const ARROWS: readonly [Direction, string][] = [
  ["left", "M19 12H6M11 6l-6 6 6 6"],
  ["right", "M5 12h13M13 6l6 6-6 6"],
  ["up", "M12 19V6M6 11l6-6 6 6"],
  ["down", "M12 5v13M6 13l6 6 6-6"],
];

export function Nudge({ name, step, onStep, onNudge }: NudgeProps) {
  const group = "Move it";
  return (
    <div class="nudge" role="group" aria-label={`Move: ${name}`}>
      <div class="nudge-arrows">
        {ARROWS.map(([direction, path]) => (
          <button
            key={direction}
            type="button"
            class={`quiet nudge-${direction}`}
            data-testid={`nudge-${direction}`}
            data-scan={`move ${direction}`}
            data-scan-group={group}
            aria-label={`${direction[0]!.toUpperCase()}${direction.slice(1)}: move ${name}`}
            onClick={() => onNudge(direction)}
          >
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d={path} />
            </svg>
            <span>{direction}</span>
          </button>
        ))}
      </div>
      <div class="nudge-steps" role="group" aria-label="Size of a step">
        <span class="nudge-title" aria-hidden="true">
          Step
        </span>
        {STEPS.map(({ name: size }, index) => (
          <button
            key={size}
            type="button"
            class="quiet"
            data-testid={`step-${index}`}
            data-scan={`${size} steps`}
            data-scan-group={group}
            aria-pressed={index === step}
            onClick={() => onStep(index)}
          >
            <span class="nudge-tick" aria-hidden="true">
              {index === step ? "✓" : ""}
            </span>
            {size}
          </button>
        ))}
      </div>
    </div>
  );
}
