/** One of the options. */

import { guessedIndex, type AnswerProps } from "./answering";
import { Options, type Option } from "./Options";

/** The options of a question with their pictures and effects. */
export function optionsOf({ record }: Pick<AnswerProps, "record">): Option[] {
  const { effects, pictures } = record.question;
  const guessed = guessedIndex(record);
  return record.choices.map((words, index) => ({
    words,
    effect: effects?.[index],
    picture: pictures?.[index],
    guessed: index === guessed,
  }));
}

export function Choice({ record, draft, choose }: AnswerProps) {
  const chosen = typeof draft.value === "string" ? record.choices.indexOf(draft.value) : -1;
  return (
    <Options
      label="Answers"
      options={optionsOf({ record })}
      chosen={chosen < 0 ? null : chosen}
      onChoose={(index, byKey) => choose(record.choices[index] ?? null, null, byKey)}
    />
  );
}
