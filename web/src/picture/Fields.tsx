/** Numbered fields over the picture: one choice enlarges a field, the third choice is the place. */
import { middleOf, type Grid, type Region } from "./geometry";
import { whereabouts } from "./words";

interface FieldsProps {
  grid: Grid;
  region: Region;
  /** Names this sight of the picture: another sight has other buttons, so that no press reaches the wrong one. */
  sight: string;
  last: boolean;
  onPick: (number: number) => void;
}

export function Fields({ grid, region, sight, last, onPick }: FieldsProps) {
  const rows = Array.from({ length: grid.rows }, (_, row) => row);
  const columns = Array.from({ length: grid.columns }, (_, column) => column);
  return (
    <div
      class="cells"
      role="group"
      aria-label="Numbered fields"
      key={sight}
      style={{ "--rows": String(grid.rows), "--columns": String(grid.columns) }}
    >
      {rows.map((row) => (
        <div class="cells-row" key={row}>
          {columns.map((column) => {
            const number = row * grid.columns + column + 1;
            const from = row * grid.columns + 1;
            const where = whereabouts(middleOf(number, grid, region));
            return (
              <button
                key={`${sight}/${number}`}
                type="button"
                class="cell"
                data-testid={`candidate-${number}`}
                data-scan={`${number}`}
                data-scan-group={`Fields ${from} to ${from + grid.columns - 1}`}
                aria-label={`${number}: ${where}. ${last ? "Sets the place." : "Enlarges it."}`}
                onClick={() => onPick(number)}
              >
                <span class="cell-number">{number}</span>
              </button>
            );
          })}
        </div>
      ))}
    </div>
  );
}
