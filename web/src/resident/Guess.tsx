/** The robot's own guess first: often one press is all that is needed. */

import { WHOLE } from "../picture/geometry";
import { useLoading } from "../picture/loading";
import { Drawing, isBox, Mark, Stage } from "../picture";
import { pictureUrl } from "../api";
import type { Box, Point, RecordView, Value } from "../types";
import { Options } from "./Options";
import { inWords, viewOf } from "./kinds";

/** Whether the guess can be taken by one press. Two ways are as quickly chosen; permission is never guessed. */
export function canConfirm(record: RecordView): boolean {
  const { guess } = record.question;
  return guess !== undefined && guess !== null && typeof guess !== "boolean" && inWords(record, guess) !== "";
}

/** "I think: cherry tomato — fairly sure." Empty where the robot has no guess, or where a guess would press somebody. */
export function guessInWords(record: RecordView): string {
  const { guess, kind } = record.question;
  if (guess === undefined || guess === null || viewOf(kind).explicit) return "";
  const words = inWords(record, guess);
  const sure = record.sureness ? ` — ${record.sureness}` : "";
  return words && `I think: ${words}${sure}.`;
}

interface GuessProps {
  record: RecordView;
  taken: boolean;
  onYes: (byKey: boolean) => void;
  onOther: () => void;
}

export function Guess({ record, taken, onYes, onOther }: GuessProps) {
  const { question } = record;
  const places = viewOf(question.kind).isRight ? placesOf(question.guess ?? null) : null;
  return (
    <div class={places && question.image ? "beside" : ""}>
      {places && question.image && (
        <GuessPicture url={pictureUrl(question.image)} points={places} box={isBox(question.guess)} />
      )}
      <div class="guess">
        <p class="guess-words" id="guess-words">
          {guessInWords(record)}
        </p>
        <Options
          label="Is that right?"
          options={[
            { words: "Yes", effect: effectOfGuess(record), testid: "guess-yes" },
            { words: "Something else", effect: "You choose yourself.", testid: "guess-other" },
          ]}
          chosen={taken ? 0 : null}
          onChoose={(index, byKey) => (index === 0 ? onYes(byKey) : onOther())}
        />
      </div>
    </div>
  );
}

function effectOfGuess({ question, choices }: RecordView): string | undefined {
  const { guess, effects, kind } = question;
  if (typeof guess === "string") return effects?.[choices.indexOf(guess)];
  if (guess && typeof guess === "object" && "action" in guess) return effects?.[choices.indexOf(guess.action)];
  return viewOf(kind).isRight ? "I use what is drawn here." : undefined;
}

function placesOf(guess: Value | null): Point[] | null {
  if (Array.isArray(guess)) return guess;
  if (guess && typeof guess === "object" && "left" in guess) return corners(guess);
  return null;
}

const corners = (box: Box): Point[] => [
  { x: box.left, y: box.top },
  { x: box.right, y: box.bottom },
];

function GuessPicture({ url, points, box }: { url: string; points: Point[]; box: boolean }) {
  const picture = useLoading(url);
  return (
    <figure class="guess-picture" aria-label="The robot's guess on the picture">
      <Stage url={picture.url} ratio={picture.ratio} region={WHOLE}>
        <Drawing
          shape={box ? "box" : points.length === 2 ? "line" : "none"}
          points={points}
          region={WHOLE}
          ratio={picture.ratio}
        />
        {!box && points.map((at, index) => <Mark key={index} at={at} region={WHOLE} label={String(index + 1)} />)}
        {picture.state === "failed" && <p class="stage-missing">The picture cannot be shown.</p>}
      </Stage>
    </figure>
  );
}
