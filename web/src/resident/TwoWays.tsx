/** Yes or no, may or may not, done or cannot. A permission shows no guess: nobody is to be talked into it. */

import type { AnswerProps } from "./answering";
import { optionsOf } from "./Choice";
import { Options } from "./Options";
import { choice } from "./words";

export function TwoWays({ record, draft, choose }: AnswerProps) {
  const { question } = record;
  const options = optionsOf({ record }).map((each) => ({
    ...each,
    words: choice(question, each.words),
    guessed: each.guessed === true && question.kind !== "permission",
  }));
  return (
    <Options
      label="Answers"
      options={options}
      chosen={typeof draft.value === "boolean" ? (draft.value ? 0 : 1) : null}
      onChoose={(index, byKey) => choose(index === 0, null, byKey)}
    />
  );
}
