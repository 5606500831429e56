"""Sittings on disk: whole files or none, and never rows that other code, networks or settings made.

`DIR/meals/CONFIG.json` holds the meals of one sitting. CONFIG is a hash of the arm, the participant, every order and
the rows' schema.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from handup import __version__
from handup.core import BadRecord
from handup.lab.files import write_whole
from handup.lab.meals.definition import SCHEMA, Sitting
from handup.lab.meals.rows import MealRow

ROOMS = ("core", "confidence", "policy", "people", "what", "when", "whom", "recover", "memory", "journal", "desk")
ROOMS_AND_ROBOT = (*ROOMS, "domains/feeding")
OWN = ("participants", "definition", "eating", "blame", "rows")
"""What of this folder makes rows; the rest judges and draws them."""
CODE = (".py", ".json", ".yaml")


@cache
def code_digest() -> str:
    """A hash of everything in the package that decides what the rows of a meal are."""
    package = Path(__file__).parents[2]
    paths = [path for room in ROOMS_AND_ROBOT for path in (package / room).rglob("*") if path.suffix in CODE]
    paths += [Path(__file__).with_name(f"{name}.py") for name in OWN]
    found = hashlib.sha256()
    for path in sorted(paths):
        found.update(path.relative_to(package).as_posix().encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:12]


@dataclass(frozen=True)
class KeptMeals:
    """The sittings under one folder.

    Args:
        folder: Made when something is first written.
        stamp: What rows carry beside their config and seed, and must agree in to be used again: versions, a hash of
            the code, and which networks.
    """

    folder: Path
    stamp: Mapping[str, str]

    @classmethod
    def at(cls, folder: Path, made_with: Mapping[str, str]) -> KeptMeals:
        """Those of a folder for the code as it is now, and for these networks and libraries."""
        return cls(folder, {"handup": __version__, "code": code_digest(), **made_with})

    def path(self, sitting: Sitting) -> Path:
        """The file of a sitting, whether it is there or not."""
        return self.folder / "meals" / f"{sitting.config}.json"

    def tidy(self) -> None:
        """Remove what a run that was killed left half written. The caller holds the folder's lock."""
        for left in (self.folder / "meals").glob(".*.tmp"):
            left.unlink(missing_ok=True)

    def save(self, sitting: Sitting, meals: tuple[MealRow, ...]) -> None:
        """Keep the meals of a sitting."""
        record = {
            "schema": SCHEMA,
            **sitting.to_json(),
            "made_with": dict(self.stamp),
            "meals": [each.to_json() for each in meals],
        }
        write_whole(self.path(sitting), json.dumps(record, indent=1, ensure_ascii=False) + "\n")

    def load(self, sitting: Sitting) -> tuple[MealRow, ...] | None:
        """The meals of a sitting as they were saved; none where something else made them.

        Raises:
            FileNotFoundError: It was not eaten yet.
            BadRecord: The file is not what was written.
        """
        try:
            record = json.loads(self.path(sitting).read_text(encoding="utf-8"))
            if record["config"] != sitting.config or len(record["meals"]) != len(sitting.orders):
                raise _damaged("it holds other meals")
            if record["made_with"] != dict(self.stamp):
                return None
            return tuple(MealRow.from_json(each) for each in record["meals"])
        except (ValueError, KeyError, TypeError):
            raise _damaged("it is no record of meals") from None

    def find(self, sitting: Sitting) -> tuple[tuple[MealRow, ...] | None, str | None]:
        """The meals of a sitting if they can be used, and something to tell if they had to be set aside."""
        path = self.path(sitting)
        try:
            found = self.load(sitting)
        except FileNotFoundError:
            return None, None
        except BadRecord as damage:
            aside = path.with_suffix(".damaged")
            path.replace(aside)
            return None, f"{path.name} is damaged: {damage.cause}. It is now {aside.name}, and is eaten again."
        if found is None:
            path.replace(path.with_suffix(".stale"))
        return found, None


def _damaged(why: str) -> BadRecord:
    return BadRecord(why, hint="Remove the file, and the meals are eaten again.")
