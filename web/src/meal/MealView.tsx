/** A meal as it goes on: the plate, what the robot is about to do and why, how sure it is, the bites so far. */
import { Sign } from "../signs/Sign";
import { intention, times } from "../signs/words";
import type { RobotState, RobotView } from "../types";
import { Bites } from "./Bites";
import { Chain } from "./Chain";
import { Plate } from "./Plate";
import { phaseOf } from "./words";
import "./meal.css";

interface MealViewProps {
  robot: RobotView;
  pictureUrl: (name: string, seq?: number | null) => string;
  /** The server's time now; without it the age of the picture counts from when this page first saw it. */
  nowS?: number;
}

/** Shows and never asks: it takes no focus and holds nothing to press. */
export function MealView({ robot, pictureUrl, nowS }: MealViewProps) {
  const { state, alive } = robot;
  const phase = phaseOf(robot);
  return (
    <section
      class="meal"
      data-testid="meal"
      data-phase={alive ? (state?.phase ?? "starting") : "lost"}
      aria-label="The meal"
    >
      <div class="meal-grid">
        <header class="meal-head">
          <h2>{state?.title || robot.robot}</h2>
          <p class={`phase${phase.calm ? "" : " is-held"}`} data-testid="phase">
            <Sign of={phase.icon} /> <span>{phase.words}</span>
          </p>
        </header>
        <Plate state={state} alive={alive} pictureUrl={pictureUrl} nowS={nowS} />
        <div class="meal-side">
          {state?.summary ? (
            <Summary summary={state.summary} />
          ) : (
            <p class="intent" aria-live="polite" data-testid="intent">
              {alive ? intention(state) : ""}
            </p>
          )}
          <Chain chain={state?.chain ?? []} decision={state?.decision ?? null} />
        </div>
        <Bites items={state?.items ?? []} />
      </div>
    </section>
  );
}

function Summary({ summary }: { summary: NonNullable<RobotState["summary"]> }) {
  const { got, of, queries, attempts } = summary;
  return (
    <div class="summary" role="status" data-testid="summary">
      <p class="summary-got">
        <b>{got}</b> of {of} bites
      </p>
      <p>
        {times(attempts, "try", "tries")}, {queries === 0 ? "no questions" : times(queries, "question", "questions")}.
      </p>
    </div>
  );
}
