/** What the robot thinks the person reaches for: a bar for each goal, in fixed places. */
import type { Reach } from "../types";
import { percent } from "../meal/words";

export function Beliefs({ reach: { goals, other } }: { reach: Reach }) {
  const top = Math.max(...goals.map((each) => each.chance), other);
  return (
    <section class="beliefs" aria-labelledby="beliefs-title" data-testid="beliefs">
      <h3 id="beliefs-title">What I think you want</h3>
      <ul class={goals.length > 8 ? "is-many" : ""}>
        {goals.map(({ object, grasp, chance }) => (
          <Bar key={`${object}/${grasp}`} name={object} more={`${grasp} grasp`} chance={chance} top={chance === top} />
        ))}
        <Bar name="something else" more="" chance={other} top={other === top} />
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
    <li class={top ? "belief is-top" : "belief"} data-goal={words}>
      <span class="belief-name">
        <b>{name}</b>
        {more && ` ${more}`}
      </span>
      <span class="belief-number">{percent(chance)}</span>
      <svg class="belief-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect width={100 * chance} height="8" />
      </svg>
    </li>
  );
}
