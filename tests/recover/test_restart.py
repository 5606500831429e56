"""A program may end at any write and at any effect: the next one goes on, nothing is done twice, nothing is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handup.core import Action, ReplyKind, Value
from handup.desk import Desk, Record
from handup.recover import Episode, Settings, Settled
from handup.recover.events import Decided, Executed, ModuleAnswered
from handup.recover.run_record import RunTold
from tests.recover.house import House, Kill, Killed, Says, right
from tests.recover.robot import RIGHT, Robot, SensingRobot
from tests.soak import swept


@dataclass(frozen=True)
class Scene:
    """What happens in a house if no program is killed."""

    name: str
    robot: Callable[..., Robot] = Robot
    says: Says = right
    people: tuple[str, ...] = ("Maya",)
    settings: Settings | None = None
    method: str = "troubleshoot"

    def house(self, folder: Path) -> House:
        return House(folder, self.says, self.people, self.robot, self.settings, self.method)


def in_turn(*said: Value | ReplyKind) -> Says:
    """Replies to each question in turn, over all its attempts; then what is right."""

    def says(record: Record, desk: Desk) -> Value | ReplyKind:
        turn = record.attempt - 1 + len(record.replies)
        return said[turn] if turn < len(said) else RIGHT

    return says


def handed_on(record: Record, desk: Desk) -> Value | ReplyKind:
    return RIGHT if record.turn == "Ben" else ReplyKind.SOMEONE_ELSE


def sure_but_one(log: Path, **more: object) -> Robot:
    return Robot(log, confidences=(1.0, 0.2, 1.0), **more)  # type: ignore[arg-type]


def doubtful(log: Path, **more: object) -> Robot:
    return SensingRobot(log, certainty=0.8, wrong=("m0", "m1"), confidences=(0.6, 0.4), query=0.5, **more)  # type: ignore[arg-type]


SCENES = [
    Scene("answer"),
    Scene("sensing", SensingRobot),
    Scene("not now", sure_but_one, in_turn(ReplyKind.NOT_NOW)),
    Scene("let it try", sure_but_one, in_turn(ReplyKind.LET_ROBOT_TRY, ReplyKind.SOMEONE_ELSE)),
    Scene("handed on", Robot, handed_on, ("Maya", "Ben")),
    Scene("doubtful", doubtful),
    Scene("stop", Robot, in_turn(ReplyKind.STOP)),
]


def check(house: House, episode: Episode, undisturbed: Episode) -> None:
    """What must hold at the end, whatever was killed."""
    assert (episode.outcome, episode.reason) == (undisturbed.outcome, undisturbed.reason)
    assert (episode.answers, episode.tally) == (undisturbed.answers, undisturbed.tally)
    real = [each.ok for each in episode.actions if each.settled is not Settled.VOID]
    assert real == [each.ok for each in undisturbed.actions]
    void = {each.id for each in episode.actions if each.settled is Settled.VOID}
    assert max(Counter(house.done).values(), default=0) <= 1, "no action is done twice"
    assert not void & set(house.done), "what is void was not done"
    assert len(house.done) == len(undisturbed.actions), "nothing is done that nobody decided"
    assert {each.id for each in episode.actions} >= set(house.done)
    entries = house.entries()
    told = [(entry.key, entry.event.read()) for entry in entries if isinstance(entry.event, RunTold)]
    answered = [key for key, event in told if isinstance(event, ModuleAnswered)]
    assert len(set(answered)) == len(answered), "an answer is told once"
    acts = sum(isinstance(event, Decided) and event.decision.action is Action.ACT for _, event in told)
    assert acts == sum(isinstance(event, Executed) for _, event in told), "every action has one outcome"
    unknown = [each for each in episode.actions if each.unknown]
    assert all(each.settled is not None for each in unknown)
    kinds = Counter(entry.kind for entry in entries)
    assert (kinds["run.started"], kinds["run.ended"], kinds["run.settled"]) == (1, 1, len(unknown))


def live_through(house: House, kills: Sequence[Kill]) -> Episode:
    """Programs that are killed one after the other, and one that is not."""
    for kill in kills:
        try:
            house.live(kill)
        except Killed:
            continue
    return house.live()


@pytest.mark.parametrize("after", swept((False, True), test=(True,)))
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_program_may_be_killed_at_every_write(scene: Scene, after: bool, tmp_path: Path) -> None:
    calm = scene.house(_folder(tmp_path, "calm"))
    undisturbed = calm.live()
    writes = calm.writes
    assert writes >= 5
    for write in range(1, writes + 1):
        house = scene.house(_folder(tmp_path, f"{write}"))
        with pytest.raises(Killed):
            house.live((write, after))
        check(house, house.live(), undisturbed)


@pytest.mark.parametrize("scene", SCENES[:6], ids=lambda scene: scene.name)
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_program_may_be_killed_at_every_effect(scene: Scene, moment: str, tmp_path: Path) -> None:
    undisturbed = scene.house(_folder(tmp_path, "calm")).live()
    for effect in range(1, len(undisturbed.actions) + 1):
        house = scene.house(_folder(tmp_path, f"{effect}"))
        with pytest.raises(Killed):
            house.live(policy=scene.robot(house.log, at=_dying(moment, effect)))
        check(house, house.live(), undisturbed)


def _dying(moment: str, effect: int) -> Callable[[str], None]:
    seen = Counter[str]()

    def at(now: str) -> None:
        seen[now] += 1
        if (now, seen[now]) == (moment, effect):
            raise Killed

    return at


def _folder(parent: Path, name: str) -> Path:
    folder = parent / name
    folder.mkdir()
    return folder


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Random chains, random people, every kind of reply."""
    modules = draw(st.integers(1, 4))
    confidences = [draw(st.sampled_from((0.2, 0.5, 0.8, 0.95, 1.0))) for _ in range(modules)]
    wrong = [f"m{each}" for each in range(modules) if confidences[each] < 1.0 and draw(st.booleans())]
    certainty = draw(st.sampled_from((1.0, 1.0, 0.8)))
    lucky = draw(st.sets(st.integers(1, 4), max_size=2))
    said = draw(st.lists(st.sampled_from((RIGHT, *(each for each in ReplyKind if each != "answer"))), max_size=3))
    kind = draw(st.sampled_from((Robot, SensingRobot)))
    method = draw(st.sampled_from(("troubleshoot", "graph+workload-aware", "topo+query-then-execute")))

    def robot(log: Path, **more: object) -> Robot:
        shape = {"wrong": wrong, "confidences": confidences, "certainty": certainty, "lucky": lucky}
        return kind(log, query=0.2, **shape, **more)  # type: ignore[arg-type]

    return Scene("drawn", robot, in_turn(*said), ("Maya", "Ben")[: draw(st.integers(1, 2))], None, method)


@settings(max_examples=settings().max_examples // 4)
@given(scene=scenes(), kills=st.lists(st.tuples(st.integers(1, 25), st.booleans()), max_size=4))
def test_programs_may_be_killed_again_and_again(scene: Scene, kills: list[Kill]) -> None:
    with TemporaryDirectory() as calm, TemporaryDirectory() as wild:
        undisturbed = scene.house(Path(calm)).live()
        house = scene.house(Path(wild))
        check(house, live_through(house, kills), undisturbed)


def test_what_a_session_knows_is_the_same_after_every_kill(tmp_path: Path) -> None:
    """Killed at each write in turn, one life after the other, the run still ends as if nothing had happened."""
    scene = replace(SCENES[2], name="one write a life")
    undisturbed = scene.house(_folder(tmp_path, "calm")).live()
    house = scene.house(_folder(tmp_path, "wild"))
    episode = live_through(house, [(1, True)] * 40)
    check(house, episode, undisturbed)
    assert house.lives == 41
