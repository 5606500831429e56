"""The contract of the four modules, as a check that any author can run on their own. It names every violation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from handup.core import Box, ContractViolation, HandupError
from handup.domains.feeding.adapters.outputs import (
    EXPECTED,
    NUMBERS,
    Place,
    aimed_of,
    chosen_of,
    found_of,
    named_of,
)
from handup.domains.feeding.seeing import Aimed, Chosen, Found, Named, Picture
from handup.domains.feeding.skills import Skill

T = TypeVar("T")
RECORDS: dict[Place, type] = {Place.NAME: Named, Place.FIND: Found, Place.CHOOSE: Chosen, Place.AIM: Aimed}
ANYWHERE = Box(left=0.4, top=0.4, right=0.6, bottom=0.6)
"""A box for M3 and M4 where M2 finds none: they have to say something of any."""
RAISED = (HandupError, ArithmeticError, AssertionError, AttributeError, LookupError, OSError, RuntimeError, TypeError)
"""What a module may raise in a check and is told of; `ValueError` too."""


@dataclass(frozen=True)
class Violation:
    """One breach of the contract.

    Args:
        where: M1 to M4, or "all".
        what: What is wrong, in one sentence.
        hint: What to do.
    """

    where: str
    what: str
    hint: str

    def __str__(self) -> str:
        return f"{self.where} {self.what}. {self.hint}"


def check_modules(modules: object, picture: Picture) -> None:
    """Run modules through the contract that the shipped ones keep, on a picture of a plate.

    Costs some calls: M1 once, M2 once for every food, M3 once, M4 five times. Mind that where a call costs money.

    Args:
        modules: All four, such as `assemble` makes.
        picture: One that they will see the like of.

    Raises:
        ContractViolation: Naming every violation; `violations` gives them one by one.
    """
    found = violations(modules, picture)
    if found:
        told = " ".join(f"({number}) {each}" for number, each in enumerate(found, start=1))
        raise ContractViolation(
            f"{type(modules).__name__} breaks the contract of the four modules: {told.removesuffix('.')}",
            hint="Correct these, and check again.",
        )


def violations(modules: object, picture: Picture) -> tuple[Violation, ...]:
    """What is wrong with modules; nothing where they keep to the contract. See `check_modules`."""
    return tuple(_Check(modules, picture).run())


class _Check:
    def __init__(self, modules: object, picture: Picture) -> None:
        self._modules, self._picture = modules, picture.copy()
        self._found: list[Violation] = []

    def run(self) -> Iterator[Violation]:
        foods = self._foods()
        rgb = self._picture
        missing = [place for place in Place if not callable(getattr(self._modules, place, None))]
        for place in missing:
            self._add(place, f"has no method '{place}'", f"Add it; the protocol is in seeing.py. {EXPECTED[place]}")
        if foods and not missing:
            named = self._told(Place.NAME, lambda said: named_of(said, foods, "it"), rgb)
            label = foods[0] if named is None else named.label
            boxes = [self._told(Place.FIND, lambda said: found_of(said, "it"), rgb, food) for food in foods]
            of_label = boxes[foods.index(label)]
            box = of_label.boxes[0] if of_label is not None and of_label.boxes else ANYWHERE
            self._told(Place.CHOOSE, lambda said: chosen_of(said, "it"), rgb, label, box)
            self._aims(box)
        yield from self._found

    def _foods(self) -> tuple[str, ...]:
        foods = getattr(self._modules, "foods", None)
        right = isinstance(foods, tuple) and foods and all(isinstance(each, str) and each.strip() for each in foods)
        if not right or len(set(foods or ())) < len(foods or ()):
            self._found.append(Violation("all", "have no foods", "Give 'foods', a tuple of labels, each once."))
            return ()
        return tuple(foods or ())

    def _aims(self, box: Box) -> None:
        for skill in Skill:
            self._told(Place.AIM, lambda said: aimed_of(said, "it"), self._picture, box, skill, seed=0)
        one, again = (
            self._told(Place.AIM, lambda said: aimed_of(said, "it"), self._picture, box, Skill.SKEWER, seed=7)
            for _ in range(2)
        )
        if one is not None and again is not None and one != again:
            self._add(Place.AIM, "says two things with one seed", "Draw from np.random.default_rng(seed) only.")

    def _told(self, place: Place, read: Callable[[object], T], *given: object, **named: object) -> T | None:
        """What a module says, read; None where that is a violation."""
        before = self._picture.tobytes()
        try:
            said = getattr(self._modules, place)(*given, **named)
        except (*RAISED, ValueError) as error:
            self._add(place, f"raises {type(error).__name__} ({error}) when given {_given(given)}", "Let it answer.")
            return None
        if self._picture.tobytes() != before:
            self._add(place, "changes the picture", "Copy it before you write to it.")
            self._picture[...] = np.frombuffer(before, np.uint8).reshape(self._picture.shape)
        if not isinstance(said, RECORDS[place]):
            self._add(place, f"gives a {type(said).__name__}", f"Give a {RECORDS[place].__name__}, or use assemble.")
            return None
        try:
            made = read(said)
        except ContractViolation as error:
            self._add(place, error.cause.split(") ", 1)[-1], error.hint)
            return None
        if made != said or (isinstance(said, (Named, Chosen)) and list(made.scores) != list(said.scores)):  # type: ignore[attr-defined]
            self._add(place, "leaves options out, or has not the best first", "Score every option, the best first.")
        return made

    def _add(self, place: Place, what: str, hint: str) -> None:
        violation = Violation(NUMBERS[place], what, hint)
        if violation not in self._found:
            self._found.append(violation)


def _given(given: tuple[object, ...]) -> str:
    return ", ".join(["the picture", *(str(each) for each in given[1:])])
