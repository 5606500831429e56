"""A meal that somebody watches: every phase is told, the arm holds without its link, and a stop ends the motion."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from handup.core import HandupError, NotPaired, Outcome, Reply, ReplyKind, ServerBusy
from handup.desk import Desk, Record
from handup.domains.domain import Halted, Workplace
from handup.domains.feeding.attempt_record import BiteAttempt, HaltedAct, Moving
from handup.domains.feeding.camera import Seen
from handup.domains.feeding.meal import NAME
from handup.domains.feeding.order import Order
from handup.domains.feeding.page_meal import AtPage
from handup.domains.feeding.policy import DOUBT_BELOW
from handup.domains.feeding.world import PlateWorld
from handup.journal import Journal
from handup.recover.run_record import RunBegun, RunEnded, RunUnknown
from tests.fakes.panels import panel
from tests.fakes.table import Knowing, Notebook, watched
from tests.soak import swept

ALWAYS = "topo+query-for-all"
SLOW = 3.0
"""Times real time: so slow that the journal is looked at several times in a motion."""
PHASES = {"looking", "deciding", "asking", "moving", "holding", "resting", "done", "stopped"}


def eaten(
    store: Path,
    order: Order,
    wire: Notebook,
    *,
    instead: Callable[[Record, Desk], bool] = lambda record, desk: False,
    kept: dict[str, bytes] | None = None,
    **errs: Any,
) -> dict[str, Any]:
    with watched(store, order, wire, kept=kept, **errs) as meal:
        return meal.eat([Knowing(meal, instead)]).to_json()


def events(store: Path) -> list[object]:
    with Journal.open(store, readonly=True) as journal:
        assert journal.verify().ok
        return [entry.event for entry in journal.read()]


class Once:
    """Does something in the first state of a phase."""

    def __init__(self, phase: str, do: Callable[[], object], *, after: int = 0) -> None:
        self.phase, self.do, self.left = phase, do, after + 1

    def __call__(self, state: Mapping[str, Any]) -> None:
        if state["phase"] == self.phase and self.left > 0:
            self.left -= 1
            if self.left == 0:
                self.do()


def both(first: Once, second: Once) -> Callable[[Mapping[str, Any]], object]:
    def told(state: Mapping[str, Any]) -> None:
        first(state)
        second(state)

    return told


# -- what is told ------------------------------------------------------------------------------------------------------


def test_every_phase_is_told_and_the_plate_is_shown(tmp_path: Path) -> None:
    wire, kept = Notebook(), dict[str, bytes]()
    served = eaten(tmp_path / "m.db", Order(bites=2, rest_s=2.0, method=ALWAYS), wire, kept=kept)
    assert served["got"] == 2
    assert [each for each in wire.phases if each != "looking"][:4] == ["deciding", "asking", "deciding", "asking"]
    assert set(wire.phases) == PHASES - {"holding", "stopped"}
    assert wire.phases[-1] == "done"
    json.dumps(wire.states, allow_nan=False)
    assert all(panel(state, "items")["unit"] == "bite" for state in wire.states)
    assert len(kept) >= 2, "each question's picture is kept"
    assert all(each.startswith(b"\xff\xd8\xff") for each in (*kept.values(), *(found for _, found in wire.pictures)))
    moving = [each for each in wire.states if each["phase"] == "moving"]
    assert moving[0]["doing"].startswith("trying to ")
    assert moving[0]["why"]
    links = panel(moving[0], "chain")["links"]
    assert [link["label"] for link in links] == ["Food", "Place", "Way", "Aim"]
    assert {link["by"] for link in links} == {"person"}
    plate = panel(moving[0], "picture")
    assert set(plate["box"]) == {"left", "top", "right", "bottom"}
    assert len(plate["points"]) == 2
    assert plate["caption"] == "The plate from above, with a box around the food and where the fork goes in"
    seqs = [panel(state, "picture")["seq"] for state in wire.states]
    assert seqs == sorted(seqs)
    assert seqs[-1] == len(wire.pictures)


def test_the_state_says_what_is_asked_about_and_how_the_bites_went(tmp_path: Path) -> None:
    wire = Notebook()
    eaten(tmp_path / "m.db", Order(bites=2, rest_s=0.0, method=ALWAYS), wire)
    asking = [each for each in wire.states if each["phase"] == "asking"]
    links = [panel(state, "chain")["links"] for state in asking[:4]]
    assert [[link["module"] for link in chain if link["asking"]] for chain in links] == [
        ["food"],
        ["box"],
        ["skill"],
        ["params"],
    ]
    assert all(0.0 <= chain[3]["confidence"] <= 1.0 for chain in links[:3])
    assert panel(asking[0], "decision")["action"] == "ask"
    assert asking[0]["title"] == "Bite 1 of 2"
    assert [item["outcome"] for item in panel(asking[0], "items")["items"]] == ["now", "later"]
    assert [item["outcome"] for item in panel(asking[-1], "items")["items"]] == ["got", "now"]
    assert panel(wire.states[-1], "items")["summary"] == {"got": 2, "of": 2, "queries": 8, "attempts": 2}


def test_a_question_that_was_put_off_is_told(tmp_path: Path) -> None:
    wire, seen = Notebook(), list[str]()

    def not_now(record: Record, desk: Desk) -> bool:
        seen.append(record.id)
        if len(seen) == 1:
            until_s = desk.now_s() + 0.5
            later = Reply(question=record.id, kind=ReplyKind.NOT_NOW, by=NAME, token="later", until_s=until_s)
            desk.reply(later)
        return len(seen) == 1

    eaten(tmp_path / "m.db", Order(bites=1, method=ALWAYS), wire, instead=not_now)
    assert any(each["why"] == "You said: not now." for each in wire.states)


# -- holding -----------------------------------------------------------------------------------------------------------


def test_without_its_link_the_arm_holds_and_goes_on_when_it_is_back(tmp_path: Path) -> None:
    wire, held = Notebook(), list[int]()

    def lose() -> None:
        wire.alive = False
        held.append(len(wire.pictures))
        threading.Timer(0.6, back).start()

    def back() -> None:
        held.append(len(wire.pictures))
        wire.alive = True

    wire.on_state = Once("moving", lose, after=1)
    served = eaten(tmp_path / "m.db", Order(bites=1), wire)
    assert (served["got"], served["executions"]) == (1, 1)
    before, after = held
    assert after == before, "no step was made meanwhile"
    assert "holding" in wire.phases
    assert wire.phases[wire.phases.index("holding") + 1] == "moving"


# -- stopping ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("heard_by", ["journal", "link"])
def test_a_stop_ends_the_motion_and_the_same_bite_goes_on_after_enable(tmp_path: Path, heard_by: str) -> None:
    wire, store = Notebook(), tmp_path / "m.db"

    def stop() -> None:
        wire.stopped = heard_by == "link"
        if heard_by == "journal":
            with Journal.open(store) as journal:
                Desk(journal).stop(NAME)

    def enable() -> None:
        def later() -> None:
            with Journal.open(store) as journal:
                Desk(journal).enable(NAME)
            wire.stopped = False

        threading.Timer(0.3, later).start()

    stops, lifts = Once("moving", stop, after=1), Once("stopped", enable)
    wire.on_state = both(stops, lifts)
    served = eaten(store, Order(bites=2, rest_s=0.0), wire, speed=SLOW)
    assert [each["outcome"] for each in served["bites"]] == ["recovered", "recovered"]
    assert served["executions"] == 2, "what was stopped is no attempt that was carried through"
    assert "stopped" in wire.phases
    found = events(store)
    [halted] = [each for each in found if isinstance(each, HaltedAct)]
    assert halted.action == "meal/bite-1/act/1"
    assert [each.action for each in found if isinstance(each, RunUnknown)] == [halted.action]
    assert next(each.outcome for each in found if isinstance(each, RunEnded)) is Outcome.STOPPED
    begun = [each.action for each in found if isinstance(each, RunBegun)]
    assert begun == [halted.action, "meal/bite-1-after-stop-1/act/1", "meal/bite-2/act/1"]
    assert eaten(store, Order(bites=2, rest_s=0.0), Notebook()) == served, "a meal that is over is only read"


def test_a_stop_while_it_asks_takes_the_question_back_and_it_asks_anew_after_enable(tmp_path: Path) -> None:
    wire, store, seen = Notebook(), tmp_path / "m.db", list[str]()

    def stop_first(record: Record, desk: Desk) -> bool:
        seen.append(record.id)
        if len(seen) == 1:
            desk.stop(NAME)
            threading.Timer(0.2, lambda: desk.enable(NAME)).start()
        return len(seen) == 1

    served = eaten(store, Order(bites=1, method=ALWAYS), wire, instead=stop_first)
    assert served["got"] == 1
    assert seen[:2] == ["meal/bite-1/food/1", "meal/bite-1-after-stop-1/food/1"]


def test_killed_while_it_is_stopped_it_stays_stopped_and_goes_on_after_enable(tmp_path: Path) -> None:
    class Killed(BaseException):
        pass

    wire, store = Notebook(), tmp_path / "m.db"

    def stop() -> None:
        with Journal.open(store) as journal:
            Desk(journal).stop(NAME)

    def die() -> None:
        raise Killed

    stops, dies = Once("moving", stop, after=1), Once("stopped", die)
    wire.on_state = both(stops, dies)
    with pytest.raises(Killed):
        eaten(store, Order(bites=1), wire, speed=SLOW)
    again = Notebook()

    def enable() -> None:
        with Journal.open(store) as journal:
            Desk(journal).enable(NAME)

    again.on_state = Once("stopped", lambda: threading.Timer(0.2, enable).start())
    served = eaten(store, Order(bites=1), again)
    assert served["got"] == 1
    assert again.phases[0] == "stopped"
    acted = [each.action for each in events(store) if isinstance(each, BiteAttempt)]
    assert acted == ["meal/bite-1-after-stop-1/act/1"]


# -- the guard alone ---------------------------------------------------------------------------------------------------


def test_the_guard_keeps_real_time_but_for_what_it_held(tmp_path: Path) -> None:
    now = [0.0]
    wire = Notebook()

    def sleep(seconds: float) -> None:
        now[0] += seconds
        wire.alive = wire.alive or now[0] > 5.0

    with Journal.open(tmp_path / "m.db") as journal:
        place = Workplace(journal, "meal", person=NAME, link=wire, clock=lambda: now[0], sleep=sleep)
        guard = place.guard
        guard.begin()
        guard(1.0)
        assert now[0] == pytest.approx(1.0)
        wire.alive = False
        guard(1.004)
        assert now[0] == pytest.approx(5.02, abs=0.05), "it held, and then went on at once"
        guard(2.0)
        assert now[0] == pytest.approx(6.0, abs=0.05)
        wire.stopped = True
        with pytest.raises(Halted):
            guard(2.004)
        assert place.desk.stopped, "a stop that only the link knew is written down"


# -- the success detector's doubt --------------------------------------------------------------------------------------


def test_the_detectors_doubt_is_a_question_with_a_picture_of_the_fork(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PlateWorld, "looks_successful", lambda world: Seen(False, 0.6, 0.02))
    asked, kept, wire = list[Record](), dict[str, bytes](), Notebook()

    def note(record: Record, desk: Desk) -> bool:
        asked.append(record)
        return False

    order = Order(bites=2, rest_s=0.0, doubt_below=DOUBT_BELOW)
    served = eaten(tmp_path / "m.db", order, wire, instead=note, kept=kept)
    assert (served["got"], served["executions"], served["queries"]) == (2, 2, 2), "what it overlooks is not thrown away"
    assert [each["asked"] for each in served["bites"]] == [["fork"], ["fork"]]
    assert asked[0].question.prompt.startswith("Did I get the ")
    assert asked[0].question.kind == "yes-no"
    assert asked[0].question.image in kept
    assert asked[0].id == "meal/bite-1/act:1/1"
    assert any(each["phase"] == "asking" and each["doing"] == "looking at the fork" for each in wire.states)


def test_killed_while_it_asks_about_the_fork_it_asks_the_same_and_keeps_the_bite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    monkeypatch.setattr(PlateWorld, "looks_successful", lambda world: Seen(False, 0.6, 0.02))
    asked = list[str]()

    def die(record: Record, desk: Desk) -> bool:
        asked.append(record.id)
        raise Killed

    def note(record: Record, desk: Desk) -> bool:
        asked.append(record.id)
        return False

    order = Order(bites=1, doubt_below=DOUBT_BELOW)
    with pytest.raises(Killed):
        eaten(tmp_path / "m.db", order, Notebook(), instead=die)
    served = eaten(tmp_path / "m.db", order, Notebook(), instead=note)
    assert (served["got"], served["executions"]) == (1, 1)
    assert asked == ["meal/bite-1/act:1/1"] * 2


@pytest.mark.parametrize("told", swept(range(1, 23, 3), test=(4, 10, 19)))
def test_killed_at_any_word_it_goes_on_and_does_nothing_twice(tmp_path: Path, told: int) -> None:
    class Killed(BaseException):
        pass

    store, order, wire = tmp_path / "m.db", Order(bites=2, rest_s=0.0, method=ALWAYS), Notebook()

    def count(state: Mapping[str, Any]) -> None:
        if len(wire.states) == told:
            raise Killed

    wire.on_state = count
    with pytest.raises(Killed):
        eaten(store, order, wire)
    served = eaten(store, order, Notebook())
    assert (served["got"], served["queries"]) == (2, 8)
    acted = [each.action for each in events(store) if isinstance(each, BiteAttempt)]
    assert len(acted) == len(set(acted)) == 2


def test_cut_off_in_a_motion_it_asks_before_it_moves_again(tmp_path: Path) -> None:
    class Killed(BaseException):
        pass

    def die() -> None:
        raise Killed

    store, asked = tmp_path / "m.db", list[Record]()
    with pytest.raises(Killed):
        eaten(store, Order(bites=1), Notebook(on_state=Once("moving", die, after=1)))
    again = Notebook()

    def note(record: Record, desk: Desk) -> bool:
        asked.append(record)
        assert "moving" not in again.phases
        return False

    served = eaten(store, Order(bites=1), again, instead=note)
    assert asked[0].id == "meal/bite-1/act:1/1"
    assert asked[0].question.prompt.startswith("I was interrupted while I was about to ")
    assert (served["got"], served["executions"]) == (1, 1)
    assert [each.action for each in events(store) if isinstance(each, Moving)] == [
        "meal/bite-1/act/1",
        "meal/bite-1/act/2",
    ]


@pytest.mark.parametrize(("error", "tries"), [(ServerBusy, 3), (NotPaired, 1)])
def test_a_picture_is_put_again_only_where_that_may_help(tmp_path: Path, error: type[HandupError], tries: int) -> None:
    tried, wire = list[str](), Notebook()

    def keep(name: str, picture: bytes) -> None:
        tried.append(name)
        if len(tried) < 3:
            raise error("no", hint="None.")

    with watched(tmp_path / "m.db", Order(bites=1, method=ALWAYS), wire) as meal:
        company = meal._company
        assert isinstance(company, AtPage)
        company.place.keep = keep
        first: list[int] = []
        meal.eat([Knowing(meal, lambda record, desk: bool(first.append(len(tried))))])  # type: ignore[func-returns-value]
    assert first[0] == tries
    assert ("holding" in wire.phases) is (tries > 1)
