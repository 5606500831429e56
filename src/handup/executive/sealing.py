"""What a person said goes on into later entries of a run. There it is sealed as theirs, and goes with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from handup.executive.events import Acted, Asked, Believed, Failed, Over, Raised, Said
from handup.executive.wordy import Wordy

E = TypeVar("E")
_EMPTY: Mapping[type[Wordy], Mapping[str, Any]] = {
    Acted: {"results": {}, "why": "", "fields": {}, "beliefs": {}},
    Raised: {"why": "", "fields": {}},
    Said: {"message": ""},
    Over: {"outputs": {}},
    Asked: {"words": {}},
}
"""What is data in the simple ones, and what stands in its place."""
_OF_FAILURE: Mapping[str, Any] = {"why": "", "goal": {}, "fields": {}, "beliefs": {}}


def sealed(entry: E, of: tuple[str, ...]) -> E:
    """An entry as it is kept: its data is of these people, and what is left of it can stay for ever.

    Args:
        entry: Of a run.
        of: Whose words the run has taken in; where nobody's, it is kept as it is.
    """
    if not of or not isinstance(entry, Wordy):
        return entry
    data = _data(entry)
    bare = _with(entry, _nothing(entry))
    return entry if bare == entry else replace(bare, of=of, sealed=data)


def opened(entry: E) -> E:
    """An entry that was kept, with its data in place again; empty where that was erased."""
    if not isinstance(entry, Wordy) or not entry.of:
        return entry
    data = entry.sealed
    plain = replace(entry, of=(), sealed=None)
    return plain if data is None else _with(plain, data)


def _data(entry: Wordy) -> dict[str, Any]:
    match entry:
        case Believed():
            return {"value": entry.assertion.value}
        case Failed(failure=failure):
            params = [dict(level.params) for level in failure.levels]
            return {"params": params, **{name: getattr(failure, name) for name in _OF_FAILURE}}
        case _:
            return {name: getattr(entry, name) for name in _EMPTY[type(entry)]}


def _nothing(entry: Wordy) -> Mapping[str, Any]:
    match entry:
        case Believed():
            return {"value": None}
        case Failed():
            return {"params": [{} for _ in entry.failure.levels], **_OF_FAILURE}
        case _:
            return _EMPTY[type(entry)]


def _with(entry: Any, data: Mapping[str, Any]) -> Any:
    """The entry with other data."""
    match entry:
        case Believed():
            return replace(entry, assertion=replace(entry.assertion, **data))
        case Failed(failure=failure):
            rest = {name: data[name] for name in _OF_FAILURE}
            levels = tuple(
                replace(level, params=params) for level, params in zip(failure.levels, data["params"], strict=True)
            )
            return replace(entry, failure=replace(failure, levels=levels, **rest))
        case _:
            return replace(entry, **data)
