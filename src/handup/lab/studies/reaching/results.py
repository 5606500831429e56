"""Results of the study of reaching: trials by condition, claims judged after the paper's analyses of variance, record.

Tables, figures and pages are made from the record, which is plain data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from handup.confidence.metrics import Estimate
from handup.domains.reaching import scene
from handup.lab.engine import judge as judging
from handup.lab.engine import stats
from handup.lab.engine.claim_file import read_claims
from handup.lab.engine.claims import Claim, Row, Verdict, Where
from handup.lab.engine.judge import JudgedClaim
from handup.lab.engine.results import Results
from handup.lab.studies.reaching import close, trials
from handup.lab.studies.reaching.close import Close
from handup.lab.studies.reaching.trials import ALL, GENTLE, GOAL, HO, MANUAL, OURS, PAPER, PARTS, SCENES, STRATEGIES, at

OWN = "handup"
"""Source of claims that are not the paper's."""
PAPERS, SWEEP, VERSUS = "the paper's orderings", "the look-ahead T", "assist against the paper's policy"
"""Families of claims."""
LIMITS: dict[str, Any] = {"success": 0.99, "faster": 0.8, "questions": 0.5, "opposing": 0.03}
"""Limits that define the goal of `assist`."""
CLAIMS = read_claims(__file__, "claims.yaml", strategies=STRATEGIES, scenes=SCENES, **LIMITS)
ASKED = (MANUAL, HO, PAPER)
"""Methods that the paper's participants tried."""
KIND, SCHEMA = "reaching-study", 1
FEW = ("success", "total_s", "all_opposing", "questions")
SHOWN = ("success", "total_s", "time_s", "mode_changes", "joystick_input", "opposing", "predicted", "questions")
"""Measures of single tasks."""
MEANS = ("success", "first_success", *SHOWN[1:6], "all_opposing", *SHOWN[6:])
BARS = (MANUAL, HO, trials.HO_YIELDS, PAPER, OURS)
"""Methods that bar plots show, as in the paper, and ours."""
REAPPEARS = {Verdict.HOLDS: "reappears", Verdict.FAILS: "does not", Verdict.OPEN: "cannot be told"}
EVERYWHERE, ATTEMPTS = "everywhere", "attempts"


class FailureCause(StrEnum):
    """Cause of a failed attempt; the first that applies counts."""

    # A question of the attempt was answered wrongly.
    ANSWER = "a wrong answer"
    # At the end the robot believed in another goal with more than .7, by pushes and right answers, if any.
    BELIEF = "surely wrong without a wrong answer"
    # The robot did not know the wanted pose.
    POSE = "a pose that is not listed"
    # At the end it believed in no goal with more than .7.
    UNSURE = "never sure"
    # It was sure of the goal, or no robot helped; the hand closed elsewhere, or the time was up.
    HAND = "missed or too late, no more"


COUNTED = (ATTEMPTS, *map(str, FailureCause))
"""Counts of attempts: all of them, and those that failed, by cause."""


def key_and_user(claim: Claim) -> tuple[str, str]:
    """Return the short name of a claim, the same for all users, and the kind of user that it is about."""
    key, _, user = claim.name.removesuffix(")").rpartition(" (")
    return key, user


def is_papers(claim: Claim) -> bool:
    """Return True if a claim is the paper's; these are a family for each kind of user."""
    return claim.family.startswith(PAPERS)


@dataclass(frozen=True, eq=False)
class ReachingResults(Results[Any]):
    """Trials of the study, and the results derived from them, each computed on first use."""

    @cached_property
    def judged(self) -> tuple[JudgedClaim, ...]:
        """All claims, judged; some after an analysis of variance."""
        return tuple(self._judge(self.study.claims))

    @cached_property
    def without_rule(self) -> dict[str, Verdict]:
        """Verdicts without the paper's rule of exclusion, by name of the claims that the rule changes."""
        papers = [claim for claim in self.study.claims if is_papers(claim)]
        # Claims that the rule does not change are in this family too, so that both corrections are equally strict.
        whole = zip(papers, self._judge([_without_rule(claim) for claim in papers]), strict=True)
        return {claim.name: judged.finding.verdict for claim, judged in whole if claim != judged.claim}

    @cached_property
    def close(self) -> Mapping[str, Close]:
        """Trials shown in detail, by figure."""
        return close.choose(self)

    @cached_property
    def found(self) -> dict[str, Any]:
        """Record that tables and figures are made from."""
        return _record(self)

    def times(self, measure: str, arm: str, than: str, where: Where) -> Estimate | None:
        """Return the ratio of a measure of two arms, over pairs in which both have it."""
        units = self.units(arm, where)
        values = [self.values(measure, name, where) for name in (arm, than)]
        both = np.isfinite(values).all(axis=0)
        above, below = (np.bincount(units, np.where(both, side, 0.0)).astype(np.float64) for side in values)
        return stats.ratio(above, below) if both.any() else None

    def block(self, measure: str, where: Where) -> stats.Vector:
        """Return a measure by seed, task and method for an analysis of variance; only seeds that have all of it."""
        tasks = sorted({row["task"] for row in self.rows(ASKED[0], where)})
        table = [[self.values(measure, arm, (*where, ("task", task))) for arm in ASKED] for task in tasks]
        whole = np.moveaxis(np.array(table), -1, 0)
        return np.asarray(whole[np.isfinite(whole).all(axis=(1, 2))])

    def effects(self, measure: str, where: Where) -> dict[str, stats.FactorEffect] | None:
        """Return the effect of the method and its interaction with the task; None if people are too few."""
        block = self.block(measure, where)
        if len(block) < judging.LEAST_TOLD:
            return None
        _, method, both = stats.two_way(block)
        return {"method": method, "method × task": both}

    def _judge(self, claims: Sequence[Claim]) -> Iterator[JudgedClaim]:
        for judged in judging.judge(claims, self):
            claim, finding = judged.claim, judged.finding
            key, user = key_and_user(claim)
            if key.startswith(("H1, ", "H2, ")):
                # As in the paper, an analysis of variance, task × method, must show an effect of the method first.
                bar = claim.bars[0]
                effects = self.effects(bar.measure, at(user, str(dict(bar.where)["scene"])))
                finding = replace(finding, numbers=(("analysis of variance", _told(effects)), *finding.numbers))
                any_effect = any(effect.p < stats.ALPHA for effect in (effects or {}).values())
                if finding.verdict is Verdict.HOLDS and not any_effect:
                    why = "The analysis of variance shows no effect of the method."
                    finding = replace(finding, verdict=Verdict.OPEN, why=why)
            yield replace(judged, finding=finding)


def _without_rule(claim: Claim) -> Claim:
    """Return the same claim over all attempts, without exclusions."""
    bars = (replace(bar, measure=trials.WITHOUT_RULE.get(bar.measure, bar.measure)) for bar in claim.bars)
    return replace(claim, bars=tuple(bars))


def _told(effects: Mapping[str, stats.FactorEffect] | None) -> str:
    if effects is None:
        return "too few people have all measures"
    return "; ".join(
        f"{name} F({effect.df[0]:.2f}, {effect.df[1]:.1f}) = {effect.f:.2f}, p = {effect.p:.2g}"
        for name, effect in effects.items()
    )


def _record(results: ReachingResults) -> dict[str, Any]:
    def means(arms: Iterable[str], where: Where, measures: Sequence[str]) -> dict[str, Any]:
        return {arm: _means(results, arm, where, measures) for arm in arms}

    def by_scene(arm: str) -> dict[str, Any]:
        return {name: _means(results, arm, at(name=name, part=trials.LOOK_AHEAD), FEW) for name in SCENES}

    def shown(arm: str, where: Where) -> list[list[float] | None]:
        """Return means in the order of `SHOWN`; null if every trial failed."""
        found = _means(results, arm, where, SHOWN)
        return [found.get(name) for name in SHOWN]

    def slower(arm: str, where: Where) -> bool:
        """Return True if a person alone is faster on average over all attempts."""
        alone, helped = (results.values("total_s", name, where).mean() for name in (MANUAL, arm))
        return bool(alone < helped)

    methods, gentle, users = PARTS[ALL]["methods"], PARTS[GENTLE]["methods"], trials.USERS
    tasks = {f"{name} {task}": (name, task) for name in SCENES for task in scene(name).tasks}
    asked = {arm: results.rows(arm, at(part=ALL)) + results.rows(arm, at(part=GOAL)) for arm in (PAPER, OURS)}
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "trials": sum(batch.rows for batch in results.made),
        "seeds": {part: list(results.study.seeds(part, results.size)) for part in results.study.parts},
        "means": {name: {user: means(methods, at(user, name), MEANS) for user in users} for name in SCENES},
        "task_measures": list(SHOWN),
        "tasks": {
            label: {user: {arm: shown(arm, at(user, *task)) for arm in BARS} for user in users}
            for label, task in tasks.items()
        },
        "table_1": {user: means(methods, at(user, "S1", "cup/top"), SHOWN) for user in STRATEGIES},
        "table_2": close.table_2(close.all_of(results.close["fig-4"])),
        "variance": list(_variance(results)),
        "versus": {name: {user: _versus(results, at(user, name), FEW) for user in users} for name in SCENES},
        "versus_listed": {
            name: _versus(results, at(name=name, listed=True), ("total_s",))["total_s"] for name in SCENES
        },
        "asked": {
            arm: [sum(attempt["questions"] for row in rows for attempt in row["attempts"]), len(rows)]
            for arm, rows in asked.items()
        },
        "goal": _goal(results),
        "look_ahead": {f"{seconds:g}": by_scene(trials.of_look_ahead(seconds)) for seconds in trials.LOOK_AHEADS_S},
        "look_ahead_beside": {arm: by_scene(arm) for arm in (MANUAL, HO, OURS)},
        "gentle": means(gentle, at(part=GENTLE), FEW),
        "failures": causes(results, ALL),
        "faster_alone": {
            user: {
                arm: [label for label, task in tasks.items() if slower(arm, at(user, *task))] for arm in (PAPER, OURS)
            }
            for user in users
        },
        "close": {
            name: {what: list(dict.fromkeys(replay.label for replay in replays)) for what, replays in looked.items()}
            for name, looked in results.close.items()
        },
        "orderings": orderings(results.judged),
        "claims": [_claim(judged, results.without_rule.get(judged.claim.name)) for judged in results.judged],
    }


def _claim(judged: JudgedClaim, without_rule: Verdict | None) -> dict[str, Any]:
    claim, finding = judged.claim, judged.finding
    key, user = key_and_user(claim)
    return {
        "key": key,
        "family": claim.family.removesuffix(f", {user}"),
        "user": user,
        "source": claim.source,
        "text": claim.text,
        "verdict": str(finding.verdict),
        "without_rule": None if without_rule is None else str(without_rule),
        "why": finding.why,
        "numbers": [f"{label}: {numbers}" for label, numbers in finding.numbers],
    }


def _short(*values: float) -> list[float]:
    return [float(f"{value:.4g}") + 0.0 for value in values]  # no -0


def _means(results: ReachingResults, arm: str, where: Where, measures: Sequence[str]) -> dict[str, list[float]]:
    found = results.means(measures, arm, where)
    return {name: _short(estimate.value, *estimate.ci) for name, estimate in found.items()}


def _variance(results: ReachingResults) -> Iterator[dict[str, Any]]:
    """Yield analyses of variance of the paper's three methods, with its rule of exclusion and without."""

    def numbers(effect: stats.FactorEffect) -> list[float | None]:
        """Return F, its degrees of freedom, ε and p; None for a number that is not finite."""
        values = (effect.f, *effect.df, effect.epsilon, effect.p)
        return [_short(value)[0] if np.isfinite(value) else None for value in values]

    rules = ("time_s", "mode_changes", "joystick_input")
    measures = [measure for rule in rules for measure in (rule, trials.WITHOUT_RULE[rule])]
    for name, user, measure in product(SCENES, STRATEGIES, measures):
        effects = results.effects(measure, at(user, name))
        if effects is not None:
            method, both = effects.values()
            tested = {"scene": name, "user": user, "measure": measure, "people": method.units}
            yield {**tested, "method": numbers(method), "both": numbers(both)}


def _versus(results: ReachingResults, where: Where, measures: Sequence[str]) -> dict[str, list[float]]:
    """Return the difference of `assist` and the paper's policy: mean, interval, p, number of people."""
    gaps = {name: results.difference(name, OURS, PAPER, where) for name in measures}
    return {name: _short(gap.mean, *gap.ci, gap.p, gap.units) for name, gap in gaps.items()}


def _goal(results: ReachingResults) -> dict[str, Any]:
    table, arms = trials.COMPLEX, PARTS[GOAL]["methods"]
    where = at(name=table, part=GOAL)
    ratios = {name: results.times(name, OURS, MANUAL, where) for name in ("total_s", "time_s")}
    tasks = {task: at(name=table, task=task, part=GOAL) for task in scene(table).tasks}
    slower = {task: results.difference("total_s", OURS, MANUAL, place) for task, place in tasks.items()}
    poses = {}
    for name, listed in {"listed": True, "not listed": False}.items():
        place = at(name=table, part=GOAL, listed=listed)
        people = len(results.rows(OURS, place))
        methods = {arm: _means(results, arm, place, MEANS) for arm in arms} if people else {}
        poses[name] = {"people": people, "methods": methods}
    return {
        "methods": {arm: _means(results, arm, where, MEANS) for arm in arms},
        "ratio": {name: None if ratio is None else _short(ratio.value, *ratio.ci) for name, ratio in ratios.items()},
        "slower_s": {task: _short(gap.mean, *gap.ci) for task, gap in slower.items()},
        "poses": poses,
        "failures": causes(results, GOAL),
    }


def cause(row: Row, attempt: Row) -> FailureCause:
    """Return the cause of a failed attempt; without help there is no belief to be wrong."""
    if attempt["wrong_answers"]:
        return FailureCause.ANSWER
    if attempt["sure_of"] not in ("", row["task"]):
        return FailureCause.BELIEF
    if not row["listed"]:
        return FailureCause.POSE
    return FailureCause.HAND if attempt["sure_of"] or row["arm"] == MANUAL else FailureCause.UNSURE


def causes(results: ReachingResults, name: str) -> dict[str, dict[str, dict[str, int]]]:
    """Count failed attempts of each method by their cause, and all attempts: everywhere, and by scene and user."""
    part = PARTS[name]
    places = {EVERYWHERE: at(part=name)} | {
        f"{place}, {user}": at(user, place, part=name)
        for place in part["scenes"]
        for user in dict.fromkeys((*part["users"], trials.MIXED))
    }

    def counted(rows: Sequence[Row]) -> dict[str, int]:
        attempts = [(row, attempt) for row in rows for attempt in row["attempts"]]
        counts = Counter(cause(row, attempt) for row, attempt in attempts if not trials.succeeded(attempt))
        return {ATTEMPTS: len(attempts), **{str(kind): counts[kind] for kind in FailureCause}}

    return {
        arm: {label: counted(results.rows(arm, where)) for label, where in places.items()} for arm in part["methods"]
    }


def orderings(judged: Sequence[JudgedClaim]) -> list[dict[str, Any]]:
    """Return every single order that the paper states, and whether it reappears for each user.

    A claim needs all of its comparisons, and some an analysis of variance before; here each stands alone, as corrected
    in its family. `p` is null where the interval decides; `different_sides` says whether ranks and mean differ.
    """
    rows: dict[str, dict[str, Any]] = {}
    for claimed in judged:
        key, user = key_and_user(claimed.claim)
        for measured in claimed.measured if is_papers(claimed.claim) else ():
            if not measured.bar.is_alone:
                label = measured.label.replace(f", {user}:", ":")
                row = rows.setdefault(label, {"label": label, "claims": [], "sources": [], "users": {}})
                for name, value in (("claims", key), ("sources", claimed.claim.source)):
                    row[name] += [value] if value not in row[name] else []
                found, p = measured.found, measured.p
                row["users"][user] = {
                    "verdict": REAPPEARS[measured.verdict],
                    "difference": _short(found.mean, *found.ci),
                    "p": None if p is None else _short(p)[0],
                    "people": found.units,
                    "different_sides": measured.differs,
                }
    return list(rows.values())
