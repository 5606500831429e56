/** What can be reached by scanning, in which order and in which groups. */

/** One place where the mark stops: a control, several in a group, or the way out of a group. */
export interface Entry {
  label: string;
  elements: HTMLElement[];
  kind: "control" | "group" | "back";
}

/** More controls than this are scanned group by group. */
export const MOST_AT_ONCE = 6;
const STOP = "[data-testid=stop]";

export function isStop(element: Element): boolean {
  return element.matches(STOP);
}

/** Whether a control is there for everybody: seen, enabled, not set aside. */
export function usable(element: HTMLElement): boolean {
  if (!element.isConnected || element.closest("[inert], [aria-hidden=true]")) return false;
  if (element.matches(":disabled, [aria-disabled=true]")) return false;
  return element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
}

/** The words that a control is given for scanning; "true" is how a bare `data-scan` is written. */
function given(element: HTMLElement): string {
  const words = element.dataset.scan?.trim() ?? "";
  return words === "true" ? "" : words;
}

export function labelOf(element: HTMLElement): string {
  const words =
    given(element) || element.getAttribute("aria-label") || element.textContent || element.getAttribute("placeholder");
  return (words ?? "").replace(/\s+/g, " ").trim().slice(0, 80);
}

/**
 * What a control is to a person. The same element with other words, or on another question, is another control; one
 * that counts down says what it is in `data-scan`.
 */
export function meaning(element: HTMLElement): string {
  const question = element.closest<HTMLElement>("[data-question]")?.dataset.question ?? "";
  if (isStop(element)) return "stop";
  const words = given(element) || element.textContent;
  return [question, element.dataset.testid, element.getAttribute("aria-label"), words].join("\n");
}

/** All controls of the page. While a board lies over the page, only Stop and the board. */
export function controls(): HTMLElement[] {
  const over = [...document.querySelectorAll<HTMLElement>("[data-scan-only]")].pop();
  return [...document.querySelectorAll<HTMLElement>(`[data-scan], ${STOP}`)].filter(
    (each) => usable(each) && (isStop(each) || !over || over.contains(each)),
  );
}

function single(element: HTMLElement): Entry {
  return { label: labelOf(element), elements: [element], kind: "control" };
}

/**
 * The round from the top: Stop first, then what sends a choice that was made (`data-scan-soon`), then the others as they
 * stand; control by control, or group by group where there are many.
 */
export function round(found: readonly HTMLElement[] = controls()): Entry[] {
  const rank = (each: HTMLElement) => (isStop(each) ? 0 : "scanSoon" in each.dataset ? 1 : 2);
  const all = [...found].sort((one, other) => rank(one) - rank(other));
  if (all.length <= MOST_AT_ONCE) return all.map(single);
  const entries: Entry[] = [];
  for (const element of all) {
    const name = isStop(element) ? undefined : element.dataset.scanGroup;
    const before = entries[entries.length - 1];
    if (name && before && before.label === name && before.elements[0]!.dataset.scanGroup === name) {
      before.elements.push(element);
    } else {
      entries.push({ ...single(element), ...(name ? { label: name, kind: "group" as const } : {}) });
    }
  }
  return entries.map((each) => (each.elements.length === 1 ? single(each.elements[0]!) : each));
}

/** The round inside a group: Stop first here too, and the way out last. */
export function inside(group: Entry): Entry[] {
  const stop = controls().filter(isStop);
  const still = group.elements.filter(usable);
  return [...stop.map(single), ...still.map(single), { label: "Back", elements: still, kind: "back" }];
}

/** Whether two entries are the same place in the round. */
export function samePlace(one: Entry, other: Entry): boolean {
  return one.kind === other.kind && one.elements[0] === other.elements[0];
}
