/** What to do about a failure, and how the task goes on afterwards: both are chosen, neither is assumed. */

import { useEffect, useRef } from "preact/hooks";
import type { Resolution, ResumeHint, Value } from "../types";
import type { AnswerProps } from "./answering";
import { optionsOf } from "./Choice";
import { Options } from "./Options";
import { RESUMING } from "./words";

export function resolutionInWords({ action, resume }: Resolution): string {
  return `${action}, then ${RESUMING.find((each) => each.hint === resume)?.words ?? resume}`;
}

interface Part {
  action: string | null;
  resume: ResumeHint | null;
}

function partOf(part: unknown, value: Value | null): Part {
  if (value && typeof value === "object" && "action" in value) return value;
  if (part && typeof part === "object" && "action" in part) return part as Part;
  return { action: null, resume: null };
}

export function Action({ record, draft, choose }: AnswerProps) {
  const part = partOf(draft.part, draft.value);
  const then = useRef<HTMLDivElement>(null);
  const isOpen = part.action !== null;
  const isHalf = part.action !== null && part.resume === null;
  useEffect(() => {
    if (isHalf) then.current?.scrollIntoView({ block: "nearest" });
  }, [isHalf]);
  const set = (next: Part, byKey: boolean) => {
    const whole = next.action !== null && next.resume !== null;
    choose(whole ? { action: next.action!, resume: next.resume! } : null, next, byKey && whole);
  };
  const actions = optionsOf({ record });
  const chosen = part.action === null ? -1 : record.choices.indexOf(part.action);
  return (
    <>
      <Options
        label="What to do"
        options={actions}
        chosen={chosen < 0 ? null : chosen}
        firstKey={isOpen ? null : 1}
        onChoose={(index, byKey) => set({ ...part, action: record.choices[index] ?? null }, byKey)}
      />
      {isOpen && (
        <div ref={then} class="then">
          <h2>And then?</h2>
          <Options
            label="How to go on"
            testid="resume"
            options={RESUMING.map(({ words, effect }) => ({ words, effect }))}
            chosen={part.resume === null ? null : RESUMING.findIndex((each) => each.hint === part.resume)}
            onChoose={(index, byKey) => set({ ...part, resume: RESUMING[index]?.hint ?? null }, byKey)}
          />
        </div>
      )}
    </>
  );
}
