/** The robot's modules in order: what each says and how sure it is, in words, as a bar and as a number. */
import { Icon } from "../Icon";
import type { ChainLink, ChainPanel } from "../types";
import type { PanelProps } from "./registry";
import { Bar, Tile } from "./Tile";
import { named, percent, sureness } from "./words";

export default function Chain({ panel: { links } }: PanelProps<ChainPanel>) {
  return (
    <Tile of="chain" title="How sure I am">
      <ol>
        {links.map((link) => (
          <Link key={link.module} link={link} />
        ))}
      </ol>
    </Tile>
  );
}

function Link({ link }: { link: ChainLink }) {
  const { module, says, confidence = null, by, asking = false } = link;
  const label = link.label || named(module);
  const person = by === "person";
  const words = person ? "a person said so" : confidence === null ? "does not say" : sureness(confidence);
  return (
    <li class={`link${asking ? " is-asking" : ""}${person ? " is-person" : ""}`} data-module={module}>
      <span class="round">
        <Icon name={asking ? "doubt" : person ? "person" : "robot"} />
      </span>
      <span class="link-says">
        <span class="key-words">{label}</span> <b>{says || "…"}</b>
        {asking && <span class="link-doubt">asking about this</span>}
      </span>
      <span class="link-sure">
        {words}
        {confidence !== null && !person && <span class="link-number"> {percent(confidence)}</span>}
      </span>
      <Bar share={person ? 1 : (confidence ?? 0)} label={`${label}: ${words}`} />
    </li>
  );
}
