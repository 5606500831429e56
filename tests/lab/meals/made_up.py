"""A tiny study, and made-up meals: rows that say what a test wants them to say."""

from __future__ import annotations

from collections.abc import Callable

from handup.lab.meals.definition import Arm, MealStudy, Sitting, Size
from handup.lab.meals.participants import Participant
from handup.lab.meals.results import Results
from handup.lab.meals.rows import CHANCES, BiteRow, MealRow

ONE, TWO = "troubleshoot", "never+query-then-execute"
SEED = 295_000
TINY = MealStudy(
    name="meal-tiny",
    title="Tiny <meals>",
    figure="none",
    question="Does it run?",
    arms=(Arm(method=ONE), Arm(method=TWO)),
    plates=("savory salad",),
    first_seed=SEED,
    bites=1,
)
PAIRED = MealStudy(
    name="meal-made-up",
    title="Made up",
    figure="none",
    question="Which is better?",
    arms=(Arm(method=ONE), Arm(method=TWO)),
    plates=("savory salad", "thanksgiving"),
    first_seed=SEED,
)


def got(number: int = 1, *, asked: tuple[str, ...] = ()) -> BiteRow:
    """A bite that was got."""
    return BiteRow(
        bite=number, got=True, wrong=False, attempts=1, asked=asked, workload=0.3 * len(asked), J=1.0, J_true=1.0
    )


def lost(
    number: int = 1, *, cause: str = "food", blamed: str = "food", asked: tuple[str, ...] = (), wrong: bool = False
) -> BiteRow:
    """A bite that was lost."""
    chances = tuple(0.6 if name == blamed else 0.1 for name in CHANCES)
    return BiteRow(
        bite=number,
        got=False,
        wrong=wrong,
        attempts=3,
        asked=asked,
        workload=0.3 * len(asked),
        J=7.5,
        J_true=7.5,
        cause=cause,
        blamed=blamed,
        chances=chances,
    )


def meal(sitting: Sitting, number: int, bites: tuple[BiteRow, ...]) -> MealRow:
    """A meal of these bites."""
    order = sitting.orders[number - 1]
    return MealRow(
        meal=number,
        plate=order.plate,
        looks=order.looks,
        method=order.method,
        seed=order.seed,
        kitchen=order.kitchen,
        faulty=order.faulty,
        calibrators=order.calibrated,
        expert=order.expert,
        outcome="finished",
        on_fork=sum(each.got for each in bites),
        seconds=60.0,
        bites_taken=bites,
    )


def results(
    bites: Callable[[str, int], tuple[BiteRow, ...]],
    *,
    participants: int = 24,
    study: MealStudy = PAIRED,
) -> Results:
    """Meals whose bites depend on the arm and the participant."""
    return days(lambda label, who, _: bites(label, who.number), participants=participants, study=study)


def days(
    bites: Callable[[str, Participant, int], tuple[BiteRow, ...]], *, participants: int, study: MealStudy
) -> Results:
    """Meals whose bites depend on the arm, the participant, and which of their meals it is, from 1."""
    size = Size(participants=participants)
    eaten = {
        sitting: tuple(
            meal(sitting, number, bites(sitting.arm.label, sitting.participant, number))
            for number in range(1, len(sitting.orders) + 1)
        )
        for sitting in study.sittings(size)
    }
    return Results(study, size, eaten)


def some_of_five(count: int, *, asked: int = 0, cause: str = "food", blamed: str = "food") -> tuple[BiteRow, ...]:
    """Five bites of which so many are got; all questions come with the first."""
    questions = ("food",) * asked
    return tuple(
        got(number, asked=questions if number == 1 else ())
        if number <= count
        else lost(number, cause=cause, blamed=blamed, asked=questions if number == 1 else ())
        for number in range(1, 6)
    )
