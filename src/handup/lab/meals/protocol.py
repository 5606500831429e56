"""The same studies with real participants, who answer on the page: which meals, in which order.

Unlike simulated people, real ones learn and tire, and know a plate again. So every meal has a plate of its own, and the
order of methods is a Williams design: over one round of participants each method is eaten at each place, and follows
each other method, equally often. The order of plates turns round from round to round; not where a robot remembers,
since a week has its order. There each method has a memory of its own, which goes through its meals.
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
        memory: The store of the robot's memory; empty where it has none.
    """

    participant: int
    meal: int
    arm: str
    order: Order
    memory: str = ""

    @property
    def command(self) -> str:
        """What the experimenter types. Each meal is kept in a store of its own."""
        order = self.order
        words = ["handup", "meal", "--people", "page", "--plate", order.plate, "--looks", order.looks]
        words += ["--method", order.method, "--seed", str(order.seed), "--bites", str(order.bites)]
        words += ["--faulty-detector"] if order.faulty else []
        words += [] if order.kitchen is None else ["--kitchen", str(order.kitchen)]
        words += ["--memory", self.memory] if self.memory else ["--no-memory"]
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
    turned = round_ % 2 == 1 and not study.remembers
    seed = size.seed_of(study) + (participant - 1) * len(study.arms) * len(study.plates)
    chosen = [
        (number, study.arms[number], plate)
        for number in rounds[row]
        for plate in study.plates_of(study.arms[number], quick=size.quick)[:: -1 if turned else 1]
    ]
    return tuple(
        Planned(
            participant=participant,
            meal=number,
            arm=arm.label,
            order=study.order(arm, plate, seed + number - 1, size, kitchen=seed),
            memory=f"participant-{participant}-memory-{of_arm + 1}.db" if arm.memory else "",
        )
        for number, (of_arm, arm, plate) in enumerate(chosen, start=1)
    )
