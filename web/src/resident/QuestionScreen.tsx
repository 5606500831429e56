/** Screen of one question: what the robot was doing, what it needs, its guess, and all ways to answer. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { pictureUrl } from "../api";
import { speak, voices } from "../speech";
import { settings } from "../settings";
import { before, me } from "../store";
import type { RecordView } from "../types";
import { canConfirm, Guess, guessInWords } from "./Guess";
import { Icon } from "../Icon";
import { viewOf } from "./kinds";
import { Sent } from "./Sent";
import type { Answering } from "./useAnswering";
import { sentence } from "../panels/words";
import { aloud } from "./words";

export function QuestionScreen({ record, answering }: { record: RecordView; answering: Answering }) {
  const { question } = record;
  const { draft, choose, setOther, unsent } = answering;
  const root = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each question, however often the server sends it
  useLayoutEffect(() => {
    root.current?.focus({ preventScroll: true });
    document.querySelector("main")?.scrollTo(0, 0);
    window.scrollTo(0, 0);
    speak(aloud(record, guessInWords(record)));
  }, [record.id]);
  const confirming = canConfirm(record) && !draft.other;
  const { Input, isRight } = viewOf(question.kind);
  const image = question.image && !isRight ? question.image : null;
  const guessed = confirming || isRight ? "" : guessInWords(record); // these draw the guess
  const more = before.value.length - 1;
  return (
    <section
      class="question"
      data-testid="question"
      data-question={record.id}
      data-kind={question.kind}
      aria-labelledby="prompt"
      tabIndex={-1}
      ref={root}
    >
      <div class="asked">
        <Context record={record} />
        <h1 id="prompt">{confirming ? checking(record) : question.prompt.trim()}</h1>
        {question.support?.trim() && (
          <p class="support">
            <Icon name="notice" />
            <span>{sentence(question.support)}</span>
          </p>
        )}
        {settings.value.speech && voices.value.length > 0 && (
          <button
            type="button"
            class="quiet say"
            data-testid="say-again"
            data-scan
            onClick={() => speak(aloud(record, guessInWords(record)))}
          >
            <Icon name="speak" />
            <span>Say it again</span>
          </button>
        )}
      </div>
      <div class={image ? "beside" : ""}>
        {image && (
          <figure class="about">
            <img src={pictureUrl(image)} alt="What the question is about" />
          </figure>
        )}
        <div class="answers">
          {unsent ? (
            <Sent unsent={unsent} onUndo={answering.takeBack} />
          ) : confirming ? (
            <Guess
              record={record}
              taken={draft.kind === "answer"}
              onYes={(byKey) => choose(question.guess ?? null, null, byKey)}
              onOther={() => setOther(true)}
            />
          ) : (
            <>
              {guessed && <p class="guess-words small">{guessed}</p>}
              <Input key={answering.version} record={record} draft={draft} choose={choose} />
              {canConfirm(record) && (
                <button type="button" class="quiet" data-testid="guess-back" data-scan onClick={() => setOther(false)}>
                  <Icon name="back" />
                  <span>Back to the robot's guess</span>
                </button>
              )}
            </>
          )}
        </div>
      </div>
      {more > 0 && <p class="more">{more === 1 ? "One more question waits." : `${more} more questions wait.`}</p>}
    </section>
  );
}

/** Return the words above a guess. A drawn guess takes yes or no, so the words about how to draw it are left out. */
function checking({ question }: RecordView): string {
  const prompt = question.prompt.trim();
  const { isRight } = viewOf(question.kind);
  if (!isRight || question.guess == null) return prompt;
  const asked = /^[^?]*[?]/.exec(prompt)?.[0];
  const right = isRight(question.guess);
  return asked ? `${asked} ${right}` : right;
}

/** Words of the robot about what it was doing and why it asks. */
function Context({ record }: { record: RecordView }) {
  const { doing, why } = record.question;
  const other = record.turn !== me.value?.name && record.by !== me.value?.name;
  if (!doing?.trim() && !why?.trim() && !other) return null;
  return (
    <p class="context">
      {other && <span>{record.told} You may answer it too. </span>}
      {doing?.trim() && <span>I was {doing.trim().replace(/[.]$/, "")}. </span>}
      {why?.trim() && <span>{sentence(why)}</span>}
    </p>
  );
}
