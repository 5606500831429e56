"""What is kept of a meal: a row, and a row for each of its bites."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from handup.core import BadRecord
from handup.domains.feeding.judging import MODULES, Cause
from handup.lab.meals.blame import BLAMED, NO_MODULE
from handup.lab.meals.claim import MEASURES, OF_MEMORY

CHANCES = (*MODULES, NO_MODULE)
WORDS = ("food", "skill")
"""The modules whose answers are a word, not a place on the plate."""


@dataclass(frozen=True, kw_only=True)
class BiteRow:
    """One bite.

    Args:
        bite: Which of the meal, from 1.
        got: Whether the food that was meant was on the fork, and the robot took it for a bite.
        wrong: Whether the robot gave another food than it meant.
        attempts: How often it tried.
        asked: The modules that it asked about, in order.
        workload: What the questions cost.
        J: As the robot believes.
        J_true: As it went.
        cause: Why it was lost; empty where it was not.
        blamed: What the robot believed of that; empty where it was not lost.
        chances: For a lost bite, how likely the robot held each module to be the first wrong one, and none.
        recalled: The modules whose word was a remembered one, attempt by attempt.
        recalled_wrong: Those of them that were wrong.

    Raises:
        BadRecord: A lost bite without one cause and one belief, or one that was not lost with them.
    """

    bite: int
    got: bool
    wrong: bool
    attempts: int
    asked: tuple[str, ...]
    workload: float
    J: float
    J_true: float
    cause: str = ""
    blamed: str = ""
    chances: tuple[float, ...] = ()
    recalled: tuple[str, ...] = ()
    recalled_wrong: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("asked", "chances", "recalled", "recalled_wrong"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        lost = self.cause in tuple(Cause) and self.blamed in BLAMED and len(self.chances) == len(CHANCES)
        whole = not self.cause and not self.blamed and not self.chances
        if not (whole if self.got else lost):
            raise BadRecord(
                f"bite {self.bite} is {'got' if self.got else 'lost'}, and its cause is '{self.cause}'",
                hint="Remove the file, and the meal is eaten again.",
            )


_OF_BITE: Mapping[str, Callable[[BiteRow], float]] = {
    "bites": lambda bite: bite.got,
    "wrong": lambda bite: bite.wrong,
    "queries": lambda bite: len(bite.asked),
    "executions": lambda bite: bite.attempts,
    "workload": lambda bite: bite.workload,
    "J": lambda bite: bite.J,
    "J_true": lambda bite: bite.J_true,
    "labels": lambda bite: sum(module in WORDS for module in bite.asked),
    "recalls": lambda bite: len(bite.recalled),
    "wrong_recalls": lambda bite: len(bite.recalled_wrong),
}
"""What a bite adds to each measure."""


@dataclass(frozen=True, kw_only=True)
class MealRow:
    """One meal.

    Args:
        meal: Which of the participant's under this arm, from 1.
        plate: Its name.
        looks: `easy` or `hard`.
        method: How the robot decided.
        seed: Of the plate, and of everything by chance.
        kitchen: The home that it was eaten in; None: no one's.
        faulty: Whether the food detector was.
        calibrators: Which were used.
        expert: How far the robot trusted answers.
        outcome: How it ended.
        on_fork: Bites in which the meant food was on the fork, whatever the detector said.
        seconds: By the meal's own clock.
        bites_taken: Each bite.
    """

    meal: int
    plate: str
    looks: str
    method: str
    seed: int
    kitchen: int | None
    faulty: bool
    calibrators: str
    expert: float
    outcome: str
    on_fork: int
    seconds: float
    bites_taken: tuple[BiteRow, ...]

    @property
    def lost(self) -> tuple[BiteRow, ...]:
        """The bites that were lost."""
        return tuple(each for each in self.bites_taken if not each.got)

    def measure(self, name: str) -> float:
        """One of `MEASURES`, or `OF_MEMORY`."""
        return float(sum(_OF_BITE[name](each) for each in self.bites_taken))

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> MealRow:
        """The row that `to_json` wrote.

        Raises:
            BadRecord: It is damaged.
        """
        try:
            bites = tuple(BiteRow(**each) for each in record["bites_taken"])
            return cls(**{**record, "bites_taken": bites})
        except (KeyError, TypeError) as error:
            raise BadRecord(
                f"a meal's row is damaged: {error}", hint="Remove the file, and the meal is eaten again."
            ) from None


Named = Mapping[str, Any]
"""What stands before the columns of a row: the sitting, and what it was made with."""
OF_MEAL = tuple(each.name for each in fields(MealRow) if each.name != "bites_taken")
OF_BITE = tuple(each.name for each in fields(BiteRow) if each.name != "chances")


def meals_csv(rows: Iterable[tuple[Named, MealRow]]) -> str:
    """One line per meal."""
    return _csv(
        ({**before, **{name: getattr(row, name) for name in OF_MEAL}, **_numbers(row)} for before, row in rows),
    )


def bites_csv(rows: Iterable[tuple[Named, MealRow]]) -> str:
    """One line per bite."""
    return _csv(
        {
            **before,
            "meal": row.meal,
            "plate": row.plate,
            "seed": row.seed,
            **{name: getattr(bite, name) for name in OF_BITE},
            **{name: " ".join(getattr(bite, name)) for name in ("asked", "recalled", "recalled_wrong")},
            **{f"believed_{name}".replace(" ", "_"): each for name, each in _believed(bite)},
        }
        for before, row in rows
        for bite in row.bites_taken
    )


def _numbers(row: MealRow) -> dict[str, float]:
    return {name: round(row.measure(name), 6) for name in (*MEASURES, *OF_MEMORY)}


def _believed(bite: BiteRow) -> Sequence[tuple[str, str]]:
    shown = [f"{each:.4g}" for each in bite.chances] or [""] * len(CHANCES)
    return list(zip(CHANCES, shown, strict=True))


def _csv(records: Iterable[Mapping[str, Any]]) -> str:
    file = io.StringIO(newline="")
    writer: csv.DictWriter[str] | None = None
    for record in records:
        if writer is None:
            writer = csv.DictWriter(file, list(record), lineterminator="\n")
            writer.writeheader()
        writer.writerow(record)
    return file.getvalue()
