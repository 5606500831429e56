/** The pieces of the robot's work so far and to come, and in the end what came of them. */
import { Icon, type IconName } from "../Icon";
import type { ItemPart, ItemsPanel, ItemsSummary } from "../types";
import type { PanelProps } from "./registry";
import { Tile } from "./Tile";
import { times, upper } from "./words";

const OUTCOMES: Record<ItemPart["outcome"], [IconName, string]> = {
  got: ["done", "got it"],
  lost: ["lost", "lost"],
  wrong: ["wrong", "not the right one"],
  now: ["now", "now"],
  later: ["later", "to come"],
};

export default function Items({ panel }: PanelProps<ItemsPanel>) {
  const { unit = "item", units = "items", items, summary } = panel;
  return (
    <Tile of="items" title={upper(units)}>
      {summary && <Summary summary={summary} units={units} />}
      <ol>
        {items.map((item) => (
          <Item key={item.number} item={item} unit={unit} />
        ))}
      </ol>
    </Tile>
  );
}

function Summary({ summary: { got, of, attempts = 0, queries = 0 }, units }: { summary: ItemsSummary; units: string }) {
  return (
    <div class="summary" role="status" data-testid="summary">
      <p class="summary-got">
        <b>{got}</b> of {of} {units}
      </p>
      <p>
        {times(attempts, "try", "tries")}, {queries === 0 ? "no questions" : times(queries, "question", "questions")}.
      </p>
    </div>
  );
}

function Item({ item, unit }: { item: ItemPart; unit: string }) {
  const { number, label, outcome, attempts = 0, queries = 0 } = item;
  const [icon, words] = OUTCOMES[outcome];
  const effort = [
    attempts > 1 ? times(attempts, "try", "tries") : "",
    queries > 0 ? times(queries, "question", "questions") : "",
  ];
  return (
    <li class={`item is-${outcome}`} aria-current={outcome === "now" ? "step" : undefined}>
      <span class="round">
        <Icon name={icon} />
      </span>
      <span class="item-words">
        <b>{upper(label || `${unit} ${number}`)}</b>
        <span>{words}</span>
        <span class="quiet-words">{effort.filter(Boolean).join(", ")}</span>
      </span>
    </li>
  );
}
