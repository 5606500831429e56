"""Writes the golden entries of the desk's present format: `python -m tests.desk.make_golden`.

Golden files are kept for ever: one that is there is never written over. For a new format, raise VERSION and keep the
old files and their test.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from handup.core import Ability, Limits, Person, Question, QuestionKind, QuietHours, ResumeHint, Role
from handup.desk import Desk, Terms
from handup.journal import Journal
from tests.desk.desks import SetClock, answer, says

VERSION = 2
FOLDER = Path(__file__).parent / "golden"
PEOPLE = (
    Person(name="ana", role=Role.RESIDENT, limits=Limits(at_once=1, per_hour=4)),
    Person(
        name="ben",
        role=Role.CAREGIVER,
        limits=Limits(quiet=(QuietHours(start="22:00", end="06:00", zone="Europe/Berlin"),)),
    ),
    Person(name="cem", role=Role.OPERATOR, limits=Limits(at_once=9)),
    Person(name="dora", role=Role.DEVELOPER),
)
NEWCOMER = Person(name="eva", role=Role.BYSTANDER, abilities=(Ability.HANDS,))
START_S = 1_740_000_000.0


def tell(journal: Journal, clock: SetClock) -> Desk:
    """A course with every kind of entry and of question."""
    desk = Desk(journal, PEOPLE, terms=Terms(snapshot_every=10_000))

    def ask(step: str, to: tuple[str, ...], kind: str = "text", **more: Any) -> str:
        question = Question(f"About {step}?", QuestionKind(kind), to=to, **more)
        return desk.ask(question, run="golden/1", step=step, load=0.25).id

    everything = {"doing": "picking up food", "why": "two look alike", "guess": "plum", "sure": 0.7}
    choice = ask("choice", ("ana", "ben"), "choice", options=("plum", "pear"), effects=("eat", "leave"), **everything)
    held = ask("held", ("ana",), "yes-no", deadline_s=START_S + 500.0)
    clock.advance(5.0)
    desk.reply(answer(choice, "ana", "plum", token="a1", device="tablet", certainty=0.8))
    desk.reply(says("not-now", held, "ana", token="a2", until_s=START_S + 60.0))
    clock.advance(100.0)
    desk.tick()
    desk.claim(held, "ana", device="tablet", lease_s=30.0)
    clock.advance(31.0)
    desk.tick()
    clock.advance(1000.0)
    desk.tick()  # expired
    values: dict[str, tuple[Any, dict[str, Any]]] = {
        "number": (3.0, {"low": 0.0, "high": 9.0, "unit": "cm"}),
        "box": ({"left": 0.1, "top": 0.2, "right": 0.5, "bottom": 0.6}, {"image": "plate.png"}),
        "points": ([{"x": 0.1, "y": 0.2}, {"x": 0.3, "y": 0.4}], {"image": "plate.png", "marks": ("from", "to")}),
        "diagnosis": ("slipped", {"options": ("slipped", "too hard")}),
        "action": ({"action": "again", "resume": str(ResumeHint.RETRY)}, {"options": ("again", "skip")}),
        "permission": (True, {}),
        "physical": (False, {}),
    }
    for kind, (value, more) in values.items():
        desk.reply(answer(ask(kind, ("cem",), kind, **more), "cem", value, token=kind))
    passed = ask("passed", ("cem", "ana"))
    desk.reply(says("someone-else", passed, "cem", token="c1"))
    desk.claim(passed, "ana")
    desk.release(passed, "ana")
    desk.reply(says("someone-else", passed, "ana", token="a3"))
    desk.reply(says("let-robot-try", ask("robot", ("cem",)), "cem", token="c2"))
    desk.withdraw(ask("withdrawn", ("cem",)), "it was found")
    ask("erased", ("dora", "cem"))
    desk.reply(answer(ask("erased-answer", ("cem", "dora")), "dora", "the blue one", token="d1"))
    journal.erase("dora")
    desk.tick()
    waits = Desk(journal, newcomers=True).ask(Question("Who can lend a hand?"), run="golden/1", step="waits").id
    desk.introduce(NEWCOMER, by="ben")
    desk.busy("ana")
    desk.busy("eva", 600.0)
    desk.reply(answer(waits, "eva", "I can", token="e1"))
    desk.back("ana")
    ask("stopped", ("cem",))
    desk.reply(says("stop", "golden/1/stopped/1", "ben", token="b1"))
    ask("after-stop", ("cem", "ben"))
    desk.enable("ana")
    desk.stop("watchdog", "no heartbeat")
    ask("still-held", ("ana",))
    return desk


def main() -> None:
    """Write the files unless they are there."""
    rows, state = FOLDER / f"desk-v{VERSION}.jsonl", FOLDER / f"desk-v{VERSION}.state.json"
    if rows.exists() or state.exists():
        sys.exit(f"{rows.name} is there and is never written over; raise VERSION for a new format.")
    clock = SetClock(START_S)
    with TemporaryDirectory() as folder, Journal.open(Path(folder) / "journal.db", clock=clock) as journal:
        desk = tell(journal, clock)
        names = ("seq", "at_s", "run", "key", "kind", "version")
        lines = [
            json.dumps({**{name: getattr(row, name) for name in names}, "body": body}) for row, body in journal.bodies()
        ]
        FOLDER.mkdir(exist_ok=True)
        rows.write_text("\n".join(lines) + "\n", encoding="utf-8")
        state.write_text(json.dumps(desk.state.to_json(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
