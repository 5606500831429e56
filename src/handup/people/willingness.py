"""Willingness: the probability that a person answers now, from how busy they are, their load and their own record.

People differ in kind: some never help, some help only while they are free, some nearly always. Each kind has a share of
all people and a probability of answering for each busyness. A person's record tells which kind they probably are:

    P(kind | record) ∝ share · Π P(answers | kind, busyness)^helped · (1 − P(answers | kind, busyness))^(asked − helped)
    P(answers) = Σ P(kind | record) · P(answers | kind, busyness)          shifted by the load, in log-odds

The shipped numbers are *human data, not from homes*: `python -m train.willingness` fitted them on 921 requests of a
robot to 100 people in an office game, and the disturbance by activity on 9,180 reports of 34 students.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any

from handup.core import BadSetting, OutOfRange, WrongSize
from handup.core.fields import Share, check_rules
from handup.people.answer_fits import Chance, Evidence
from handup.people.answers import shipped_record
from handup.people.workload import SCHEMA, check_record, refusing_damage

LEAST_CHANCE = 1e-4
"""Least distance of a kind's probabilities from 0 and 1, so that no record is impossible for any kind."""


class Busyness(StrEnum):
    """Busyness of a person at the moment of a request, by the words of the study."""

    FREE = "free time"
    MEDIUM = "medium"
    HIGH = "high"


PLACES: Mapping[Busyness | None, int] = {Busyness.FREE: 0, Busyness.MEDIUM: 1, Busyness.HIGH: 2, None: 3}
"""Places of counts and probabilities; the last is for moments of which the busyness is unknown."""
BUSYNESS_AT: Mapping[int, Busyness | None] = {
    4: Busyness.FREE,
    3: Busyness.FREE,
    2: Busyness.MEDIUM,
    1: Busyness.HIGH,
    0: None,
}
"""Busyness at each level of interruptibility, 4 (free, aware of the robot) to 0 (not enough seen).

The study told three states apart, and all of its people knew of the robot: levels 4 and 3 are both its free time.
"""


@dataclass(frozen=True)
class HelpRecord:
    """A person's record of requests, by busyness: free, medium, high, unknown.

    Args:
        asked: Numbers of requests.
        helped: Numbers of them that the person answered.
    """

    asked: tuple[int, ...] = (0, 0, 0, 0)
    helped: tuple[int, ...] = (0, 0, 0, 0)

    def __post_init__(self) -> None:
        sizes = (len(self.asked), len(self.helped))
        if sizes != (len(PLACES), len(PLACES)):
            raise WrongSize(f"a record must have {len(PLACES)} counts of each, got {sizes}", hint="Give 0 for none.")
        if not all(0 <= helped <= asked for asked, helped in zip(self.asked, self.helped, strict=True)):
            got = f"{self.helped} of {self.asked}"
            raise OutOfRange.of("answered requests", got, "lie between 0 and the requests", hint="Count them again.")

    def after(self, busyness: Busyness | None, helped: bool) -> HelpRecord:
        """Return the record after one more request."""
        place = PLACES[busyness]
        asked = (*self.asked[:place], self.asked[place] + 1, *self.asked[place + 1 :])
        answered = (*self.helped[:place], self.helped[place] + bool(helped), *self.helped[place + 1 :])
        return HelpRecord(asked, answered)


@dataclass(frozen=True)
class WillingKind:
    """Kind of person by willingness.

    Args:
        share: Share of all people who are of this kind.
        chances: P(answers) when free, at medium and at high busyness, and at a moment of which nothing is known.
    """

    share: Annotated[float, Share("share")]
    chances: tuple[float, ...]

    def __post_init__(self) -> None:
        check_rules(self, "a kind of person", BadSetting)
        if len(self.chances) != len(PLACES):
            raise WrongSize(f"a kind must have {len(PLACES)} probabilities, got {len(self.chances)}", hint="Add them.")
        for chance in self.chances:
            if not LEAST_CHANCE <= chance <= 1.0 - LEAST_CHANCE:
                must = f"lie between {LEAST_CHANCE:g} and {1.0 - LEAST_CHANCE:g}"
                raise OutOfRange.of("P(answers) of a kind", f"{chance:g}", must, hint="Nobody is quite certain.")


@dataclass(frozen=True, kw_only=True)
class WillingnessModel:
    """Model of P(answers | busyness, load, own record), with each person's record.

    Args:
        kinds: Kinds of people; `willingness_model` brings those of the study.
        load_weight: Number added to the log-odds at full load, 0 or less: being asked often makes nobody willing.
        mean_load: Load at which nothing is added, 0 to 1.
        evidence: Source of the kinds and the weight.
        people: Record of each person by name.
    """

    kinds: tuple[WillingKind, ...]
    load_weight: float = 0.0
    mean_load: Annotated[float, Share("mean_load")] = 0.5
    evidence: Evidence = Evidence.NOT_FROM_HOMES
    people: Mapping[str, HelpRecord] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_rules(self, "a model of willingness", BadSetting)
        if not self.kinds or not any(kind.share > 0.0 for kind in self.kinds):
            raise WrongSize("a model of willingness must have a kind with people in it, got none", hint="Add one.")
        if not -math.inf < self.load_weight <= 0.0:
            raise OutOfRange.of("load_weight", f"{self.load_weight:g}", "be at most 0", hint="Give 0 to ignore load.")
        object.__setattr__(self, "people", MappingProxyType(dict(self.people)))

    def chance(self, level: int, *, load: float | None = None, person: str | None = None) -> Chance:
        """Return the probability that a person answers if asked now, and the source of this number.

        For a belief over levels, weigh the chances of the levels by their probabilities.

        Args:
            level: Level of interruptibility, 4 (free, aware of the robot) to 0 (not enough seen).
            load: Share of the last five moments in which the person was asked, 0 to 1, where it is known.
            person: Name of the person, whose record counts.

        Raises:
            OutOfRange: The level is not 0 to 4, or the load not 0 to 1.
        """
        record = HelpRecord() if person is None else self.people.get(person, HelpRecord())
        return Chance(self.chance_after(record, _busyness_at(level), load), self.evidence)

    def chance_after(self, record: HelpRecord, busyness: Busyness | None, load: float | None = None) -> float:
        """Return P(answers) of somebody with this record, asked at this busyness; see `chance`."""
        if load is not None and not 0.0 <= load <= 1.0:
            raise OutOfRange.of("load", f"{load:g}", "lie between 0 and 1", hint="Give a share of moments.")
        place, weights = PLACES[busyness], self.kinds_of(record)
        chance = math.fsum(weight * kind.chances[place] for weight, kind in zip(weights, self.kinds, strict=True))
        shift = 0.0 if load is None else self.load_weight * (load - self.mean_load)
        return chance if shift == 0.0 else 1.0 / (1.0 + (1.0 - chance) / chance * math.exp(-shift))

    def kinds_of(self, record: HelpRecord) -> tuple[float, ...]:
        """Return the probability of each kind for somebody with this record."""
        logs = []
        for kind in self.kinds:
            log = math.log(kind.share) if kind.share > 0.0 else -math.inf
            for asked, helped, chance in zip(record.asked, record.helped, kind.chances, strict=True):
                log += helped * math.log(chance) + (asked - helped) * math.log1p(-chance)
            logs.append(log)
        most = max(logs)
        weights = [math.exp(log - most) for log in logs]
        total = math.fsum(weights)
        return tuple(weight / total for weight in weights)

    def asked(self, person: str, level: int, *, answered: bool) -> WillingnessModel:
        """Return the model after a person was asked at a level and answered, or did not."""
        record = self.people.get(person, HelpRecord()).after(_busyness_at(level), answered)
        return replace(self, people={**self.people, person: record})

    def forget(self, person: str) -> WillingnessModel:
        """Return the model without the record of a person."""
        return replace(self, people={name: record for name, record in self.people.items() if name != person})

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {
            "schema": SCHEMA,
            "kind": "willingness-model",
            "kinds": [{"share": kind.share, "chances": list(kind.chances)} for kind in self.kinds],
            "load_weight": self.load_weight,
            "mean_load": self.mean_load,
            "evidence": str(self.evidence),
            "people": {
                name: {"asked": list(record.asked), "helped": list(record.helped)}
                for name, record in self.people.items()
            },
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> WillingnessModel:
        """The model that `to_json` wrote.

        Raises:
            BadRecord: It is damaged, of a newer schema, or something else.
        """
        check_record(record, "willingness-model")
        with refusing_damage("willingness-model"):
            return cls(
                kinds=tuple(WillingKind(float(kind["share"]), tuple(kind["chances"])) for kind in record["kinds"]),
                load_weight=float(record["load_weight"]),
                mean_load=float(record["mean_load"]),
                evidence=Evidence(record["evidence"]),
                people={
                    name: HelpRecord(tuple(counts["asked"]), tuple(counts["helped"]))
                    for name, counts in record["people"].items()
                },
            )


@dataclass(frozen=True, kw_only=True)
class Disturbance:
    """Disturbance of people by a question of their phone during one activity, 1 (not at all) to 5 (very much).

    Args:
        mean: Mean over all reports.
        low: Lower end of its 95 % interval, by a bootstrap over people.
        high: Upper end of that interval.
        reports: Number of reports.
        people: Number of people who gave them.
        evidence: Source of the numbers.
    """

    mean: float
    low: float
    high: float
    reports: int
    people: int
    evidence: Evidence = Evidence.NOT_FROM_HOMES


def willingness_model() -> WillingnessModel:
    """Return the shipped model, without anybody's record."""
    return WillingnessModel.from_json(shipped_record("willingness", "fitted-willingness")["model"])


def disturbances() -> dict[str, Disturbance]:
    """Return the disturbance by activity (class, study, meal, …), from the most to the least disturbing."""
    record = shipped_record("willingness", "fitted-willingness")
    with refusing_damage("fitted-willingness"):
        return {activity: Disturbance(**numbers) for activity, numbers in record["disturbance"].items()}


def _busyness_at(level: int) -> Busyness | None:
    if level not in BUSYNESS_AT:
        hint = "Give 4 (free, aware of the robot) to 0 (not enough seen)."
        raise OutOfRange.of("level", repr(level), "be a whole number from 0 to 4", hint=hint)
    return BUSYNESS_AT[level]
