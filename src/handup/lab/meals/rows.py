"""What is kept of a meal: a row, and a row for each of its bites."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from handup.core import BadRecord
from handup.domains.feeding.judging import MODULES, Cause
from handup.lab.meals.blame import BLAMED, NO_MODULE
from handup.lab.meals.claim import MEASURES

CHANCES = (*MODULES, NO_MODULE)


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

    def __post_init__(self) -> None:
        object.__setattr__(self, "asked", tuple(self.asked))
        object.__setattr__(self, "chances", tuple(self.chances))
        lost = self.cause in tuple(Cause) and self.blamed in BLAMED and len(self.chances) == len(CHANCES)
        whole = not self.cause and not self.blamed and not self.chances
        if not (whole if self.got else lost):
            raise BadRecord(
                f"bite {self.bite} is {'got' if self.got else 'lost'}, and its cause is '{self.cause}'",
                hint="Remove the file, and the meal is eaten again.",
            )


@dataclass(frozen=True, kw_only=True)
class MealRow:
    """One meal.

    Args:
        meal: Which of the participant's under this arm, from 1.
        plate: Its name.
        looks: `easy` or `hard`.
        method: How the robot decided.
        seed: Of the plate, and of everything by chance.
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
        """One of `MEASURES`."""
        taken = self.bites_taken
        match name:
            case "bites":
                return float(sum(each.got for each in taken))
            case "wrong":
                return float(sum(each.wrong for each in taken))
            case "queries":
                return float(sum(len(each.asked) for each in taken))
            case "executions":
                return float(sum(each.attempts for each in taken))
            case _:
                return float(sum(getattr(each, name) for each in taken))

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
            "asked": " ".join(bite.asked),
            **{f"believed_{name}".replace(" ", "_"): each for name, each in _believed(bite)},
        }
        for before, row in rows
        for bite in row.bites_taken
    )


def _numbers(row: MealRow) -> dict[str, float]:
    return {name: round(row.measure(name), 6) for name in MEASURES}


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
