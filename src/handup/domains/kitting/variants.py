"""Ways of running the same task, from `data/variants.yaml`: which rules hold, what they may know, who can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files

from handup.core import UnknownName
from handup.core.files import shipped_data, shipped_records
from handup.executive.problem import FilePlace
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


VARIANTS: Mapping[str, Variant] = shipped_records(Variant, shipped_data(__file__, "data/variants.yaml"))
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
    return sources(COMMON).parsed()[0]


@cache
def read(names: tuple[str, ...]) -> tuple[Recovery, ...]:
    """Return the recoveries in these files of the world."""
    return sources(names).parsed()[1]
