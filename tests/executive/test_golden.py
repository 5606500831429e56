"""Runs of every format that was ever released can be read and rebuilt."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from handup.core import body_of, event_of, type_of
from handup.executive import Machine, RunSettings, Sources
from handup.executive.events import (
    Note,
    Over,
    Raised,
    Reloaded,
    ReloadRefused,
    Started,
    TaskAsked,
    TaskStopped,
    TaskUnanswered,
    Told,
    Wordy,
    opened,
    sealed,
)
from handup.executive.machine import Looked, Reload
from tests.executive.make_golden import GOLDEN, write

FORMATS = sorted(path.name for path in GOLDEN.glob("task-v*.jsonl"))
RARE = {type_of_.__name__ for type_of_ in (Raised, TaskStopped, TaskUnanswered, ReloadRefused)}
"""What the golden run has not."""


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", FORMATS)
def test_a_golden_run_is_read_and_comes_to_its_end_again(name: str) -> None:
    events = [opened(event_of(each["kind"], each["version"], each["body"])) for each in lines(GOLDEN / name)]
    started = events[0]
    assert isinstance(started, Started)
    recipes, rules = Sources.from_json(started.sources).parsed()
    machine = Machine(recipes, rules, RunSettings.from_json(started.settings), started.params, task=started.main)
    for event in events:
        if isinstance(event, Reloaded):
            recipes, rules = Sources.from_json(event.sources).parsed()
            machine.tell(Reload(recipes=recipes, recoveries=rules))
        elif isinstance(event, Over):
            machine.tell(Looked(at_s=event.at_s))
        elif isinstance(event, get_args(Told)):
            machine.tell(event)
    noted = [each for each in events if isinstance(each, get_args(Note))]
    assert machine.notes() == noted
    assert isinstance(noted[-1], Over)
    assert noted[-1].outputs == {"done": 2}


def test_the_current_format_is_the_golden_one(tmp_path: Path) -> None:
    write(tmp_path / "now.jsonl")
    assert lines(tmp_path / "now.jsonl") == lines(GOLDEN / FORMATS[-1])


def test_the_golden_run_has_nearly_everything() -> None:
    there = {
        type(event_of(each["kind"], each["version"], each["body"])).__name__ for each in lines(GOLDEN / FORMATS[-1])
    }
    kinds = {*get_args(Told), *get_args(Note), Started, Reloaded, ReloadRefused, TaskAsked}
    assert {each.__name__ for each in kinds} - there == RARE


def test_the_golden_run_has_words_of_a_person_and_reads_without_them_too() -> None:
    events = [event_of(each["kind"], each["version"], each["body"]) for each in lines(GOLDEN / FORMATS[-1])]
    wordy = [each for each in events if isinstance(each, Wordy) and each.of]
    assert {type(each).__name__ for each in wordy} == {"ActionEnded", "Failed", "TaskAsked", "Over"}
    for each in wordy:
        kind = type_of(each)
        erased = opened(event_of(kind.kind, kind.version, {**body_of(each), "sealed": None}))
        assert erased == replace(each, of=(), sealed=None)
        assert sealed(opened(each), each.of) == each


@pytest.mark.parametrize(
    "event",
    [Raised(monitor="m", code="c"), TaskStopped(why="w"), TaskUnanswered(number=1), ReloadRefused(problems=("p",))],
)
def test_the_rare_ones_go_to_json_and_back(event: object) -> None:
    kind = type_of(event)
    assert event_of(kind.kind, kind.version, json.loads(json.dumps(body_of(event)))) == event
