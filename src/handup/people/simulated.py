"""Simulated people: they answer, take their time and miss the box, as the models say. For studies, never as data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from statistics import NormalDist
from typing import Any

from handup.core import BadSetting, RandomSource, Role
from handup.core.kinds import rule_of
from handup.core.shapes.base import uniform
from handup.people.answers import CERTAINTIES, AnswerModel, Support

MOST_TRIES = 20
"""So often a dwell is begun anew at most; then the point is taken as it is."""


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

    def box(self, left: float, top: float, right: float, bottom: float, random: RandomSource) -> tuple[Tap, Tap]:
        """Two opposite corners that are meant to be these."""
        return self.tap(left, top, random), self.tap(right, bottom, random)

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
    uniform = random.random((count,)).clip(1e-12, 1.0 - 1e-12)
    return [NormalDist().inv_cdf(float(each)) for each in uniform]
