"""Ways of running the same task, from `data/variants.yaml`: which rules hold, what they may know, who can be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files
from typing import Any

from handup.core import UnknownName
from handup.core.files import shipped_data
from handup.executive.problem import FilePlace
from handup.executive.reader import read_recipes, read_recoveries
from handup.executive.recipe import Recipes
from handup.executive.recovery import Recovery, RecoveryCondition
from handup.executive.run_settings import RunSettings, Unseen
from handup.executive.sources import Sources

COMMON = ("common",)
RULES = ("seeing", "moving", "handling", "machine")
LAST = ("last_resort",)
TOLD = ("told",)


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One way of running.

    Args:
        name: Name in tables.
        about: Description, one sentence.
        rules: Names of the files of recoveries, in order.
        unseen: Policy for failures for which no recovery is left.
        retries: Most retries of a step, with `Unseen.RETRY`.
        hierarchy: True if rules may look at where in the tree something failed, and resume at another level.
        counts: True if rules may look at how often it failed.
        beliefs: True if rules may look at beliefs, and monitors run.
        helper: Name of the helper who can be asked; empty for nobody.
    """

    name: str
    about: str
    rules: tuple[str, ...] = (*COMMON, *RULES, *LAST)
    unseen: Unseen = Unseen.EXIT
    retries: int = 3
    hierarchy: bool = True
    counts: bool = True
    beliefs: bool = True
    helper: str = ""

    @property
    def settings(self) -> RunSettings:
        """Settings of the executive."""
        return RunSettings(unseen=self.unseen, retries=self.retries)

    def recoveries(self) -> tuple[Recovery, ...]:
        """Return its rules, without what they may not know. A rule with no condition left is dropped."""
        return tuple(known for rule in read(self.rules) if (known := self._known(rule)) is not None)

    def _known(self, rule: Recovery) -> Recovery | None:
        when, branches = rule.when, rule.branches
        if not self.beliefs and (when.belief is not None or when.contradiction is not None):
            return None
        if not self.hierarchy:
            when = replace(when, path="**")
            branches = tuple(replace(branch, level=None) for branch in branches)
        if not self.counts:
            when = replace(when, least=1, most=None)
        # Without its condition it would be for every failure.
        if _says_nothing(when) and not _says_nothing(rule.when):
            return None
        return replace(rule, when=when, branches=branches)


def _says_nothing(when: RecoveryCondition) -> bool:
    return replace(when, place=FilePlace()) == RecoveryCondition()


def _variant(name: str, *, rules: Sequence[str] = Variant.rules, unseen: str = Unseen.EXIT, **rest: Any) -> Variant:
    return Variant(name=name, rules=tuple(rules), unseen=Unseen(unseen), **rest)


VARIANTS: Mapping[str, Variant] = {
    name: _variant(name, **entry) for name, entry in shipped_data(__file__, "data/variants.yaml").items()
}
"""All ways of running, by name."""


def variant(name: str) -> Variant:
    """Return the way of running of this name.

    Raises:
        UnknownName: There is none.
    """
    if name not in VARIANTS:
        raise UnknownName(f"there is no way of running '{name}'", hint=f"Choose among: {', '.join(VARIANTS)}.")
    return VARIANTS[name]


def sources(rules: tuple[str, ...]) -> Sources:
    """Return the world's own files as texts, for a run that keeps them.

    Args:
        rules: Names of the files of recoveries.
    """
    folder = files("handup.domains.kitting")
    with as_file(folder.joinpath("recipes")) as tree, as_file(folder.joinpath("recoveries")) as path:
        return Sources.read(
            [str(tree / "kits.yaml")], [str(path / f"{name}.yaml") for name in rules], str(tree / "database.yaml")
        )


@cache
def recipes() -> Recipes:
    """Return the recipe tree of the kitting task, with its database."""
    folder = files("handup.domains.kitting").joinpath("recipes")
    with as_file(folder) as path:
        return read_recipes([path / "kits.yaml"], database=path / "database.yaml")


@cache
def read(names: tuple[str, ...]) -> tuple[Recovery, ...]:
    """Return the recoveries in these files of the world."""
    folder = files("handup.domains.kitting").joinpath("recoveries")
    with as_file(folder) as path:
        return read_recoveries([path / f"{name}.yaml" for name in names])
