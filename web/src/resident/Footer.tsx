/** What can be said to any question. Nothing goes out before it is sent in the bar above. */

import type { RecordView, ReplyKind } from "../types";
import { Icon, type IconName } from "../Icon";
import { viewOf } from "./kinds";

export type Always = Exclude<ReplyKind, "answer" | "stop">;

interface Other {
  kind: Always;
  words: string;
  effect: string;
  icon: IconName;
}

/** What can be said to a question besides an answer, and what happens then. */
export function othersOf({ question }: RecordView): Other[] {
  const all: Other[] = [
    {
      kind: "not-now",
      words: "Not now",
      effect: "I may go on without your answer. Otherwise I ask you again later.",
      icon: "later",
    },
    {
      kind: "someone-else",
      words: "Someone else",
      effect: "I ask the next person. If nobody else can be asked, I decide by myself.",
      icon: "person",
    },
    { kind: "let-robot-try", words: "Let the robot try", effect: "I decide this by myself.", icon: "robot" },
  ];
  return all.filter(({ kind }) => kind !== "let-robot-try" || !viewOf(question.kind).forPeople);
}

interface FooterProps {
  others: readonly Other[];
  chosen: ReplyKind | null;
  onChoose: (kind: Always, byKey: boolean) => void;
}

export function Footer({ others, chosen, onChoose }: FooterProps) {
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a footer outside of main is a landmark, and has a name
    <footer class="footer" aria-label="Other replies">
      {others.map(({ kind, words, icon }) => (
        <button
          key={kind}
          type="button"
          class="reply"
          data-testid={kind}
          data-scan
          data-scan-group="Other replies"
          aria-pressed={chosen === kind}
          onClick={(event) => onChoose(kind, event.detail === 0)}
        >
          <Icon name={icon} />
          <span>{words}</span>
        </button>
      ))}
    </footer>
  );
}
