/** What the robot holds to be true, who says so, and where script and monitor disagree. */
import { Sign } from "../signs/Sign";
import { percent } from "../signs/words";
import type { BeliefState } from "../types";
import { named } from "./words";

export function Beliefs({ beliefs }: { beliefs: readonly BeliefState[] }) {
  if (beliefs.length === 0) return null;
  const sorted = [...beliefs].sort((a, b) => Number(b.contradicted ?? false) - Number(a.contradicted ?? false));
  return (
    <section class="beliefs" aria-labelledby="beliefs-title">
      <h3 id="beliefs-title">What it believes</h3>
      <ul>
        {sorted.map((belief) => (
          <Belief key={belief.key} belief={belief} />
        ))}
      </ul>
    </section>
  );
}

function Belief({ belief }: { belief: BeliefState }) {
  const [latest, ...others] = belief.said;
  if (!latest) return null;
  return (
    <li class={`belief${belief.contradicted ? " is-contradicted" : ""}`} data-testid="belief" data-belief={belief.key}>
      {belief.contradicted && <Sign of="doubt" />}
      <span class="belief-words">
        <span class="belief-key">{named(belief.key)}</span> <b>{latest.value}</b>{" "}
        <span class="belief-by">
          {latest.source}
          {latest.probability !== undefined && latest.probability < 1 ? `, ${percent(latest.probability)}` : ""}
        </span>
        {others
          .filter((each) => each.value !== latest.value)
          .map((each) => (
            <span key={each.source} class="belief-other">
              {each.source} {belief.contradicted ? "holds" : "said"}: {each.value}
            </span>
          ))}
      </span>
    </li>
  );
}
