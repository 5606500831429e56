"""How good an answer will be, and how long it will take; and simulated people, who answer so.

For diagnosis and action questions put to operators the numbers are *human data*: fitted on 2,126 real
interventions by `python -m train.answers`. For everything else they are *assumed*, and to be swept. Simulated people
answer, take their time and miss the box as the models say: they are for studies, and never stand as data.
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
from typing import Annotated, Any

from handup.core import BadSetting, RandomSource, Role, check_probability
from handup.core.fields import OneOf, Share, check_rules
from handup.core.kinds import rule_of
from handup.core.shapes.base import uniform
from handup.people.workload import SCHEMA, check_record, refusing_damage

CERTAINTIES = (1, 2, 3, 4, 5)
ACCURACIES = (1.0, 0.9, 0.8)
NORMAL = NormalDist()
MOST_TRIES = 20
"""So often a dwell is begun anew at most; then the point is taken as it is."""


class Care(StrEnum):
    """How carefully a person answers from sight."""

    HURRIED = "hurried"
    USUAL = "usual"
    CAREFUL = "careful"


class Evidence(StrEnum):
    """What a number rests on."""

    HUMAN_DATA = "human data"
    ASSUMED = "assumed"


class Suggestions(StrEnum):
    """What is suggested beside a question."""

    NONE = "none"
    OWN = "own"
    """Answers to this question."""
    OTHER = "other"
    """Answers to the other of diagnosis and action."""
    BOTH = "both"


@dataclass(frozen=True)
class Support:
    """What a person is given beside a question.

    Args:
        suggestions: What is suggested.
        accuracy: How many of the suggestions are accurate. Human data knows 1, .9 and .8; the nearest of them is used.
    """

    suggestions: Annotated[Suggestions, OneOf(Suggestions, "suggestions")] = Suggestions.NONE
    accuracy: Annotated[float, Share("accuracy")] = 1.0

    def __post_init__(self) -> None:
        check_rules(self, "a support", BadSetting)

    @property
    def key(self) -> str:
        """Its name in tables: `none`, or the suggestions and the nearest accuracy that was studied."""
        if self.suggestions is Suggestions.NONE:
            return "none"
        nearest = min(ACCURACIES, key=lambda each: abs(each - self.accuracy))
        return f"{self.suggestions}-{round(100 * nearest)}"


SUPPORTS = (Support(), *(Support(each, share) for each in tuple(Suggestions)[1:] for share in ACCURACIES))
"""All that human data knows about."""


@dataclass(frozen=True)
class Chance:
    """A probability, and what it rests on."""

    probability: float
    evidence: Evidence


@dataclass(frozen=True, kw_only=True)
class Latency:
    """Times of answers in seconds: least + lognormal.

    Args:
        median_s: Half of the answers take longer.
        sigma: Spread of the logarithm of what goes beyond the least time.
        least_s: Nobody is faster.
    """

    median_s: float
    sigma: float
    least_s: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.least_s < self.median_s < math.inf or not 0.0 <= self.sigma < math.inf:
            told = f"a latency has median {self.median_s:g} s, least {self.least_s:g} s and sigma {self.sigma:g}"
            raise BadSetting(told, hint="Give 0 <= least_s < median_s and sigma of at least 0.")

    @classmethod
    def through(cls, low_s: float, median_s: float, high_s: float, share: float = 0.05) -> Latency:
        """The one whose quantiles at `share`, one half and 1 - `share` are these."""
        least_s = (low_s * high_s - median_s**2) / (low_s + high_s - 2.0 * median_s)
        least_s = least_s if 0.0 < least_s < low_s else 0.0
        sigma = math.log((high_s - least_s) / (low_s - least_s)) / (2.0 * -NORMAL.inv_cdf(share))
        return cls(median_s=median_s, sigma=sigma, least_s=least_s)

    def quantile(self, share: float) -> float:
        """The time within which this share of the answers comes."""
        if not 0.0 < share < 1.0:
            raise BadSetting(f"share is {share:g}", hint="Give a number between 0 and 1.")
        return self.least_s + (self.median_s - self.least_s) * math.exp(self.sigma * NORMAL.inv_cdf(share))

    def draw(self, random: RandomSource) -> float:
        """One time."""
        return self.quantile(min(max(float(random.random((1,))[0]), 1e-12), 1.0 - 1e-12))

    def slower(self, factor: float) -> Latency:
        """Everything so many times slower."""
        return Latency(median_s=self.median_s * factor, sigma=self.sigma, least_s=self.least_s * factor)

    def to_json(self) -> dict[str, Any]:
        """A plain record: keyword arguments for the same latency."""
        return asdict(self)


FROM_SIGHT: Mapping[Care, float] = {Care.HURRIED: 0.80, Care.USUAL: 0.90, Care.CAREFUL: 0.97}
"""Probability that an answer from sight is right. Assumed."""
FROM_SIGHT_LATENCY = Latency(median_s=6.0, sigma=0.6, least_s=1.0)
"""Assumed."""
ASSUMED_STRENGTH = 10.0
LEAST, MOST = 0.01, 0.99


@dataclass(frozen=True)
class KindFit:
    """What real people's answers to one kind of question say.

    Args:
        level: For each support, the log-odds of a right answer at certainty 3.
        certainty: What each self-rated certainty, 1 to 5, adds to them.
        certainties: For each support, how often each certainty was given.
        strength: κ: a person's own record counts as much as the model's word after so many answers.
    """

    level: Mapping[str, float]
    certainty: tuple[float, ...]
    certainties: Mapping[str, tuple[int, ...]]
    strength: float

    def __post_init__(self) -> None:
        keys = {each.key for each in SUPPORTS}
        sizes = {len(self.certainty), *(len(each) for each in self.certainties.values())}
        if set(self.level) != keys or set(self.certainties) != keys or sizes != {len(CERTAINTIES)}:
            raise BadSetting("a fit lacks a support or a certainty", hint="Run python -m train.answers again.")

    def chance(self, support: Support, certainty: int | None) -> float:
        """P(right); over the certainties that people had, where it is not given."""
        level = self.level[support.key]
        chances = [1.0 / (1.0 + math.exp(-(level + each))) for each in self.certainty]
        if certainty is not None:
            return chances[CERTAINTIES.index(certainty)]
        counts = self.certainties[support.key]
        return math.fsum(n * p for n, p in zip(counts, chances, strict=True)) / sum(counts)

    def marginal(self, certainty: int | None = None) -> float:
        """P(right) over all supports as they were in the study, or P(right | certainty)."""
        among = CERTAINTIES if certainty is None else (certainty,)
        parts = [
            (self.certainties[support.key][CERTAINTIES.index(each)], self.chance(support, each))
            for support in SUPPORTS
            for each in among
        ]
        return math.fsum(n * p for n, p in parts) / sum(n for n, _ in parts)

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        certainties = {key: list(counts) for key, counts in self.certainties.items()}
        return {**asdict(self), "certainty": list(self.certainty), "certainties": certainties}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> KindFit:
        """The fit that `to_json` wrote."""
        certainties = {key: tuple(counts) for key, counts in record["certainties"].items()}
        return cls(dict(record["level"]), tuple(record["certainty"]), certainties, float(record["strength"]))


@dataclass(frozen=True)
class Judged:
    """One person's record with one kind of question.

    Args:
        answers: How many were judged.
        right: How many were right.
        expected: How many the model had expected to be.
    """

    answers: int = 0
    right: int = 0
    expected: float = 0.0


@dataclass(frozen=True, kw_only=True)
class AnswerModel:
    """P(right | role, question kind, support, certainty), latency, and what each person's record adds. Immutable.

    Args:
        fits: For kinds that real operators were asked; `answer_model` brings them.
        latency: How long an operator takes to decide.
        care: How carefully people answer from sight.
        from_sight: P(right) of each care. Assumed.
        from_sight_latency: Assumed.
        people: Each person's record, by name and kind.
    """

    fits: Mapping[str, KindFit] = field(default_factory=dict)
    latency: Latency | None = None
    care: Care = Care.USUAL
    from_sight: Mapping[Care, float] = field(default_factory=lambda: FROM_SIGHT)
    from_sight_latency: Latency = FROM_SIGHT_LATENCY
    people: Mapping[str, Mapping[str, Judged]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for care in Care:
            check_probability(f"from_sight of '{care}'", self.from_sight[care])
        object.__setattr__(self, "people", MappingProxyType({who: dict(each) for who, each in self.people.items()}))

    def chance(
        self,
        role: Role,
        kind: str,
        support: Support | None = None,
        certainty: int | None = None,
        *,
        person: str | None = None,
    ) -> Chance:
        """How likely an answer is right, and what that rests on.

        Args:
            role: The person's; an operator answers at a console, everybody else from sight.
            kind: What is asked.
            support: What is shown beside it; nothing where not given.
            certainty: Self-rated, 1 to 5, where it is known already.
            person: Who; with judged answers of theirs the number moves towards their own record.

        Raises:
            BadSetting: The certainty is neither missing nor 1 to 5.
        """
        if certainty is not None and certainty not in CERTAINTIES:
            raise BadSetting(f"certainty is {certainty!r}", hint="Give 1 (guessing) to 5 (certain), or leave it out.")
        fit = self.fit_of(role, kind)
        if fit is None:
            found = Chance(self.from_sight[self.care], Evidence.ASSUMED)
        else:
            found = Chance(fit.chance(support or Support(), certainty), Evidence.HUMAN_DATA)
        if person is None:
            return found
        record = self.people.get(person, {}).get(kind, Judged())
        strength = ASSUMED_STRENGTH if fit is None else fit.strength
        # With one prior mean m this is the Beta-Bernoulli posterior (κ m + right) / (κ + answers).
        moved = found.probability + (record.right - record.expected) / (strength + record.answers)
        return replace(found, probability=min(max(moved, LEAST), MOST) if record.answers else found.probability)

    def time(self, role: Role, kind: str) -> Latency:
        """How long an answer takes."""
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
    ) -> AnswerModel:
        """The model after an answer turned out right or wrong."""
        expected = self.chance(role, kind, support, certainty).probability
        before = self.people.get(person, {}).get(kind, Judged())
        after = Judged(before.answers + 1, before.right + bool(right), before.expected + expected)
        return replace(self, people={**self.people, person: {**self.people.get(person, {}), kind: after}})

    def forget(self, person: str) -> AnswerModel:
        """The model without anything about a person."""
        return replace(self, people={who: each for who, each in self.people.items() if who != person})

    def fit_of(self, role: Role, kind: str) -> KindFit | None:
        """Return what operators' answers to a kind of question say; None for those who answer from sight."""
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
                fits={rule_of(kind).kind: KindFit.from_json(each) for kind, each in record["fits"].items()},
                latency=None if record["latency"] is None else Latency(**record["latency"]),
                care=Care(record["care"]),
                from_sight={Care(care): float(chance) for care, chance in record["from_sight"].items()},
                from_sight_latency=Latency(**record["from_sight_latency"]),
                people={
                    who: {rule_of(kind).kind: Judged(**each) for kind, each in kinds.items()}
                    for who, kinds in record["people"].items()
                },
            )


@cache
def answers_record() -> dict[str, Any]:
    """Parameters, summary statistics and provenance, as `python -m train.answers` wrote them."""
    text = files("handup.people").joinpath("data/answers.json").read_text(encoding="utf-8")
    record: dict[str, Any] = json.loads(text)
    check_record(record, "fitted-answers")
    return record


def answer_model(care: Care = Care.USUAL) -> AnswerModel:
    """The answer model: human data for operators' diagnosis and action questions, assumptions for the rest."""
    record = answers_record()
    with refusing_damage("fitted-answers"):
        fits = {rule_of(kind).kind: KindFit.from_json(each) for kind, each in record["fits"].items()}
        return AnswerModel(fits=fits, latency=Latency(**record["latency"]), care=care)


@dataclass(frozen=True)
class Tap:
    """A point that a person gave.

    Args:
        x: In px from the left.
        y: In px from the top.
        seconds: How long it took.
    """

    x: float
    y: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class MotorProfile:
    """How exactly and how fast somebody points: error, tremor, dwell, one switch. Every number here is *assumed*.

    Args:
        tap_error_px: Standard deviation of where the pointer settles, in each direction.
        tremor_px: Standard deviation of its movement around there.
        dwell_s: It must stay for so long within `dwell_px` to count; 0: a tap counts at once.
        dwell_px: How far it may move meanwhile.
        reach_s: How long it takes to get there.
        one_switch: Whether points are chosen by scanning with a single switch: rows, then columns.
        scan_s: How long each row or column is offered.
        scan_px: How far they lie apart.
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
                raise BadSetting(f"{name} is {value:g}", hint="Give a number from 0 to 10000.")
        if self.one_switch and self.scan_px < 1.0:
            raise BadSetting(f"scan_px is {self.scan_px:g}", hint="Give a distance of at least 1 px.")

    def tap(self, x: float, y: float, random: RandomSource) -> Tap:
        """One point that is meant to be at x, y."""
        if self.one_switch:
            return self._scanned(x, y)
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
        """The middle of the cell that the point lies in, after all rows and columns before it were offered."""
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
class Reply:
    """What a simulated person said.

    Args:
        right: Whether it is right.
        seconds: How long it took, pointing included.
        certainty: How sure the person is, 1 to 5, where that is known of such people.
        choice: For questions with options, the position of the one chosen.
        taps: For questions on an image, where the person pointed.
    """

    right: bool
    seconds: float
    certainty: int | None = None
    choice: int | None = None
    taps: tuple[Tap, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SimulatedPerson:
    """Draws answers from an answer model and a motor profile. Everything by chance comes from the generator given.

    Args:
        name: Who it stands for; judged answers of theirs in the model count.
        role: Who answers at a console; everybody but an operator answers from sight.
        answers: How good and how fast answers are.
        motor: How the person points.
        slowness: Everything takes so many times as long.
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
    ) -> Reply:
        """Answer one question.

        Args:
            kind: What is asked.
            random: Where chance comes from.
            support: What is shown beside it.
            options: How many options there are, where there are.
            target: The right one.
            points: For questions on an image, where a right answer points: corners of a box, or points.

        Raises:
            BadSetting: The right option is none of the options.
        """
        if options and not 0 <= target < options:
            raise BadSetting(f"target is {target} of {options} options", hint="Count options from 0.")
        rule = rule_of(kind)
        shown = support or Support()
        certainty = self._certainty(kind, shown, random)
        chance = self.answers.chance(self.role, kind, shown, certainty, person=self.name).probability
        right = bool(uniform(random) < chance)
        seconds = self.answers.time(self.role, kind).slower(self.slowness).draw(random)
        choice = None
        if options:
            others = [each for each in range(options) if each != target]
            choice = target if right or not others else others[int(uniform(random) * len(others))]
        taps: tuple[Tap, ...] = ()
        if rule.on_image and right:
            taps = tuple(self.motor.tap(x, y, random) for x, y in points)
            seconds += self.slowness * sum(each.seconds for each in taps)
        return Reply(right, seconds, certainty, choice, taps)

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
