"""How a run begins, as the journal keeps it: without anybody's name, and without the words of its questions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from handup.core import BadRecord
from handup.people.workload import SOMEBODY
from handup.policy import ModuleGraph
from handup.recover.record import refusing_damage, settings_of
from handup.recover.session import Session
from handup.recover.settings import Settings
from handup.recover.trail import RunStarted

ERASED_NAME = "erased-"
"""How the name of a person begins who was erased."""


def started_of(session: Session) -> RunStarted:
    """How a session begins. Words may name people, so they stay with the policy, which brings them again."""
    record = {**session.to_json(), "events": []}
    record["policy"] = _worded(record["policy"], {})
    people: list[str] = []
    if "workload" in record:
        workload = record["workload"]
        people = sorted({workload["person"], *workload["loads"], *workload["model"]["people"]} - {SOMEBODY})
        record["workload"] = _renamed(workload, {name: f"#{number}" for number, name in enumerate(people)})
    return RunStarted(record=record, modules=session.graph.names, people=tuple(people))


def record_of(started: RunStarted, graph: ModuleGraph) -> dict[str, Any]:
    """The session's record as it was, with names, in the policy's order, and with the words of a policy.

    Raises:
        BadRecord: It is damaged.
    """
    with refusing_damage():
        record = dict(started.record)
        modules = record["policy"]["modules"]
        words = {name: module["question"] for name, module in graph.to_json()["modules"].items()}
        policy = {**record["policy"], "modules": {name: modules[name] for name in started.modules}}
        record["policy"] = _worded(policy, words)
        if "workload" in record:
            names = {f"#{number}": name for number, name in enumerate(started.people)}
            record["workload"] = _renamed(record["workload"], names)
    return record


def somebody_erased(started: RunStarted) -> bool:
    """Whether somebody was erased whom the workload had known."""
    return any(name.startswith(ERASED_NAME) for name in started.people)


def refuse_another(run: str, stored: Mapping[str, Any], given: Mapping[str, Any], settings: Settings | None) -> None:
    """Refuse to go on with a run of something else.

    Raises:
        BadRecord: The policy, the method or the settings are others.
    """
    with refusing_damage():
        others = {
            "another policy": _shape(stored["policy"]) != _shape(given["policy"]),
            "another method": any(stored[key] != _plain(given[key]) for key in ("method", "method_settings")),
            "other settings": settings is not None and _differs(settings_of(stored), settings),
        }
    for what, differs in others.items():
        if differs:
            raise BadRecord(
                f"run '{run}' began with {what}",
                hint="Give this one a run id of its own, or go on with what it began with.",
            )


def _differs(stored: Settings, settings: Settings) -> bool:
    """Compare settings; those that name no horizon agree with whatever was the default when the run began."""
    return stored != (replace(settings, horizon=stored.horizon) if settings.horizon is None else settings)


def _worded(policy: Mapping[str, Any], words: Mapping[str, Any]) -> dict[str, Any]:
    """A policy's record with other words for its questions."""
    modules = {name: {**module, "question": words.get(name)} for name, module in policy["modules"].items()}
    return {**policy, "modules": modules}


def _renamed(workload: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A workload's record with other names for its people."""

    def keys(record: Mapping[str, Any]) -> dict[str, Any]:
        return {names.get(name, name): value for name, value in record.items()}

    model = {**workload["model"], "people": keys(workload["model"]["people"])}
    person = names.get(workload["person"], workload["person"])
    return {**workload, "model": model, "person": person, "loads": keys(workload["loads"])}


def _shape(policy: Mapping[str, Any]) -> Any:
    """What makes a policy another one: its modules, what feeds them, and what success is."""
    modules = {name: (tuple(each["inputs"]), each["gate"]) for name, each in policy["modules"].items()}
    return list(modules.items()), policy["success"]


def _plain(value: Any) -> Any:
    """As JSON gives it back."""
    return json.loads(json.dumps(value))
