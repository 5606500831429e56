"""Numbers of docs/lab/meals.md, from the committed meals of the published studies."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from examples.meal_tables import record
from handup.lab.engine import Results, where
from tests.lab.published import golden
from tests.lab.published.adapter import MEALS, ROW_STUDIES, whole

NEVER, ALWAYS, PAIR, OURS = "never+query-then-execute", "topo+query-for-all", "graph+workload-aware", "troubleshoot"
CONFIDENCE = "confidence+workload-aware"
FORGETS, REMEMBERS = "forgets, same menu", "remembers, same menu"
FORGETS_NEW, REMEMBERS_NEW = "forgets, new menu", "remembers, new menu"
NEW_DAYS, HURRIED = where(meal=(4, 5, 6, 7)), where(care="hurried")


@cache
def results(name: str) -> Results[Any]:
    study, size = whole(name)
    return study.results(size, ROW_STUDIES[name].made(golden.unpack(golden.read(name))))


def signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


class Meals:
    """Numbers of one study, as the page writes them."""

    def __init__(self, name: str) -> None:
        self.results, self.record = results(name), record(name)
        self.triage = {lost["arm"]: lost for lost in self.record["triage"]}

    def mean(self, measure: str, arm: str, digits: int = 2, **at: Any) -> str:
        return f"{self.results.mean(measure, arm, where(**at)).value:.{digits}f}"

    def asked(self, arm: str, **at: Any) -> str:
        return self.mean("queries", arm, 1, **at)

    def more(self, measure: str, arm: str, than: str, **at: Any) -> tuple[str, str]:
        """Return a difference, and the ends of its interval."""
        gap = self.results.difference(measure, arm, than, where(**at))
        return signed(gap.mean), f"{signed(gap.ci[0])} to {signed(gap.ci[1])}"

    def lost(self, cause: str, arm: str) -> int:
        return next(int(priced["bites"]) for priced in self.triage[arm]["causes"] if priced["cause"] == cause)

    def lost_per_meal(self, cause: str, arm: str) -> str:
        return f"{self.record['measures'][arm]['lost'][cause]:.2f}"

    def asked_about(self, module: str, arm: str) -> str:
        return f"{self.record['measures'][arm]['asked'][module]:.1f}"


def quotes() -> Iterator[str]:
    """Yield everything with a number that the text of the page has to say."""
    counts = {name: sum(batch.rows for batch in ROW_STUDIES[name].batches()) for name in MEALS}
    methods, heterogeneity, _, memory = counts.values()
    yield f"({methods} meals, {heterogeneity} with the faulty detector, {memory:,} in the weeks)"
    seeds = {name: f"{whole(name)[1]['seed']:,}" for name in MEALS}
    others = ", ".join(f"`{name}` {seed}" for name, seed in list(seeds.items())[1:])
    yield f"from {seeds['meal-methods']} on ({others})"
    people = record("meal-methods")["participants"]
    yield f"{people} participants, looks hard, {record('meal-methods')['made_at'][:10]}, networks of training seed 1"
    yield f"({people} participants, {memory:,} meals)"
    yield from _methods(Meals("meal-methods"))
    yield from _heterogeneity(Meals("meal-heterogeneity"))
    yield from _home(Meals("meal-home"))
    yield from _memory(Meals("meal-memory"))


def _methods(meals: Meals) -> Iterator[str]:
    ours, always, pair, never = (meals.mean("bites", arm) for arm in (OURS, ALWAYS, PAIR, NEVER))
    gap, ends = meals.more("bites", OURS, ALWAYS)
    yield f"{ours} against {always} of five ({gap}, {ends})"
    yield f"{meals.asked(OURS)} questions against {meals.asked(ALWAYS)}"
    skills = [meals.lost_per_meal("skill", arm) for arm in (ALWAYS, OURS)]
    yield f"(always asking loses {skills[0]} bites a meal to skills, `troubleshoot` {skills[1]})"
    yield "well above never asking**: {} ({})".format(*meals.more("bites", OURS, NEVER))
    yield f"above never asking ({pair} against {never})"
    gap, ends = meals.more("bites", OURS, PAIR)
    questions = meals.results.difference("queries", OURS, PAIR).mean
    yield f"gets {gap[1:]} bites more than the pair ({ends}), for {questions:.1f} questions more"
    hurried = [meals.mean("bites", arm, care="hurried") for arm in (ALWAYS, OURS)]
    yield f"asked everything**: {hurried[0]} bites; `troubleshoot` gets {hurried[1]}"
    belief = meals.triage[OURS]["belief_in_true_cause"]
    low, high = belief["ci"]
    yield f"held the true cause {100 * belief['value']:.0f} % likely ({100 * low:.0f}–{100 * high:.0f})"


def _heterogeneity(meals: Meals) -> Iterator[str]:
    pair, alone = (meals.mean("bites", arm) for arm in (PAIR, CONFIDENCE))
    gap, ends = meals.more("bites", PAIR, CONFIDENCE)
    loads = [meals.mean("workload", arm) for arm in (PAIR, CONFIDENCE)]
    yield (
        f"gets {pair} bites, asking by confidence alone {alone} ({gap}, {ends}), with less workload "
        f"({loads[0]} against {loads[1]})"
    )
    yield f"{meals.asked_about('box', CONFIDENCE)} times a meal, around food that is not there"
    gap, ends = meals.more("bites", OURS, ALWAYS)
    yield f"gets {meals.mean('bites', OURS)}**, more than always asking ({gap}, {ends})"
    yield f"a third of the questions ({meals.asked(OURS)} against {meals.asked(ALWAYS)})"
    yield "wrong nine times in ten, and claiming 0.65."


def _home(meals: Meals) -> Iterator[str]:
    ours, always, pair = (meals.mean("bites", arm) for arm in (OURS, ALWAYS, PAIR))
    yield f"({ours} against {always}, {meals.asked(OURS)} against {meals.asked(ALWAYS)})"
    least = next(claim for claim in meals.results.study.claims if claim.name == "troubleshoot: nearly all of always")
    worse = -least.bars[0].needed
    yield f"at most {worse:g} worse *cannot be told* from {meals.record['participants']} participants"
    yield f"({meals.more('bites', OURS, ALWAYS)[1]})"
    gap, ends = meals.more("bites", OURS, NEVER)
    yield f"above never asking by {gap[1:]} ({ends})"
    questions = meals.results.difference("queries", OURS, PAIR).mean
    cost, cost_ends = meals.more("J_true", OURS, PAIR)
    yield (
        f"{ours} against {pair} ({meals.more('bites', OURS, PAIR)[1]}) for {questions:.1f} questions more, so its J is "
        f"higher, too ({cost}, {cost_ends})"
    )
    skills, theirs = meals.lost("skill", OURS), meals.lost("skill", PAIR)
    yield (
        f"of the {meals.triage[OURS]['lost']} bites that it loses {skills} are M3's, which takes the wrong skill; the "
        f"pair loses {theirs} of {meals.triage[PAIR]['lost']} to skills, but {meals.lost('food', PAIR)} to food (here "
        f"{meals.lost('food', OURS)})"
    )
    bites = [bite for row in meals.results.rows(OURS) for bite in row["bites_taken"] if bite["cause"] == "skill"]
    blamed, asked = (sum("skill" in bite[key] for bite in bites) for key in ("blamed", "asked"))
    yield f"In {blamed} of the {len(bites)} the robot *did* blame the skill most"
    yield f"it asked about the skill in {asked} of the {len(bites)} only"
    box, skill = (meals.asked_about(module, OURS) for module in ("box", "skill"))
    yield f"({box} box questions a meal, {skill} about skills)"


def _memory(meals: Meals) -> Iterator[str]:
    yield f"{meals.asked(REMEMBERS)} a meal instead of {meals.asked(FORGETS)}"
    days = [[meals.asked(arm, meal=day) for day in (1, 7, 2, 6)] for arm in (REMEMBERS, FORGETS)]
    yield "Savory salad takes {} questions on day 1 and {} on day 7, thanksgiving {} on day 2 and {} on day 6".format(
        *days[0]
    )
    yield "without a memory {} and {}, {} and {}".format(*days[1])
    yield "{} bites of five ({})".format(*meals.more("bites", REMEMBERS, FORGETS))
    foods = [meals.lost_per_meal("food", arm) for arm in (REMEMBERS, FORGETS)]
    yield f"({foods[0]} bites lost to M1 a meal instead of {foods[1]})"
    gap, ends = meals.more("bites", REMEMBERS_NEW, FORGETS_NEW, meal=(4, 5, 6, 7))
    fewer = -meals.results.difference("queries", REMEMBERS_NEW, FORGETS_NEW, NEW_DAYS).mean
    yield f"on days 4 to 7 it gets {gap[1:]} bites more ({ends}) and asks {fewer:.1f} questions less"
    hurried = [f"{meals.results.mean('bites', arm, HURRIED).value:.2f}" for arm in (REMEMBERS, FORGETS)]
    yield f"the hurried ones get {hurried[0]} bites instead of {hurried[1]}"
    (recalls, wrong), (new, new_wrong) = (
        (meals.mean("recalls", arm, 1), meals.mean("wrong_recalls", arm)) for arm in (REMEMBERS, REMEMBERS_NEW)
    )
    yield f"Of {recalls} recalled words a meal {wrong} were wrong ({new_wrong} of {new} with the new menu)"
    yield "gets {} bites ({})".format(*meals.more("bites", REMEMBERS, FORGETS, meal=1))
