"""A plate as a task: it asks where that is worth it, goes on after a kill, and leaves the plate alone after a stop."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageSequence

from handup.core import BadRecord, BadSetting, ConflictingSettings, Person, Reply, ReplyKind
from handup.desk import Desk, Record, SkippingClock
from handup.domains import PAGE, SIMULATED, Workplace
from handup.domains.plate.choosers import PlateChoice, normal_doubt
from handup.domains.plate.clearing_world import ClearingWorld, Watcher
from handup.domains.plate.plate_log import PlateActed, PlateLog, words_of
from handup.domains.plate.policies import ACQUIRE, GROUP, PlateSight
from handup.domains.plate.primitives import Aim, Moved, PlateFood, PlatePrimitive
from handup.domains.plate.questions import EXPERT, WORDS, bare_question, graph_of, settings_of
from handup.domains.plate.task import DOMAIN, PlateOrder, PlateTask, begin_plate
from handup.domains.runs import end_task
from handup.journal import Journal
from handup.recover import Session
from tests.domains.plate.toy import ToyEngine
from tests.fakes.panels import numbers, panel
from tests.fakes.table import Notebook
from tests.recover.house import FragileJournal, Killed
from tests.soak import swept

RUN = "plate-1"
BITE, PUSH = WORDS[PlateFood.BEANS].options[ACQUIRE], WORDS[PlateFood.BEANS].options[GROUP]


Says = Callable[[Record], str | ReplyKind]


@dataclass
class Doubtful:
    """A chooser that is in doubt at some actions, and looks at how often it was asked to weigh."""

    at: tuple[int, ...] = (1, 3)
    weighed: list[int] = field(default_factory=list)

    def weigh(self, sight: PlateSight) -> PlateChoice:
        number = len(sight.done) + 1
        self.weighed.append(number)
        sure = 0.6 if number in self.at else 0.99
        return PlateChoice(primitive=ACQUIRE, values={ACQUIRE: 0.6, GROUP: 0.5}, sure=sure)


class Slow(ToyEngine):
    """A toy whose motions take a second."""

    def execute(self, primitive: PlatePrimitive, aim: Aim, watcher: Watcher | None = None) -> Moved:
        for tenth in range(1, 11):
            if watcher is not None:
                watcher(tenth / 10.0)
        return super().execute(primitive, aim)


def toy(seed: int = 5) -> ClearingWorld:
    return ClearingWorld(Slow(), seed=seed)


def simulated(store: Path, dies_at: tuple[int, bool] | None = None, **options: Any) -> tuple[dict[str, Any], Doubtful]:
    """Clear a toy plate, as one program does; what came of it, and the chooser."""
    with FragileJournal.open(store, clock=SkippingClock()) as journal:
        assert isinstance(journal, FragileJournal)
        assert isinstance(journal.clock, SkippingClock)
        journal.clock.skip_to(journal.head().at_s)
        journal.dies_at = dies_at
        place, chooser = Workplace(journal, RUN, people=SIMULATED), Doubtful()
        task = PlateTask(PlateOrder(**options), place, chooser=chooser, world=toy())
        while task.step() is not None:
            pass
        return json.loads(json.dumps(task.result())), chooser


@dataclass
class Later:
    """A channel to a person who replies a moment after the question has been shown everywhere."""

    says: Says
    name: str = "later"

    def show(self, record: Record, desk: Desk) -> None:
        said = self.says(record)
        kind = said if isinstance(said, ReplyKind) else ReplyKind.ANSWER
        value = None if isinstance(said, ReplyKind) else said
        reply = Reply(question=record.id, kind=kind, by="you", token=record.id, value=value)
        threading.Timer(0.1, lambda: desk.reply(reply)).start()

    def taken(self, record: Record) -> None:
        pass

    def close(self) -> None:
        pass


def watched(
    store: Path, wire: Notebook, says: Says, *, chooser: Doubtful | None = None, speed: float = 100.0
) -> PlateTask:
    """Clear a toy plate at a page that is a notebook."""
    with Journal.open(store) as journal:
        place = Workplace(journal, RUN, people=PAGE, link=wire, channels=[Later(says)], speed=speed)
        task = PlateTask(PlateOrder(), place, chooser=chooser or Doubtful(), world=toy())
        place.holds = task.hold
        while task.step() is not None:
            pass
        place.close()
        return task


# -- when it asks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sure", [0.5, 0.6, 0.75, 0.9, 0.965, 0.99])
@pytest.mark.parametrize("stake", [0.0, 0.01, 0.03, 0.1, 0.4])
def test_it_asks_exactly_where_the_answer_saves_more_than_a_question_costs(sure: float, stake: float) -> None:
    choice = PlateChoice(primitive=ACQUIRE, sure=sure, stake=stake)
    session = Session(graph_of(PlateFood.BEANS), "troubleshoot", settings_of(choice, 0.01))
    session.forwarded({"choice": sure})
    saved = (1.0 - sure) * stake - (1.0 - EXPERT) * stake
    assert session.next(0.0).action == ("ask" if saved > 0.01 else "act")


def test_the_stake_is_the_gap_where_nothing_else_is_known() -> None:
    assert PlateChoice(primitive=GROUP, values={ACQUIRE: 0.25, GROUP: 0.5}).cost_if_wrong == 0.25
    assert PlateChoice(primitive=GROUP).cost_if_wrong == 0.0
    with pytest.raises(BadSetting, match=r"sure must lie between 0\.5 and 1"):
        PlateChoice(primitive=GROUP, sure=0.4)


@pytest.mark.parametrize(("gap", "error"), [(0.0, 0.05), (0.02, 0.03), (0.05, 0.02)])
def test_the_doubt_of_an_estimate_is_that_of_many_draws(gap: float, error: float) -> None:
    drawn = np.random.default_rng(1).normal(gap, error, 400_000)
    sure, stake = normal_doubt(gap, error)
    assert sure == pytest.approx((drawn > 0.0).mean(), abs=0.005)
    assert (1.0 - sure) * stake == pytest.approx(np.maximum(-drawn, 0.0).mean(), abs=2e-4)


def test_without_an_error_there_is_no_doubt_but_at_a_draw() -> None:
    assert normal_doubt(0.1, 0.0) == (0.99, 0.1)
    assert normal_doubt(0.0, 0.0) == (0.5, 0.0)


# -- simulated people, kills -------------------------------------------------------------------------------------------


def test_a_simulated_person_answers_and_it_does_what_they_say(tmp_path: Path) -> None:
    result, _ = simulated(tmp_path / "p.db")
    assert result["questions"] == 2
    assert [action["number"] for action in result["actions"] if action["answered"]] == [1, 3]
    assert result["cleared"] == pytest.approx(1.0 - result["left"])
    assert result["in_words"].endswith("I asked 2 times.")
    silent, _ = simulated(tmp_path / "q.db", ask=False)
    assert silent["questions"] == 0


KILLS = tuple((write, counts) for write in range(2, 90, 3) for counts in (False, True))


@pytest.mark.parametrize(("write", "counts"), swept(KILLS, test=((5, True), (11, False), (38, True))))
def test_killed_anywhere_it_is_the_plate_that_was_never_killed(tmp_path: Path, write: int, counts: bool) -> None:
    whole, _ = simulated(tmp_path / "whole.db")
    with contextlib.suppress(Killed):
        simulated(tmp_path / "p.db", dies_at=(write, counts))
    again, chooser = simulated(tmp_path / "p.db")
    assert again == whole
    with Journal.open(tmp_path / "p.db", readonly=True) as journal:
        assert journal.verify().ok
        acted = [acted for acted, _ in PlateLog(journal, RUN).acted()]
        known = PlateLog(journal, RUN).weighed()
    assert [each.number for each in acted] == sorted({each.number for each in acted}), "nothing is done twice"
    assert set(known) == {each.number for each in acted}
    assert len(chooser.weighed) == len(set(chooser.weighed)), "what was written down is not weighed again"


def test_another_plate_than_the_one_that_was_begun_is_refused(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "p.db", clock=SkippingClock()) as journal:
        task = PlateTask(PlateOrder(), Workplace(journal, RUN, people=SIMULATED), chooser=Doubtful(()), world=toy())
        task.step()
        with pytest.raises(BadRecord, match="action 1 of plate-1 leads to another plate here"):
            PlateTask(PlateOrder(), Workplace(journal, RUN, people=SIMULATED), world=toy(6))


# -- at the page -------------------------------------------------------------------------------------------------------


def test_people_see_the_plate_the_choice_and_what_happened(tmp_path: Path) -> None:
    wire, seen = Notebook(), list[Record]()

    def answer(record: Record) -> str:
        seen.append(record)
        return PUSH

    watched(tmp_path / "p.db", wire, answer)
    assert [phase for phase in wire.phases if phase != "looking"][:4] == ["deciding", "asking", "deciding", "moving"]
    assert wire.phases[-1] == "done"
    asking = next(state for state in wire.states if state["phase"] == "asking")
    assert panel(asking, "chain")["links"][0]["asking"]
    assert numbers(asking)["still to get, if I take a bite now"] == 60
    moving = next(state for state in wire.states if state["phase"] == "moving")
    assert moving["doing"] == "pushing the beans together"
    assert panel(moving, "chain")["links"][0]["by"] == "person"
    words = [entry["words"] for entry in panel(wire.states[-1], "timeline")["entries"]]
    assert words[0] == "1. Pushed beans together. You had said so."
    assert seen[0].question.prompt == "Shall I push the beans together first, or take a bite now?"
    assert seen[0].question.options == (BITE, PUSH)
    assert seen[0].question.why.startswith("I would take a bite now, but")
    assert seen[0].question.image == "plate-1/action-1/picture"
    assert len(wire.pictures) > 8
    assert all(picture.startswith(b"\xff\xd8\xff") for _, picture in wire.pictures)


def test_a_stop_leaves_the_plate_as_it_was_and_the_answer_is_not_asked_for_again(tmp_path: Path) -> None:
    wire, store, asked, plates = Notebook(), tmp_path / "p.db", list[str](), list[float]()

    def answer(record: Record) -> str:
        asked.append(record.step)
        return PUSH

    def enable() -> None:
        with Journal.open(store) as journal:
            Desk(journal).enable("you")

    def told(state: Mapping[str, Any]) -> None:
        if state["phase"] == "moving" and not plates:
            plates.append(numbers(wire.states[-1])["left on the plate"])
            with Journal.open(store) as journal:
                Desk(journal).stop("you")
        if state["phase"] == "stopped" and len(plates) == 1:
            plates.append(numbers(wire.states[-1])["left on the plate"])
            threading.Timer(0.2, enable).start()

    wire.on_state = told
    task = watched(store, wire, answer, chooser=Doubtful((1,)), speed=3.0)
    assert plates == [100, 100]
    assert len(asked) == 1, "what was answered before the stop still holds"
    assert [acted.action for acted in task.done][:2] == [
        "plate-1/action-1-after-stop-1/act/1",
        "plate-1/action-2/act/1",
    ]
    assert task.done[0].primitive is GROUP
    assert task.done[0].answered


def test_what_is_left_to_the_robot_it_decides_itself(tmp_path: Path) -> None:
    task = watched(tmp_path / "p.db", Notebook(), lambda record: ReplyKind.LET_ROBOT_TRY, chooser=Doubtful((1,)))
    assert (task.done[0].primitive, task.done[0].asked, task.done[0].answered) == (ACQUIRE, True, False)


# -- beans, records, orders --------------------------------------------------------------------------------------------


def test_a_plate_of_beans_is_recorded_for_people_who_look_on_later(tmp_path: Path) -> None:
    order = DOMAIN.order_of({"policy": "group-first", "record": str(tmp_path / "films")})
    with Journal.open(tmp_path / "p.db", clock=SkippingClock()) as journal:
        task = PlateTask(order, Workplace(journal, RUN, people=SIMULATED))
        assert task.step() is not None
        assert task.step() is not None
    outcome = json.loads((tmp_path / "films" / "outcome.json").read_text(encoding="utf-8"))
    assert [action["primitive"] for action in outcome["actions"]] == ["group", "acquire"]
    for number in (1, 2):
        with Image.open(tmp_path / "films" / f"action-0{number}.gif") as film:
            assert len(list(ImageSequence.Iterator(film))) > 5
    assert sum(path.stat().st_size for path in (tmp_path / "films").iterdir()) < 250_000


def test_a_plate_that_is_not_over_goes_on_as_it_was_begun(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "p.db", clock=SkippingClock()) as journal:
        first = begin_plate(journal, PlateOrder(), PAGE, own_seed=True)
        assert (first.name, first.order.seed, first.goes_on) == ("plate-1", 0, False)
        again = begin_plate(journal, PlateOrder(), PAGE, own_seed=True)
        assert (again.name, again.goes_on) == ("plate-1", True)
        with pytest.raises(ConflictingSettings, match=r"policy oracle.* now you give .*policy random"):
            begin_plate(journal, PlateOrder(policy="random"), PAGE, own_seed=True)
        with pytest.raises(ConflictingSettings, match="people simulated"):
            begin_plate(journal, PlateOrder(), SIMULATED)
        end_task(journal, first.name, {})
        second = begin_plate(journal, PlateOrder(), PAGE, own_seed=True)
        assert (second.name, second.order.seed) == ("plate-2", 1)
        assert begin_plate(journal, PlateOrder(), PAGE, new=True).name == "plate-3"


def test_an_order_is_checked() -> None:
    for wrong, words in (
        ({"policy": "orakle"}, "name a policy of the plate"),
        ({"seed": -1}, "seed must be a whole number from 0 on"),
        ({"question_share": 0.0}, "question_share must be above 0"),
        ({"food": "soup"}, "the option food of plate is 'soup'"),
    ):
        with pytest.raises(BadSetting, match=words):
            DOMAIN.order_of(wrong)


def test_the_words_of_an_action() -> None:
    acted = PlateActed(
        action="plate-1/action-2-after-stop-1/act/1",
        number=2,
        primitive=ACQUIRE,
        aim=Aim(dense_m=(0.0, 0.0), far_m=(0.0, 0.0)),
        moved=Moved(taken=0.2, lost=0.1),
        left=0.7,
        asked=False,
        answered=False,
        mark=0,
    )
    assert acted.run == "plate-1/action-2-after-stop-1"
    assert words_of(PlateFood.BEANS, ACQUIRE, acted.moved) == "Scooped: took 20% of a full plate. 10% fell off."
    assert words_of(PlateFood.NOODLES, GROUP, Moved()) == "Pushed noodles together."


def test_a_new_plate_takes_back_what_was_asked_about_the_one_before(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "p.db", clock=SkippingClock()) as journal:
        first = begin_plate(journal, PlateOrder(), PAGE).name
        with Desk(journal, [Person(name="you")]) as desk:
            asked = desk.ask(bare_question(PlateFood.BEANS), run=f"{first}/action-1", step="choice")
        second = begin_plate(journal, PlateOrder(), PAGE, new=True).name
        place = Workplace(journal, second, people=PAGE)
        PlateTask(PlateOrder(), place, world=toy())
        record = place.desk.record(asked.id)
        assert record is not None
        assert (record.status, place.desk.pending()) == ("withdrawn", ())
