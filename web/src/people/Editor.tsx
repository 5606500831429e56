/** Everything about one person that can be changed. Nothing is changed before it is saved. */

import { useState } from "preact/hooks";
import { Icon } from "../Icon";
import { Pick } from "../resident/Settings";
import { me } from "../store";
import type { PersonSetup, PersonView, QuietPart } from "../types";
import { ABILITIES, isTold, later, quietInWords, WAYS, withWay } from "./words";

const NIGHT: QuietPart = { start: "22:00", end: "07:00" };
const PER_HOUR = [null, 2, 4, 8, 16];
const AT_ONCE = [1, 2, 3];
const zoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

interface EditorProps {
  person: PersonView;
  onSave: (setup: PersonSetup) => void;
  onLeave: () => void;
}

export function Editor({ person, onSave, onLeave }: EditorProps) {
  const [setup, setSetup] = useState<PersonSetup>({
    abilities: person.abilities,
    limits: person.limits,
    channels: person.channels,
  });
  const { abilities, limits } = setup;
  const [quiet, ...more] = limits.quiet ?? [];
  const limit = (change: Partial<PersonSetup["limits"]>) => setSetup({ ...setup, limits: { ...limits, ...change } });
  const setQuiet = (part: QuietPart | null) => limit({ quiet: part ? [part, ...more] : [] });
  const own = person.name === me.value?.name;
  const they = own ? "you" : person.name;
  return (
    <div class="person-editor" data-testid="editor">
      <Toggles
        title={`What ${they} can do`}
        name="can"
        options={ABILITIES}
        on={(value) => abilities.includes(value)}
        onToggle={(value) =>
          setSetup({
            ...setup,
            abilities: ABILITIES.map((each) => each.value).filter(
              (each) => abilities.includes(each) !== (each === value),
            ),
          })
        }
      />
      <Pick
        title={own ? "When I do not ask you" : `When I do not ask ${person.name}`}
        note={
          more.length > 0
            ? `Also not ${more.map(quietInWords).join(", ")}.`
            : "What comes up then waits, or goes to somebody else."
        }
        name="quiet"
        options={[
          { value: false, words: "I may always ask" },
          { value: true, words: "Every day, between two times" },
        ]}
        value={quiet !== undefined}
        onPick={(some) => setQuiet(some ? (quiet ?? { ...NIGHT, zone: zoneHere() }) : null)}
      />
      {quiet && (
        <div class="person-times">
          <Time words="From" name="from" value={quiet.start} onChange={(start) => setQuiet({ ...quiet, start })} />
          <Time words="Until" name="until" value={quiet.end} onChange={(end) => setQuiet({ ...quiet, end })} />
          {quiet.zone && quiet.zone !== zoneHere() && <p class="effect">These are times of {quiet.zone}.</p>}
        </div>
      )}
      <Pick
        title="Questions in an hour"
        name="hourly"
        options={withOwn(PER_HOUR, limits.per_hour ?? null).map((value) => ({
          value,
          words: value === null ? "As many as there are" : `${value} at most`,
        }))}
        value={limits.per_hour ?? null}
        onPick={(per_hour) => limit({ per_hour })}
      />
      <Pick
        title="Questions at a time"
        name="together"
        options={withOwn(AT_ONCE, limits.at_once ?? 1).map((value) => ({ value, words: String(value) }))}
        value={limits.at_once ?? 1}
        onPick={(at_once) => limit({ at_once })}
      />
      <Toggles
        title="Told besides this page by"
        note="Only ways that are set up where the server runs reach anybody."
        name="way"
        options={WAYS}
        on={(value) => isTold(setup, value)}
        onToggle={(value) => setSetup({ ...setup, channels: withWay(setup, value) })}
      />
      <div class="row">
        <button type="button" class="primary" data-testid="person-save" data-scan onClick={() => onSave(setup)}>
          Save
        </button>
        <button type="button" class="secondary" data-testid="person-leave" data-scan onClick={onLeave}>
          Leave it as it was
        </button>
      </div>
    </div>
  );
}

/** Choices with the present value among them, which a file may have set. */
function withOwn<T extends number | null>(choices: readonly T[], value: T): T[] {
  if (choices.includes(value)) return [...choices];
  return [...choices, value].sort((one, other) => (one ?? 0) - (other ?? 0));
}

interface TogglesProps<T> {
  title: string;
  note?: string;
  name: string;
  options: readonly { value: T; words: string }[];
  on: (value: T) => boolean;
  onToggle: (value: T) => void;
}

/** Any of a few, each a button that is on or off. */
function Toggles<T extends string>({ title, note, name, options, on, onToggle }: TogglesProps<T>) {
  return (
    <fieldset class="pick">
      <legend>{title}</legend>
      {note && <p class="effect">{note}</p>}
      <div class="row">
        {options.map(({ value, words }) => (
          <button
            key={value}
            type="button"
            class="secondary"
            data-testid={`set-${name}-${value}`}
            data-scan
            data-scan-group={title}
            aria-pressed={on(value)}
            onClick={() => onToggle(value)}
          >
            {words}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

interface TimeProps {
  words: string;
  name: string;
  value: string;
  onChange: (time: string) => void;
}

/** A time of day in steps of half an hour, which needs no aim and no keyboard. */
function Time({ words, name, value, onChange }: TimeProps) {
  return (
    <div class="person-time" role="group" aria-label={`${words} ${value}`}>
      <p>
        {words} <b>{value}</b>
      </p>
      <button
        type="button"
        class="secondary"
        data-testid={`set-${name}-earlier`}
        data-scan
        data-scan-group="Times"
        aria-label={`${words}: earlier`}
        onClick={() => onChange(later(value, -30))}
      >
        <Icon name="minus" />
      </button>
      <button
        type="button"
        class="secondary"
        data-testid={`set-${name}-later`}
        data-scan
        data-scan-group="Times"
        aria-label={`${words}: later`}
        onClick={() => onChange(later(value, 30))}
      >
        <Icon name="plus" />
      </button>
    </div>
  );
}
