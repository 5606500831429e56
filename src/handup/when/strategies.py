"""Strategies by name: `troubleshoot`, or `SELECTOR+WHEN`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handup.core import BadSetting, Registry, UnknownMethod, settings_of
from handup.what import SELECTORS
from handup.when.base import WHENS, Strategy
from handup.when.pair import Pair
from handup.when.troubleshoot import Troubleshoot

STRATEGIES: Registry[Strategy] = Registry("strategy", "handup.strategies")
STRATEGIES.register(Troubleshoot)
DEFAULT = Troubleshoot.name


def strategy(method: str = DEFAULT, **settings: Any) -> Strategy:
    """The strategy of that name.

    Args:
        method: `troubleshoot`, `SELECTOR+WHEN` such as `graph+workload-aware`, or the name of an outside strategy.
        settings: Numbers of its parts, such as `epsilon=2`, `tau=0.7`, `lambda_=1`.

    Raises:
        UnknownMethod: No such name; the message lists the known ones.
        BadSetting: The method has no such setting, or the value is out of range.
    """
    what, plus, when = method.partition("+")
    if plus:
        makers: tuple[Any, ...] = (SELECTORS.maker(what), WHENS.maker(when))
    elif what in SELECTORS.names() or what in WHENS.names():
        raise UnknownMethod(
            f"'{method}' is half a method", hint="Write SELECTOR+WHEN, for example graph+workload-aware."
        )
    else:
        try:
            makers = (STRATEGIES.maker(what),)
        except UnknownMethod as error:
            hint = f"{error.hint} Or write SELECTOR+WHEN, for example graph+workload-aware."
            raise UnknownMethod(error.cause, hint=hint) from None
    _check_settings(method, makers, settings)
    if plus:
        return Pair(SELECTORS.make(what, settings), WHENS.make(when, settings))
    return STRATEGIES.make(what, settings)


def settings_in_force(chosen: Strategy) -> dict[str, Any]:
    """The settings that `strategy` needs, beside the name, to make the same strategy again."""
    parts: tuple[object, ...] = (chosen.what, chosen.when) if isinstance(chosen, Pair) else (chosen,)
    return {setting: getattr(part, setting) for part in parts for setting in settings_of(part)}


def methods() -> tuple[str, ...]:
    """Every method that can be named."""
    pairs = (f"{what}+{when}" for what in SELECTORS.names() for when in WHENS.names())
    return (*STRATEGIES.names(), *pairs)


def _check_settings(method: str, makers: tuple[Any, ...], settings: Mapping[str, Any]) -> None:
    known = {setting for maker in makers for setting in settings_of(maker)}
    for setting in settings:
        if setting not in known:
            have = ", ".join(sorted(each.rstrip("_") for each in known)) or "none"
            raise BadSetting(f"'{method}' has no setting '{setting.rstrip('_')}'", hint=f"It has: {have}.")
