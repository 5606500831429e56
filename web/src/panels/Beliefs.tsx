/** Beliefs of the robot: each value with its source, contradictions between script and monitor first. */
import { Icon } from "../Icon";
import type { BeliefPart, BeliefsPanel } from "../types";
import type { PanelProps } from "./registry";
import { Tile } from "./Tile";
import { named, percent } from "./words";

export default function Beliefs({ panel: { beliefs } }: PanelProps<BeliefsPanel>) {
  if (beliefs.length === 0) return null;
  const sorted = [...beliefs].sort((a, b) => Number(b.contradicted ?? false) - Number(a.contradicted ?? false));
  return (
    <Tile of="beliefs" title="What I believe">
      <ul>
        {sorted.map((belief) => (
          <Belief key={belief.key} belief={belief} />
        ))}
      </ul>
    </Tile>
  );
}

function Belief({ belief: { key, contradicted = false, said } }: { belief: BeliefPart }) {
  const [latest, ...others] = said;
  if (!latest) return null;
  const { source, value, probability = 1 } = latest;
  return (
    <li class={contradicted ? "belief is-contradicted" : "belief"} data-testid="belief" data-belief={key}>
      {contradicted && <Icon name="doubt" />}
      <span>
        <span class="key-words">{named(key)}</span> <b>{value}</b>{" "}
        <span class="quiet-words">
          {source}
          {probability < 1 ? `, ${percent(probability)}` : ""}
        </span>
        {others
          .filter((other) => other.value !== value)
          .map((other) => (
            <span key={other.source} class="quiet-words belief-other">
              {other.source} {contradicted ? "holds" : "said"}: {other.value}
            </span>
          ))}
      </span>
    </li>
  );
}
