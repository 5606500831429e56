/** Numbers about the task, with a sentence that sums them up. */
import type { NumbersPanel } from "../types";
import type { PanelProps } from "./registry";
import { Tile } from "./Tile";
import { sentence } from "./words";

export default function Numbers({ panel: { summary, numbers = [] } }: PanelProps<NumbersPanel>) {
  return (
    <Tile of="numbers" title="In numbers">
      {summary && <p>{sentence(summary)}</p>}
      <dl>
        {numbers.map(({ label, value, unit }, index) => (
          <div key={index}>
            <dt>{label}</dt>
            <dd>
              {rounded(value)}
              {unit && <span class="quiet-words"> {unit}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </Tile>
  );
}

/** To four digits, but never a whole number to fewer than it has. */
function rounded(value: number): string {
  return String(Number.isInteger(value) || Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4)));
}
