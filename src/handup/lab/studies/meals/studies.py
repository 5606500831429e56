"""Studies of meals. Their arms, menus, texts and claims are in `studies.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from handup.core import UnknownName
from handup.core.files import shipped_data
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
