/** Number, chosen with − and + or typed. The number shown first is no answer until the person takes it. */

import { settings } from "../settings";
import { upper } from "../panels/words";
import type { AnswerProps } from "./answering";
import { Icon } from "../Icon";
import { number } from "./words";
import type { Question } from "../types";

/** Return a small and a large step; tenths if the range is small or a number is not whole. */
export function stepsOf({ low, high, guess }: Question): number[] {
  const range = typeof low === "number" && typeof high === "number" ? high - low : null;
  const whole = [low, high, guess].every((each) => typeof each !== "number" || Number.isInteger(each));
  if (!whole || (range !== null && range <= 1)) return range !== null && range <= 1 ? [0.1] : [0.1, 1];
  return range !== null && range <= 20 ? [1] : [1, 10];
}

export function Amount({ record, draft, choose }: AnswerProps) {
  const { question } = record;
  const low = question.low ?? -Infinity;
  const high = question.high ?? Infinity;
  const typed = typeof draft.part === "string" ? draft.part : null;
  const start = typeof question.guess === "number" ? question.guess : Math.min(high, Math.max(low, 0));
  const shown = typeof draft.value === "number" ? draft.value : start;
  const read = typed === null ? shown : Number(typed.replace(",", "."));
  const wrong = typed !== null && typed.trim() !== "" && !(read >= low && read <= high);
  const steps = stepsOf(question);
  const unit = question.unit ?? "";
  const by = (step: number) => {
    const next = Math.min(high, Math.max(low, Number((shown + step).toFixed(6))));
    choose(next, null);
  };
  const type = (text: string) => {
    const value = Number(text.replace(",", "."));
    choose(text.trim() !== "" && value >= low && value <= high ? value : null, text);
  };
  const button = (step: number) => (
    <button
      key={step}
      type="button"
      class="step"
      data-testid={`number-${step < 0 ? "minus" : "plus"}${Math.abs(step) === steps[0] ? "" : "-more"}`}
      data-scan
      data-scan-group="Number"
      disabled={step < 0 ? shown <= low : shown >= high}
      onClick={() => by(step)}
    >
      <Icon name={step < 0 ? "minus" : "plus"} />
      <span>{`${number(Math.abs(step))} ${step < 0 ? "less" : "more"}`}</span>
    </button>
  );
  return (
    <div class="amount" role="group" aria-label="Number">
      <div class="amount-row">
        {[...steps].reverse().map((step) => button(-step))}
        <label class="amount-field">
          <span class="amount-unit">{unit ? upper(unit) : "Number"}</span>
          <input
            type="text"
            inputMode="decimal"
            autocomplete="off"
            data-testid="number-input"
            aria-invalid={wrong}
            aria-describedby="amount-range"
            value={typed ?? number(shown)}
            onInput={(event) => type(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && typeof draft.value === "number") choose(draft.value, draft.part, true);
            }}
          />
        </label>
        {steps.map((step) => button(step))}
      </div>
      <p class={wrong ? "amount-range wrong" : "amount-range"} id="amount-range">
        {range(question)}
      </p>
      {typeof draft.value !== "number" && !wrong && (
        <button
          type="button"
          class="option take"
          data-testid="number-take"
          data-scan
          data-key="1"
          onClick={(event) => choose(shown, null, event.detail === 0)}
        >
          <span class="option-body">
            {settings.value.keys && (
              <span class="key" aria-hidden="true">
                1
              </span>
            )}
            <span class="option-words">
              Take {number(shown)} {unit}
            </span>
          </span>
        </button>
      )}
    </div>
  );
}

function range({ low, high }: Question): string {
  if (typeof low === "number" && typeof high === "number") return `From ${number(low)} to ${number(high)}.`;
  if (typeof low === "number") return `${number(low)} or more.`;
  return typeof high === "number" ? `At most ${number(high)}.` : "Any number.";
}
