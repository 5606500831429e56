"""Belief from a history that somebody wrote down: for deciding once, without a session."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from handup.core import BadObservation
from handup.policy import Belief, ModuleGraph

MOST = 10_000
HINT = 'Write for example: [{"executed": "failed"}, {"answered": "box", "changed": true}].'
Probability = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Look(_Strict):
    ok: bool
    certainty: Annotated[float, Field(ge=0.5, le=1.0, allow_inf_nan=False)] = 1.0


class _Executed(_Strict):
    executed: Literal["failed", "succeeded"] | _Look


class _Answered(_Strict):
    answered: str
    changed: bool | None = None
    expert: Probability | None = None


class _Unanswered(_Strict):
    unanswered: str
    for_s: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = 120.0


class _Forwarded(_Strict):
    forwarded: dict[str, Probability]
    changed: list[str] = []


_KINDS: dict[str, type[_Strict]] = {
    "executed": _Executed,
    "answered": _Answered,
    "unanswered": _Unanswered,
    "forwarded": _Forwarded,
}
_HISTORY: TypeAdapter[list[dict[str, Any]]] = TypeAdapter(Annotated[list[dict[str, Any]], Field(max_length=MOST)])


def observe(graph: ModuleGraph, history: object, *, expert: float = 1.0, seed: int = 0) -> Belief:
    """Return the belief after a history.

    Args:
        graph: The policy.
        history: A list of `{"executed": "failed"}` (or "succeeded", or `{"ok": false, "certainty": 0.9}`),
            `{"answered": MODULE, "changed": true}`, `{"unanswered": MODULE, "for_s": 120}` (not to be asked about for
            so many seconds from now) and `{"forwarded": {MODULE: confidence}, "changed": [MODULE]}`, oldest first.
        expert: Probability that an answer is right, where the entry does not say.
        seed: For estimates on policies too tangled to be exact.

    Raises:
        BadObservation: An entry is wrong; the message names it, counted from 1, and the mistake.
        UnknownModule: It names a module that the policy does not have.
    """
    belief = Belief.of(graph, seed=seed)
    try:
        entries = _HISTORY.validate_python(history, strict=True)
    except ValidationError:
        raise BadObservation("the history is not a list of records", hint=HINT) from None
    for position, entry in enumerate(entries, start=1):
        belief = _after(belief, _read(position, entry), expert)
    return belief


def _read(position: int, entry: dict[str, Any]) -> _Strict:
    kinds = [kind for kind in _KINDS if kind in entry]
    if len(kinds) != 1:
        raise BadObservation(f"entry {position} of the history is not one of {', '.join(_KINDS)}", hint=HINT)
    try:
        return _KINDS[kinds[0]].model_validate(entry)
    except ValidationError as error:
        deepest = max(error.errors(), key=lambda problem: len(problem["loc"]))
        # Leave out pydantic's own names of the alternatives it tried: the reader knows only the keys of the history.
        where = ".".join(part for part in map(str, deepest["loc"]) if not part.startswith(("literal[", _Look.__name__)))
        raise BadObservation(f"entry {position} of the history: {where}: {deepest['msg']}", hint=HINT) from None


def _after(belief: Belief, entry: _Strict, expert: float) -> Belief:
    index = belief.graph.index
    match entry:
        case _Executed(executed=_Look() as look):
            return belief.after_execution(look.ok, certainty=look.certainty)
        case _Executed(executed=word):
            return belief.after_execution(word == "succeeded")
        case _Answered():
            trust = expert if entry.expert is None else entry.expert
            return belief.after_answer(index(entry.answered), changed=entry.changed, expert=trust)
        case _Forwarded():
            confidences = {index(name): value for name, value in entry.forwarded.items()}
            return belief.after_forward(confidences, changed=[index(name) for name in entry.changed])
        case _Unanswered():
            return belief.blocked(index(entry.unanswered), entry.for_s)
        case _:
            raise AssertionError(entry)
