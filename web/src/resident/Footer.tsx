/** What can be said to any question. Nothing goes out before it is sent in the bar above. */

import type { ReplyKind } from "../types";
import { Icon, type IconName } from "./Icon";

export type Always = Exclude<ReplyKind, "answer">;

export const ALWAYS: readonly { kind: Always; words: string; effect: string; icon: IconName }[] = [
  { kind: "not-now", words: "Not now", effect: "The question comes back later.", icon: "later" },
  { kind: "someone-else", words: "Someone else", effect: "The next person is asked.", icon: "person" },
  { kind: "let-robot-try", words: "Let the robot try", effect: "The robot decides this by itself.", icon: "robot" },
];

export function Footer({ chosen, onChoose }: { chosen: ReplyKind | null; onChoose: (kind: Always, byKey: boolean) => void }) {
  return (
    <footer class="footer" aria-label="Other replies">
      {ALWAYS.map(({ kind, words, icon }) => (
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
