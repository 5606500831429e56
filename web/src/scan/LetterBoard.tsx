/** Letters in rows, for words by one switch. Opens when a line of text is chosen by scanning. */
import { useState } from "preact/hooks";

export type TextField = HTMLInputElement | HTMLTextAreaElement;

const LETTERS = ["abcdef", "ghijkl", "mnopqr", "stuvwx", "yz.,'-"];
const DIGITS = ["01234", "56789"];
const MOST_SUGGESTIONS = 4;

/** Writes into a field as if it had been typed, so that whoever listens to it hears it. */
export function write(field: TextField, text: string): void {
  const kind = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
  const most = field.maxLength > 0 ? field.maxLength : Infinity;
  Object.getOwnPropertyDescriptor(kind.prototype, "value")!.set!.call(field, text.slice(0, most));
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Answers that begin like what is written so far; before the first letter, all. */
export function suggestions(answers: readonly string[], text: string): string[] {
  const begun = text.trim().toLowerCase();
  const fitting = [...new Set(answers)].filter((answer) => answer.toLowerCase().startsWith(begun));
  return fitting.filter((answer) => answer && answer !== text).slice(0, MOST_SUGGESTIONS);
}

export function LetterBoard({ field, onDone }: { field: TextField; onDone: () => void }) {
  const [text, setText] = useState(field.value);
  const numeric = field.type === "number" || field.inputMode === "numeric";
  const say = (next: string) => {
    write(field, next);
    setText(field.value);
  };
  const key = (id: string, words: string, group: string, act: () => void, spoken = words) => (
    <button type="button" key={id} data-testid={id} data-scan={spoken} data-scan-group={group} onClick={act}>
      {words}
    </button>
  );
  /** What must be in reach from everywhere; the board lies over the page's own buttons. */
  const also = ALSO.filter(([id]) => document.querySelector(`[data-testid="${id}"]`));
  const leaveFor = (id: string) => {
    onDone();
    document.querySelector<HTMLElement>(`[data-testid="${id}"]`)?.click();
  };
  const offered = suggestions(JSON.parse(field.dataset.suggestions || "[]") as string[], text);
  const label = field.labels?.[0]?.textContent ?? field.getAttribute("aria-label") ?? "Your words";
  return (
    <section class="letters" aria-label="Letter board" data-scan-only data-testid="letters">
      <p class="letters-text">
        <span class="letters-label">{label}</span>
        <output>{text}</output>
        <span class="letters-caret" aria-hidden="true" />
      </p>
      {offered.length > 0 && (
        <div class="letters-row is-words">
          {offered.map((each) => key(`word-${each}`, each, "Words", () => say(each)))}
        </div>
      )}
      <div class="letters-keys">
        {(numeric ? [...DIGITS, ".-"] : [...LETTERS, ...DIGITS]).map((row) => (
          <div class="letters-row" key={row}>
            {[...row].map((each) =>
              key(
                `letter-${each}`,
                each,
                `${row[0]} to ${row[row.length - 1]}`,
                () => say(text + each),
                NAMES[each] ?? each,
              ),
            )}
          </div>
        ))}
      </div>
      <div class="letters-row is-words">
        {!numeric && key("letter-space", "space", "Space, delete, done", () => say(`${text} `))}
        {key("letter-delete", "delete", "Space, delete, done", () => say(text.slice(0, -1)))}
        {key("letter-done", "done", "Space, delete, done", onDone)}
      </div>
      {also.length > 0 && (
        <div class="letters-row is-words">
          {also.map(([id, words]) => key(`letter-${id}`, words, "Leave the letters", () => leaveFor(id)))}
        </div>
      )}
    </section>
  );
}

const ALSO = [
  ["not-now", "Not now"],
  ["help", "Help"],
] as const;
const NAMES: Record<string, string> = { ".": "full stop", ",": "comma", "'": "apostrophe", "-": "hyphen" };
