"""Models of how good an answer is and how long it takes, and simulated people who answer by them.

For diagnosis and action questions put to operators the numbers are *human data*: fitted on 2,126 real interventions by
`python -m train.situations` and, without the situation, by `python -m train.answers`. All others are *assumed*: vary
them in studies. Simulated people answer, take their time and miss the box as the models say. They serve studies and
never count as data.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from statistics import NormalDist
from types import MappingProxyType
from typing import Any

from handup.core import OutOfRange, RandomSource, Role, UnknownName, check_probability
from handup.core.kinds import rule_of
from handup.core.shapes.base import uniform
from handup.people.answer_fits import CERTAINTIES, Chance, Evidence, KindFit, Support
from handup.people.workload import SCHEMA, check_record, refusing_damage

FITS = {"situation": "situations", "support-certainty": "answers"}
"""Names of the fits to operators' answers, and of the files that hold them."""
NORMAL = NormalDist()
MOST_TRIES = 20
"""Largest number of attempts to hold still for a dwell; after them the point is taken as it is."""


class Care(StrEnum):
    """Care that a person takes when answering from sight."""

    HURRIED = "hurried"
    USUAL = "usual"
    CAREFUL = "careful"


@dataclass(frozen=True, kw_only=True)
class Latency:
    """Distribution of answer times in seconds: a least time plus a lognormal one.

    Args:
        median_s: Median time.
        sigma: Standard deviation of the logarithm of the time beyond the least, 0 or more.
        least_s: Least time, 0 or more and below the median.
    """

    median_s: float
    sigma: float
    least_s: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.least_s < self.median_s < math.inf or not 0.0 <= self.sigma < math.inf:
            must = "have 0 <= least_s < median_s and sigma >= 0"
            raise OutOfRange.of("a latency", self, must, hint="Give finite numbers in this order.")

    @classmethod
    def through(cls, low_s: float, median_s: float, high_s: float, share: float = 0.05) -> Latency:
        """Return the latency whose quantiles at `share`, one half and 1 - `share` are these."""
        # The lognormal part is symmetric in its logarithm: (median - least)^2 = (low - least) (high - least).
        least_s = (low_s * high_s - median_s**2) / (low_s + high_s - 2.0 * median_s)
        least_s = least_s if 0.0 < least_s < low_s else 0.0
        sigma = math.log((high_s - least_s) / (low_s - least_s)) / (2.0 * -NORMAL.inv_cdf(share))
        return cls(median_s=median_s, sigma=sigma, least_s=least_s)

    def quantile(self, share: float) -> float:
        """Return the seconds within which this share of the answers comes."""
        if not 0.0 < share < 1.0:
            raise OutOfRange.of("share", f"{share:g}", "lie between 0 and 1", hint="Give a share, such as 0.5.")
        return self.least_s + (self.median_s - self.least_s) * math.exp(self.sigma * NORMAL.inv_cdf(share))

    def share_within(self, seconds: float) -> float:
        """Return the share of the answers that come within this time."""
        if seconds <= self.least_s:
            return 0.0
        if self.sigma == 0.0 or seconds == math.inf:
            return float(seconds >= self.median_s)
        return NORMAL.cdf(math.log((seconds - self.least_s) / (self.median_s - self.least_s)) / self.sigma)

    def draw(self, random: RandomSource) -> float:
        """Return one random time in seconds."""
        return self.quantile(min(max(float(random.random((1,))[0]), 1e-12), 1.0 - 1e-12))

    def slower(self, factor: float) -> Latency:
        """Return the same latency with all times multiplied by `factor`."""
        return Latency(median_s=self.median_s * factor, sigma=self.sigma, least_s=self.least_s * factor)

    def to_json(self) -> dict[str, Any]:
        """A plain record: keyword arguments for the same latency."""
        return asdict(self)


FROM_SIGHT: Mapping[Care, float] = {Care.HURRIED: 0.80, Care.USUAL: 0.90, Care.CAREFUL: 0.97}
"""Probability that an answer from sight is right. Assumed."""
FROM_SIGHT_LATENCY = Latency(median_s=6.0, sigma=0.6, least_s=1.0)
"""Time of an answer from sight. Assumed."""
ASSUMED_STRENGTH = 10.0
"""κ (see `KindFit`) of answers from sight. Assumed."""
LEAST, MOST = 0.01, 0.99
"""Limits of the probability of a right answer for a person with a record."""


@dataclass(frozen=True)
class AnswerRecord:
    """One person's record with one kind of question.

    Args:
        answers: Number of answers that were judged.
        right: Number of them that were right.
        expected: Number that the model expected to be right.
    """

    answers: int = 0
    right: int = 0
    expected: float = 0.0


@dataclass(frozen=True, kw_only=True)
class AnswerModel:
    """Model of P(right | role, kind, situation, support, certainty) and of answer times, with each person's record.

    Args:
        fits: Fits to human data by kind of question, for operators; `answer_model` brings them.
        latency: Time that an operator takes to decide.
        care: Care with which people answer from sight.
        from_sight: P(right) of an answer from sight, for each care. Assumed.
        from_sight_latency: Time of an answer from sight. Assumed.
        people: Record of each person by name and kind of question.
    """

    fits: Mapping[str, KindFit] = field(default_factory=dict)
    latency: Latency | None = None
    care: Care = Care.USUAL
    from_sight: Mapping[Care, float] = field(default_factory=lambda: FROM_SIGHT)
    from_sight_latency: Latency = FROM_SIGHT_LATENCY
    people: Mapping[str, Mapping[str, AnswerRecord]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for care in Care:
            check_probability(f"from_sight of '{care}'", self.from_sight[care])
        people = {name: dict(records) for name, records in self.people.items()}
        object.__setattr__(self, "people", MappingProxyType(people))

    def chance(
        self,
        role: Role,
        kind: str,
        support: Support | None = None,
        certainty: int | None = None,
        *,
        person: str | None = None,
        problem: str | None = None,
        steps: int | None = None,
    ) -> Chance:
        """Return the probability that an answer is right, and the source of this number.

        Args:
            role: Role of the person: an operator answers at a console, everybody else from sight.
            kind: Kind of the question.
            support: Support shown beside it; none where not given.
            certainty: Self-rated certainty, 1 (guessing) to 5 (certain), where it is known already.
            person: Name of the person, whose judged answers move the probability towards their own record.
            problem: First problem of `RobotProblem` that holds, where it is known.
            steps: Number of steps from there to the goal, 1 or more, where it is known.

        Raises:
            OutOfRange: The certainty is not 1 to 5, or the steps not a whole number from 1.
            UnknownName: There is no such problem.
        """
        if certainty is not None and certainty not in CERTAINTIES:
            hint = "Give 1 (guessing) to 5 (certain), or leave it out."
            raise OutOfRange.of("certainty", repr(certainty), "be a whole number from 1 to 5", hint=hint)
        fit = self.fit_of(role, kind)
        if fit is None:
            prior = Chance(self.from_sight[self.care], Evidence.ASSUMED)
        else:
            prior = Chance(fit.chance(support or Support(), certainty, problem, steps), Evidence.HUMAN_DATA)
        if person is None:
            return prior
        record = self.people.get(person, {}).get(kind, AnswerRecord())
        strength = ASSUMED_STRENGTH if fit is None else fit.strength
        # With one prior mean m this is the Beta-Bernoulli posterior (κ m + right) / (κ + answers).
        moved = prior.probability + (record.right - record.expected) / (strength + record.answers)
        return replace(prior, probability=min(max(moved, LEAST), MOST) if record.answers else prior.probability)

    def time(self, role: Role, kind: str) -> Latency:
        """Return the distribution of answer times."""
        if self.fit_of(role, kind) is None or self.latency is None:
            return self.from_sight_latency
        return self.latency

    def judged(
        self,
        person: str,
        role: Role,
        kind: str,
        right: bool,
        support: Support | None = None,
        certainty: int | None = None,
        *,
        problem: str | None = None,
        steps: int | None = None,
    ) -> AnswerModel:
        """Return the model after an answer turned out right or wrong. The arguments are those of `chance`."""
        expected = self.chance(role, kind, support, certainty, problem=problem, steps=steps).probability
        before = self.people.get(person, {}).get(kind, AnswerRecord())
        after = AnswerRecord(before.answers + 1, before.right + bool(right), before.expected + expected)
        return replace(self, people={**self.people, person: {**self.people.get(person, {}), kind: after}})

    def forget(self, person: str) -> AnswerModel:
        """Return the model without the record of a person."""
        return replace(self, people={name: records for name, records in self.people.items() if name != person})

    def fit_of(self, role: Role, kind: str) -> KindFit | None:
        """Return the fit to operators' answers to a kind of question; None for those who answer from sight."""
        return self.fits.get(kind) if Role(role) is Role.OPERATOR else None

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {
            "schema": SCHEMA,
            "kind": "answer-model",
            "fits": {str(kind): fit.to_json() for kind, fit in self.fits.items()},
            "latency": None if self.latency is None else self.latency.to_json(),
            "care": str(self.care),
            "from_sight": {str(care): chance for care, chance in self.from_sight.items()},
            "from_sight_latency": self.from_sight_latency.to_json(),
            "people": {
                who: {str(kind): asdict(judged) for kind, judged in kinds.items()} for who, kinds in self.people.items()
            },
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> AnswerModel:
        """The model that `to_json` wrote.

        Raises:
            BadRecord: It is damaged, of a newer schema, or something else.
        """
        check_record(record, "answer-model")
        with refusing_damage("answer-model"):
            return cls(
                fits={rule_of(kind).kind: KindFit.from_json(fit) for kind, fit in record["fits"].items()},
                latency=None if record["latency"] is None else Latency(**record["latency"]),
                care=Care(record["care"]),
                from_sight={Care(care): float(chance) for care, chance in record["from_sight"].items()},
                from_sight_latency=Latency(**record["from_sight_latency"]),
                people={
                    who: {rule_of(kind).kind: AnswerRecord(**judged) for kind, judged in kinds.items()}
                    for who, kinds in record["people"].items()
                },
            )


@cache
def shipped_record(name: str, kind: str) -> dict[str, Any]:
    """Return the record of fitted numbers that lies beside the code: parameters, measures and where they come from."""
    text = files("handup.people").joinpath(f"data/{name}.json").read_text(encoding="utf-8")
    record: dict[str, Any] = json.loads(text)
    check_record(record, kind)
    return record


def answers_record(fit: str = "situation") -> dict[str, Any]:
    """Return the record of a fit: `situation`, or `support-certainty`, which the studies of 0.1.0 used.

    Raises:
        UnknownName: There is no such fit.
    """
    if fit not in FITS:
        raise UnknownName.of("fit", f"'{fit}'", f"be one of {', '.join(FITS)}", hint="Leave it out for the default.")
    return shipped_record(FITS[fit], "fitted-answers")


def answer_model(care: Care = Care.USUAL, *, fit: str = "situation") -> AnswerModel:
    """Return a shipped model: human data for operators' diagnosis and action questions, assumptions for the rest.

    Args:
        care: Care with which people answer from sight.
        fit: Fit to the human data: `situation` knows the problem, the steps to the goal, certainty and support;
            `support-certainty` knows the last two, and is what the studies of 0.1.0 used.

    Raises:
        UnknownName: There is no such fit.
    """
    record = answers_record(fit)
    with refusing_damage("fitted-answers"):
        fits = {rule_of(kind).kind: KindFit.from_json(found) for kind, found in record["fits"].items()}
        # The time that people took does not depend on the fit; it is kept once, beside the older one.
        latency = Latency(**answers_record("support-certainty")["latency"])
        return AnswerModel(fits=fits, latency=latency, care=care)


@dataclass(frozen=True)
class Tap:
    """Point that a person gave.

    Args:
        x: Pixels from the left.
        y: Pixels from the top.
        seconds: Time that it took.
    """

    x: float
    y: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class MotorProfile:
    """Accuracy and speed of a person's pointing. Every number here is *assumed* and lies from 0 to 10000.

    Args:
        tap_error_px: Standard deviation of the place where the pointer settles, in each direction.
        tremor_px: Standard deviation of its movement around that place.
        dwell_s: Seconds for which it must stay within `dwell_px`; 0 lets a tap count at once.
        dwell_px: Distance that it may move during the dwell.
        reach_s: Seconds to reach the place.
        one_switch: True if points are chosen by scanning with a single switch: rows, then columns.
        scan_s: Seconds for which each row or column is offered.
        scan_px: Distance between rows and between columns, at least 1.
    """

    tap_error_px: float = 4.0
    tremor_px: float = 0.0
    dwell_s: float = 0.0
    dwell_px: float = 25.0
    reach_s: float = 0.8
    one_switch: bool = False
    scan_s: float = 1.0
    scan_px: float = 40.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not 0.0 <= value <= 1e4:
                raise OutOfRange.of(name, f"{value:g}", "lie between 0 and 10000", hint="Give seconds or pixels.")
        if self.one_switch and self.scan_px < 1.0:
            raise OutOfRange.of("scan_px", f"{self.scan_px:g}", "be at least 1", hint="Give a distance in pixels.")

    def tap(self, x: float, y: float, random: RandomSource) -> Tap:
        """Return one random point of a person who means x, y (pixels)."""
        if self.one_switch:
            return self._scanned(x, y)
        # The first draw is where the pointer settles, the second the tremor at the moment that counts, and each dwell
        # draws a further one. The results of a seed depend on this order.
        settle_x, settle_y = (at + self.tap_error_px * z for at, z in zip((x, y), _normal(random, 2), strict=True))
        seconds = self.reach_s
        move_x, move_y = (self.tremor_px * z for z in _normal(random, 2))
        for _ in range(MOST_TRIES if self.dwell_s > 0.0 else 0):
            held = math.hypot(*(self.tremor_px * z for z in _normal(random, 2))) <= self.dwell_px
            seconds += self.dwell_s
            if held:
                break
        return Tap(settle_x + move_x, settle_y + move_y, seconds)

    def _scanned(self, x: float, y: float) -> Tap:
        """Return the middle of the point's cell, after all rows and columns before it were offered."""
        column, row = max(math.floor(x / self.scan_px), 0), max(math.floor(y / self.scan_px), 0)
        middle = ((column + 0.5) * self.scan_px, (row + 0.5) * self.scan_px)
        return Tap(*middle, self.reach_s + (row + 1 + column + 1) * self.scan_s)

    def to_json(self) -> dict[str, Any]:
        """A plain record: keyword arguments for the same profile."""
        return asdict(self)


PROFILES: Mapping[str, MotorProfile] = {
    "steady": MotorProfile(),
    "tremor": MotorProfile(tap_error_px=10.0, tremor_px=12.0, dwell_s=0.4, reach_s=1.5),
    "dwell": MotorProfile(tap_error_px=18.0, tremor_px=6.0, dwell_s=1.0, reach_s=2.0),
    "one-switch": MotorProfile(one_switch=True, reach_s=1.0),
}
"""Assumed: a steady hand, a hand with tremor, a head or eye pointer, and one switch."""


@dataclass(frozen=True)
class SimulatedReply:
    """Answer of a simulated person.

    Args:
        right: True if the answer is right.
        seconds: Time that it took, pointing included.
        certainty: Self-rated certainty, 1 to 5, where the model has human data about it.
        choice: For questions with options, the index of the chosen option.
        taps: For questions on an image, the points given; empty where the answer is wrong.
    """

    right: bool
    seconds: float
    certainty: int | None = None
    choice: int | None = None
    taps: tuple[Tap, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SimulatedPerson:
    """Simulated person who draws answers from an answer model and a motor profile.

    Args:
        name: Name of the person, whose record in the answer model counts.
        role: Role of the person: an operator answers at a console, everybody else from sight.
        answers: Model of how good and how fast the answers are.
        motor: Model of the person's pointing.
        slowness: Factor on all times.
    """

    name: str
    role: Role = Role.RESIDENT
    answers: AnswerModel = field(default_factory=AnswerModel)
    motor: MotorProfile = field(default_factory=MotorProfile)
    slowness: float = 1.0

    def answer(
        self,
        kind: str,
        random: RandomSource,
        *,
        support: Support | None = None,
        options: int = 0,
        target: int = 0,
        points: tuple[tuple[float, float], ...] = (),
    ) -> SimulatedReply:
        """Answer one question.

        Args:
            kind: Kind of the question.
            random: Source of all random numbers.
            support: Support shown beside the question.
            options: Number of options; 0 for a question without options.
            target: Index of the right option.
            points: For questions on an image, the points of a right answer, such as the corners of a box.

        Raises:
            OutOfRange: The target is not the index of an option.
        """
        if options and not 0 <= target < options:
            raise OutOfRange.of("target", target, f"lie between 0 and {options - 1}", hint="Count options from 0.")
        rule = rule_of(kind)
        shown = support or Support()
        certainty = self._certainty(kind, shown, random)
        chance = self.answers.chance(self.role, kind, shown, certainty, person=self.name).probability
        right = bool(uniform(random) < chance)
        seconds = self.answers.time(self.role, kind).slower(self.slowness).draw(random)
        choice = None
        if options:
            others = [option for option in range(options) if option != target]
            choice = target if right or not others else others[int(uniform(random) * len(others))]
        taps: tuple[Tap, ...] = ()
        if rule.on_image and right:
            taps = tuple(self.motor.tap(x, y, random) for x, y in points)
            seconds += self.slowness * sum(tap.seconds for tap in taps)
        return SimulatedReply(right, seconds, certainty, choice, taps)

    def _certainty(self, kind: str, support: Support, random: RandomSource) -> int | None:
        fit = self.answers.fit_of(self.role, kind)
        if fit is None:
            return None
        counts = fit.certainties[support.key]
        left = uniform(random) * sum(counts)
        for certainty, count in zip(CERTAINTIES, counts, strict=True):
            left -= count
            if left < 0:
                return certainty
        return CERTAINTIES[-1]


def _normal(random: RandomSource, count: int) -> list[float]:
    return [NORMAL.inv_cdf(float(drawn)) for drawn in random.random((count,)).clip(1e-12, 1.0 - 1e-12)]
