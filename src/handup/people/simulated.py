"""Simulated people: they answer, take their time and miss the box, as the models say. For studies, never as data."""

from __future__ import annotations

from dataclasses import dataclass, field

from handup.core import BadSetting, QuestionKind, RandomSource, Role
from handup.people.answers import AnswerModel
from handup.people.helping import CERTAINTIES, Support
from handup.people.motor import MotorProfile, Tap

ON_IMAGE = (QuestionKind.BOX, QuestionKind.POINTS)


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
        kind: QuestionKind,
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
        kind = QuestionKind(kind)
        shown = support or Support()
        certainty = self._certainty(kind, shown, random)
        chance = self.answers.chance(self.role, kind, shown, certainty, person=self.name).probability
        right = bool(_uniform(random) < chance)
        seconds = self.answers.time(self.role, kind).slower(self.slowness).draw(random)
        choice = None
        if options:
            others = [each for each in range(options) if each != target]
            choice = target if right or not others else others[int(_uniform(random) * len(others))]
        taps: tuple[Tap, ...] = ()
        if kind in ON_IMAGE and right:
            taps = tuple(self.motor.tap(x, y, random) for x, y in points)
            seconds += self.slowness * sum(each.seconds for each in taps)
        return Reply(right, seconds, certainty, choice, taps)

    def _certainty(self, kind: QuestionKind, support: Support, random: RandomSource) -> int | None:
        fit = self.answers.fit_of(self.role, kind)
        if fit is None:
            return None
        counts = fit.certainties[support.key]
        left = _uniform(random) * sum(counts)
        for certainty, count in zip(CERTAINTIES, counts, strict=True):
            left -= count
            if left < 0:
                return certainty
        return CERTAINTIES[-1]


def _uniform(random: RandomSource) -> float:
    return float(random.random((1,))[0])
