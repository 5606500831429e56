"""The same studies with real participants, who answer on the page: which meals, in which order.

Unlike simulated people, real ones learn and tire, and know a plate again. So every meal has a plate of its own, and the
order of methods is a Williams design: over one round of participants each method is eaten at each place, and follows
each other method, equally often. The order of plates turns round from round to round.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from handup.core import BadSetting
from handup.domains.feeding.order import Order
from handup.lab.meals.definition import MOST_PARTICIPANTS, MealStudy, Size


@dataclass(frozen=True, kw_only=True)
class Planned:
    """One meal of a real participant.

    Args:
        participant: Who, from 1.
        meal: Which of theirs, from 1.
        arm: The label of what is compared; the participant need not know.
        order: What is served.
    """

    participant: int
    meal: int
    arm: str
    order: Order

    @property
    def command(self) -> str:
        """What the experimenter types. Each meal is kept in a store of its own."""
        order = self.order
        words = ["handup", "meal", "--people", "page", "--plate", order.plate, "--looks", order.looks]
        words += ["--method", order.method, "--seed", str(order.seed), "--bites", str(order.bites)]
        words += ["--faulty-detector"] if order.faulty else []
        words += ["--store", f"participant-{self.participant}-meal-{self.meal}.db", "--json"]
        return shlex.join(words)


def orders_of_arms(count: int) -> tuple[tuple[int, ...], ...]:
    """A Williams design: rows are the orders of one round of participants; an odd number needs two squares."""
    first = [0]
    for step in range(1, count):
        first.append((first[-1] + (step if step % 2 else -step)) % count)
    square = [tuple((each + row) % count for each in first) for row in range(count)]
    return tuple(square) if count % 2 == 0 else (*square, *(tuple(reversed(row)) for row in square))


def planned(study: MealStudy, participant: int, size: Size) -> tuple[Planned, ...]:
    """The meals of one real participant, in their order.

    Args:
        study: One of `handup.lab.meals.studies`.
        participant: Who, from 1.
        size: The seed of the first plate, the looks, and how many plates.

    Raises:
        BadSetting: There is no such participant.
    """
    if not 1 <= participant <= MOST_PARTICIPANTS:
        raise BadSetting(f"participant {participant}", hint=f"Count from 1 to {MOST_PARTICIPANTS}.")
    rounds = orders_of_arms(len(study.arms))
    round_, row = divmod(participant - 1, len(rounds))
    plates = study.plates[:1] if size.quick else study.plates
    plates = plates if round_ % 2 == 0 else plates[::-1]
    seed = size.seed_of(study) + (participant - 1) * len(study.arms) * len(study.plates)
    chosen = [(study.arms[arm], plate) for arm in rounds[row] for plate in plates]
    return tuple(
        Planned(
            participant=participant,
            meal=number,
            arm=arm.label,
            order=Order(
                plate=plate,
                looks=size.looks,
                method=arm.method,
                bites=study.bites,
                seed=seed + number - 1,
                faulty=study.faulty,
            ),
        )
        for number, (arm, plate) in enumerate(chosen, start=1)
    )
