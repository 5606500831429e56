"""What a household's memory was used for, attempt by attempt, as its journal tells it.

Each attempt on a remembered word speaks for that memory, or against it, and that is written down.
"""

from __future__ import annotations

from collections.abc import Mapping

from handup.domains.feeding.remembering import FOOD, PIECE, SKILL
from handup.journal import Journal
from handup.memory import MemoryConfirmed, MemoryContradicted, MemoryRemembered
from handup.memory.events import KEY

Recalls = Mapping[str, tuple[str, ...]]
"""For each action the modules whose word was a remembered one."""
MODULE_OF = {FOOD: "food", PIECE: "box", SKILL: "skill"}
"""Which module a memory speaks for."""


def recalls(book: Journal, meal: str) -> Recalls:
    """What was recalled in the attempts of one meal.

    Args:
        book: The household's journal.
        meal: The meal, as `remembering.meal_id` calls it.
    """
    modules: dict[int, str] = {}
    found: dict[str, tuple[str, ...]] = {}
    for entry in book.read(key=KEY):
        match entry.event:
            case MemoryRemembered(module=module) if module in MODULE_OF:
                modules[entry.seq] = MODULE_OF[module]
            case MemoryConfirmed(by=None) | MemoryContradicted(by=None) as weighed:
                of, _, action = weighed.evidence.partition("/")
                if of == meal:
                    found[action] = (*found.get(action, ()), modules[weighed.memory])
    return found
