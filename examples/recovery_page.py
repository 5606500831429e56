"""What docs/lab/recoveries.md and helpers.md say, from the published records in docs/lab/recovery-studies/.

`python -m examples.recovery_page` puts the tables of the records onto the pages, and prints the sentences with numbers
that a page does not say, to be put there by hand. With a folder of studies, such as `python -m examples.recovery_page
studies`, the records and the figures that `handup study run` left there are taken into the docs first. A test holds the
pages to the records.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from examples.quotes import missing
from handup.core import QuestionKind, Role
from handup.domains.kitting.helpers import FIT
from handup.lab.engine import Table
from handup.lab.studies.crew_runs import NUMBERS
from handup.people import Suggestions, Support, answer_model

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "lab" / "recoveries.md"
RECORDS = DOCS / "lab" / "recovery-studies"
HELPERS_PAGE = DOCS / "lab" / "helpers.md"
FIGURES = {
    "recoveries": ("recoveries", "recoveries-minutes"),
    "recovery-rules": ("recovery-rules",),
    "recovery-effort": ("recovery-effort",),
    "helper-roles": ("helper-roles",),
}
"""The studies, and what they draw."""
PAGES = {PAGE: ("recoveries", "recovery-rules"), HELPERS_PAGE: ("recovery-effort", "helper-roles")}
"""The pages, and the studies that each tells of."""
KNOWN = 18
"""So many letters of what stands above a table tell which one it is."""
LEFT_OUT = ": how "
"""How runs ended stands in the report only."""
DONE = "done"


def record(study: str) -> dict[str, Any]:
    """What a published study found."""
    found: dict[str, Any] = json.loads((RECORDS / f"{study}.json").read_text(encoding="utf-8"))
    return found


def take(folder: Path) -> None:
    """Take the records and the figures of a folder of studies into the docs."""
    RECORDS.mkdir(exist_ok=True)
    for study, figures in FIGURES.items():
        if not (folder / study).exists():
            continue
        shutil.copyfile(folder / study / "study.json", RECORDS / f"{study}.json")
        for name in figures:
            shutil.copyfile(folder / study / f"{name}.svg", DOCS / "img" / "lab" / f"{name}.svg")


def tables(study: str) -> Iterator[str]:
    """Those that the page shows, each with what stands above it."""
    for each in record(study)["tables"]:
        table = Table(each["caption"], tuple(each["columns"]), tuple(map(tuple, each["rows"])))
        if LEFT_OUT not in table.caption[:KNOWN]:
            yield table.markdown()


def refreshed(page: Path) -> str:
    """The page with the tables of the records in the place of those that it had."""
    blocks = page.read_text(encoding="utf-8").split("\n\n")
    for study in PAGES[page]:
        for table in tables(study):
            place = next(n for n, block in enumerate(blocks) if block.startswith(table[:KNOWN]))
            blocks[place : place + 2] = table.split("\n\n")
    return "\n\n".join(blocks)


def quotes(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield everything with a number that the text of the page has to say."""
    usual, hard = found["measures"]["usual"], found["measures"]["hard"]
    runs, first = found["runs"], found["seed"]
    yield f"{runs} runs of each way on each day, seeds {first} to {first + runs - 1}."
    paper, own = (_verdicts(found, ours=ours) for ours in (False, True))
    yield f"Of the dissertation's {sum(paper.values())} claims that were tested, {_told(paper)}"
    yield f"of our own {sum(own.values())}, {_told(own)}."
    yield (
        f"On a usual day {_kits(usual, 'full')} (four if nothing ever failed), against {_kits(usual, 'none')} without "
        f"rules, {_kits(usual, 'retry')} with blind retries and {_kits(usual, 'restart')} with restarts."
    )
    yield f"{_alone(usual, 'full', runs)} of {runs} runs need nobody for 45 minutes"
    yield f"on a hard day {_alone(hard, 'full', runs)} of {runs}."
    flat = usual["no hierarchy"]
    yield f"the same rules build {_kits(usual, 'no hierarchy')} kits, and {_broke_off(flat)} of {runs} runs break off."
    fewer = [f"{hard['full']['kits']['value'] - hard[way]['kits']['value']:.2f}" for way in ("no counts", "no beliefs")]
    yield f"On a hard day it is {' and '.join(fewer)} fewer"
    late = [f"{day[way]['ends_later_s']:.0f} s" for way in ("no counts", "no beliefs") for day in (usual, hard)]
    yield f"the one without counts ends {late[0]} later on a usual day and {late[1]} on a hard one"
    yield f"the one without beliefs {late[2]} and {late[3]}"
    moved = [usual[way]["rules"]["stand_elsewhere"] for way in ("no counts", "full")]
    yield f"the base is moved elsewhere {moved[0]} times instead of {moved[1]} on a usual day."
    yield f"On a usual day {_same(found, 'Usual', 'full + bystander')} of {runs} pairs of runs are the same with and"
    more = hard["full + bystander"]["kits"]["value"] - hard["full"]["kits"]["value"]
    needed = hard["full + bystander"]["interventions"]["value"]
    yield f"On a hard day a bystander brings {more:+.2f} kits, for {needed:.2f} interventions a run"
    less = hard["full + operator"]["kits"]["value"] - hard["full"]["kits"]["value"]
    yield f"a remote operator {less:+.2f}."
    yield f"in {_broke_off(hard['full + operator'])} of {runs} runs with an operator"
    yield (
        f"{_kits(usual, 'half + bystander')} kits against {_kits(usual, 'half')} with a bystander, "
        f"{_kits(usual, 'half + operator')} with an operator."
    )
    asked = usual["bystander"]
    yield (
        f"Asked each time, a bystander gets {_kits(usual, 'bystander')} kits, is needed "
        f"{asked['interventions']['value']:.1f} times in 45 minutes, and the robot is available "
        f"{100 * asked['availability']['value']:.0f} % of the time."
    )
    yield f"Full rules with nobody build {usual['full']['kits']['value'] - asked['kits']['value']:.2f} kits more."


def helper_quotes() -> Iterator[str]:
    """Yield everything with a number that the text of the page about helpers has to say."""
    yield from _human_quotes()
    roles, effort = record("helper-roles"), record("recovery-effort")
    for found, what in ((roles, "each crew"), (effort, "each step")):
        first = found["seed"]
        yield f"{found['runs']} runs of {what}, seeds {first} to {first + found['runs'] - 1}."
        paper, own = (_verdicts(found, ours=ours) for ours in (False, True))
        yield f"Of the dissertation's {sum(paper.values())} claims, {_told(paper)}"
        yield f"of our own {sum(own.values())}, {_told(own)}."
    pooled, means = roles["pooled"], roles["measures"]
    half, none, all_ = (f"{name} of the rules" for name in ("half", "none", "all"))
    takes = {name: f"{pooled[half][name]['answered_s']['value']:.0f} s" for name in pooled[half]}
    kits = {name: _kits(means[half], name) for name in means[half]}
    yield (
        f"With half of the rules an intervention that is answered takes {takes['bystander']} with a bystander, "
        f"{takes['operator']} with an operator and {takes['operator first']} with an operator first"
    )
    yield (
        f"{kits['bystander']} kits with a bystander, {kits['operator first']} with an operator first, "
        f"{kits['operator, both']} with an operator who "
        f"sees both suggestions and {kits['operator']} with one who sees none"
    )
    calls = [means[half][name]["bystander_calls"]["value"] for name in ("bystander", "operator first")]
    yield f"the bystander is called {calls[1]:.1f} times instead of {calls[0]:.1f}"
    between = [f"{pooled[place]['bystander']['mtbi_s']['value'] / 60.0:.0f} min" for place in (none, half)]
    yield f"MTBI with a bystander is {between[0]} without rules and {between[1]} with half of them"
    lagged = [f"{pooled[half][f'operator, {lag} s']['answered_s']['value']:.0f} s" for lag in (5, 20)]
    yield f"from {takes['operator']} to {lagged[0]} with a lag of 5 s and {lagged[1]} with one of 20 s"
    yield f"With both suggestions an answered one takes {takes['operator, both']}"
    yield f"{kits['operator, diagnoses']} kits with diagnoses alone and {kits['operator, actions']} with actions alone"
    off = [means[half][name]["broke_off"]["value"] for name in ("operator", "operator, both")]
    yield f"{100 * off[0]:.0f} % of the runs break off without suggestions and {100 * off[1]:.0f} % with both"
    for place, text in ((half, "With half of the rules"), (all_, "With all rules on a hard day")):
        fan_out = roles["fan_out"][place]
        yield f"By NT / IT + 1 the fan-out is {fan_out['classical']:.1f}"
        yield f"{text} NT / IT + 1 says {fan_out['classical']:.1f} robots, and {fan_out['served']} keep"
    busy = means[half]["8 robots"]["busy"]["value"]
    yield f"Eight robots keep the operator busy for {100 * busy:.0f} % of the time"
    by = effort["steps"]
    files, need, asked = by["files, nobody"], by["need, nobody"], by["need, bystander"]
    yield (
        f"The first 15 rules build {_kits(files, '15')} kits, the first 30 build {_kits(files, '30')}, and all 44 "
        f"{_kits(files, '44')}"
    )
    yield f"By need 15 build {_kits(need, '15')}, and the 27 that the trials asked for {_kits(need, '27')}"
    yield f"{100 * need['27']['alone']['value']:.0f} % of the runs need nobody"
    falls = [asked[step]["interventions"]["value"] for step in ("1", "15", "27")]
    yield f"from {falls[0]:.1f} in 45 minutes to {falls[1]:.1f} with 15 rules and {falls[2]:.1f} with 27"


def _human_quotes() -> Iterator[str]:
    """Yield how good the operators are whose answers the helpers of the study give."""
    model, shown = answer_model(fit=FIT), Support(Suggestions.BOTH, NUMBERS["accuracy"])
    kinds = (QuestionKind.DIAGNOSIS, QuestionKind.ACTION)
    alone, both = (
        [f"{100 * model.chance(Role.OPERATOR, kind, support).probability:.0f} %" for kind in kinds]
        for support in (None, shown)
    )
    median_s = model.time(Role.OPERATOR, QuestionKind.ACTION).quantile(0.5)
    yield f"right about a diagnosis in {alone[0]} and about an action in {alone[1]} of the cases"
    yield f"with both suggestions in {both[0]} and {both[1]}, and took {median_s:.1f} s (median)"


def _verdicts(found: Mapping[str, Any], *, ours: bool) -> Counter[str]:
    return Counter(each["verdict"] for each in found["claims"] if (each["source"] == "handup") is ours)


def _told(counts: Mapping[str, int]) -> str:
    holds, not_, open_ = (counts.get(each, 0) for each in ("holds", "does not hold", "cannot be told"))
    return f"{holds} hold{'s' * (holds == 1)}, {not_} do{'es' * (not_ == 1)} not, and {open_} cannot be told"


def _kits(day: Mapping[str, Any], way: str) -> str:
    return f"{day[way]['kits']['value']:.2f}"


def _alone(day: Mapping[str, Any], way: str, runs: int) -> int:
    return round(runs * float(day[way]["alone"]["value"]))


def _broke_off(way: Mapping[str, Any]) -> int:
    return sum(int(count) for ending, count in way["endings"].items() if ending != DONE)


def _same(found: Mapping[str, Any], day: str, way: str) -> str:
    """Pairs of runs with as many kits: the middle one of 'more / same / less'."""
    table = next(each for each in found["tables"] if each["caption"].startswith(f"{day} day: differences"))
    row = next(each for each in table["rows"] if each[0] == way)
    return str(row[table["columns"].index("runs with more / same / less kits")].split(" / ")[1])


if __name__ == "__main__":
    if sys.argv[1:]:
        take(Path(sys.argv[1]))
    said = {PAGE: quotes(record("recoveries")), HELPERS_PAGE: helper_quotes()}
    for path in PAGES:
        text = refreshed(path)
        path.write_text(text, encoding="utf-8")
        for quote in missing(text, said[path]):
            print(f"To be said in {path.name}: {quote}")
