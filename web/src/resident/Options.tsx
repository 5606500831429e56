/** Answers as large buttons, each with its picture and with what happens then. */

import { pictureUrl } from "../api";
import { settings } from "../settings";
import { upper } from "../panels/words";

export interface Option {
  words: string;
  effect?: string | undefined;
  picture?: string | undefined;
  guessed?: boolean;
  testid?: string;
}

interface OptionsProps {
  label: string;
  options: readonly Option[];
  chosen: number | null;
  onChoose: (index: number, byKey: boolean) => void;
  /** The number key of the first of them; none where it is null. */
  firstKey?: number | null;
  testid?: string;
}

export function Options({ label, options, chosen, onChoose, firstKey = 1, testid = "option" }: OptionsProps) {
  return (
    <div class={`options${options.some((each) => each.picture) ? " pictured" : ""}`} role="group" aria-label={label}>
      {options.map((each, index) => {
        const key = firstKey === null || firstKey + index > 9 ? undefined : String(firstKey + index);
        return (
          <button
            key={index}
            type="button"
            class="option"
            data-testid={each.testid ?? `${testid}-${index}`}
            data-scan
            data-scan-group={label}
            data-key={key}
            aria-pressed={chosen === index}
            onClick={(event) => onChoose(index, event.detail === 0)}
          >
            {each.picture && <img class="option-picture" src={pictureUrl(each.picture)} alt="" loading="lazy" />}
            <span class="option-body">
              {key && settings.value.keys && (
                <span class="key" aria-hidden="true">
                  {key}
                </span>
              )}
              <span class="option-words">
                {upper(each.words)}
                {each.guessed && (
                  <>
                    {" "}
                    <span class="tag">my guess</span>
                  </>
                )}
                {each.effect && <span class="effect">{each.effect}</span>}
              </span>
              {chosen === index && (
                <span class="tick" aria-hidden="true">
                  ✓
                </span>
              )}
            </span>
          </button>
        );
      })}
    </div>
  );
}
