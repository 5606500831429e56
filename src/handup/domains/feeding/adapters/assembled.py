"""Four parts that see together: your model in one place, the shipped networks in the others, or four of your own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from handup.core import BadSetting, Box
from handup.core.checks import check_list, check_name, shown
from handup.core.kinds import MAX_NAME, MAX_OPTIONS
from handup.domains.feeding.adapters.outputs import Place, aimed_of, called, chosen_of, found_of, named_of
from handup.domains.feeding.seeing import (
    Aimed,
    Aims,
    ChoosesSkill,
    Chosen,
    FindsBoxes,
    Found,
    Named,
    NamesFood,
    Picture,
    Sees,
)
from handup.domains.feeding.skills import Skill

Part = Callable[..., object]


@dataclass(frozen=True, kw_only=True)
class Assembled:
    """Something that sees, made of four parts. Make it with `assemble`.

    What a part gives is checked each time, so a wrong shape is an error that names the part, and never a wrong motion.

    Args:
        foods: What M1 can name.
        networks: Which models these are. A meal that was begun with others does not go on with these.
        parts: For each place what is called, and its name for messages.
    """

    foods: tuple[str, ...]
    networks: str
    parts: dict[Place, tuple[Part, str]]

    def name(self, rgb: Picture) -> Named:
        """M1: which food to take next.

        Raises:
            ContractViolation: What its part gave is no such answer; so for the other three.
        """
        part, who = self.parts[Place.NAME]
        return named_of(part(rgb), self.foods, who)

    def find(self, rgb: Picture, label: str) -> Found:
        """M2: where a food lies."""
        part, who = self.parts[Place.FIND]
        return found_of(part(rgb, label), who)

    def choose(self, rgb: Picture, label: str, box: Box) -> Chosen:
        """M3: which skill suits what is in a box."""
        part, who = self.parts[Place.CHOOSE]
        return chosen_of(part(rgb, label, box), who)

    def aim(self, rgb: Picture, box: Box, skill: Skill, *, seed: int) -> Aimed:
        """M4: the four numbers of a skill."""
        part, who = self.parts[Place.AIM]
        return aimed_of(part(rgb, box, skill, seed=seed), who)


def assemble(
    base: Sees | None = None,
    *,
    name: NamesFood | Part | None = None,
    find: FindsBoxes | Part | None = None,
    choose: ChoosesSkill | Part | None = None,
    aim: Aims | Part | None = None,
    foods: Iterable[str] | None = None,
    version: str = "",
) -> Assembled:
    """Put four parts together. Each is an object with the method of its place, or a function that is called like it.

    Objects may say which `foods` they know and, as `networks`, which model they are; functions cannot, so say with
    `version` which ones these are, and change it when they change.

    Args:
        base: Takes every place that is not given; `Modules.load()` for the shipped networks.
        name: M1: `name(rgb)`.
        find: M2: `find(rgb, label)`.
        choose: M3: `choose(rgb, label, box)`.
        aim: M4: `aim(rgb, box, skill, seed=…)`.
        foods: What M1 can name; M1's own list, or that of `base`, where not given.
        version: Of what cannot say so itself.

    Raises:
        BadSetting: A place is empty, a part cannot be called, or a later one does not know a food that M1 can name.
    """
    given = {Place.NAME: name, Place.FIND: find, Place.CHOOSE: choose, Place.AIM: aim}
    chosen: dict[Place, object] = {place: base if part is None else part for place, part in given.items()}
    parts = {place: _callable(place, part) for place, part in chosen.items()}
    known = foods if foods is not None else _foods(chosen[Place.NAME]) or (() if base is None else base.foods)
    labels = _labels(known)
    for place in (Place.FIND, Place.CHOOSE):
        own = _foods(chosen[place])
        missing = [] if own is None else [each for each in labels if each not in own]
        if missing:
            raise BadSetting(
                f"{called(place, parts[place][1])} knows no '{missing[0]}'",
                hint="Give as foods only what all parts know.",
            )
    return Assembled(foods=labels, networks=_networks(chosen, version), parts=parts)


def _callable(place: Place, part: object) -> tuple[Part, str]:
    if part is None:
        raise BadSetting(f"nobody is there to {place}", hint=f"Give {place}=…, or a base such as Modules.load().")
    method = getattr(part, place, None)
    if callable(method):
        return method, type(part).__name__
    if callable(part):
        return part, str(getattr(part, "__name__", type(part).__name__))
    raise BadSetting(f"{shown(part)} cannot {place}", hint=f"Give a function, or an object with a method '{place}'.")


def _foods(part: object) -> tuple[str, ...] | None:
    found = getattr(part, "foods", None)
    return tuple(found) if isinstance(found, (tuple, list)) else None


def _labels(known: Iterable[str]) -> tuple[str, ...]:
    labels = tuple(
        check_name("a food", each, MAX_NAME, error=BadSetting)
        for each in check_list("foods", known, MAX_OPTIONS, error=BadSetting)
    )
    if not labels or len(set(labels)) < len(labels):
        raise BadSetting(f"foods are {shown(labels)}", hint="Give at least one food, each once: foods=('chicken', …).")
    return labels


def _networks(chosen: dict[Place, object], version: str) -> str:
    """Which models these are; of parts that all come from one, that one's own."""
    own = [str(getattr(part, "networks", "") or version) for part in chosen.values()]
    if len({id(part) for part in chosen.values()}) == 1:
        return own[0]
    told = "\n".join(f"{place}={each}" for place, each in zip(chosen, own, strict=True))
    return hashlib.sha256(told.encode()).hexdigest()[:16]
