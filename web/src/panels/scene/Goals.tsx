/** What the robot thinks the person reaches for: a bar for each goal, in fixed places. */
import type { GoalPart, ScenePanel } from "../../types";
import { Bar, Tile } from "../Tile";
import { percent } from "../words";

const FEW = 4;

/** The few that are likeliest, in their places. */
export function likeliest(goals: readonly GoalPart[]): GoalPart[] {
  const first = [...goals].sort((a, b) => b.chance - a.chance).slice(0, FEW);
  return goals.filter((goal) => first.includes(goal));
}

/** Beside a question only the likeliest. A robot that thinks nothing of it has none. */
export function Goals({ panel: { goals = [], other = 0 }, few }: { panel: ScenePanel; few: boolean }) {
  if (goals.length === 0) return null;
  const top = Math.max(...goals.map(({ chance }) => chance), other);
  const shown = few ? likeliest(goals) : goals;
  const least = few && shown.length === FEW ? Math.min(...shown.map(({ chance }) => chance)) : 0;
  return (
    <Tile of="goals" title="What I think you want">
      <ul class={shown.length > 8 ? "is-many" : ""}>
        {shown.map(({ object, grasp, chance }) => (
          <Goal key={`${object}/${grasp}`} name={object} more={`${grasp} grasp`} chance={chance} top={chance === top} />
        ))}
        {other >= least && <Goal name="something else" more="" chance={other} top={other === top} />}
      </ul>
    </Tile>
  );
}

interface GoalProps {
  name: string;
  more: string;
  chance: number;
  top: boolean;
}

function Goal({ name, more, chance, top }: GoalProps) {
  const words = more ? `${name}, ${more}` : name;
  return (
    <li class={top ? "goal is-top" : "goal"} data-goal={words}>
      <span>
        <b>{name}</b>
        {more && ` ${more}`}
      </span>
      <span class="goal-number">{percent(chance)}</span>
      <Bar share={chance} label={words} />
    </li>
  );
}
