"""The contract of actions: those of handup keep it, and every violation is found and explained."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from handup.core import ContractViolation
from handup.domains.kitting import KittingWorld
from handup.executive import ACTIONS, Aborted, Call, Done, NotStarted, Outcome, RobotAction, Working
from handup.executive.adapters import check_action

GO = Call(goal={"to": "shelf"})


class Good:
    """Keeps the contract."""

    name: ClassVar[str] = "go"
    takes: ClassVar[Any] = ("to", "speed?")
    gives: ClassVar[Any] = ("at",)
    codes: ClassVar[Any] = ("blocked",)
    repeatable: ClassVar[Any] = False
    outcome: Any = Done(results={"at": "shelf"}, beliefs={"at": "shelf"})
    yields: Any = Working(1.0)

    def start(self, call: Call) -> None:
        self.call = call

    def step(self) -> Generator[Working, None, Outcome]:
        yield self.yields
        return self.outcome  # type: ignore[no-any-return]

    def stop(self) -> None:
        pass


def changed(**body: Any) -> type[RobotAction]:
    return type("Changed", (Good,), body)


def test_an_action_that_keeps_it_passes_and_may_abort() -> None:
    check_action(Good)
    check_action(Good, [GO])
    check_action(changed(name="go-there", codes=("not-there",)))
    check_action(changed(outcome=Aborted(code="blocked", fields={"by": ["box"]})), [GO])
    check_action(changed(sense=lambda self, call: NotStarted(), modules=lambda self, failure: None), [GO])


def test_the_actions_of_the_kitting_world_keep_it() -> None:
    actions = KittingWorld(1).actions()
    assert len(actions) > 5
    for each in actions.values():
        check_action(each)


def test_without_calls_nothing_is_started() -> None:
    def moves(self: Any, call: Call | None = None) -> None:
        raise AssertionError("it moves")

    check_action(changed(start=moves, step=moves, stop=moves))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"name": ""}, "has no name"),
        ({"name": None}, "has no name"),
        ({"name": "go there"}, "is called 'go there'"),
        ({"takes": ["to"]}, r"says \['to'\] for 'takes'"),
        ({"gives": "at"}, "says 'at' for 'gives'"),
        ({"codes": (1,)}, r"says \(1,\) for 'codes'"),
        ({"codes": None}, "says None for 'codes'"),
        ({"takes": ("to", "to?")}, "names something twice in 'takes'"),
        ({"gives": ("at?",)}, r"has 'at\?' in 'gives'"),
        ({"takes": ("to-day",)}, "has 'to-day' in 'takes'"),
        ({"codes": ("not there",)}, "has 'not there' in 'codes'"),
        ({"repeatable": None}, "does not say whether it may be repeated"),
        ({"__init__": lambda self, robot: None}, r"cannot be made without arguments \(missing .*robot"),
        ({"stop": None}, r"has no stop\(\). Write: def stop\(self\) -> None"),
        ({"start": lambda self: None}, r"has a start\(\) with other arguments"),
        ({"step": lambda self, call: None}, r"has a step\(\) with other arguments"),
        ({"sense": lambda self: None}, r"has a sense\(\) with other arguments"),
        ({"modules": 3}, r"has no modules\(\)"),
    ],
)
def test_what_it_says_of_itself_is_looked_at_without_starting_it(body: dict[str, Any], message: str) -> None:
    with pytest.raises(ContractViolation, match=f"action Changed {message}"):
        check_action(changed(**body))


def test_an_async_method_is_found() -> None:
    async def step(self: Any) -> None: ...

    with pytest.raises(ContractViolation, match=r"has an async step\(\). .*as_action"):
        check_action(changed(step=step))


def keeps_going(self: Any) -> Generator[Working, None, Outcome]:
    while True:
        yield Working(1.0)


def changes_the_goal(self: Any) -> Generator[Working, None, Outcome]:
    yield Working(1.0)
    self.call.goal["to"] = "elsewhere"
    return Done(results={"at": "elsewhere"})


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"outcome": None}, "ends with None"),
        ({"outcome": True}, "ends with True"),
        ({"outcome": Done()}, "is done and does not give at"),
        ({"outcome": Done(results={"at": 1, "more": 2})}, "gives more, which it does not say"),
        ({"outcome": Done(results={"at": {1, 2}})}, r"has results that cannot be written down \(a value must be plain"),
        ({"outcome": Done(results={"at": 1}, beliefs={"x": object()})}, "has beliefs that cannot be written down"),
        ({"outcome": Aborted(code="lost")}, "aborts with 'lost', which it does not say"),
        ({"outcome": Aborted(code="blocked", fields={"a": {1: 2}})}, "has fields that cannot be written down"),
        ({"yields": None}, "yields None"),
        ({"yields": Working(-1.0)}, r"yields Working\(for_s=-1.0"),
        ({"yields": Working(float("nan"))}, r"yields Working\(for_s=nan"),
        ({"step": lambda self: Done()}, r"gives Done for step\(\)"),
        ({"step": keeps_going}, "goes on after 50 turns"),
        ({"step": changes_the_goal}, "changes the goal that it is given"),
        ({"sense": lambda self, call: "done"}, "senses 'done'"),
        ({"sense": lambda self, call: Aborted(code="lost")}, "aborts with 'lost'"),
    ],
)
def test_what_it_does_is_tried(body: dict[str, Any], message: str) -> None:
    check_action(changed(**body))
    with pytest.raises(ContractViolation, match=f"action Changed {message}"):
        check_action(changed(**body), [Call(goal=dict(GO.goal))], most_turns=50)


def test_what_blocks_is_found() -> None:
    def stop(self: Any) -> None:
        threading.Event().wait(0.01)

    with pytest.raises(ContractViolation, match=r"blocks: stop\(\) took"):
        check_action(changed(stop=stop), [GO], turn_s=0.005)


def test_it_is_stopped_half_way_and_before_it_began_each_twice() -> None:
    stops: list[tuple[object, bool]] = []

    def stop(self: Any) -> None:
        stops.append((self, hasattr(self, "call")))

    check_action(changed(stop=stop), [GO])
    assert [began for _, began in stops] == [True, True, False, False, True, True]
    assert len({who for who, _ in stops}) == 3


def test_what_raises_twice_stopped_is_not_hidden() -> None:
    def stop(self: Any) -> None:
        del self.call

    with pytest.raises(AttributeError):
        check_action(changed(stop=stop), [GO])


OUTSIDE = """
from handup.executive import Done
from handup.executive.adapters import as_action


def wave(times: int = 1):
    return {"waved": times}


wave = as_action(wave, gives=["waved"], repeatable=True)
"""


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package that announces an action."""
    (tmp_path / "handup_waving.py").write_text(OUTSIDE)
    info = tmp_path / "handup_waving-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: handup-waving\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[handup.actions]\nwave = handup_waving:wave\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(ACTIONS, "_makers", dict(ACTIONS._makers))
    monkeypatch.setattr(ACTIONS, "_outside_loaded", False)
    yield
    sys.modules.pop("handup_waving", None)


@pytest.mark.usefixtures("outside")
def test_actions_of_installed_packages_are_found_by_name() -> None:
    assert "wave" in ACTIONS.names()
    check_action(ACTIONS.maker("wave"), [Call(goal={}), Call(goal={"times": 2})])
