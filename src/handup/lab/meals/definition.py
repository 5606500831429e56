"""A study of meals as data: who is compared, on which plates, and how much of it is run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from handup.core import BadSetting
from handup.domains.feeding.looks import looks_of
from handup.domains.feeding.order import Order
from handup.domains.feeding.plates import plate as plate_of
from handup.lab.meals.claim import MEASURES, OF_MEMORY, Claim
from handup.lab.meals.participants import Participant, participants

SCHEMA = 1
LEAST_PARTICIPANTS, MOST_PARTICIPANTS = 2, 1000
PARTICIPANTS, QUICK_PARTICIPANTS = 48, 6
"""Every twelve have each care with each motor profile once."""
LOOKS = "hard"
"""On easy plates the robot alone gets 5 bites of 5, so that there is nothing to ask for."""
MOST_SEED = 2**31


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One of the ways that are compared.

    Args:
        method: How the robot decides.
        short: What tables and figures call it; the method's name where empty.
        memory: Whether the robot remembers from meal to meal what a participant answers.
        plates: What is served instead of the study's plates, as many of them; the study's where empty.
    """

    method: str
    short: str = ""
    memory: bool = False
    plates: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """As tables and figures call it."""
        return self.short or self.method


@dataclass(frozen=True, kw_only=True)
class Sitting:
    """All meals of one participant under one arm, in their order. A process eats it at once; a file keeps it.

    Args:
        study: The study's name.
        arm: What is compared.
        participant: Who is asked.
        orders: What is served, oldest first.
    """

    study: str
    arm: Arm
    participant: Participant
    orders: tuple[Order, ...]

    @property
    def config(self) -> str:
        """A short name of everything that decides its rows, but for code and networks."""
        record = {
            "schema": SCHEMA,
            "arm": asdict(self.arm),
            **self.participant.to_json(),
            "orders": [asdict(order) for order in self.orders],
        }
        return hashlib.sha256(json.dumps(record, sort_keys=True, default=str).encode()).hexdigest()[:16]

    @property
    def label(self) -> str:
        """In words, for errors."""
        return f"the meals of participant {self.participant.number} with {self.arm.label}"

    @property
    def expected(self) -> int:
        """How many meals it has."""
        return len(self.orders)

    def to_json(self) -> dict[str, Any]:
        """What its rows begin with."""
        arm = {"arm": self.arm.label, "memory": self.arm.memory}
        return {"config": self.config, "study": self.study, **arm, **self.participant.to_json()}


@dataclass(frozen=True, kw_only=True)
class MealStudy:
    """A question that meals answer. Every arm has the same participants; arms of the same plates can be compared.

    Add one by adding an entry to `handup.lab.meals.studies`.

    Args:
        name: As in `handup study run NAME`.
        title: One line.
        figure: Where the paper shows it.
        question: One sentence.
        arms: What is compared.
        plates: What each participant is served, one after the other.
        first_seed: The seed of the first participant's first plate; the next plates have the next ones.
        faulty: Whether the food detector is faulty, as in the core paper's appendix D.
        home: Whether each participant eats in a kitchen of their own, which looks the same at every meal.
        bites: Of each meal.
        claims: What is judged: the paper's, and our own bars.
    """

    name: str
    title: str
    figure: str
    question: str
    arms: tuple[Arm, ...]
    plates: tuple[str, ...]
    first_seed: int
    faulty: bool = False
    home: bool = False
    bites: int = 5
    claims: tuple[Claim, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if len({arm.label for arm in self.arms}) < 2:
            raise BadSetting(f"the study '{self.name}' compares nothing", hint="Give it two arms of different labels.")
        if any(len(self.plates_of(arm)) != len(self.plates) for arm in self.arms):
            raise BadSetting(
                f"arms of the study '{self.name}' have more plates than others", hint="Give each as many as the study."
            )
        for name in (name for arm in self.arms for name in self.plates_of(arm)):
            plate_of(name)

    @property
    def labels(self) -> tuple[str, ...]:
        """Of all arms."""
        return tuple(each.label for each in self.arms)

    @property
    def remembers(self) -> bool:
        """Whether a meal may depend on those before it."""
        return any(arm.memory for arm in self.arms)

    @property
    def measures(self) -> tuple[str, ...]:
        """What is measured of each meal."""
        return (*MEASURES, *OF_MEMORY) if self.remembers else MEASURES

    @property
    def menus(self) -> tuple[tuple[Arm, ...], ...]:
        """The arms, those together that are served the same."""
        served = dict.fromkeys(self.plates_of(arm) for arm in self.arms)
        return tuple(tuple(arm for arm in self.arms if self.plates_of(arm) == plates) for plates in served)

    def plates_of(self, arm: Arm, *, quick: bool = False) -> tuple[str, ...]:
        """What an arm is served. A quick run has one plate, but all where a robot remembers: one teaches nothing."""
        plates = arm.plates or self.plates
        return plates[:1] if quick and not self.remembers else plates

    def sittings(self, size: Size) -> Iterator[Sitting]:
        """Everything to run; participant by participant, so that a stopped run has whole pairs."""
        for person in participants(size.participants):
            seed = size.seed_of(self) + person.number * len(self.plates)
            for arm in self.arms:
                plates = self.plates_of(arm, quick=size.quick)
                orders = tuple(
                    self.order(arm, name, seed + number, size, kitchen=seed) for number, name in enumerate(plates)
                )
                yield Sitting(study=self.name, arm=arm, participant=person, orders=orders)

    def order(self, arm: Arm, plate: str, seed: int, size: Size, *, kitchen: int) -> Order:
        """One meal.

        Args:
            arm: What is compared.
            plate: What is served.
            seed: Of this plate.
            size: Its looks.
            kitchen: The participant's; used where the study is one at home.
        """
        return Order(
            plate=plate,
            looks=size.looks,
            method=arm.method,
            bites=self.bites,
            seed=seed,
            faulty=self.faulty,
            kitchen=kitchen if self.home else None,
        )


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much of a study is run, and on which plates.

    Args:
        participants: How many.
        seed: Of the first plate; the study's own where not given.
        looks: `easy` or `hard`.
        quick: Whether each participant has one plate only, where no robot remembers: a first look.
    """

    participants: int = PARTICIPANTS
    seed: int | None = None
    looks: str = LOOKS
    quick: bool = False

    def __post_init__(self) -> None:
        looks_of(self.looks)
        if not LEAST_PARTICIPANTS <= self.participants <= MOST_PARTICIPANTS:
            raise BadSetting(
                f"{self.participants} participants", hint=f"Give {LEAST_PARTICIPANTS} to {MOST_PARTICIPANTS}."
            )
        if self.seed is not None and not 0 <= self.seed <= MOST_SEED:
            raise BadSetting(f"seed is {self.seed}", hint=f"Give a number from 0 to {MOST_SEED}.")

    def seed_of(self, study: MealStudy) -> int:
        """The seed of the first plate."""
        return study.first_seed if self.seed is None else self.seed

    def command(self, study: MealStudy) -> str:
        """The command that runs it again."""
        quick = " --quick" if self.quick else ""
        return (
            f"handup study run {study.name} --participants {self.participants} --seed {self.seed_of(study)} "
            f"--looks {self.looks}{quick}"
        )
