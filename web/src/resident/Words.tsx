/** An answer in words: suggestions to press, and a field to write in. For a diagnosis the field opens on request. */

import { useRef } from "preact/hooks";
import type { AnswerProps } from "./answering";
import { optionsOf } from "./Choice";
import { Options } from "./Options";

const LONGEST = 4000;

export function Words({ record, draft, choose }: AnswerProps) {
  const { choices, question } = record;
  const written = typeof draft.part === "string" ? draft.part : "";
  const asked = question.kind === "diagnosis" && choices.length > 0;
  const open = !asked || typeof draft.part === "string";
  const chosen = written || typeof draft.value !== "string" ? -1 : choices.indexOf(draft.value);
  const options = optionsOf({ record });
  const other = { words: "Something else", effect: "Say it in your own words.", testid: "option-other" };
  return (
    <>
      {options.length > 0 && (
        <Options
          label={asked ? "Answers" : "Suggestions"}
          options={asked ? [...options, other] : options}
          chosen={chosen >= 0 ? chosen : asked && open ? choices.length : null}
          onChoose={(index, byKey) => {
            const words = choices[index];
            if (words === undefined) choose(null, "");
            else choose(words, null, byKey);
          }}
        />
      )}
      {open && <Field written={written} suggested={choices} grab={asked} choose={choose} />}
    </>
  );
}

interface FieldProps {
  written: string;
  suggested: readonly string[];
  grab: boolean;
  choose: AnswerProps["choose"];
}

function Field({ written, suggested, grab, choose }: FieldProps) {
  const field = useRef<HTMLInputElement | null>(null);
  const take = (text: string, byKey = false) => choose(text.trim() || null, text, byKey);
  return (
    <label class="field">
      <span>{suggested.length > 0 ? "Or in your own words" : "Your answer"}</span>
      <input
        type="text"
        data-testid="text"
        data-scan
        data-suggestions={JSON.stringify(suggested)}
        ref={(element) => {
          if (grab && element && !field.current) element.focus();
          field.current = element;
        }}
        maxLength={LONGEST}
        autocomplete="off"
        value={written}
        onInput={(event) => take(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && event.currentTarget.value.trim()) {
            event.preventDefault();
            take(event.currentTarget.value, true);
          }
        }}
      />
    </label>
  );
}
