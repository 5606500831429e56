"""While a run goes on, somebody is erased, the store is busy, a put-off question ends, the world changes."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from handup import Pass
from handup.core import Action, Outcome, Person, Question, Reply, ReplyKind, StoreUnavailable, Value
from handup.desk import Desk, Record, SkippingClock
from handup.journal import Journal
from handup.people import BITE, Workload
from handup.recover import DurableSession, Erased, Look, SessionPhase, run
from handup.recover.events import Executed, ModuleAnswered, NotAnswered
from handup.recover.run_record import RunForwarded, RunTold
from handup.when import strategy
from tests.make import chain_of
from tests.recover.house import House, Household, Killed
from tests.recover.robot import RIGHT, WRONG, Robot

METHOD = strategy("troubleshoot")
SECRET = "the secret diet"


# -- somebody is erased ------------------------------------------------------------------------------------------------


class Eater:
    """Asks Maya about m0 and Ben about m1; calls back when it acts and when it runs."""

    def __init__(
        self, *, acting: Callable[[], None] = lambda: None, passing: Callable[[], None] = lambda: None
    ) -> None:
        self.graph = chain_of((0.2, 0.85), 0.05)
        self.acted: list[dict[str, Value]] = []
        self._acting, self._passing = acting, passing

    def question(self, module: str, outputs: Mapping[str, Value]) -> Question:
        return Question("?", to=({"m0": "Maya", "m1": "Ben"}[module],), guess=outputs.get(module))

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        if answers:
            self._passing()
        return Pass(outputs={name: answers.get(name, WRONG) for name in self.graph.names}, confidences={})

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        self.acted.append(dict(outputs))
        self._acting()
        return Look(len(self.acted) > 2)


def once(do: Callable[[], object]) -> Callable[[], None]:
    left = [do]

    def call() -> None:
        if left:
            left.pop()()

    return call


@pytest.mark.parametrize("when", ["acting", "passing"])
def test_a_run_does_not_write_again_what_was_erased_meanwhile(when: str, tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path, clock=SkippingClock(1000.0)) as journal, Journal.open(path) as other:
        household = Household(lambda record, desk: SECRET if record.step == "m0" else RIGHT)
        desk = Desk(journal, [Person(name="Maya"), Person(name="Ben")], channels=[household])
        policy = Eater(**{when: once(lambda: other.erase("Maya"))})
        episode = run(policy, "troubleshoot", desk, run="meal")
        assert episode.outcome in tuple(Outcome)
        assert "m0" not in episode.answers
        assert all(each["m0"] == WRONG for each in policy.acted[when == "acting" :])
        bodies = [str(body) for _, body in journal.bodies(after=0)]
        assert not any(SECRET in body for body in bodies)
        written = [entry.event for entry in journal.read()]
        forwarded = [event for event in written if isinstance(event, RunForwarded)]
        assert all("Maya" not in event.people for event in forwarded)
        assert any(each.startswith("erased-") for event in forwarded for each in event.people)
        assert all(event.by != "Maya" for event in written if isinstance(event, RunTold))
        again = DurableSession.of_run(journal, "meal", policy.graph, METHOD, availability=Always())
        assert again.outcome is episode.outcome
        desk.close()


class Always:
    def free_from_s(self, now_s: float) -> list[float]:
        return [now_s] * 2


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as opened:
        yield opened


def asking_maya(journal: Journal, **more: Any) -> DurableSession:
    graph = chain_of((0.9, 0.2, 0.9), 0.3)
    session = DurableSession.of_run(journal, "bite", graph, METHOD, **more)
    session.passed({"m0": RIGHT, "m1": WRONG, "m2": RIGHT}, {})
    session.next(0.0)
    return session


def test_an_answer_of_somebody_who_was_erased_meanwhile_is_refused_and_the_session_goes_on(journal: Journal) -> None:
    session = asking_maya(journal)
    journal.append(RunTold(told={}, by="Maya"), run="another")
    journal.erase("Maya")
    seq = journal.head().seq
    with pytest.raises(Erased, match="erased meanwhile"):
        session.answered("m1", changed=True, by="Maya")
    assert (journal.head().seq, session.phase) == (seq, SessionPhase.ASKING)
    session.answered("m1", changed=True, by="Ben")
    assert session.next(1.0).action is Action.ACT


def test_what_somebody_said_is_forgotten_with_what_it_shaped(journal: Journal) -> None:
    session = asking_maya(journal)
    session.answered("m1", changed=True, by="Maya")
    session.passed({"m0": RIGHT, "m1": SECRET, "m2": RIGHT}, {})
    session.next(1.0)
    session.begin()
    journal.erase("Maya")
    session.executed(False)
    assert isinstance(session.history[-1], Executed)
    assert session.outputs is None
    assert session.trail.people[0].startswith("erased-")
    assert "Maya" not in str(session.to_json())


def test_a_session_forgets_when_it_looks(journal: Journal) -> None:
    session = asking_maya(journal, costs=Workload.of(list(BITE.values())[:3], person="Maya"))
    assert session.refresh() is False
    journal.erase("Maya")
    assert session.refresh() is True
    assert session.refresh() is False
    assert "Maya" not in str(session.to_json())


def test_that_somebody_else_was_erased_costs_nothing(journal: Journal) -> None:
    session = asking_maya(journal)
    session.answered("m1", changed=True, by="Ben")
    journal.append(RunTold(told={}, by="Maya"), run="another")
    journal.erase("Maya")
    session.passed({"m0": RIGHT, "m1": RIGHT, "m2": RIGHT}, {})
    assert session.outputs == {"m0": RIGHT, "m1": RIGHT, "m2": RIGHT}


def test_somebody_whose_earlier_words_are_used_may_be_erased_meanwhile(journal: Journal) -> None:
    session = asking_maya(journal)
    session.answered("m1", changed=True, by="Ben")
    journal.append(RunTold(told={}, by="Ana"), run="another")
    journal.erase("Ana")
    with pytest.raises(Erased):
        session.passed({"m0": RIGHT, "m1": SECRET, "m2": RIGHT}, {}, people=["Ana"])
    session.passed({"m0": RIGHT, "m1": RIGHT, "m2": RIGHT}, {}, people=["Cleo"])
    assert session.outputs == {"m0": RIGHT, "m1": RIGHT, "m2": RIGHT}
    journal.erase("Cleo")
    session.refresh()
    assert session.outputs is None


# -- the store is busy -------------------------------------------------------------------------------------------------


@contextmanager
def busy_after_the_effect(tmp_path: Path, free_s: float) -> Iterator[Callable[[float], Any]]:
    """Somebody else writes for a while, from the moment at which the robot has acted."""
    Journal.open(tmp_path / "journal.db").close()
    other = sqlite3.connect(tmp_path / "journal.db", isolation_level=None, check_same_thread=False)
    timer = threading.Timer(free_s, lambda: other.execute("ROLLBACK"))

    def at(moment: str) -> None:
        if moment == "after":
            other.execute("BEGIN IMMEDIATE")
            timer.start()

    path, clock = tmp_path / "journal.db", SkippingClock(1000.0)
    with Journal.open(path, clock=clock, busy_timeout_s=0.05) as journal:
        desk = Desk(journal, [Person(name="Maya")], channels=[Household(lambda record, desk: RIGHT)])

        def live(keep_trying_s: float) -> Any:
            robot = Robot(tmp_path / "log", at=at)
            return run(robot, "troubleshoot", desk, run="bite", keep_trying_s=keep_trying_s)

        yield live
        timer.join()
        desk.close()
    other.close()


def test_an_outcome_is_written_when_the_store_is_free_again(tmp_path: Path) -> None:
    with busy_after_the_effect(tmp_path, 0.6) as live:
        episode = live(30.0)
    assert episode.outcome is Outcome.RECOVERED
    assert [(each.ok, each.unknown) for each in episode.actions] == [(True, False)]


def test_it_is_not_tried_for_ever(tmp_path: Path) -> None:
    with busy_after_the_effect(tmp_path, 2.0) as live, pytest.raises(StoreUnavailable, match="locked"):
        live(0.1)


def test_a_write_that_counted_though_the_store_could_not_say_so_is_not_repeated(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, writing = asking_maya(journal), journal.writing

    @contextmanager
    def lost() -> Iterator[Any]:
        with writing() as pen:
            yield pen
        raise StoreUnavailable("the server went away", hint="Wait.")

    with monkeypatch.context() as patch:
        patch.setattr(journal, "writing", lost)
        with pytest.raises(StoreUnavailable):
            session.answered("m1", changed=True, by="Maya")
    session.answered("m1", changed=True, by="Maya")
    assert sum(isinstance(event, ModuleAnswered) for event in session.history) == 1
    again = DurableSession.of_run(journal, "bite", session.graph, METHOD)
    assert again.history == session.history


# -- a question that was put off comes to its end ----------------------------------------------------------------------


def stubborn(log: Path) -> Robot:
    return Robot(log, confidences=(1.0, 0.2, 1.0), lucky=[2])


@pytest.mark.parametrize("reply", [ReplyKind.LET_ROBOT_TRY, ReplyKind.SOMEONE_ELSE])
def test_the_end_of_a_question_that_was_put_off_is_told_when_it_happens(reply: ReplyKind, tmp_path: Path) -> None:
    house = House(tmp_path, lambda record, desk: ReplyKind.NOT_NOW if not record.replies else RIGHT, robot=stubborn)

    class Patient(SkippingClock):
        def skip_to(self, at_s: float) -> None:
            self.advance(max(0.0, min(at_s - self.now_s(), 100.0)))
            record = desk.record("bite/m1/1")
            if record is not None and record.status == "deferred" and self.now_s() >= 1200.0:
                desk.reply(Reply(question=record.id, kind=reply, by="Maya", token="late"))

    house.clock = Patient(1000.0)
    with house.desk() as desk:
        episode = run(house.robot(house.log), "troubleshoot", desk, run="bite")
    told = [entry.read() for entry in house.written(RunTold)]
    ends = [event for event in told if isinstance(event, NotAnswered)]
    assert [event.why for event in ends[:2]] == ["not-now", reply.value]
    assert 1200.0 <= (ends[1].now_s or 0.0) < 1400.0
    if reply is ReplyKind.LET_ROBOT_TRY:
        assert (episode.outcome, len(house.done)) == (Outcome.RECOVERED, 2)
        assert house.clock.now_s() < 1400.0, "nobody was waited for any more"


class Brief(Robot):
    def question(self, module: str, outputs: Mapping[str, Value]) -> Question:
        return Question("Which?", deadline_s=1300.0)


def test_a_question_that_was_put_off_and_expires_is_told_at_its_deadline(tmp_path: Path) -> None:
    def robot(log: Path) -> Brief:
        return Brief(log, confidences=(1.0, 0.2, 1.0))

    def put_off(record: Record, desk: Desk) -> ReplyKind:
        return ReplyKind.NOT_NOW

    house = House(tmp_path, put_off, robot=robot)
    house.live()
    ends = [event for event in (entry.read() for entry in house.written(RunTold)) if isinstance(event, NotAnswered)]
    assert [(event.why, event.now_s) for event in ends[:2]] == [("not-now", 1000.0), ("expired", 1300.0)]


# -- an unknown outcome that nobody can tell ---------------------------------------------------------------------------


def test_the_time_between_two_questions_about_an_action_counts_over_restarts(tmp_path: Path) -> None:
    """Killed every twenty seconds, the robot still asks again after sixty."""
    house = House(tmp_path)

    def die(moment: str) -> None:
        raise Killed

    with pytest.raises(Killed):
        house.live(policy=Robot(house.log, at=die))
    house._how_it_went = lambda record: (  # type: ignore[method-assign]
        ReplyKind.SOMEONE_ELSE if record.attempt == 1 else "It had not started"
    )

    class Mortal(SkippingClock):
        def skip_to(self, at_s: float) -> None:
            if at_s > self.now_s():
                self.advance(min(20.0, at_s - self.now_s()))
                raise Killed

    house.clock, lives = Mortal(house.clock.now_s()), 0
    while lives < 10:
        lives += 1
        try:
            episode = house.live()
        except Killed:
            continue
        break
    assert (lives, episode.outcome) == (4, Outcome.RECOVERED)


# -- the world changes -------------------------------------------------------------------------------------------------


class Shut(Robot):
    """What it sees is right from the second look on, but it does not look again of itself."""

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        made = super().forward(answers)
        return made if self.passes == 1 else Pass(outputs=dict.fromkeys(made.outputs, RIGHT), confidences={})


class Camera(Shut):
    """Looks again after each action."""

    outdated_by_acting: tuple[str, ...] = ()


def glancing(kind: type[Robot]) -> Callable[[Path], Robot]:
    return lambda log: kind(log, confidences=(0.95, 0.9, 0.95), query=1.0)


def test_a_policy_that_looks_at_the_world_runs_again_after_an_action_that_failed(tmp_path: Path) -> None:
    house = House(tmp_path, robot=glancing(Camera))
    robot = house.robot(house.log)
    episode = house.live(policy=robot)
    assert (episode.outcome, episode.tally.questions, len(house.done)) == (Outcome.RECOVERED, 0, 2)
    assert isinstance(robot, Camera)
    assert robot.passes == 2 == len(house.written(RunForwarded))


def test_one_that_does_not_runs_only_after_answers(tmp_path: Path) -> None:
    house = House(tmp_path, robot=glancing(Shut))
    house.live()
    answers = [entry for entry in house.written(RunTold) if isinstance(entry.read(), ModuleAnswered)]
    assert len(house.written(RunForwarded)) == 1 + len(answers)


def test_a_look_that_was_lost_with_the_program_is_taken_again(tmp_path: Path) -> None:
    house = House(tmp_path, robot=glancing(Camera))
    calm = House(tmp_path / "calm", robot=glancing(Camera))
    calm.folder.mkdir()
    undisturbed = calm.live()
    for write in range(1, calm.writes + 1):
        folder = tmp_path / str(write)
        folder.mkdir()
        house = House(folder, robot=glancing(LongCamera))
        with pytest.raises(Killed):
            house.live((write, True))
        assert house.live().outcome is undisturbed.outcome


class LongCamera(Camera):
    """Knows from the effects in the world what there is to see."""

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        made = Robot.forward(self, answers)
        seen = RIGHT if self.log.exists() else WRONG
        return Pass(outputs={**made.outputs, "m1": seen}, confidences={})
