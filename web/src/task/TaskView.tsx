/** A task as it goes on: where the robot is in its recipe, why, what went wrong on the way, and what it believes. */
import { Sign } from "../signs/Sign";
import { intention, times } from "../signs/words";
import type { RobotView, TaskState } from "../types";
import { Beliefs } from "./Beliefs";
import { News } from "./News";
import { Steps } from "./Steps";
import { phaseOf } from "./words";
import "./task.css";

/** Shows and never asks: it takes no focus and holds nothing to press. */
export function TaskView({ robot, task }: { robot: RobotView; task: TaskState }) {
  const { state, alive } = robot;
  const phase = phaseOf(robot, task);
  return (
    <section
      class="task"
      data-testid="task"
      data-phase={alive ? (state?.phase ?? "starting") : "lost"}
      aria-label="The task"
    >
      <div class="task-grid">
        <header class="task-head">
          <h2>{state?.title || robot.robot}</h2>
          <p class={`phase${phase.calm ? "" : " is-held"}`} data-testid="phase">
            <Sign of={phase.icon} /> <span>{phase.words}</span>
          </p>
        </header>
        <p class="task-now" aria-live="polite" data-testid="intent">
          {alive ? intention(state) : ""}
        </p>
        <Steps steps={task.steps ?? []} />
        <div class="task-side">
          <News news={task.news ?? []} />
          <Beliefs beliefs={task.beliefs ?? []} />
          <p class="task-counts" data-testid="counts">
            {counted(task)}
          </p>
        </div>
      </div>
    </section>
  );
}

function counted({ counts, result }: TaskState): string {
  const { starts = 0, failures = 0, recoveries = 0, questions = 0 } = counts ?? {};
  const said = [
    times(starts, "action", "actions"),
    times(failures, "failure", "failures"),
    times(recoveries, "recovery", "recoveries"),
    times(questions, "question", "questions"),
  ];
  return `${result ? `${result}. ` : ""}${said.join(", ")}.`;
}
