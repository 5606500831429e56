/** The bites of the meal so far and to come. */
import { Sign } from "../signs/Sign";
import { times } from "../signs/words";
import type { Bite } from "../types";
import { OUTCOMES } from "./words";

export function Bites({ items }: { items: readonly Bite[] }) {
  if (items.length === 0) return null;
  return (
    <section class="bites" aria-labelledby="bites-title">
      <h3 id="bites-title">Bites</h3>
      <ol>
        {items.map((bite) => (
          <li
            key={bite.number}
            class={`bite is-${bite.outcome}`}
            aria-current={bite.outcome === "now" ? "step" : undefined}
          >
            <span class="bite-sign">
              <Sign of={bite.outcome} />
            </span>
            <span class="bite-words">
              <b>{bite.label || `Bite ${bite.number}`}</b>
              <span>{OUTCOMES[bite.outcome]}</span>
              <span class="bite-more">{effort(bite)}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function effort({ attempts, queries }: Bite): string {
  const said = [
    attempts > 1 ? times(attempts, "try", "tries") : "",
    queries > 0 ? times(queries, "question", "questions") : "",
  ];
  return said.filter(Boolean).join(", ");
}
