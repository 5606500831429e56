"""Plans of the same studies with real participants, who answer on the page: their meals, in a balanced order.

Unlike simulated people, real ones learn and tire, and know a plate again. So every meal has a plate of its own, and the
order of methods is a Williams design: over one round of participants each method is eaten at each place, and follows
each other method, equally often. The order of plates turns round from round to round; not where a robot remembers,
since a week has its order. There each method has a memory of its own, which goes through its meals.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from handup.core import OutOfRange
from handup.domains.feeding.order import Order
from handup.lab.engine import Size
from handup.lab.studies.meals.study import MOST_PARTICIPANTS, MealStudy


@dataclass(frozen=True, kw_only=True)
class Planned:
    """One meal of a real participant; numbers count from 1, and `memory` is empty where the robot has none."""

    participant: int
    meal: int
    arm: str
    order: Order
    memory: str = ""

    @property
    def command(self) -> str:
        """Command that the experimenter types. Each meal has a store of its own."""
        order = self.order
        words = ["handup", "meal", "--people", "page", "--plate", order.plate, "--looks", order.looks]
        words += ["--method", order.method, "--seed", str(order.seed), "--bites", str(order.bites)]
        words += ["--faulty-detector"] if order.faulty else []
        words += [] if order.kitchen is None else ["--kitchen", str(order.kitchen)]
        words += ["--memory", self.memory] if self.memory else ["--no-memory"]
        words += ["--store", f"participant-{self.participant}-meal-{self.meal}.db", "--json"]
        return shlex.join(words)


def orders_of_arms(count: int) -> tuple[tuple[int, ...], ...]:
    """Return a Williams design: rows are orders of one round of participants; an odd number needs two squares."""
    first = [0]
    for step in range(1, count):
        first.append((first[-1] + (step if step % 2 else -step)) % count)
    square = [tuple((arm + row) % count for arm in first) for row in range(count)]
    return tuple(square) if count % 2 == 0 else (*square, *(tuple(reversed(row)) for row in square))


def planned(study: MealStudy, participant: int, size: Size) -> tuple[Planned, ...]:
    """Return the meals of one real participant, counted from 1, in their order; `OutOfRange` where there is none."""
    if not 1 <= participant <= MOST_PARTICIPANTS:
        must = f"lie between 1 and {MOST_PARTICIPANTS}"
        raise OutOfRange.of("participant", participant, must, hint="Count participants from 1.")
    served = [(arm, menu.plates) for menu in study.places for arm in study.arms_at(menu)]
    rounds = orders_of_arms(len(served))
    round_, row = divmod(participant - 1, len(rounds))
    turn = -1 if round_ % 2 == 1 and not study.remembers else 1
    seed = size["seed"] + (participant - 1) * sum(len(plates) for _, plates in served)
    chosen = [(number, plate) for number in rounds[row] for plate in served[number][1][::turn]]

    def meal(number: int, which: int, plate: str) -> Planned:
        arm = served[which][0]
        order = study.meal(arm, plate, seed + number - 1, size["looks"], kitchen=seed)
        memory = f"participant-{participant}-memory-{which + 1}.db" if study.robot(arm).memory else ""
        return Planned(participant=participant, meal=number, arm=arm, order=order, memory=memory)

    return tuple(meal(number, *which) for number, which in enumerate(chosen, start=1))
