"""Stored sessions: what was written is read for ever, and what is damaged is refused by one name."""

from __future__ import annotations

import contextlib
import copy
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handup.core import Action, BadRecord, Decision, HandupError
from handup.policy import Belief
from handup.recover import Session, SessionPhase, Settings
from handup.when import Troubleshoot, strategy
from tests.oracles.enumeration import Answered, Event, Executed, Forwarded, enumerate_history
from tests.recover.drive import BITE, acting, asking, ended, waiting

GOLDEN = Path(__file__).parent / "golden" / "session-v1.json"
Record = dict[str, Any]


def golden() -> Record:
    record: Record = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return record


# -- golden ------------------------------------------------------------------------------------------------------------


def test_a_record_of_schema_1_is_read() -> None:
    session = Session.from_json(golden())
    assert session.phase is SessionPhase.WAITING
    assert session.pending is not None
    assert (session.pending.action, session.pending.module, session.pending.until_s) == (Action.WAIT, "grasp", 88.0)
    tally = session.tally
    assert (tally.questions, tally.executions, tally.failures, tally.waited_s) == (7, 4, 4, 0.0)
    assert tally.load == pytest.approx(1.3)
    assert tally.objective == pytest.approx(6.15)


def test_a_record_of_schema_1_says_the_same_of_the_policy() -> None:
    session = Session.from_json(golden())
    truth = enumerate_history(session.graph.modules, [each for told in golden()["events"] for each in in_oracle(told)])
    assert truth is not None
    assert session.posterior == pytest.approx(truth.wrong, abs=1e-9)
    assert session.posterior["fusion"] == pytest.approx(0.6329113924, abs=1e-9)
    assert session.graph.modules[3].question is not None
    assert session.graph.modules[3].question.options == ("scoop", "skewer")


def in_oracle(told: Record) -> list[Event]:
    """An event as the oracle knows it; decisions and unanswered questions are no evidence."""
    match told["told"]:
        case "answered":
            return [Answered(told["module"], told["changed"], told["expert"])]
        case "executed":
            return [Executed(told["ok"], told["certainty"])]
        case "forwarded":
            return [Forwarded(tuple(told["confidences"].items()))]
    return []


def test_a_record_of_schema_1_goes_on() -> None:
    session = Session.from_json(golden())
    assert session.next(88.0).action in (Action.ASK, Action.ACT)
    session.stopped()
    assert Session.from_json(session.to_json()).outcome is session.outcome


def test_a_record_of_schema_1_is_written_as_it_was_read() -> None:
    assert json.loads(json.dumps(Session.from_json(golden()).to_json())) == golden()


# -- what a record needs -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cheap:
    def query_costs(self, now_s: float) -> Sequence[float]:
        return [0.1] * 3


def test_a_cost_model_of_ones_own_must_be_passed_again() -> None:
    session = Session(BITE, costs=Cheap())
    session.next(0.0)
    with pytest.raises(BadRecord, match="cost model of its own"):
        Session.from_json(session.to_json())
    again = Session.from_json(session.to_json(), costs=Cheap())
    assert again.to_json() == session.to_json()


def test_a_strategy_that_has_no_name_in_handup_must_be_passed_again() -> None:
    session = Session(BITE, _Own())
    session.next(0.0)
    with pytest.raises(BadRecord, match="no strategy is called 'own'"):
        Session.from_json(session.to_json())
    assert Session.from_json(session.to_json(), method=_Own()).to_json() == session.to_json()


@dataclass(frozen=True)
class _Own(Troubleshoot):
    name: ClassVar[str] = "own"


def test_the_settings_of_a_method_are_stored() -> None:
    session = Session(BITE, strategy("graph+workload-aware", epsilon=2.0, lambda_=3.0))
    again = Session.from_json(json.loads(json.dumps(session.to_json())))
    assert again.strategy == session.strategy


@pytest.mark.parametrize("make", [lambda: Session(BITE), asking, acting, waiting, ended])
def test_a_session_can_be_stored_in_every_phase(make: Callable[[], Session]) -> None:
    session = make()
    again = Session.from_json(json.loads(json.dumps(session.to_json(), allow_nan=False)))
    assert again.to_json() == session.to_json()
    assert again.posterior == session.posterior


# -- damage ------------------------------------------------------------------------------------------------------------


def replaced(path: Sequence[str | int], value: Any) -> Record:
    """The golden record with one thing changed."""
    record = golden()
    place: Any = record
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return record


def without(path: Sequence[str | int]) -> Record:
    """The golden record with one thing left out."""
    record = golden()
    place: Any = record
    for key in path[:-1]:
        place = place[key]
    del place[path[-1]]
    return record


def event(told: str, **more: Any) -> Record:
    return {"told": told, **more}


def with_events(*events: Record) -> Record:
    return replaced(["events"], list(events))


def decided(action: str, module: str | None = None, **more: Any) -> Record:
    decision: Record = {"action": action, "module": module, "reason": "So.", "alternatives": [], "until_s": None}
    outcome = "yielded" if action == "yield" else None
    found: Record = {"told": "next", "now_s": 0.0, "decision": decision, "outcome": outcome, "load": 0.0}
    for key, value in more.items():
        (decision if key in decision else found)[key] = value
    return found


ASK = decided("ask", "camera")
ACT = decided("act")
ANSWER = event("answered", module="camera", changed=True, expert=1.0)
FAILED = event("executed", ok=False)
FORWARD = event("forwarded", confidences={"camera": 0.5})


@pytest.mark.parametrize("record", [None, [], "session", 3, {}, {"schema": 2}, {"schema": "1"}, {"schema": None}])
def test_something_else_is_refused_by_its_schema(record: Any) -> None:
    with pytest.raises(BadRecord, match="schema"):
        Session.from_json(record)


@pytest.mark.parametrize("key", [key for key in golden() if key != "schema"])
def test_a_missing_key_is_refused_by_name(key: str) -> None:
    with pytest.raises(BadRecord, match=key):
        Session.from_json(without([key]))


@pytest.mark.parametrize("value", [None, 3, "x", [], [1], {"a": 1}, True, math.nan])
@pytest.mark.parametrize("key", ["policy", "method", "method_settings", "settings", "events"])
def test_a_value_of_another_sort_is_refused(key: str, value: Any) -> None:
    if (key, value) == ("events", []):
        return
    with pytest.raises(BadRecord, match="damaged"):
        Session.from_json(replaced([key], value))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["policy", "modules", "camera", "confidence"], 1.5),
        (["policy", "modules", "camera", "confidence"], math.nan),
        (["policy", "modules", "camera", "confidence"], "0.5"),
        pytest.param(["policy", "modules", "camera", "confidence"], 10**400, id="confidence-huge"),
        (["policy", "modules", "camera", "query_cost"], -1.0),
        (["policy", "modules", "camera", "query_cost"], math.inf),
        (["policy", "modules", "camera", "gate"], "xor"),
        (["policy", "modules", "camera", "inputs"], ["nobody"]),
        (["policy", "modules", "camera", "inputs"], ["grasp"]),
        (["policy", "modules", "camera", "inputs"], 3),
        (["policy", "modules", "camera", "question"], {"prompt": ""}),
        (["policy", "modules"], {}),
        (["policy", "success"], "all("),
        (["method"], "troubleshot"),
        (["method_settings"], {"planner": "none"}),
        (["method_settings"], {"colour": "red"}),
        (["settings", "w"], 2.0),
        (["settings", "w"], math.nan),
        (["settings", "w"], "half"),
        (["settings", "time"], "minutes"),
        (["settings", "seed"], -1),
        (["settings", "seed"], "x"),
        (["settings", "seed"], 0.5),
        (["settings", "horizon"], -1.0),
        pytest.param(["settings", "horizon"], 10**400, id="horizon-huge"),
        (["settings", "colour"], "red"),
        (["events", 0, "told"], "sung"),
        (["events", 0, "confidences"], {"camera": 2.0}),
        (["events", 0, "confidences"], {"camera": math.nan}),
        (["events", 0, "confidences"], {"nobody": 0.5}),
        (["events", 1, "now_s"], math.nan),
        (["events", 1, "now_s"], math.inf),
        (["events", 1, "load"], math.nan),
        (["events", 1, "load"], -1.0),
        (["events", 1, "decision"], None),
        (["events", 1, "decision", "action"], "sing"),
        (["events", 1, "decision", "module"], "nobody"),
        (["events", 1, "decision", "module"], None),
        (["events", 1, "outcome"], "recovered"),
        (["events", 2, "module"], "nobody"),
        (["events", 2, "module"], "camera"),
        (["events", 2, "why"], "gone fishing"),
        (["events", 2, "until_s"], math.nan),
        (["events", 4, "expert"], 1.5),
        (["events", 4, "expert"], None),
        (["events", 4, "module"], "fusion"),
        (["events", 9, "certainty"], 0.1),
        (["events", 9, "ok"], "perhaps"),
        (["events", -1, "decision", "until_s"], None),
        (["events", -1, "decision", "until_s"], math.nan),
        (["events", -1, "decision", "until_s"], 1.0),
    ],
)
def test_a_value_that_cannot_be_is_refused(path: list[str | int], value: Any) -> None:
    with pytest.raises(BadRecord, match="damaged"):
        Session.from_json(replaced(path, value))


@pytest.mark.parametrize(
    "events",
    [
        [ANSWER],
        [FAILED],
        [event("unanswered", module="camera", why="expired")],
        [FORWARD, FORWARD],
        [ASK, ASK],
        [ASK, ACT],
        [ASK, FAILED],
        [ASK, FORWARD],
        [ASK, {**ANSWER, "module": "grasp"}],
        [ASK, ANSWER, ANSWER],
        [ACT, ACT],
        [ACT, ANSWER],
        [ACT, {**FAILED, "ok": True}, ACT],
        [decided("yield"), ACT],
        [decided("yield", outcome=None)],
        [decided("act", outcome="yielded")],
        [decided("wait", "camera")],
        [decided("wait", "camera", until_s=10.0), decided("act", now_s=5.0)],
        [event("stopped"), event("stopped")],
        [event("stopped"), ACT],
    ],
)
def test_events_in_an_order_that_cannot_be_are_refused(events: list[Record]) -> None:
    with pytest.raises(BadRecord, match="damaged"):
        Session.from_json(with_events(*events))


@pytest.mark.parametrize(
    "events",
    [
        [],
        [FORWARD, ASK, ANSWER, FORWARD, ACT, FAILED],
        [ASK, event("unanswered", module="camera", why="expired"), ANSWER],
        [decided("wait", "camera", until_s=10.0), decided("act", now_s=10.0)],
        [decided("yield")],
        [event("stopped")],
    ],
)
def test_events_in_an_order_that_can_be_are_taken(events: list[Record]) -> None:
    Session.from_json(with_events(*events))


def test_a_record_cut_short_between_two_events_is_an_earlier_moment() -> None:
    whole = golden()["events"]
    for length in range(len(whole) + 1):
        session = Session.from_json(with_events(*whole[:length]))
        assert len(session.to_json()["events"]) == length


# -- any damage --------------------------------------------------------------------------------------------------------

values = st.sampled_from(
    (None, True, False, 0, -1, 1, 2, 0.5, 1.5, -1e300, 1e300, 10**400, math.nan, math.inf, "", "x", "camera", "ask")
) | st.sampled_from(
    ([], [[]], {}, {"a": {}}, ["camera"], "wait", "grasp", 88.0, 3.5, "troubleshoot", "topo+query-for-all")
)


def places(record: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place of a record."""
    items = record.items() if isinstance(record, dict) else enumerate(record) if isinstance(record, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


PLACES = list(places(golden()))


@st.composite
def damaged(draw: st.DrawFn) -> Record:
    """The golden record with up to three things replaced, removed, doubled or swapped."""
    record = golden()
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(PLACES))
        try:
            place: Any = record
            for key in path[:-1]:
                place = place[key]
            kind = draw(st.sampled_from(("replace", "replace", "remove", "copy")))
            if kind == "replace":
                place[path[-1]] = draw(values)
            elif kind == "remove":
                del place[path[-1]]
            else:
                other: Any = record
                for key in draw(st.sampled_from(PLACES)):
                    other = other[key]
                place[path[-1]] = copy.deepcopy(other)
        except (KeyError, IndexError, TypeError):
            continue
    return record


@settings(max_examples=5 * settings().max_examples)
@given(record=damaged())
def test_damage_is_refused_as_a_bad_record_or_does_no_harm(record: Record) -> None:
    try:
        session = Session.from_json(record)
    except BadRecord as error:
        assert "\n" not in str(error)
        return
    assert isinstance(session.belief, Belief)
    assert session.to_json()["schema"] == 1
    if session.phase in (SessionPhase.DECIDING, SessionPhase.WAITING):
        with contextlib.suppress(HandupError):
            assert isinstance(session.next(1e6), Decision)


def test_settings_are_read_with_todays_defaults_where_an_old_record_has_none() -> None:
    record = without(["settings", "seed"])
    assert Session.from_json(record).settings.seed == Settings().seed
