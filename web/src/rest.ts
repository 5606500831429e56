/** The questions that did not fit into the greeting. What the socket tells meanwhile is newer and holds. */

import { getQuestions, Refused } from "./api";
import type { RecordView } from "./types";

const AGAIN_MS = 500;
/** What the socket has told since the greeting; null while nothing is being fetched. */
let told: Set<string> | null = null;
let round = 0;

/** The socket has told about a question. */
export function tellRest(id: string): void {
  told?.add(id);
}

/** A new greeting: what is being fetched for an older one no longer counts. */
export function forgetRest(): void {
  told = null;
  round += 1;
}

/** All that wait, with what the socket told since the greeting as this page knows it. Null where a newer greeting came. */
export async function fetchRest(
  store: string,
  known: () => ReadonlyMap<string, RecordView>,
): Promise<ReadonlyMap<string, RecordView> | null> {
  forgetRest();
  const mine = round;
  const since = new Set<string>();
  told = since;
  while (mine === round) {
    try {
      const { questions } = await getQuestions(store);
      if (mine !== round) return null;
      told = null;
      const newer = [...known().values()].filter((each) => since.has(each.id));
      return new Map([...questions.filter((each) => !since.has(each.id)), ...newer].map((each) => [each.id, each]));
    } catch (error) {
      if (error instanceof Refused && !error.passing) return null;
      await new Promise((resolve) => window.setTimeout(resolve, AGAIN_MS));
    }
  }
  return null;
}
