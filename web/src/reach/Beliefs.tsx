/** What the robot thinks the person reaches for: a bar for each goal, in fixed places. */
import type { GoalChance, Reach } from "../types";
import { percent } from "../signs/words";

const FEW = 4;

/** The few that are likeliest, in their places. */
export function likeliest(goals: readonly GoalChance[]): GoalChance[] {
  const first = [...goals].sort((a, b) => b.chance - a.chance).slice(0, FEW);
  return goals.filter((goal) => first.includes(goal));
}

/** Beside a question only the likeliest. A robot that thinks nothing of it has none. */
export function Beliefs({ reach: { goals, other }, few }: { reach: Reach; few: boolean }) {
  if (goals.length === 0) return null;
  const top = Math.max(...goals.map((each) => each.chance), other);
  const shown = few ? likeliest(goals) : goals;
  const least = few && shown.length === FEW ? Math.min(...shown.map((each) => each.chance)) : 0;
  return (
    <section class="hopes" aria-labelledby="hopes-title" data-testid="beliefs">
      <h3 id="hopes-title">What I think you want</h3>
      <ul class={shown.length > 8 ? "is-many" : ""}>
        {shown.map(({ object, grasp, chance }) => (
          <Bar key={`${object}/${grasp}`} name={object} more={`${grasp} grasp`} chance={chance} top={chance === top} />
        ))}
        {other >= least && <Bar name="something else" more="" chance={other} top={other === top} />}
      </ul>
    </section>
  );
}

interface BarProps {
  name: string;
  more: string;
  chance: number;
  top: boolean;
}

function Bar({ name, more, chance, top }: BarProps) {
  const words = more ? `${name}, ${more}` : name;
  return (
    <li class={top ? "hope is-top" : "hope"} data-goal={words}>
      <span class="hope-name">
        <b>{name}</b>
        {more && ` ${more}`}
      </span>
      <span class="hope-number">{percent(chance)}</span>
      <svg class="hope-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect width={100 * chance} height="8" />
      </svg>
    </li>
  );
}
