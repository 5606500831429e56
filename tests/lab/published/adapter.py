"""The published studies as tests see them: the only file here that knows how the package runs, keeps and judges them.

Rows are plain records without versions, code or times of computation; `IDENTITIES` has the names of a batch.
Committed rows of recoveries were made before the studies stood on one engine, those of meals and reaching by the
engine; the published records, which are older, follow from them.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from examples.reaching_page import shorten
from handup.lab.engine import Batch, Columns, Size, Study, columns_of, study_of
from handup.lab.engine.results import rows_of
from handup.lab.studies.synthetic.cells import CellBatch
from tests.data import ROOT, data_folder

Row = dict[str, Any]
Rows = list[Row]
DOCS = ROOT / "docs" / "lab"
MEALS = ("meal-methods", "meal-heterogeneity", "meal-home", "meal-memory")
INTERRUPT = ("interruptibility", "interrupt")
CREWS = ("recovery-effort", "helper-roles")
CELLS = ("modules", "structure", "confidences", "query-costs", "expert", "heterogeneity", "summary")
PUBLISHED = {
    **{name: DOCS / "meal-studies" / f"{name}.json" for name in MEALS},
    "recoveries": DOCS / "recovery-studies" / "recoveries.json",
    "reaching": DOCS / "reaching" / "record.json",
    "whom": DOCS / "whom" / "record.json",
    **{name: DOCS / "interrupt-studies" / f"{name}.json" for name in INTERRUPT},
    **{name: DOCS / "recovery-studies" / f"{name}.json" for name in CREWS},
}
"""Records of the studies whose rows are committed."""
TRACED = ("27", "42", "2 robots")
"""Steps of development and crews that are enough to run every way of making rows of `CREWS`."""
FAMILIES = {
    "meals": MEALS,
    "recoveries": ("recoveries",),
    "reaching": ("reaching",),
    "whom": ("whom",),
    **{name: (name,) for name in INTERRUPT},
    "crews": CREWS,
}
IDENTITIES: Mapping[str, Callable[[Batch], Row]] = {
    **dict.fromkeys(MEALS, lambda batch: {"arm": batch.arm, "participant": batch.first}),
    "recoveries": lambda batch: {"way": batch.arm, "day": batch.place["day"], "first_seed": batch.first},
    "reaching": lambda batch: {
        "part": batch.place["part"],
        "scene": batch.place["scene"],
        "method": batch.arm,
        "user": batch.place["user"],
        "first_seed": batch.first,
    },
    "interruptibility": lambda batch: {"model": batch.arm, "place": batch.place.name, "first_seed": batch.first},
    "interrupt": lambda batch: {"robot": batch.arm, "place": batch.place.name, "first_seed": batch.first},
    "whom": lambda batch: {"rule": batch.arm, "setting": batch.place.name, "first_seed": batch.first},
    **dict.fromkeys(CREWS, lambda batch: {"arm": batch.arm, "place": batch.place.name, "first_seed": batch.first}),
}


def whole(name: str) -> tuple[Study, Size]:
    """Return a study, and the size in which it was published."""
    study = study_of(name)
    given: Row = {"data": str(data_folder("module-scores"))} if name == "real-scores" else {}
    return study, study.size(**given)


@dataclass(frozen=True)
class RowStudy:
    """A study whose rows are committed, and whose published record is made of them."""

    name: str

    def batches(self) -> Sequence[Batch]:
        study, size = whole(self.name)
        return study.batches(size)

    def identity(self, batch: Batch) -> Row:
        """Return the names by which the committed rows of a batch are found."""
        return IDENTITIES[self.name](batch)

    def part(self, batch: Batch) -> tuple[Batch, slice]:
        """Return a small batch, and where its rows lie among those of the given one."""
        if self.name in MEALS:
            decides = json.loads(batch.decides)
            first = json.dumps({**decides, "orders": decides["orders"][:1]})
            return replace(batch, rows=1, decides=first), slice(1)
        if self.name == "interruptibility":
            return batch, slice(None)  # models are trained on all other runs
        rows = batch.rows // batch.count
        # Trials of reaching go task by task, the seeds within.
        return replace(batch, count=1, rows=rows), slice(0, None, batch.count) if rows > 1 else slice(1)

    @property
    def make(self) -> Callable[[Batch], Columns]:
        return study_of(self.name).make

    def simulate(self, batch: Batch) -> Rows:
        """Make the rows of a batch anew, as they were committed."""
        return plain(rows_of(self.make(batch)))

    def made(self, committed: Sequence[tuple[Row, Rows]]) -> Mapping[Batch, Columns]:
        """Return committed rows as the study made them."""
        return {batch: columns_of(rows) for batch, (_, rows) in zip(self.batches(), committed, strict=True)}

    def record(self, committed: Sequence[tuple[Row, Rows]]) -> Row:
        """Judge committed rows; the answer has what the published record has."""
        found = record_of(*whole(self.name), self.made(committed))
        if self.name == "reaching":
            shorten(found)
        return found


def record_of(study: Study, size: Size, made: Mapping[Batch, Columns]) -> Row:
    """Return what `study.json` says of rows, but for when and with what they were made."""
    results = study.results(size, made)
    judged = study.judge(results)
    usual = {"name": study.name, "command": study.command(size), "evidence": study.evidence, "assumed": study.assumed}
    record: Row = plain([{**usual, **size.to_json(), **study.record(results, judged)}])[0]
    return record


@dataclass(frozen=True)
class HashedFamily:
    """Studies of which a hash for each batch is committed, and a record of verdicts and numbers."""

    studies: tuple[str, ...]
    key: Callable[[Batch, int], str]

    def batches(self) -> Mapping[str, Batch]:
        listed = (study.batches(size) for study, size in map(whole, self.studies))
        return {self.key(batch, number): batch for batches in listed for number, batch in enumerate(batches)}

    def rows(self, batch: Batch, columns: Columns) -> Rows:
        """Return the rows of a batch as they were hashed: as they are, or as lines of the study's `rows.csv`."""
        if self.studies == CELLS:
            return list(map(dict, rows_of(columns)))
        study, size = whole(self.studies[0])
        text = study.files(study.results(size, {batch: columns}), study.stamp())["rows.csv"]
        lines = csv.DictReader(io.StringIO(str(text)))
        return [{name: value for name, value in row.items() if name != "handup"} for row in lines]

    @property
    def make(self) -> Callable[[Batch], Columns]:
        return study_of(self.studies[0]).make

    def simulate(self, batch: Batch) -> Rows:
        return self.rows(batch, self.make(batch))

    def records(self, made: Mapping[Batch, Columns]) -> Mapping[str, Row]:
        """Return verdicts and numbers by study, without those that are times of computation."""
        chosen = {name: whole(name) for name in self.studies}
        rows = {name: {batch: made[batch] for batch in study.batches(size)} for name, (study, size) in chosen.items()}
        record = claims_of if self.studies == CELLS else record_of
        return {name: record(study, size, rows[name]) for name, (study, size) in chosen.items()}

    def again(self) -> tuple[dict[str, Rows], Mapping[str, Row]]:
        """Make everything anew: the rows of each batch by its key, and the records."""
        made = {batch: self.make(batch) for batch in self.batches().values()}
        rows = {key: self.rows(batch, made[batch]) for key, batch in self.batches().items()}
        return rows, self.records(made)


def claims_of(study: Study, size: Size, made: Mapping[Batch, Columns]) -> Row:
    """Return the verdicts on cells, and where troubleshoot is beaten."""
    results = study.results(size, made)
    claims = [each.to_json() for each in study.judge(results)]
    return {
        "claims": [claim for claim in plain(claims) if not claim["about_code"]],
        "troubleshoot_beaten_at": plain(study.record(results, ())["troubleshoot_beaten_at"]),
    }


ROW_STUDIES = {name: RowStudy(name) for name in PUBLISHED}
HASHED: Mapping[str, HashedFamily] = {
    "cells": HashedFamily(CELLS, lambda batch, number: batch.label),
    "workload-sensitivity": HashedFamily(
        ("workload-sensitivity",), lambda batch, number: f"w={batch.place['w']:g} setting={number % 68}"
    ),
    "real-scores": HashedFamily(("real-scores",), lambda batch, number: f"draws={batch.first}"),
}
Maker = RowStudy | HashedFamily
Sample = tuple[Maker, Batch]
"""A small batch, and who simulates it."""


def samples(family: str) -> Sequence[Sample]:
    """Return small batches that together run every way of making rows of a family."""
    if family in HASHED:
        return [(HASHED[family], batch) for batch in _hashed_samples(family)]
    return [(ROW_STUDIES[name], batch) for name in FAMILIES[family] for batch in _row_samples(ROW_STUDIES[name])]


def _hashed_samples(family: str) -> Sequence[Batch]:
    batches = list(HASHED[family].batches().values())
    if family != "cells":
        return [replace(batches[0], count=1)]
    chosen: dict[Any, Batch] = {}
    for batch in sorted((each for each in batches if isinstance(each, CellBatch)), key=lambda each: each.cell.modules):
        few = replace(batch.cell, episodes=4)
        kind = (few.method, few.world, few.structure, few.beta > 0.0, few.expert < 1.0, few.confidences[0] < 1.0)
        chosen.setdefault(kind, CellBatch.of(few))
    return list(chosen.values())


def _row_samples(study: RowStudy) -> Sequence[Batch]:
    """Choose parts of batches: each arm with all kinds of people; each way of running; each part and method."""
    chosen: dict[Any, Batch] = {}
    for number, batch in enumerate(study.batches()):
        if study.name in MEALS:
            kind: Any = (batch.arm, batch.first) if batch.first < 4 else None
        elif study.name == "interruptibility":
            kind = (batch.arm, batch.place["bouts"])
        elif study.name in ("interrupt", "whom"):
            kind = batch.arm
        elif study.name in CREWS:
            kind = batch.place if batch.arm in TRACED else batch.arm if "first" in batch.arm else None
        elif study.name == "recoveries":
            kind = (batch.arm, batch.place, batch.first) if batch.first < 1050 else None
        else:
            kind = (batch.place["part"], batch.arm, batch.place["user"], number % 2)
        if kind is not None:
            chosen.setdefault(kind, study.part(batch)[0])
    if study.name == "interruptibility":
        return [replace(batch, count=2, rows=2, decides=f"{batch.first} 6") for batch in chosen.values()]
    remembering = [batch for batch in study.batches() if batch.first == 0 and "remembers" in batch.arm]
    return [*remembering, *chosen.values()]


def plain(records: Iterable[Any]) -> Rows:
    """Return records as JSON has them: lists for tuples, names for enumerations."""
    rows: Rows = json.loads(json.dumps(list(records)))
    return rows
