"""Studies of meals, and plans of the same with real participants. Arms, menus, texts and claims are in `studies.yaml`.

Unlike simulated people, real ones learn and tire, and know a plate again. So every meal has a plate of its own, and the
order of methods is a Williams design: over one round of participants each method is eaten at each place, and follows
each other method, equally often. The order of plates turns round from round to round; not where a robot remembers,
since a week has its order. There each method has a memory of its own, which goes through its meals.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handup.core import OutOfRange, UnknownName
from handup.core.files import shipped_data
from handup.domains.feeding.order import Order
from handup.lab.engine import Size
from handup.lab.engine.claim_file import read_claims
from handup.lab.studies.meals.study import MEASURES, OF_MEMORY, READING, MealRobot, MealStudy, Menu, options

STUDIES = shipped_data(__file__, "studies.yaml")["studies"]
FORGETS, REMEMBERS, FORGETS_NEW, REMEMBERS_NEW = STUDIES["meal-memory"]["arms"]


def _study(name: str, **settings: Any) -> MealStudy:
    """Return a study as the file has it, with its claims; an arm eats from the menu that its name has."""
    record = dict(STUDIES[name])
    arms, menus, seed = (record.pop(key) for key in ("arms", "menus", "seed"))
    places = tuple(
        Menu(name=menu, plates=tuple(plates), arms=tuple(arm for arm in arms if arm.endswith(menu)))
        for menu, plates in menus.items()
    )
    claims = read_claims(__file__, "studies.yaml", name)
    return MealStudy(
        name=name, arms=tuple(arms), places=places, options=options(seed), claims=claims, **record, **settings
    )


METHODS = _study("meal-methods")
HETEROGENEITY = _study("meal-heterogeneity", faulty=True)
HOME = _study("meal-home")
MEMORY = _study(
    "meal-memory",
    robots={
        **dict.fromkeys((FORGETS, FORGETS_NEW), MealRobot(method="troubleshoot")),
        **dict.fromkeys((REMEMBERS, REMEMBERS_NEW), MealRobot(method="troubleshoot", memory=True)),
    },
    measures=(*MEASURES, *OF_MEMORY),
    reading=f"{READING}\n{Path(__file__).with_name('reading_memory.md').read_text(encoding='utf-8')}",
    home=True,
)


def meal_study(name: str) -> MealStudy:
    """Return the study of meals of that name.

    Raises:
        BadSetting: There is none; the message lists the known ones.
    """
    for study in (METHODS, HETEROGENEITY, HOME, MEMORY):
        if study.name == name:
            return study
    raise UnknownName(f"there is no study of meals '{name}'", hint=f"Use one of: {', '.join(STUDIES)}.")


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
    most = study.options[0].most
    if not 1 <= participant <= most:
        must = f"lie between 1 and {most}"
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
