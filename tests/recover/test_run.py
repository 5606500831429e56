"""The loop: every end of a question is told to the session, a stop is heard, and an episode says how it went."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from handup import Pass
from handup.core import (
    BadRecord,
    BadSetting,
    Box,
    ContractViolation,
    IllegalCall,
    Outcome,
    Person,
    Point,
    Question,
    Reply,
    ReplyKind,
    Resolution,
    Value,
)
from handup.desk import Desk, Record, question_id
from handup.journal import Journal
from handup.people import BITE, Workload
from handup.policy import ModuleGraph
from handup.recover import DurableSession, Look, Settings, Settled, TimeUnit, run
from handup.recover.events import EpisodeStopped, Event, Executed, ModuleAnswered, NotAnswered
from handup.recover.run_record import RunForwarded, RunSettled, RunStarted, RunTold, question_of
from handup.recover.unknown_outcome import support_for
from handup.when import strategy
from tests.recover.house import House, Household, Killed, Says
from tests.recover.robot import RIGHT, WRONG, Robot, SensingRobot


def told(house: House, *kinds: type[Event]) -> list[Event]:
    """What the session was told, of some kinds."""
    events = [entry.read() for entry in house.written(RunTold)]
    return [event for event in events if isinstance(event, kinds)]


def saying(*said: Value | ReplyKind | None) -> Says:
    """People who reply these things in turn to each question, and then what is right."""

    def says(record: Record, desk: Desk) -> Value | ReplyKind | None:
        turn = record.attempt - 1 + len(record.replies)
        return said[turn] if turn < len(said) else RIGHT

    return says


# -- the ends of a question --------------------------------------------------------------------------------------------


def test_an_answer_is_told_with_who_gave_it_and_whether_it_changed_anything(tmp_path: Path) -> None:
    house = House(tmp_path)
    episode = house.live()
    assert (episode.outcome, episode.answers) == (Outcome.RECOVERED, {"m1": RIGHT})
    [answer] = told(house, ModuleAnswered)
    assert isinstance(answer, ModuleAnswered)
    assert (answer.module, answer.by, answer.changed) == ("m1", "Maya", True)
    assert [attempt.id for attempt in episode.actions] == ["bite/act/1"] == house.done
    assert episode.tally.questions == 1


def test_an_answer_that_says_the_same_changes_nothing(tmp_path: Path) -> None:
    house = House(tmp_path, saying(WRONG, RIGHT), settings=Settings(expert=0.8))
    assert house.live().outcome is Outcome.RECOVERED
    first = told(house, ModuleAnswered)[0]
    assert isinstance(first, ModuleAnswered)
    assert first.changed is False


def test_not_now_is_told_with_its_time_and_the_question_comes_back_as_the_same_one(tmp_path: Path) -> None:
    house = House(tmp_path, saying(ReplyKind.NOT_NOW), robot=stubborn)
    episode = house.live()
    assert episode.outcome is Outcome.RECOVERED
    [deferred] = told(house, NotAnswered)
    assert isinstance(deferred, NotAnswered)
    assert (deferred.why, deferred.until_s) == ("not-now", 1600.0)
    assert {entry.step for entry in house.written(_asked())} == {"m1"}
    assert len(house.written(_asked())) == 1, "the same question, put off and brought back"
    assert house.clock.now_s() >= 1600.0


def stubborn(log: Path) -> Robot:
    """Only m1 can be wrong, so acting again is futile without an answer."""
    return Robot(log, confidences=(1.0, 0.2, 1.0))


def _asked() -> type:
    from handup.desk.events import Asked

    return Asked


@pytest.mark.parametrize(
    ("reply", "why"),
    [(ReplyKind.SOMEONE_ELSE, "someone-else"), (ReplyKind.LET_ROBOT_TRY, "let-robot-try")],
)
def test_other_replies_are_told_as_what_they_are(reply: ReplyKind, why: str, tmp_path: Path) -> None:
    house = House(tmp_path, saying(reply), robot=stubborn)
    assert house.live().outcome is Outcome.RECOVERED
    first = told(house, NotAnswered)[0]
    assert isinstance(first, NotAnswered)
    assert first.why == why
    assert [entry.attempt for entry in house.written(_asked())] == [1, 2], "asked again, it is another question"


def test_someone_else_goes_to_the_next_person_first(tmp_path: Path) -> None:
    def says(record: Record, desk: Desk) -> Value | ReplyKind:
        return RIGHT if record.turn == "Ben" else ReplyKind.SOMEONE_ELSE

    house = House(tmp_path, says, people=("Maya", "Ben"))
    assert house.live().outcome is Outcome.RECOVERED
    assert told(house, NotAnswered) == []
    assert [answer.by for answer in told(house, ModuleAnswered) if isinstance(answer, ModuleAnswered)] == ["Ben"]


def test_let_robot_try_makes_it_act_next(tmp_path: Path) -> None:
    house = House(tmp_path, saying(ReplyKind.LET_ROBOT_TRY), robot=lambda log: Robot(log, lucky=[1]))
    episode = house.live()
    assert (episode.outcome, episode.tally.questions, len(house.done)) == (Outcome.RECOVERED, 1, 1)


class Hurried(Robot):
    """Its questions are worth an answer for ten seconds only."""

    def question(self, module: str, outputs: Mapping[str, Value]) -> Question:
        return Question(f"What is {module}?", deadline_s=1010.0, guess=outputs[module])


def test_a_question_that_nobody_answers_in_time_is_told_as_expired(tmp_path: Path) -> None:
    house = House(tmp_path, lambda record, desk: None, robot=Hurried)
    episode = house.live()
    reasons = {event.why for event in told(house, NotAnswered) if isinstance(event, NotAnswered)}
    assert reasons == {"expired"}
    assert episode.outcome in (Outcome.YIELDED, Outcome.HORIZON)
    assert episode.reason


def test_a_question_that_is_taken_back_is_told_as_expired(tmp_path: Path) -> None:
    def says(record: Record, desk: Desk) -> Value | None:
        if record.attempt == 1:
            desk.withdraw(record.id, "not needed")
            return None
        return RIGHT

    house = House(tmp_path, says, robot=stubborn)
    assert house.live().outcome is Outcome.RECOVERED
    assert [event.why for event in told(house, NotAnswered) if isinstance(event, NotAnswered)] == ["expired"]


def test_a_late_answer_ends_the_wait(tmp_path: Path) -> None:
    """Not now for ten minutes; while the robot waits for that, somebody answers all the same."""
    house = House(tmp_path, saying(ReplyKind.NOT_NOW), robot=stubborn)
    clock = house.clock

    class Patient(type(clock)):  # type: ignore[misc]
        """Moves on a little at a time; on the way Maya answers."""

        def skip_to(self, at_s: float) -> None:
            self.advance(max(0.0, min(at_s - self.now_s(), 100.0)))
            record = desk.record("bite/m1/1")
            if record is not None and record.status == "deferred" and self.now_s() >= 1200.0:
                desk.reply(Reply(question=record.id, kind=ReplyKind.ANSWER, by="Maya", token="late", value=RIGHT))

    house.clock = Patient(1000.0)
    with house.desk() as desk:
        episode = run(house.robot(house.log), "troubleshoot", desk, run="bite")
    assert episode.outcome is Outcome.RECOVERED
    assert 1200.0 <= house.clock.now_s() < 1600.0
    assert [type(event) for event in told(house, NotAnswered, ModuleAnswered)] == [NotAnswered, ModuleAnswered]


def test_what_is_still_open_is_taken_back_at_the_end(tmp_path: Path) -> None:
    house = House(tmp_path, saying(ReplyKind.NOT_NOW), robot=lambda log: Robot(log, lucky=[1, 2, 3, 4]))
    assert house.live().outcome is Outcome.RECOVERED
    with house.desk() as desk:
        record = desk.record("bite/m1/1")
        assert record is not None
        assert record.status == "withdrawn"
        assert desk.pending() == ()


# -- stop --------------------------------------------------------------------------------------------------------------


def test_a_stop_in_place_of_an_answer_ends_the_run(tmp_path: Path) -> None:
    house = House(tmp_path, lambda record, desk: ReplyKind.STOP)
    episode = house.live()
    assert (episode.outcome, house.done) == (Outcome.STOPPED, [])
    assert episode.reason == "Somebody said stop."
    assert len(told(house, EpisodeStopped)) == 1


def test_a_stop_is_latched_and_a_person_lifts_it_for_the_next_run(tmp_path: Path) -> None:
    house = House(tmp_path)
    with house.desk() as desk:
        desk.stop("Maya")
    assert house.live(name="first").outcome is Outcome.STOPPED
    assert house.live(name="second").outcome is Outcome.STOPPED
    assert house.done == []
    with house.desk() as desk:
        desk.enable("Maya")
    assert house.live(name="second").outcome is Outcome.STOPPED, "what is over is over"
    assert house.live(name="third").outcome is Outcome.RECOVERED


def test_a_stop_at_the_last_moment_is_heard_before_the_robot_moves(tmp_path: Path) -> None:
    house = House(tmp_path)
    with house.desk() as desk:
        journal = desk.journal
        write = DurableSession.begin

        def begin(session: DurableSession) -> str:
            action = write(session)
            desk.stop("Maya")
            return action

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(DurableSession, "begin", begin)
            episode = run(house.robot(house.log), "troubleshoot", desk, run="bite")
        assert journal.verify().ok
    assert (episode.outcome, house.done) == (Outcome.STOPPED, [])
    assert [attempt.settled for attempt in episode.actions] == [Settled.VOID]


def test_a_stop_during_an_action_ends_the_run_though_it_was_lifted(tmp_path: Path) -> None:
    house = House(tmp_path, robot=stubborn)
    with house.desk() as desk:

        def stop(moment: str) -> None:
            if moment == "before":
                desk.stop("Maya")
                desk.enable("Maya")

        robot = Robot(house.log, confidences=(0.95, 0.9, 0.95), at=stop)
        episode = run(robot, "troubleshoot", desk, run="bite")
        assert (episode.outcome, house.done) == (Outcome.STOPPED, ["bite/act/1"])
        assert run(robot, "troubleshoot", desk, run="next").reason == "Somebody said stop."


def test_a_stop_while_the_robot_waits_ends_the_run_though_it_was_lifted(tmp_path: Path) -> None:
    house = House(tmp_path, saying(ReplyKind.NOT_NOW), robot=stubborn)

    class Stopping(type(house.clock)):  # type: ignore[misc]
        def skip_to(self, at_s: float) -> None:
            desk.stop("Maya")
            desk.enable("Maya")
            super().skip_to(at_s)

    house.clock = Stopping(1000.0)
    with house.desk() as desk:
        episode = run(house.robot(house.log), "troubleshoot", desk, run="bite")
    assert (episode.outcome, episode.tally.questions) == (Outcome.STOPPED, 1)


def test_a_stop_while_no_program_ran_ends_the_run_though_it_was_lifted(tmp_path: Path) -> None:
    house = House(tmp_path)
    with pytest.raises(Killed):
        house.live((4, True))
    with house.desk() as desk:
        desk.stop("Maya")
        desk.enable("Maya")
    assert house.live().outcome is Outcome.STOPPED
    assert house.done == []
    assert house.live(name="another").outcome is Outcome.RECOVERED


def test_a_stop_that_took_the_question_about_an_action_back_ends_the_run_though_it_was_lifted(tmp_path: Path) -> None:
    house = House(tmp_path)
    with pytest.raises(Killed):
        house.live(policy=Robot(house.log, at=die("before")))
    with house.desk() as desk:

        def lifted(record: Record) -> Value:
            desk.stop("Maya")
            desk.enable("Maya")
            return "It had not started"

        house._how_it_went = lifted  # type: ignore[method-assign]
        desk._notices.close()
        again = Desk(desk.journal, desk.people, channels=[Household(house._said)])
        assert run(Robot(house.log), "troubleshoot", again, run="bite").outcome is Outcome.STOPPED
    assert house.done == []


def test_a_stop_that_took_the_question_back_ends_the_run_though_it_was_lifted(tmp_path: Path) -> None:
    def says(record: Record, desk: Desk) -> None:
        desk.stop("Maya")
        desk.enable("Maya")

    assert House(tmp_path, says).live().outcome is Outcome.STOPPED


# -- the policy --------------------------------------------------------------------------------------------------------


def test_the_policy_runs_once_at_the_start_and_once_after_each_answer(tmp_path: Path) -> None:
    house = House(tmp_path, saying(WRONG, RIGHT), settings=Settings(expert=0.8))
    robot = Robot(house.log)
    episode = house.live(policy=robot)
    assert episode.outcome is Outcome.RECOVERED
    assert robot.passes == 1 + len(told(house, ModuleAnswered)) == len(house.written(RunForwarded))


def test_if_the_policy_raises_the_exception_goes_up_and_the_outcome_is_unknown(tmp_path: Path) -> None:
    def trip(moment: str) -> None:
        if moment == "after":
            raise OSError("the arm does not answer")

    house = House(tmp_path)
    with pytest.raises(OSError, match="arm"):
        house.live(policy=Robot(house.log, at=trip))
    episode = house.live()
    assert [(each.id, each.unknown, each.settled) for each in episode.actions] == [("bite/act/1", True, Settled.SAID)]
    assert house.done == ["bite/act/1"]


class Odd(Robot):
    def __init__(self, log: Path, said: object) -> None:
        super().__init__(log)
        self.said = said

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        return Pass(outputs={"m0": self.said, "m1": "a", "m2": "b"}, confidences={})  # type: ignore[dict-item]


@pytest.mark.parametrize("said", [object(), None, float("nan"), {"a": 1}])
def test_outputs_that_no_answer_could_say_are_refused_by_name(said: object, tmp_path: Path) -> None:
    house = House(tmp_path)
    with pytest.raises(ContractViolation, match="'m0'"):
        house.live(policy=Odd(house.log, said))


def test_outputs_may_be_any_value_of_an_answer(tmp_path: Path) -> None:
    box = Box(left=0.1, top=0.1, right=0.2, bottom=0.3)
    house = House(tmp_path, lambda record, desk: ReplyKind.STOP)
    house.live(policy=Odd(house.log, box))
    with Journal.open(tmp_path / "journal.db") as journal:
        session = DurableSession.of_run(
            journal, "bite", Robot(house.log).graph, strategy("troubleshoot"), availability=_Always()
        )
    assert session.outputs == {"m0": box, "m1": "a", "m2": "b"}


class _Always:
    def free_from_s(self, now_s: float) -> list[float]:
        return [now_s] * 3


class Loose(Robot):
    def differs(self, module: str, said: Value, answer: Value) -> bool:
        return str(said)[0] != str(answer)[0]


def test_a_policy_may_say_itself_whether_an_answer_is_another(tmp_path: Path) -> None:
    house = House(tmp_path, saying("wrongish", RIGHT), robot=Loose)
    house.live()
    first = told(house, ModuleAnswered)[0]
    assert isinstance(first, ModuleAnswered)
    assert first.changed is False


def test_a_question_says_why_what_the_robot_thinks_and_how_sure_it_is(tmp_path: Path) -> None:
    seen: list[Question] = []

    def says(record: Record, desk: Desk) -> Value:
        seen.append(record.question)
        return RIGHT

    House(tmp_path, says, robot=lambda log: Robot(log, confidences=(0.9, 0.5, 0.9), query=1.0)).live()
    assert seen[0].guess == WRONG
    assert seen[0].why == "I tried 1 time, and it did not work; 'm1' may be wrong."
    assert seen[0].sure is not None
    assert 0.0 < seen[0].sure < 0.5


# -- going on ----------------------------------------------------------------------------------------------------------


def test_a_run_that_is_over_gives_its_episode_and_touches_nothing(tmp_path: Path) -> None:
    house = House(tmp_path)
    episode = house.live()
    robot = Robot(house.log)
    before = (tmp_path / "journal.db").read_bytes()
    assert house.live(policy=robot) == episode
    assert (robot.passes, house.writes, house.done) == (0, 0, ["bite/act/1"])
    with house.desk() as desk:
        assert desk.journal.head().seq > 0
    assert (tmp_path / "journal.db").read_bytes() == before


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"policy": True}, "another policy"),
        ({"method": "topo+query-for-all"}, "another method"),
        ({"settings": Settings(w=0.9)}, "other settings"),
    ],
)
def test_a_run_of_something_else_is_refused(change: dict[str, object], what: str, tmp_path: Path) -> None:
    house = House(tmp_path)
    with pytest.raises(Killed):
        house.live((3, True))
    other = Robot(house.log, confidences=(0.9, 0.2, 0.9, 0.9))
    if "method" in change:
        house.method = str(change["method"])
    house.settings = change.get("settings")  # type: ignore[assignment]
    with pytest.raises(BadRecord, match=f"run 'bite' began with {what}.*run id of its own"):
        house.live(policy=other if "policy" in change else None)
    assert house.writes == 0


def test_a_run_goes_on_with_the_confidences_and_settings_that_it_began_with(tmp_path: Path) -> None:
    house = House(tmp_path, settings=Settings(w=0.4))
    with pytest.raises(Killed):
        house.live((3, True))
    house.settings = None
    robot = Robot(house.log, confidences=(0.5, 0.5, 0.5))
    tally = house.live(policy=robot).tally
    assert tally.objective == pytest.approx(0.4 * tally.load + 0.6 * tally.time_lost)


@pytest.mark.parametrize("name", ["", "x" * 201, "two\nlines", "nul\0"])
def test_a_run_needs_a_name(name: str, tmp_path: Path) -> None:
    house = House(tmp_path)
    with pytest.raises(BadSetting, match="the id of a run must be"):
        house.live(name=name)
    assert all(entry.run == "" for entry in house.entries())


def test_two_runs_in_one_journal_do_not_meet(tmp_path: Path) -> None:
    house = House(tmp_path)
    first, second = house.live(name="plate/bite"), house.live(name="plate")
    assert [each.actions[0].id for each in (first, second)] == ["plate/bite/act/1", "plate/act/1"] == house.done


def test_only_one_program_drives_a_run(tmp_path: Path) -> None:
    """The first is held up while it decides; the second is refused at once; the first goes on."""
    house, refused = House(tmp_path), []

    def other(record: Record, desk: Desk) -> Value:
        with pytest.raises(IllegalCall, match=r"another program drives run 'bite'.*end it first") as error:
            House(tmp_path, clock=house.clock).live()
        refused.append(error)
        return RIGHT

    house.says = other
    assert house.live().outcome is Outcome.RECOVERED
    assert (len(refused), house.done) == (1, ["bite/act/1"])


def test_the_ids_of_questions_are_the_desks() -> None:
    assert question_of("a/b", "m1", 3) == question_id("a/b", "m1", 3)


# -- an unknown outcome ------------------------------------------------------------------------------------------------


def die(at: str) -> Callable[[str], None]:
    def kill(moment: str) -> None:
        if moment == at:
            raise Killed

    return kill


@pytest.mark.parametrize("kind", [Robot, SensingRobot])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_unknown_outcome_is_settled_and_nothing_is_done_twice(
    kind: type[Robot], moment: str, tmp_path: Path
) -> None:
    house = House(tmp_path, robot=kind)
    with pytest.raises(Killed):
        house.live(policy=kind(house.log, at=die(moment)))
    episode = house.live()
    assert episode.outcome is Outcome.RECOVERED
    assert len(house.done) == 1
    first = episode.actions[0]
    assert (first.id, first.unknown) == ("bite/act/1", True)
    if moment == "before":
        assert first.settled is Settled.VOID
        assert house.done == ["bite/act/2"]
    else:
        assert first.settled is (Settled.SENSED if kind is SensingRobot else Settled.SAID)
        assert (first.ok, len(episode.actions)) == (True, 1)
    [settled] = house.written(RunSettled)
    assert settled.by == (None if kind is SensingRobot else "Maya")


def after_a_crash_in_act(tmp_path: Path, says: Says) -> House:
    house = House(tmp_path)
    with pytest.raises(Killed):
        house.live(policy=Robot(house.log, wrong=(), confidences=(0.9, 0.2, 0.9), at=die("after")))
    house._how_it_went = says  # type: ignore[assignment, method-assign]
    return house


def test_let_robot_try_lets_it_go_on_without_knowing(tmp_path: Path) -> None:
    house = after_a_crash_in_act(tmp_path, lambda record, desk=None: ReplyKind.LET_ROBOT_TRY)  # type: ignore[misc]
    episode = house.live()
    assert (episode.actions[0].settled, episode.actions[0].ok) == (Settled.LET_TRY, None)
    assert next(event.certainty for event in told(house, Executed) if isinstance(event, Executed)) == 0.5
    assert episode.outcome is Outcome.RECOVERED
    assert len(set(house.done)) == len(house.done)


def test_where_nobody_can_say_the_robot_stays_where_it_is(tmp_path: Path) -> None:
    house = after_a_crash_in_act(tmp_path, lambda record, desk=None: ReplyKind.SOMEONE_ELSE)  # type: ignore[misc]
    episode = house.live()
    assert episode.outcome is Outcome.STOPPED
    assert episode.reason == "Nobody could say what became of 'bite/act/1'."
    assert house.done == ["bite/act/1"]
    asked = [entry.step for entry in house.written(_asked())]
    assert asked.count("act:1") == Settings().max_unanswered


def test_not_now_about_an_unknown_outcome_brings_the_same_question_back(tmp_path: Path) -> None:
    house = after_a_crash_in_act(
        tmp_path,
        lambda record, desk=None: ReplyKind.NOT_NOW if not record.replies else "It worked",  # type: ignore[misc]
    )
    episode = house.live()
    assert episode.outcome is Outcome.RECOVERED
    assert [entry.step for entry in house.written(_asked())].count("act:1") == 1
    assert house.clock.now_s() >= 1600.0


def test_a_stop_about_an_unknown_outcome_leaves_it_unknown(tmp_path: Path) -> None:
    house = after_a_crash_in_act(tmp_path, lambda record, desk=None: ReplyKind.STOP)  # type: ignore[misc]
    episode = house.live()
    assert episode.outcome is Outcome.STOPPED
    assert [(each.unknown, each.is_open) for each in episode.actions] == [(True, True)]


def test_the_question_about_an_unknown_outcome_says_what_was_done_and_when(tmp_path: Path) -> None:
    asked: list[Question] = []

    def says(record: Record, desk: Desk | None = None) -> Value:
        asked.append(record.question)
        return "It worked"

    house = after_a_crash_in_act(tmp_path, says)
    house.clock.skip_to(house.clock.now_s() + 3600.0)
    house.live()
    said = "m0: right, m1: right, m2: right"
    assert [each.support for each in asked] == [f"It was begun at 00:16:40 UTC with {said}."]


def test_it_says_every_kind_of_output_in_words() -> None:
    box, points = Box(left=0.1, top=0.1, right=0.2, bottom=0.3), (Point(x=0.1, y=0.2),)
    lift = Resolution(action="lift")
    outputs: dict[str, Value] = {"a": True, "b": 2.5, "c": box, "d": points, "e": lift, "f": "mug"}
    words = "a: yes, b: 2.5, c: a box in the picture, d: points in the picture, e: lift, f: mug"
    assert support_for(outputs, 86399.9) == f"It was begun at 23:59:59 UTC with {words}."
    assert support_for({}, 0.0) == "It was begun at 00:00:00 UTC."


class Truthful(Robot):
    """One that returns a bare truth where a `Look` belongs."""

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        return super().act(outputs, action_id).ok  # type: ignore[return-value]

    def sense(self, action_id: str) -> Look | None:
        return True  # type: ignore[return-value]


class Vague(Robot):
    """One whose look is neither true nor false."""

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        return replace(super().act(outputs, action_id), ok="yes")  # type: ignore[arg-type]


class Bare(Robot):
    """One that returns its outputs where a `Pass` belongs."""

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        return super().forward(answers).outputs  # type: ignore[return-value]


@pytest.mark.parametrize("kind", [Truthful, Vague])
def test_an_action_that_gives_no_look_leaves_its_outcome_unknown(kind: type[Robot], tmp_path: Path) -> None:
    house = House(tmp_path)
    with pytest.raises(ContractViolation, match=r"act\(\) must return Look\("):
        house.live(policy=kind(house.log))
    assert house.done == ["bite/act/1"]
    if kind is Truthful:
        with pytest.raises(ContractViolation, match=r"sense\(\) must return Look\(ok\)"):
            house.live(policy=kind(house.log))
    episode = house.live()
    assert [(each.id, each.unknown, each.settled) for each in episode.actions] == [("bite/act/1", True, Settled.SAID)]
    assert house.done == ["bite/act/1"]


def test_a_forward_pass_that_gives_no_pass_is_refused_before_anything_moves(tmp_path: Path) -> None:
    house = House(tmp_path)
    with pytest.raises(ContractViolation, match=r"forward\(\) must return Pass\("):
        house.live(policy=Bare(house.log))
    assert house.done == []
    assert house.live().outcome is Outcome.RECOVERED


# -- people ------------------------------------------------------------------------------------------------------------


def worded(log: Path, to: tuple[str, ...] = ("Maya Example",)) -> Robot:
    """A robot whose questions are personal."""
    robot = Robot(log)
    words = Question("Maya, which medicine do you take?", to=to, options=("aspirin", RIGHT), kind="choice")
    robot.graph = ModuleGraph.chain(replace(module, inputs=(), question=words) for module in robot.graph.modules)
    return robot


def test_the_words_of_a_question_come_from_the_policy_also_after_a_restart(tmp_path: Path) -> None:
    house, seen = House(tmp_path, people=("Maya Example",)), []

    def says(record: Record, desk: Desk) -> Value:
        seen.append(record.question.prompt)
        return RIGHT

    house.says = says
    with pytest.raises(Killed):
        house.live((1, True), policy=worded(house.log))
    house.live(policy=worded(house.log))
    assert seen == ["Maya, which medicine do you take?"]


def test_nobodys_name_is_in_the_chain_and_a_run_survives_an_erasure(tmp_path: Path) -> None:
    """Killed after the answer; then Maya is erased; the run goes on without her answer."""
    workload = Workload.of(list(BITE.values())[:3], person="Maya Example")
    house = House(tmp_path, people=("Maya Example", "Ben"))

    def live(dies_at: tuple[int, bool] | None = None) -> object:
        with house.desk(dies_at) as desk:
            return run(worded(house.log), "troubleshoot", desk, run="bite", costs=workload)

    with pytest.raises(Killed):
        live((9, True))
    assert house.written(RunStarted)[0].people == ("Maya Example",)
    with Journal.open(tmp_path / "journal.db") as journal:
        rows = [row.body for row in journal.rows()]
        assert not any("Maya" in body or "medicine" in body for body in rows)
        journal.erase("Maya Example")
        assert journal.verify().ok
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.name.startswith("journal.db"))
    assert not any(word in kept for word in (b"Maya", b"medicine", b"aspirin"))
    house.people = ("Ben",)
    with house.desk() as desk:
        episode = run(worded(house.log, ()), "troubleshoot", desk, run="bite", costs=workload)
    assert episode.outcome in tuple(Outcome)
    assert house.written(RunStarted)[0].people[0].startswith("erased-")
    assert [entry.outputs for entry in house.written(RunForwarded)][1] is None


def test_a_run_keeps_to_the_limits_of_people(tmp_path: Path) -> None:
    """Nobody is there, so nobody is asked: the robot does what it can."""
    house = House(tmp_path, people=())
    assert house.live().tally.questions == 0


def test_a_run_by_the_clock_ends_in_time(tmp_path: Path) -> None:
    settings = Settings(time=TimeUnit.SECONDS, horizon=900.0, act_time=5.0, ask_time=10.0)
    house = House(tmp_path, lambda record, desk: ReplyKind.NOT_NOW, robot=stubborn, settings=settings)
    assert house.live().outcome in (Outcome.YIELDED, Outcome.HORIZON)


# -- real time ---------------------------------------------------------------------------------------------------------


def test_an_answer_from_another_thread_wakes_the_run(tmp_path: Path) -> None:
    shown = threading.Event()

    class Elsewhere:
        name = "elsewhere"

        def show(self, record: Record, desk: Desk) -> None:
            shown.set()

        def taken(self, record: Record) -> None: ...

        def close(self) -> None: ...

    with Journal.open(tmp_path / "journal.db") as journal:
        desk = Desk(journal, [Person(name="Maya")], channels=[Elsewhere()])

        def answer() -> None:
            assert shown.wait(10.0)
            desk.reply(Reply(question="bite/m1/1", kind=ReplyKind.ANSWER, by="Maya", token="t", value=RIGHT))

        thread = threading.Thread(target=answer)
        thread.start()
        episode = run(Robot(tmp_path / "log"), "troubleshoot", desk, run="bite")
        thread.join()
    assert episode.outcome is Outcome.RECOVERED
