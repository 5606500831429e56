/** People, in one screen: who is here, what they can do, when they may be asked, and how they are told. */

import { useEffect, useState } from "preact/hooks";
import { getPeople, putPerson, Refused } from "../api";
import { hour } from "../busy";
import { Icon } from "../Icon";
import { upper } from "../panels/words";
import { Sheet } from "../resident/Sheet";
import { me, say } from "../store";
import type { PersonSetup, PersonView } from "../types";
import { Editor } from "./Editor";
import { summaryOf } from "./words";
import "./people.css";

const LOOK_MS = 5000;

export default function PeopleSheet() {
  const [people, setPeople] = useState<readonly PersonView[] | null>(null);
  const [problem, setProblem] = useState("");
  const [open, setOpen] = useState("");
  useEffect(() => {
    let wanted = true;
    const look = () =>
      getPeople().then(
        (told) => {
          if (!wanted) return;
          setPeople(told.people);
          setProblem("");
        },
        (error: unknown) => wanted && setProblem(wordsOf(error)),
      );
    void look();
    const timer = window.setInterval(() => void look(), LOOK_MS);
    return () => {
      wanted = false;
      window.clearInterval(timer);
    };
  }, []);
  const save = async (person: PersonView, setup: PersonSetup) => {
    try {
      const told = await putPerson(person.name, setup);
      setPeople((all) => (all ?? []).map((each) => (each.name === told.name ? told : each)));
      setOpen("");
      say("Saved. It holds from now on.", "good");
    } catch (error) {
      say(wordsOf(error), "warn");
    }
  };
  return (
    <Sheet title="People">
      <p>
        {me.value?.role === "caregiver"
          ? "Say who can help me with what, and when I may ask. What I want to ask at another time waits, or goes to somebody else."
          : "This is what I know about you. I ask you only when you want to be asked."}
      </p>
      {problem && (
        <p class="problem" role="status">
          {problem}
        </p>
      )}
      {people === null && !problem && <p>Looking …</p>}
      {people?.length === 0 && <p>I do not ask anybody yet. Whoever pairs a device stands here then.</p>}
      {people?.map((person, place) => (
        <section key={person.name} class="person" aria-label={person.name} data-testid={`person-${place}`}>
          <header class="person-head">
            <Icon name="person" />
            <h2>
              {person.name} <span class="tag">{person.role}</span>
            </h2>
            <p class="person-now">{nowOf(person)}</p>
          </header>
          {open === person.name ? (
            <Editor person={person} onSave={(setup) => void save(person, setup)} onLeave={() => setOpen("")} />
          ) : (
            <>
              <dl class="person-facts">
                {summaryOf(person).map(([what, words]) => (
                  <div key={what}>
                    <dt>{what}</dt>
                    <dd>{words}</dd>
                  </div>
                ))}
              </dl>
              {maySetUp(person) && (
                <button
                  type="button"
                  class="secondary"
                  data-testid={`change-${place}`}
                  data-scan={`Change ${person.name}`}
                  data-scan-group="People"
                  aria-label={`Change ${person.name}`}
                  onClick={() => setOpen(person.name)}
                >
                  Change
                </button>
              )}
            </>
          )}
        </section>
      ))}
    </Sheet>
  );
}

const wordsOf = (error: unknown): string =>
  error instanceof Refused ? error.words : "This does not get through just now. I keep trying.";

/** A caregiver sets up everybody, a resident only what is about themselves. */
const maySetUp = ({ name }: PersonView): boolean =>
  me.value?.role === "caregiver" || (me.value?.role === "resident" && me.value.name === name);

/** What holds for a person now, and what I do about it. */
function nowOf({ name, busy, here, paired }: PersonView): string {
  if (busy) {
    const until = busy.until_s === null ? "" : ` until ${hour(busy.until_s)}`;
    return upper(`busy${until}. I ask the next person, or wait.`);
  }
  if (here) return "Here now.";
  return paired ? "Not at this page now." : `No device yet, so I do not reach ${name} on this page.`;
}
