"""What happens in one seed: a robot with a small policy, people, and what they do; all drawn from the seed."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from handup.core import Limits, Person, Role
from handup.desk import Terms
from handup.recover import Settings

RUN = "meal"
METHODS = ("troubleshoot", "graph+execute-first", "confidence+query-then-execute", "topo+workload-aware")
CERTAIN = 1.0


@dataclass(frozen=True, kw_only=True)
class Device:
    """Something that a person replies with; one process."""

    name: str
    person: str


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One seed's robot and people.

    Args:
        seed: Draws everything.
        method: How the robot decides.
        wrong: Modules that are wrong until somebody says what is right.
        confidences: One per module.
        certainty: How sure the robot is of what it sees.
        senses: Whether it can see what became of an action; otherwise a person says so.
        people: Who can be asked, in order.
        devices: What they reply with.
        snapshot_every: How often the desk makes a snapshot.
        making: Whether programs die while the store is made, too.
        together: Whether robot and devices run at the same time; otherwise in turn.
    """

    seed: int
    method: str
    wrong: tuple[str, ...]
    confidences: tuple[float, ...]
    certainty: float
    senses: bool
    people: tuple[Person, ...]
    devices: tuple[Device, ...]
    snapshot_every: int
    making: bool
    together: bool

    @classmethod
    def of(cls, seed: int) -> Scenario:
        """The scenario of a seed."""
        random = Random(f"kill {seed}")
        modules = random.choice((1, 1, 1, 2))
        names = [f"m{number}" for number in range(modules)]
        wrong = tuple(name for name in names if random.random() < 0.6) or (random.choice(names),)
        people = tuple(
            Person(name=name, role=role, limits=Limits(at_once=2))
            for name, role in (("ana", Role.RESIDENT), ("ben", Role.CAREGIVER))[: random.choice((1, 2))]
        )
        devices = [Device(name="tablet", person="ana")]
        if len(people) > 1:
            devices.append(Device(name="phone", person="ben"))
        elif random.random() < 0.3:
            devices.append(Device(name="phone", person="ana"))
        return cls(
            seed=seed,
            method=random.choice(METHODS),
            wrong=wrong,
            confidences=tuple(random.choice((0.3, 0.6, 0.9)) for _ in names),
            certainty=random.choice((CERTAIN, CERTAIN, 0.9)),
            senses=random.random() < 0.5,
            people=people,
            devices=tuple(devices),
            snapshot_every=random.choice((7, 500)),
            making=seed % 10 == 0,
            together=seed % 5 == 4,
        )

    @property
    def terms(self) -> Terms:
        """The desk's terms; real time is looked at often, since the clock of a scenario jumps."""
        return Terms(snapshot_every=self.snapshot_every, lease_s=60.0, not_now_s=90.0, look_every_s=0.02)

    @property
    def settings(self) -> Settings:
        """A short episode."""
        return Settings(horizon=3.0, max_questions_per_module=2, max_unanswered=2, max_wait_s=600.0)
