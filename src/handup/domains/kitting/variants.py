"""Ways of running the same task, as data: which rules hold, what they may know, and who can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files

from handup.core import BadSetting
from handup.executive.problem import Place
from handup.executive.reading import read_recipes, read_recoveries
from handup.executive.recipe import Recipes
from handup.executive.recovery import Recovery, When
from handup.executive.settings import Settings, Unseen
from handup.executive.sources import Sources

COMMON = ("common",)
RULES = ("seeing", "moving", "handling", "machine")
LAST = ("last_resort",)


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One way of running.

    Args:
        name: What tables call it.
        about: One sentence.
        rules: The files of recoveries, in their order.
        unseen: What happens when no recovery is left.
        retries: With `Unseen.RETRY`.
        hierarchy: Whether rules may look at where in the tree something failed, and resume at another level.
        counts: Whether rules may look at how often.
        beliefs: Whether rules may look at beliefs, and monitors run.
        helper: Who can be asked; nobody where it is empty.
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
    def settings(self) -> Settings:
        """The executive's terms."""
        return Settings(unseen=self.unseen, retries=self.retries)

    def recoveries(self) -> tuple[Recovery, ...]:
        """Its rules, without what they may not know. A rule that knows nothing else then is left out."""
        return tuple(known for each in read(self.rules) if (known := self._known(each)) is not None)

    def _known(self, rule: Recovery) -> Recovery | None:
        when, branches = rule.when, rule.branches
        if not self.beliefs and (when.belief is not None or when.contradiction is not None):
            return None
        if not self.hierarchy:
            when = replace(when, path="**")
            branches = tuple(replace(each, level=None) for each in branches)
        if not self.counts:
            when = replace(when, least=1, most=None)
        if _says_nothing(when) and not _says_nothing(rule.when):
            return None
        return replace(rule, when=when, branches=branches)


def _says_nothing(when: When) -> bool:
    return replace(when, place=Place()) == When()


TOLD = ("told",)
_PEOPLE = (*COMMON, *RULES, *TOLD)
"""With people the robot asks instead of throwing a kit away."""
_HALF = (*COMMON, "seeing", "moving")

_ALL = (
    Variant(name="none", about="The first failure ends the run.", rules=COMMON, beliefs=False),
    Variant(name="restart", about="Every failure begins the kit anew.", rules=("common", "restart"), beliefs=False),
    Variant(
        name="retry",
        about="Every failed step runs again, three times at most.",
        rules=COMMON,
        unseen=Unseen.RETRY,
        beliefs=False,
    ),
    Variant(name="no hierarchy", about="All rules, blind to where something failed.", hierarchy=False),
    Variant(name="no counts", about="All rules, blind to how often.", counts=False),
    Variant(name="no beliefs", about="All rules, without beliefs and monitors.", beliefs=False),
    Variant(name="half", about="The rules for seeing and moving only: half-way through development.", rules=_HALF),
    Variant(
        name="half + bystander",
        about="The rules for seeing and moving, and somebody in the hall for the rest.",
        rules=(*_HALF, *TOLD),
        unseen=Unseen.ASK,
        helper="bystander",
    ),
    Variant(
        name="half + operator",
        about="The rules for seeing and moving, and somebody at a console for the rest.",
        rules=(*_HALF, *TOLD),
        unseen=Unseen.ASK,
        helper="operator",
    ),
    Variant(name="full", about="All rules."),
    Variant(
        name="full + bystander",
        about="All rules, and somebody in the hall.",
        rules=_PEOPLE,
        unseen=Unseen.ASK,
        helper="bystander",
    ),
    Variant(
        name="full + operator",
        about="All rules, and somebody at a console.",
        rules=_PEOPLE,
        unseen=Unseen.ASK,
        helper="operator",
    ),
    Variant(
        name="bystander",
        about="No rules; somebody in the hall is asked every time.",
        rules=(*COMMON, *TOLD),
        unseen=Unseen.ASK,
        helper="bystander",
    ),
    Variant(
        name="operator",
        about="No rules; somebody at a console is asked every time.",
        rules=(*COMMON, *TOLD),
        unseen=Unseen.ASK,
        helper="operator",
    ),
)

VARIANTS: Mapping[str, Variant] = {each.name: each for each in _ALL}
"""All ways of running, by name."""


def variant(name: str) -> Variant:
    """The way of running of this name.

    Raises:
        BadSetting: There is none.
    """
    if name not in VARIANTS:
        raise BadSetting(f"there is no way of running '{name}'", hint=f"Choose among: {', '.join(VARIANTS)}.")
    return VARIANTS[name]


def sources(rules: tuple[str, ...]) -> Sources:
    """The world's own files as texts, for a run that keeps them.

    Args:
        rules: The files of recoveries.
    """
    folder = files("handup.domains.kitting")
    with as_file(folder.joinpath("recipes")) as tree, as_file(folder.joinpath("recoveries")) as path:
        return Sources.read(
            [str(tree / "kits.yaml")], [str(path / f"{name}.yaml") for name in rules], str(tree / "database.yaml")
        )


@cache
def recipes() -> Recipes:
    """The recipe tree of the kitting task, with its database."""
    folder = files("handup.domains.kitting").joinpath("recipes")
    with as_file(folder) as path:
        return read_recipes([path / "kits.yaml"], database=path / "database.yaml")


@cache
def read(names: tuple[str, ...]) -> tuple[Recovery, ...]:
    """The recoveries of these files of the world."""
    folder = files("handup.domains.kitting").joinpath("recoveries")
    with as_file(folder) as path:
        return read_recoveries([path / f"{name}.yaml" for name in names])
