"""Definition of a study: the arms compared, the places and units they share, its measures and its claims.

A study is an instance of `Study`, or of a subclass where its tables, figures or rules are its own. It is found by its
name through the entry points `handup.studies`, and runs by `handup.lab.engine.run_study` or `handup study run`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from handup import __version__
from handup.core import Malformed, MissingSetting, OutOfRange, UnknownName
from handup.lab.engine.claims import Bar, Claim, Measure, Where
from handup.lab.engine.judge import LEAST_TOLD, JudgedClaim, Measured
from handup.lab.engine.report import Part, Section, claims_table, tally
from handup.lab.engine.results import Columns, Results, rows_of
from handup.lab.engine.store import code_digest, file_digest
from handup.lab.engine.table import Table, csv_lines, shown

if TYPE_CHECKING:
    from handup.lab.engine.report import Drawing

Files = Mapping[str, str | bytes | Iterable[str]]
"""Contents of files by name, whole or in parts."""
MOST_SEED = 2**31
RULES = " ".join(Path(__file__).with_name("rules.md").read_text(encoding="utf-8").split())


@dataclass(frozen=True, kw_only=True)
class StudyOption:
    """A setting that a study takes on the command line, as `--name`.

    Args:
        name: Without the hyphens.
        help: One sentence for `--help`.
        default: Value if the option is not given; None if it is required.
        quick: Default with `--quick`; None to use `default`.
        least: Smallest number allowed.
        most: Largest number allowed.
        choices: Words allowed, for an option that is not a number.
        is_path: True for a file or a folder.
    """

    name: str
    help: str
    default: int | str | None
    quick: int | None = None
    least: int = 0
    most: int = MOST_SEED
    choices: tuple[str, ...] = ()
    is_path: bool = False

    def read(self, text: str) -> int | str:
        """Convert the text of the command line to a value.

        Raises:
            BadSetting: The option is a number, and the text is not.
        """
        if self.choices or self.is_path:
            return text
        try:
            return int(text)
        except ValueError:
            raise Malformed(f"--{self.name} must be a whole number, got '{text}'", hint=self.help) from None

    def checked(self, given: Any, *, quick: bool) -> Any:
        """Return the value to use: the given one, or the default; a path is made absolute, for other processes.

        Raises:
            BadSetting: A required value is missing, or the value is not allowed.
        """
        value = given
        if value is None:
            value = self.quick if quick and self.quick is not None else self.default
        if value is None:
            raise MissingSetting(f"--{self.name} must be given", hint=self.help)
        if self.choices and value not in self.choices:
            raise UnknownName(f"--{self.name} must be {' or '.join(self.choices)}, got '{value}'", hint=self.help)
        if self.is_path:
            return str(Path(value).absolute())
        if not self.choices and not self.least <= value <= self.most:
            cause = f"--{self.name} must lie between {self.least} and {self.most}, got {value}"
            raise OutOfRange(cause, hint=self.help)
        return value


def count_option(what: str, default: int, quick: int, *, least: int, most: int) -> StudyOption:
    """Return an option `--episodes`; `what` says in words what it counts."""
    help_ = f"{what}. Default: {default}, or {quick} with --quick."
    return StudyOption(name="episodes", help=help_, default=default, quick=quick, least=least, most=most)


def seed_option(default: int = 0) -> StudyOption:
    """Return an option `--seed`."""
    help_ = f"Seed of the first unit; the next ones follow. Default: {default}."
    return StudyOption(name="seed", help=help_, default=default)


@dataclass(frozen=True)
class Size:
    """Size of a run of a study.

    Args:
        quick: True for a first look with `--quick`.
        values: Options by name.
    """

    quick: bool = False
    values: tuple[tuple[str, Any], ...] = ()

    def __getitem__(self, name: str) -> Any:
        return dict(self.values)[name]

    def to_json(self) -> dict[str, Any]:
        """Return a plain record; `Study.size` reads it back."""
        return {"quick": self.quick, **dict(self.values)}


@dataclass(frozen=True, kw_only=True)
class Place:
    """Condition under which arms are compared.

    Args:
        name: Short name, for tables.
        about: Description in a few words.
        settings: Settings that distinguish it from other places; keys of every row made there.
        arms: Arms compared there; empty for all arms of the study.
    """

    name: str = ""
    about: str = ""
    settings: Where = ()
    arms: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Any:
        return dict(self.settings)[name]


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Rows of one arm at one place, for some units: made at once by one process, kept in one file.

    Args:
        study: Name of the study.
        arm: Name of the arm.
        place: Condition under which the arm is run.
        first: Number of the first unit.
        count: Number of units.
        rows: Number of rows of these units.
        decides: All else that determines the rows, as plain data: definitions of arms, digests of data.
        data: File or folder that the rows are made from; `decides` says what it holds.
    """

    study: str
    arm: str
    place: Place = Place()
    first: int = 0
    count: int = 1
    rows: int = 1
    decides: str = ""
    data: str = ""

    @cached_property
    def config(self) -> str:
        """Hash of everything that determines the rows, except for code."""
        record = {
            "study": self.study,
            "arm": self.arm,
            "place": self.place.settings,
            "units": [self.first, self.count],
            "decides": self.decides,
        }
        return hashlib.sha256(json.dumps(record, sort_keys=True, default=str).encode()).hexdigest()[:16]

    @property
    def label(self) -> str:
        """Description of the batch, for error messages."""
        where = f" at {self.place.name}" if self.place.name else ""
        return f"units {self.first} to {self.first + self.count - 1} of '{self.arm}'{where}"

    @property
    def effort(self) -> float:
        """Duration relative to that of other batches."""
        return float(self.rows)

    @property
    def is_reusable(self) -> bool:
        """True if stored rows may be used again; False if code that no digest covers made them."""
        return True

    def to_json(self) -> dict[str, Any]:
        """Return the keys that all rows of the batch share."""
        return {"config": self.config, "study": self.study, "arm": self.arm, **dict(self.place.settings)}


@dataclass(frozen=True, kw_only=True)
class Study:
    """A question that rows answer.

    Args:
        name: As in `handup study run NAME`.
        title: One line.
        figure: Figure of the paper that shows it; "ours" if none does.
        question: One sentence.
        make: Function that makes the rows of a batch, as columns; other processes must be able to import it.
        arms: Names of the arms compared.
        places: Conditions of the comparison; every arm meets the same units at a place.
        measures: Numbers that every row has.
        claims: Claims to judge.
        options: Options of the command line; the first is the number of units.
        unit: Keys of a row that identify its unit; intervals and tests are over units.
        units: Word for units, such as "runs".
        order: Keys that rows are sorted by; empty for those of the unit.
        block: Units in one batch.
        rows_per_unit: Number of rows that `make` returns for each unit.
        evidence: Kind of evidence: "simulated", "human data", "real scores".
        assumed: Assumptions, in a few words.
        reading: Explanation of the report for its readers; Markdown.
        sources: List of the files that make rows, in `lab/engine/sources`; empty for the file of `make` alone.
        libraries: Installed packages whose versions determine rows.
        in_all: True if `handup study run all` runs it.
        ours: Arm that the others are compared with.
        store_name: Folder of its rows, shared by studies with the same rows; empty for the name of the study.
    """

    lookup: ClassVar[type[Results[Any]]] = Results
    """Class of the results; a study whose numbers are its own has a class of its own."""

    name: str
    title: str
    figure: str
    question: str
    make: Callable[[Batch], Columns] = field(repr=False)
    arms: tuple[str, ...]
    places: tuple[Place, ...] = (Place(),)
    measures: tuple[Measure, ...] = field(default=(), repr=False)
    claims: tuple[Claim, ...] = field(default=(), repr=False)
    options: tuple[StudyOption, ...] = ()
    unit: tuple[str, ...] = ("seed",)
    units: str = "units"
    order: tuple[str, ...] = ()
    block: int = 25
    rows_per_unit: int = 1
    evidence: str = "simulated"
    assumed: str = ""
    reading: str = ""
    sources: str = ""
    libraries: tuple[str, ...] = ()
    ours: str = ""
    in_all: bool = False
    store_name: str = ""

    def __post_init__(self) -> None:
        if not self.name.replace("-", "").isalnum():
            must = "consist of letters, digits and hyphens"
            raise Malformed.of("the name of a study", f"'{self.name}'", must, hint="Rename the study.")
        options = [option.name for option in self.options]
        if type(self).batches is Study.batches and (len(options) < 2 or "seed" not in options[1:]):
            hint = "Give a count of units first, then `seed_option()`; or write `batches`."
            must = "begin with a count and have a seed"
            raise MissingSetting.of(f"options of '{self.name}'", options, must, hint=hint)
        known = {measure.name for measure in self.measures}
        for bar in (bar for claim in self.claims for bar in claim.bars):
            if bar.measure not in known or {bar.arm, bar.than or bar.arm} - set(self.arms):
                raise UnknownName(
                    f"a claim of '{self.name}' compares {bar.measure} of '{bar.arm}' and '{bar.than}'",
                    hint="Name measures and arms of the study.",
                )

    @property
    def cells(self) -> int:
        """Number of pairs of an arm and a place, for `handup study list`."""
        return sum(len(self.arms_at(place)) for place in self.places)

    @property
    def paths(self) -> frozenset[str]:
        """Names of the options that are files or folders; no record shows their values."""
        return frozenset(option.name for option in self.options if option.is_path)

    def arms_at(self, place: Place) -> tuple[str, ...]:
        """Return the arms that are compared at a place."""
        return place.arms or self.arms

    def measure(self, name: str) -> Measure:
        """Return the measure of that name."""
        return self._measures[name]

    @cached_property
    def _measures(self) -> dict[str, Measure]:
        return {measure.name: measure for measure in self.measures}

    def size(self, *, quick: bool = False, **given: Any) -> Size:
        """Return the size of a run, with every option checked.

        Raises:
            BadSetting: The study does not have an option, or a value is out of range.
        """
        names = [option.name for option in self.options]
        for name, value in given.items():
            if name not in names and value is not None:
                takes = f"It takes {', '.join(f'--{known}' for known in names)}." if names else "It takes none."
                raise UnknownName(f"'{self.name}' takes no --{name}", hint=takes)
        values = tuple((option.name, option.checked(given.get(option.name), quick=quick)) for option in self.options)
        return Size(quick, values)

    def command(self, size: Size) -> str:
        """Return the command that repeats a run of this size."""
        given = "".join(f" --{name} {'DIR' if name in self.paths else value}" for name, value in size.values)
        return f"handup study run {self.name}{given}{' --quick' if size.quick else ''}"

    def batches(self, size: Size) -> Sequence[Batch]:
        """Return all batches, ordered by unit, so that a stopped run has complete pairs."""
        return tuple(self._grid(first=size["seed"], units=size.values[0][1]))

    def _grid(self, first: int, units: int) -> Iterator[Batch]:
        for start in range(first, first + units, self.block):
            count = min(self.block, first + units - start)
            for place in self.places:
                for arm in self.arms_at(place):
                    yield Batch(
                        study=self.name,
                        arm=arm,
                        place=place,
                        first=start,
                        count=count,
                        rows=count * self.rows_per_unit,
                        decides=self.decides(arm, place),
                    )

    def decides(self, arm: str, place: Place) -> str:
        """Return data that determine the rows of an arm at a place besides the names, such as the arm's definition."""
        return ""

    def stamp(self) -> Mapping[str, str]:
        """Return versions and a digest of the code that makes rows; stored rows with another stamp are not used."""
        code = code_digest(self.sources) if self.sources else file_digest(self.make)
        return {"handup": __version__, "code": code, **self.versions()}

    def versions(self) -> Mapping[str, str]:
        """Return versions of the libraries that determine rows; a study may add digests of data."""
        return {name: version(name) for name in self.libraries}

    def results(self, size: Size, made: Mapping[Batch, Columns]) -> Results[Any]:
        """Return the rows in a form that can be queried."""
        return self.lookup(self, size, made)

    def judge(self, results: Results[Any]) -> tuple[JudgedClaim, ...]:
        """Judge the claims."""
        return results.judged

    @property
    def rules(self) -> str:
        """Rules by which claims are judged, printed once beside the verdicts."""
        named = {measure.name: measure for measure in self.measures if measure.alike}
        used = dict.fromkeys(bar.measure for claim in self.claims for bar in claim.bars if bar.is_order)
        nearer = ", ".join(f"{named[name].alike:g} ({named[name].label})" for name in used if name in named)
        alike = f": nearer than {nearer}" if nearer else ""
        return RULES.format(units=self.units, alike=alike, least=LEAST_TOLD)

    def label(self, bar: Bar) -> str:
        """Return a comparison in words."""
        elsewhere = "" if bar.elsewhere is None else self.where_label(bar.elsewhere).strip(" ,")
        return bar.label(self.measure(bar.measure).label, self.where_label(bar.where), elsewhere)

    def where_label(self, where: Where) -> str:
        """Return conditions on rows in words, to be put behind a measure."""
        for place in self.places:
            if place.settings == where and place.name:
                return f" at {place.name}"
        return "".join(f", {name} {value}" for name, value in where)

    def numbers(self, measured: Measured, results: Results[Any]) -> str:
        """Return a comparison in numbers."""
        bar, found = measured.bar, measured.found
        low, high = found.ci
        if bar.is_alone:
            return f"{found.mean:.3f} [{low:.3f}, {high:.3f}]"
        sides = ((bar.arm, bar.where), (bar.than or bar.arm, bar.elsewhere or bar.where))
        ours, theirs = (results.mean(bar.measure, arm, where).value for arm, where in sides)
        of = "" if bar.times == 1.0 else f" of {bar.times:g} times"
        text = f"{ours:.2f} against {theirs:.2f}; difference{of} {found.mean:+.2f} [{low:+.2f}, {high:+.2f}]"
        text += f"; {found.more} {self.units} more, {found.less} less, {found.same} the same"
        return text if measured.p is None else f"{text}; p = {measured.p:.2g}"

    def verdicts(self, judged: Sequence[JudgedClaim]) -> tuple[Part, ...]:
        """Return the number of claims that hold, for the report."""
        return (tally(judged),)

    def claim_tables(self, judged: Sequence[JudgedClaim]) -> tuple[Part, ...]:
        """Return the claims one by one, for the report."""
        return (claims_table(judged, self.rules),)

    def answer(self, results: Results[Any], judged: Sequence[JudgedClaim]) -> str:
        """Return the answer to the question in one sentence; by default the names of the claims by verdict."""
        named: dict[str, list[str]] = {}
        for claimed in judged:
            named.setdefault(claimed.finding.verdict.capitalize(), []).append(claimed.claim.name)
        parts = [f"{verdict}: {', '.join(names)}" for verdict, names in named.items()]
        return f"{'; '.join(parts)}." if parts else ""

    def facts(self, results: Results[Any]) -> Mapping[str, str]:
        """Return facts about the run by name, for the head of the report; Markdown."""
        return {}

    def figures(self, results: Results[Any], judged: Sequence[JudgedClaim]) -> Sequence[Drawing]:
        """Draw the figures; by default an overview of all measures."""
        from handup.lab.engine.figures import overview  # noqa: PLC0415 - drawing is an extra

        return (overview(results),) if self.measures else ()

    def sections(self, results: Any, judged: Sequence[JudgedClaim], drawings: Sequence[Drawing]) -> Sequence[Section]:
        """Return the sections between the verdicts and the claims; the terminal shows the tables of the first."""
        return (Section("What came out", (*drawings, *(self.means_table(results, place) for place in self.places))),)

    def means_table(self, results: Results[Any], place: Place) -> Table:
        """Return the mean of every measure for every arm at a place."""
        names = [measure.name for measure in self.measures]
        rows = tuple(
            (arm, *(shown(results.mean(name, arm, place.settings)) for name in names)) for arm in self.arms_at(place)
        )
        at = f"{place.name}: means" if place.name else "Means"
        caption = f"{at} with 95 % intervals over {results.count(place.settings)} {self.units}"
        return Table(caption, ("", *(self.measure(name).label for name in names)), rows)

    def record(self, results: Results[Any], judged: Sequence[JudgedClaim]) -> dict[str, Any]:
        """Return further keys of `study.json` and `--json`: measures by place and arm, and claims."""

        def means(arm: str, place: Place) -> dict[str, Any]:
            return {name: results.mean(name, arm, place.settings).to_json() for name in self._measures}

        measures = {place.name: {arm: means(arm, place) for arm in self.arms_at(place)} for place in self.places}
        return {"measures": measures, "claims": [claimed.to_json() for claimed in judged]}

    def files(self, results: Results[Any], stamp: Mapping[str, str]) -> Files:
        """Return files to write into the study's folder, by name, whole or in parts: its rows."""
        made = ((batch.to_json(), columns) for batch, columns in results.made.items())
        return {"rows.csv": csv_lines({**start, **stamp, **row} for start, columns in made for row in rows_of(columns))}

    def shown(self, judged: Sequence[JudgedClaim], sections: Sequence[Section]) -> Sequence[Table]:
        """Return the tables that the command prints: those of the first section, and the verdicts."""
        tables = [part for part in sections[0].parts if isinstance(part, Table)] if sections else []
        rows = tuple((claimed.claim.name, claimed.claim.source, str(claimed.finding.verdict)) for claimed in judged)
        return (*tables, Table("Claims", ("claim", "source", "verdict"), rows)) if rows else tables

    def printed(self, record: Mapping[str, Any], judged: Sequence[JudgedClaim]) -> dict[str, Any]:
        """Return the part of a record that `--json` prints."""
        return dict(record)

    def closing(self, results: Results[Any]) -> str:
        """Return the last line that the command prints, without the time."""
        options = [f"{name} {value}" for name, value in results.size.values if name not in self.paths]
        return ", ".join((self.evidence.capitalize(), *options))
