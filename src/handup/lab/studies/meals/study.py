"""Studies of meals: every participant eats the same plates under every arm of a menu."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from handup.confidence.metrics import Estimate
from handup.core import BadRecord, WrongSize
from handup.domains.feeding.foods import plate as plate_of
from handup.domains.feeding.order import Order
from handup.domains.feeding.truth import LossCause
from handup.lab.engine import Columns, Drawing, JudgedClaim, Measure, Results, Section
from handup.lab.engine.claims import Row, Where
from handup.lab.engine.results import rows_of
from handup.lab.engine.study import Batch, Place, Size, Study, StudyOption, seed_option
from handup.lab.engine.table import csv_text
from handup.lab.studies.meals import tables
from handup.lab.studies.meals.blame import BLAMED, CHANCES

Meals = Results[Any]
MOST_PARTICIPANTS = 1000
READING = Path(__file__).with_name("reading.md").read_text(encoding="utf-8")


def _per_meal(name: str, label: str, alike: float, of_bite: Callable[[Row], float]) -> Measure:
    """Return a measure that sums what each bite of a meal adds to it."""
    return Measure(name=name, label=label, alike=alike, of=lambda row: float(sum(map(of_bite, row["bites_taken"]))))


MEASURES = (
    _per_meal("bites", "successful bites of five", 0.2, lambda bite: bite["got"]),
    _per_meal("wrong", "wrong bites", 0.2, lambda bite: bite["wrong"]),
    _per_meal("queries", "questions", 0.5, lambda bite: len(bite["asked"])),
    _per_meal("executions", "attempts", 0.5, lambda bite: bite["attempts"]),
    _per_meal("workload", "workload", 0.2, lambda bite: bite["workload"]),
    _per_meal("J", "J, as the robot believes", 0.5, lambda bite: bite["J"]),
    _per_meal("J_true", "J, as it went", 0.5, lambda bite: bite["J_true"]),
)
OF_MEMORY = (
    _per_meal(
        "labels", "questions about food and skill", 0.5, lambda bite: sum(map(bite["asked"].count, ("food", "skill")))
    ),
    _per_meal("recalls", "recalls", 0.5, lambda bite: len(bite["recalled"])),
    _per_meal("wrong_recalls", "wrong recalls", 0.2, lambda bite: len(bite["recalled_wrong"])),
)
"""Measures of remembered answers. Every meal records them; a study uses them where a robot of it remembers."""


def options(first_seed: int) -> tuple[StudyOption, ...]:
    """Return the options of a study whose first participant has a plate of that seed first; the next plates follow."""
    people = StudyOption(
        name="participants", help="Simulated participants. Default: 48, or 6 with --quick.",
        default=48, quick=6, least=2, most=MOST_PARTICIPANTS,
    )  # fmt: skip
    looks = StudyOption(name="looks", help="Plates that are hard, or easy. Default: hard.", default="hard",
                   choices=("hard", "easy"))  # fmt: skip
    return people, seed_option(first_seed), looks


def _make(batch: Batch) -> Columns:
    from handup.lab.studies.meals.meal_rows import eat  # noqa: PLC0415 - slow to import, not needed to list studies

    return eat(batch)


@dataclass(frozen=True, kw_only=True)
class Menu(Place):
    """Plates that every participant is served, one after the other, under every arm that is compared on them."""

    plates: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class MealRobot:
    """Robot of an arm: the method by which it decides, and its memory of answers from meal to meal."""

    method: str
    memory: bool = False


@dataclass(frozen=True, kw_only=True)
class MealStudy(Study):
    """Study of a question that simulated meals answer.

    Args:
        places: The menus; all of the same length.
        robots: Robot of each arm; an arm that is not listed is the name of a method.
        faulty: True if the food detector is faulty, as in the core paper's appendix D.
        home: True if each participant eats in a kitchen of their own, which looks the same at every meal.
        bites: Bites of each meal.
        sentence: The answer, with means by measure and arm to be filled in, such as `{bites[troubleshoot]:.2f}`.
    """

    make: Callable[[Batch], Columns] = field(default=_make, repr=False)
    places: tuple[Menu, ...]
    measures: tuple[Measure, ...] = field(default=MEASURES, repr=False)
    unit: tuple[str, ...] = ("participant",)
    units: str = "participants"
    order: tuple[str, ...] = ("participant", "meal")
    assumed: str = "people's skill, hands and workload"
    reading: str = READING
    sources: str = "meals"
    robots: Mapping[str, MealRobot] = field(default_factory=dict, hash=False)
    faulty: bool = False
    home: bool = False
    bites: int = 5
    sentence: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if len({len(menu.plates) for menu in self.places}) != 1:
            raise WrongSize(f"menus of '{self.name}' must be of one length", hint="Give each as many plates.")
        for plate in (plate for menu in self.places for plate in menu.plates):
            plate_of(plate)

    def robot(self, arm: str) -> MealRobot:
        """Return the robot of an arm."""
        return self.robots.get(arm, MealRobot(method=arm))

    @property
    def remembers(self) -> bool:
        """True if a meal may depend on those before it."""
        return any(robot.memory for robot in self.robots.values())

    def plates(self, menu: Menu, size: Size) -> tuple[str, ...]:
        """Return what is served. A quick run has one plate, but all where a robot remembers: one teaches nothing."""
        return menu.plates[:1] if size.quick and not self.remembers else menu.plates

    def batches(self, size: Size) -> Sequence[Batch]:
        """Return everything to run: participant by participant, all meals of one under one arm together."""
        people, menus = range(size["participants"]), self.places
        return [self._batch(who, menu, arm, size) for who in people for menu in menus for arm in self.arms_at(menu)]

    def _batch(self, who: int, menu: Menu, arm: str, size: Size) -> Batch:
        seed, plates = size["seed"] + who * len(menu.plates), self.plates(menu, size)
        orders = [self.meal(arm, plate, seed + day, size["looks"], kitchen=seed) for day, plate in enumerate(plates)]
        decides = json.dumps({"memory": self.robot(arm).memory, "orders": list(map(asdict, orders))})
        return Batch(study=self.name, arm=arm, place=menu, first=who, rows=len(plates), decides=decides)

    def meal(self, arm: str, plate: str, seed: int, looks: str, *, kitchen: int) -> Order:
        """Return the order of one meal; the participant's kitchen is used where the study is one at home."""
        return Order(
            plate=plate, looks=looks, method=self.robot(arm).method, bites=self.bites, seed=seed, faulty=self.faulty,
            kitchen=kitchen if self.home else None,
        )  # fmt: skip

    def versions(self) -> Mapping[str, str]:
        """Return the versions of networks and libraries."""
        from handup.lab.studies.meals.meal_rows import made_with  # noqa: PLC0415 - slow to import

        return made_with()

    def results(self, size: Size, made: Mapping[Batch, Columns]) -> Meals:
        """Return the rows; a lost bite without exactly one cause and belief, or another with them, is a `BadRecord`."""
        for bite in (bite for columns in made.values() for meal in columns["bites_taken"] for bite in meal):
            lost = (
                bite["cause"] in tuple(LossCause) and bite["blamed"] in BLAMED and len(bite["chances"]) == len(CHANCES)
            )
            if bite["got"] == lost or (bite["got"] and (bite["cause"] or bite["blamed"] or bite["chances"])):
                raise BadRecord(
                    f"a bite that was {'got' if bite['got'] else 'lost'} has the cause '{bite['cause']}'",
                    hint="Give a lost bite one cause, one blamed module and its chances, and other bites none.",
                )
        return super().results(size, made)

    def where_label(self, where: Where) -> str:
        """Return days and people in words."""
        chosen: Mapping[str, Any] = dict(where)
        days, care = chosen.get("meal"), chosen.get("care")
        text = f" on days {days[0]} to {days[-1]}" if isinstance(days, tuple) else f" on day {days}" if days else ""
        return f"{text} of those who are {care}" if care else text

    def answer(self, results: Meals, judged: Sequence[JudgedClaim]) -> str:
        """Return the sentence with its numbers."""
        names = [measure.name for measure in self.measures]
        means = {name: {arm: results.mean(name, arm).value for arm in self.arms} for name in names}
        return self.sentence.format(**means)

    def facts(self, results: Meals) -> Mapping[str, str]:
        """Return the numbers of participants, plates and methods, and the plates that were served."""
        size = results.size
        served = [self.plates(menu, size) for menu in self.places]
        named = "; or ".join(", ".join(plates if self.remembers else dict.fromkeys(plates)) for plates in served)
        facts = {
            "Meals": f"{results.count()} participants × {len(served[0])} plates × {len(self.arms)} methods, "
            f"{self.bites} bites each",
            "Plates": f"{named}; looks {size['looks']}; seeds from {size['seed']} on",
            "Rows": "`rows.csv`, one line per meal; `bites.csv`, one per bite",
        }
        if self.faulty:
            facts["Faulty"] = "M1 names a food that is not on the plate with probability .9, at a confidence of .65"
        if size.quick:
            facts["Quick"] = "few participants, and one plate each unless a robot remembers: for a first look only"
        return facts

    def figures(self, results: Meals, judged: Sequence[JudgedClaim]) -> Sequence[Drawing]:
        """Draw the means, the days where a robot remembers, and the triage."""
        from handup.lab.studies.meals.figures import draw  # noqa: PLC0415 - drawing is an extra

        return draw(results)

    def sections(self, results: Meals, judged: Sequence[JudgedClaim], drawings: Sequence[Drawing]) -> Sequence[Section]:
        """Return means and lost bites first, then the details and the triage."""
        *shown, confusions = drawings
        lost = [tables.triage(results, arm) for arm in self.arms]
        days = [tables.by_day(results)] if self.remembers else []
        details = (tables.differences(results), tables.questions_asked(results), *days, tables.by_people(results))
        means = (self.means_table(results, menu) for menu in self.places)
        heading = "Failure triage: what was wrong, and what the robot believed"
        return (
            Section("What came out", (*shown, *means, tables.losses(lost))),
            Section("In detail", details),
            Section(heading, (confusions, tables.costs(lost))),
            Section("Method by method", tuple(map(tables.confusion, lost)), folded=True),
        )

    def record(self, results: Meals, judged: Sequence[JudgedClaim]) -> dict[str, Any]:
        """Return measures, lost bites and questions by arm, the triage and the claims."""
        lost = {arm: tables.triage(results, arm) for arm in self.arms}
        return {
            "plates": len(self.plates(self.places[0], results.size)),
            "measures": {
                arm: {
                    **{measure.name: results.mean(measure.name, arm).to_json() for measure in self.measures},
                    "lost": {cause["cause"]: cause["bites"] / len(results.rows(arm)) for cause in lost[arm]["causes"]},
                    "asked": tables.questions(results, arm),
                }
                for arm in self.arms
            },
            "triage": json.loads(json.dumps(list(lost.values()), default=Estimate.to_json)),
            "claims": [claim.to_json() for claim in judged],
        }

    def files(self, results: Meals, stamp: Mapping[str, str]) -> Mapping[str, str | bytes]:
        """Return a line for each meal, and a line for each bite."""
        meals, bites = [], []
        for batch, columns in results.made.items():
            for row in map(dict, rows_of(columns)):
                taken = row.pop("bites_taken")
                who = {name: row.pop(name) for name in ("memory", "participant", "care", "motor")}
                named = {**batch.to_json(), **who, **stamp}
                numbers = {m.name: round(m.value({"bites_taken": taken}), 6) for m in (*MEASURES, *OF_MEMORY)}
                meals.append({**named, **row, **numbers})
                plate = {name: row[name] for name in ("meal", "plate", "seed")}
                bites += [{**named, **plate, **_bite_record(bite)} for bite in taken]
        return {"rows.csv": csv_text(meals), "bites.csv": csv_text(bites)}


def _bite_record(bite: Row) -> dict[str, Any]:
    record = dict(bite)
    chances = [f"{chance:.4g}" for chance in record.pop("chances")] or [""] * len(CHANCES)
    lists = {name: " ".join(record[name]) for name in ("asked", "recalled", "recalled_wrong")}
    believed = {f"believed_{name}".replace(" ", "_"): chance for name, chance in zip(CHANCES, chances, strict=True)}
    return {**record, **lists, **believed}
