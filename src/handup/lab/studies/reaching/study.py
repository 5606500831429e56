"""The study of reaching: who helps whom, and its tables. Claims and parts are data: `claims.yaml`, `parts.yaml`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from handup.core import OutOfRange
from handup.core.files import shipped_data
from handup.domains.reaching import scene
from handup.lab.engine import Bar, Batch, Drawing, JudgedClaim, Place, Results, Section, Size, Study, StudyOption, Table
from handup.lab.engine.claims import Where
from handup.lab.engine.judge import LEAST_TOLD, Measured
from handup.lab.engine.results import rows_of
from handup.lab.studies.reaching import trials
from handup.lab.studies.reaching.close import ASKS, STEPS, all_of
from handup.lab.studies.reaching.results import CLAIMS, COUNTED, EVERYWHERE, FEW, LIMITS, PAPERS, ReachingResults
from handup.lab.studies.reaching.trials import MANUAL, MEASURES, MIXED, OURS, PAPER, STRATEGIES

Record = Mapping[str, Any]
Rows = Iterable[tuple[str, Record]]
TEXTS = shipped_data(__file__, "texts.yaml")
CAPTIONS = TEXTS["tables"]
PERCENT = frozenset({"success", "first_success", "opposing", "all_opposing", "predicted"})
DIGITS = {"questions": 2, "ratio": 2, "mode_changes": 1, "joystick_input": 0}
KINDS = TEXTS["kinds"]
"""Kinds of the methods, in the order of tables, so that nobody takes an ablation for the policy."""
OPEN = "cannot be told"
SHORT = {"holds": "yes", "does not hold": "no", OPEN: "?"}
DIFFERENT_SIDES = "ranks and mean point to different sides"
OVERVIEW = ("success", "total_s", "time_s", "all_opposing", "predicted", "questions")
TABLE_1 = ("time_s", "mode_changes", "joystick_input", "opposing", "predicted", "questions", "success")
FIRST = ("goal", "versus", "families")
"""Tables that come first."""
ALIKE = {measure.name: measure.alike * (100.0 if measure.name in PERCENT else 1.0) for measure in MEASURES}
RULES = TEXTS["rules"].format(least=LEAST_TOLD, **ALIKE)


def rounded(value: float, digits: int, *, signed: bool = False) -> str:
    """Return a number with so many digits, and a sign where wanted; what rounds to nothing has none."""
    text = f"{value:{'+' if signed else ''}.{digits}f}"
    return text if float(text) else text.lstrip("+-")


def cell(measure: str, numbers: Sequence[float] | None, *, signed: bool = False) -> str:
    """Return a mean with its interval, in the measure's unit."""
    if numbers is None:
        return "–"
    scale, digits = (100.0, 1) if measure in PERCENT else (1.0, DIGITS.get(measure, 1))
    value, low, high = (rounded(scale * number, digits, signed=signed) for number in numbers[:3])
    return f"{value} ({low} to {high})" if signed else f"{value} ({low}–{high})"


def family(claim: Record) -> str:
    """Return the family of a claim; the paper's are told apart by the kind of user."""
    return f"{claim['family']}, {claim['user']} users" if claim["family"] == PAPERS else str(claim["family"])


def tables(found: Record) -> dict[str, Table]:
    """Return all tables of a record by name; with the kind of user in the name where there is one table for each."""
    people = {part: count for part, (_, count) in found["seeds"].items()}
    scenes, measures = found["means"], found["task_measures"]
    made = {"goal": _goal(found)}
    rows = ((f"{name}, {user}", row) for name, users in found["versus"].items() for user, row in users.items())
    made["versus"] = _grid("versus", "scene, user", FEW, rows, signed=True)
    made["families"] = _families(found["claims"])
    poses = (
        (name, pose["people"], *named)
        for name, pose in found["goal"]["poses"].items()
        for named in _named(pose["methods"])
    )
    rows = ((f"{name}, {arm}, {count} trials", row) for name, count, arm, row in poses)
    made["poses"] = _grid("poses", "wanted pose, method", ("success", "first_success", *FEW[1:]), rows)
    made["claims"] = _claims(found["claims"])
    made["orderings"] = _orderings(found["orderings"])
    for user in trials.USERS:
        rows = ((f"{name}, {arm}", row) for name, users in scenes.items() for arm, row in _named(users[user]))
        made[f"overview, {user}"] = _grid("overview", "scene, method", OVERVIEW, rows, user=user)
    for user, methods in found["table_1"].items():
        values = {"user": user, "people": people[trials.ALL]}
        made[f"table 1, {user}"] = _grid("table 1", "method", TABLE_1, _named(methods), **values)
    made["table 2"] = _table_2(found["table_2"])
    tasks = ((task, arm, users[MIXED]) for task, users in found["tasks"].items() for arm in KINDS)
    rows = ((f"{task}, `{arm}`", dict(zip(measures, row[arm], strict=True))) for task, arm, row in tasks if arm in row)
    made["tasks"] = _grid("tasks", "task, method", measures, rows)
    made["variance"] = _variance(found["variance"])
    policies = {f"`{PAPER}`, T = {seconds} s": of_scene for seconds, of_scene in found["look_ahead"].items()}
    policies |= dict(_named(found["look_ahead_beside"]))
    rows = ((f"{name}, {arm}", of_scene[name]) for name in scenes for arm, of_scene in policies.items())
    values = {"people": people[trials.LOOK_AHEAD], "preset": trials.PRESET_S}
    made["look-ahead"] = _grid("look-ahead", "scene, method", FEW, rows, **values)
    made["gentle"] = _grid("gentle", "method", FEW, _named(found["gentle"]), people=people[trials.GENTLE])
    counts = ((arm, *(str(places[EVERYWHERE][name]) for name in COUNTED)) for arm, places in _named(found["failures"]))
    made["failures"] = Table(CAPTIONS["failures"], ("method", *COUNTED), tuple(counts))
    return made


def _goal(found: Record) -> Table:
    """Return `assist` against what it was built for."""
    got, ratio = found["goal"]["methods"], found["goal"]["ratio"]
    told = {claim["key"]: {**SHORT, OPEN: OPEN}[claim["verdict"]] for claim in found["claims"]}
    both = f"; × {cell('ratio', ratio['total_s'])}, by the paper's rule × {cell('ratio', ratio['time_s'])}"
    slower = (f"{task} {cell('total_s', gap, signed=True)} s" for task, gap in found["goal"]["slower_s"].items())
    rows = []
    for name, bar, measure, more in (
        ("success", f"≥ {100 * LIMITS['success']:g} %", "success", ""),
        ("time", f"≤ {LIMITS['faster']:g} × alone", "total_s", both),
        ("questions", f"≤ {LIMITS['questions']:g} per task", "questions", ""),
        ("opposing", f"≤ {100 * LIMITS['opposing']:g} %", "all_opposing", ""),
    ):
        ours, *others = (cell(measure, got[arm].get(measure)) for arm in (OURS, PAPER, MANUAL))
        rows.append((name, bar, ours + more, *others, told[f"goal: {name}"]))
    rows.append(("every task", "not slower than alone", ", ".join(slower), "", "", told["goal: every task"]))
    (first, seeds), tasks = found["seeds"][trials.GOAL], len(scene(trials.COMPLEX).tasks)
    caption = CAPTIONS["goal"].format(people=tasks * seeds, seeds=seeds, first=first, tasks=tasks)
    return Table(caption, ("what", "goal", "`assist`", "`paper`", "alone", "reached?"), tuple(rows))


def _families(claims: Iterable[Record]) -> Table:
    """Return how many claims hold, by whose they are and about what."""
    counts: dict[str, Counter[str]] = {}
    for claim in claims:
        counts.setdefault(family(claim), Counter())[claim["verdict"]] += 1
    rows = tuple((name, *(str(told[verdict]) for verdict in SHORT), str(told.total())) for name, told in counts.items())
    return Table(CAPTIONS["families"], ("claims", "hold", "do not hold", "cannot be told", "together"), rows)


def _claims(claims: Iterable[Record]) -> Table:
    """Return whether each of the paper's claims holds, for each user, with its rule of exclusion and without."""

    def both_ways(claim: Record) -> str:
        """Return a verdict by the paper's rule, and without it."""
        return " / ".join(SHORT[told] for told in (claim["verdict"], claim["without_rule"]) if told is not None)

    papers = [claim for claim in claims if claim["family"] == PAPERS]
    alike = ([claim for claim in papers if claim["key"] == key] for key in dict.fromkeys(c["key"] for c in papers))
    rows = ((f"{of[0]['key']}: {of[0]['text']}", of[0]["source"], *map(both_ways, of)) for of in alike)
    return Table(CAPTIONS["claims"], ("claim", "in the paper", *STRATEGIES), tuple(rows))


def _orderings(orders: Iterable[Record]) -> Table:
    """Return each single order that the paper states, for each kind of user."""

    def shown(told: Record) -> str:
        value, low, high = told["difference"]
        p = "" if told["p"] is None else f", p = {told['p']:.2g}"
        sides = f"; {DIFFERENT_SIDES}" if told["different_sides"] else ""
        return f"{told['verdict']}: {value:+.3g} ({low:+.3g} to {high:+.3g}){p}{sides}"

    rows = (
        (order["label"], "; ".join(order["sources"]), *(shown(order["users"][user]) for user in STRATEGIES))
        for order in orders
    )
    return Table(CAPTIONS["orderings"], ("order", "in the paper", *STRATEGIES), tuple(rows))


def _table_2(done: Mapping[str, Sequence[str]]) -> Table:
    """Return the paper's Table II: what was done before the first question."""
    steps = enumerate(zip_longest(*done.values(), fillvalue=""), 1)
    asks = any(step.startswith(ASKS) for steps in done.values() for step in steps)
    none = "" if asks else f"; no question was asked in it, or none within {STEPS} steps"
    rows = tuple((str(number), *step) for number, step in steps)
    return Table(CAPTIONS["table 2"].format(none=none), ("step", *(f"`{arm}`" for arm in done)), rows)


def _variance(tests: Iterable[Record]) -> Table:
    """Return the analyses of variance."""
    labels = {measure.name: measure.label for measure in MEASURES}

    def shown(numbers: Sequence[Any]) -> str:
        f, above, below, epsilon, p = numbers
        much = "without end" if f is None else f"{f:.2f}"
        return f"F({above:.2f}, {below:.1f}) = {much}, ε = {epsilon:.2f}, p = {p:.2g}"

    rows = []
    for test in tests:
        what = f"{test['scene']}, {test['user']}, {labels[test['measure']]}"
        rows.append((what, str(test["people"]), shown(test["method"]), shown(test["both"])))
    caption = CAPTIONS["variance"].format(least=LEAST_TOLD)
    return Table(caption, ("what", "seeds", "method", "method × task"), tuple(rows))


def _named(methods: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what there is of methods, in the order of `KINDS`, each by its name and what it is."""
    return ((f"`{arm}` ({kind})", methods[arm]) for arm, kind in KINDS.items() if arm in methods)


def _grid(name: str, corner: str, measures: Sequence[str], rows: Rows, *, signed: bool = False, **values: Any) -> Table:
    """Return measures of several rows, each with its interval; values are those of the caption."""
    cells = tuple((label, *(cell(name, row.get(name), signed=signed) for name in measures)) for label, row in rows)
    return Table(CAPTIONS[name].format(**values), (corner, *(TEXTS["heads"][name] for name in measures)), cells)


@dataclass(frozen=True, kw_only=True)
class Reaching(Study):
    """A study in parts, each with seeds of its own."""

    lookup = ReachingResults
    parts: Mapping[str, Mapping[str, Any]]

    @property
    def cells(self) -> int:
        """Tasks times users times methods, over all parts."""
        return sum(len(scene(place["scene"]).tasks) * len(place.arms) for place in self.places)

    def size(self, *, quick: bool = False, **given: Any) -> Size:
        """Return how much is run.

        Raises:
            BadSetting: Some of the seeds would be the study's own, and others not.
        """
        size = super().size(quick=quick, **given)
        if 0 < size["seed"] < trials.FIRST_TRYING:
            hint = f"Leave it out, or give {trials.FIRST_TRYING} or more to try something out."
            raise OutOfRange.of("--seed", size["seed"], f"be 0 or at least {trials.FIRST_TRYING}", hint=hint)
        return size

    def command(self, size: Size) -> str:
        """Return the command that runs it again."""
        seed = f" --seed {size['seed']}" if size["seed"] else ""
        return f"handup study run {self.name}{' --quick' if size.quick else ''}{seed}"

    def seeds(self, part: str, size: Size) -> tuple[int, int]:
        """Return the first seed of a part, and how many it has."""
        (first, count), quick = self.parts[part]["seeds"], self.parts[part]["quick"]
        return first + size["seed"], quick if size.quick else count

    def batches(self, size: Size) -> Sequence[Batch]:
        """Return everything to run: of each part seeds first, so that a stopped run has whole pairs."""
        return tuple(
            replace(batch, rows=batch.count * len(scene(batch.place["scene"]).tasks))
            for part in self.parts
            for places in (tuple(place for place in self.places if place["part"] == part),)
            for batch in replace(self, places=places)._grid(*self.seeds(part, size))
        )

    def decides(self, arm: str, place: Place) -> str:
        """Return the definition of the method, and the tasks of the scene."""
        return f"{trials.helper(arm)!r} {scene(place['scene']).tasks}"

    @property
    def rules(self) -> str:
        """Rules by which claims are judged."""
        return str(RULES)

    def label(self, bar: Bar) -> str:
        """Return a comparison in words."""
        elsewhere = "" if bar.elsewhere is None else f"in {dict(bar.elsewhere)['scene']}"
        return bar.label(self.measure(bar.measure).label, self.where_label(bar.where), elsewhere)

    def where_label(self, where: Where) -> str:
        """Return which trials in words."""
        given = dict(where)
        place = f"{given.get('scene', '')} {given.get('task', '')}".strip() or "all scenes"
        return f", {place}, {given.get('strategy', MIXED)}"

    def numbers(self, measured: Measured, results: Results[Any]) -> str:
        """Return a comparison in numbers."""
        mean, (low, high) = measured.found.mean, measured.found.ci
        if measured.bar.is_alone:
            return f"{mean:.3f} [{low:.3f}, {high:.3f}]; {measured.verdict}"
        p = "" if measured.p is None else f", corrected p = {measured.p:.2g}"
        sides = f"; {DIFFERENT_SIDES}" if measured.differs else ""
        mean_, low_, high_ = (f"{number:+.3g}" if number else "0" for number in (mean, low, high))
        return f"{mean_} [{low_}, {high_}]{p}{sides}; {measured.verdict}"

    def answer(self, results: Any, judged: Sequence[JudgedClaim]) -> str:
        """Return the answer to the question in one sentence."""
        goal = results.found["goal"]["methods"]
        ours, policy, alone = (
            f"{100 * goal[arm]['success'][0]:.1f} % (in {goal[arm]['total_s'][0]:.1f} s)"
            for arm in (OURS, PAPER, MANUAL)
        )
        asked = f"{goal[OURS]['questions'][0]:.2f} and {goal[PAPER]['questions'][0]:.2f} questions"
        return (
            f"At the table with 22 goals {ours} succeed with `{OURS}`, {policy} with the paper's policy, and {alone} "
            f"alone; the first two ask {asked} per task."
        )

    def facts(self, results: Any) -> Mapping[str, str]:
        """Return what was run."""
        seeds = "; ".join(f"{name}: {count} from {first}" for name, (first, count) in results.found["seeds"].items())
        return {"Trials": f"{results.found['trials']:,}", "Seeds": seeds, "Rows": "`rows.jsonl`, one line per trial"}

    def figures(self, results: Any, judged: Sequence[JudgedClaim]) -> Sequence[Drawing]:
        """Draw bars, and the trials that are looked at closely."""
        from handup.lab.studies.reaching.figures import bars, strips  # noqa: PLC0415 - drawing is an extra

        chosen = {name: all_of(close) for name, close in results.close.items()}
        return (*bars(results.found), *(strips(name, replays) for name, replays in chosen.items() if replays))

    def sections(self, results: Any, judged: Sequence[JudgedClaim], drawings: Sequence[Drawing]) -> Sequence[Section]:
        """Return the goal and `assist` against the paper's policy first, then all figures, then all tables."""
        overview, *others = drawings
        made = tables(results.found)
        return (
            Section("What came out", (overview, *(made.pop(name) for name in FIRST))),
            Section("Figures", tuple(others)),
            Section("Numbers", tuple(made.values())),
        )

    def shown(self, judged: Sequence[JudgedClaim], sections: Sequence[Section]) -> Sequence[Table]:
        """Return the tables that the command prints; single claims are left to the report."""
        return super().shown((), sections)

    def record(self, results: Any, judged: Sequence[JudgedClaim]) -> dict[str, Any]:
        """Return what `study.json` and `--json` have besides the usual keys."""
        return dict(results.found)

    def files(self, results: Results[Any], stamp: Mapping[str, str]) -> Mapping[str, str]:
        """Return the trials, one line each."""
        lines = []
        for batch, columns in results.made.items():
            start = {"config": batch.config, "study": self.name, "method": batch.arm, **dict(batch.place.settings)}
            lines += [json.dumps({**start, **stamp, **row}, ensure_ascii=False) for row in rows_of(columns)]
        return {"rows.jsonl": "\n".join(lines) + "\n"}

    def closing(self, results: Any) -> str:
        """Return the last line that the command prints."""
        return f"Simulated, {results.found['trials']:,} trials"


STUDY = Reaching(
    name="reaching",
    title="Reaching: who helps whom",
    figure="Tables I, II; Figs 4, 6, 7, 9a, 12a, 14",
    question="Who grasps what they want, how fast and against how much of the robot: alone, helped, or asked?",
    make=trials.make,
    parts=trials.PARTS,
    arms=tuple(dict.fromkeys(arm for place in trials.PLACES for arm in place.arms)),
    places=trials.PLACES,
    measures=MEASURES,
    claims=CLAIMS,
    options=(StudyOption(name="seed", help=TEXTS["seed"].format(first=trials.FIRST_TRYING), default=0),),
    unit=("scene", "task", "seed"),
    units="people",
    order=("scene", "task", "seed", "strategy"),
    block=20,
    assumed="people, scenes' coordinates, noise",
    reading=TEXTS["reading"],
    sources="reaching",
    ours=OURS,
)
