/** The robot's modules in order: what each says and how sure it is, in words, as a bar and as a number. */
import { Sign } from "../signs/Sign";
import { percent } from "../signs/words";
import type { ChainLink, RobotState } from "../types";
import { sureness } from "./words";

export function Chain({ chain, decision }: { chain: readonly ChainLink[]; decision: RobotState["decision"] }) {
  if (chain.length === 0) return null;
  const reliability = decision?.reliability ?? null;
  return (
    <section class="chain" aria-labelledby="chain-title">
      <h3 id="chain-title">How sure I am</h3>
      <ol>
        {chain.map((link) => (
          <Link key={link.module} link={link} />
        ))}
      </ol>
      <p class="chain-whole">
        {reliability === null ? "" : `All together: ${percent(reliability)} that this bite works.`}
      </p>
    </section>
  );
}

function Link({ link }: { link: ChainLink }) {
  const { label, says, confidence, by, asking } = link;
  const person = by === "person";
  const words = person ? "a person said so" : confidence === null ? "does not say" : sureness(confidence);
  return (
    <li class={`link${asking ? " is-asking" : ""}${person ? " is-person" : ""}`} data-module={link.module}>
      <span class="link-by">
        <Sign of={asking ? "doubt" : person ? "person" : "robot"} />
      </span>
      <span class="link-says">
        <span class="link-label">{label}</span> <b>{says || "…"}</b>
        {asking && <span class="link-doubt">asking about this</span>}
      </span>
      <span class="link-sure">
        {words}
        {confidence !== null && !person && <span class="link-number"> {percent(confidence)}</span>}
      </span>
      <meter
        class="link-bar"
        min={0}
        max={1}
        value={person ? 1 : (confidence ?? 0)}
        aria-label={`${label}: ${words}`}
      />
    </li>
  );
}
