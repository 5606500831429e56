"""What docs/lab/recoveries.md says, from the records of the published studies in docs/lab/recovery-studies/.

`python -m examples.recovery_page` puts the tables of the records onto the page, and prints the sentences with numbers
that the page does not say, to be put there by hand. With a folder of studies, such as `python -m examples.recovery_page
studies`, the records and the figures that `handup study run recoveries` and `recovery-rules` left there are taken into
the docs first. A test holds the page to the records.
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
from handup.lab.engine import Table

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "lab" / "recoveries.md"
RECORDS = DOCS / "lab" / "recovery-studies"
FIGURES = {"recoveries": ("recoveries", "recoveries-minutes"), "recovery-rules": ("recovery-rules",)}
"""The studies, and what they draw."""
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
        shutil.copyfile(folder / study / "study.json", RECORDS / f"{study}.json")
        for name in figures:
            shutil.copyfile(folder / study / f"{name}.svg", DOCS / "img" / "lab" / f"{name}.svg")


def tables(study: str) -> Iterator[str]:
    """Those that the page shows, each with what stands above it."""
    for each in record(study)["tables"]:
        table = Table(each["caption"], tuple(each["columns"]), tuple(map(tuple, each["rows"])))
        if LEFT_OUT not in table.caption[:KNOWN]:
            yield table.markdown()


def refreshed(page: str) -> str:
    """The page with the tables of the records in the place of those that it had."""
    blocks = page.split("\n\n")
    for study in FIGURES:
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


def _verdicts(found: Mapping[str, Any], *, ours: bool) -> Counter[str]:
    return Counter(each["verdict"] for each in found["claims"] if (each["source"] == "handup") is ours)


def _told(counts: Mapping[str, int]) -> str:
    holds, not_, open_ = (counts.get(each, 0) for each in ("holds", "does not hold", "cannot be told"))
    return f"{holds} hold, {not_} do not, and {open_} cannot be told"


def _kits(day: Mapping[str, Any], way: str) -> str:
    return f"{day[way]['kits']['value']:.2f}"


def _alone(day: Mapping[str, Any], way: str, runs: int) -> int:
    return round(runs * float(day[way]["alone"]["value"]))


def _broke_off(way: Mapping[str, Any]) -> int:
    return sum(int(count) for ending, count in way["endings"].items() if ending != DONE)


def _same(found: Mapping[str, Any], day: str, way: str) -> str:
    """Pairs of runs with as many kits: the middle one of 'more / same / less'."""
    table = next(each for each in found["tables"] if each["caption"].startswith(f"{day} day: what"))
    row = next(each for each in table["rows"] if each[0] == way)
    return str(row[table["columns"].index("runs with more / same / less kits")].split(" / ")[1])


if __name__ == "__main__":
    if sys.argv[1:]:
        take(Path(sys.argv[1]))
    text = refreshed(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8")
    for quote in missing(text, quotes(record("recoveries"))):
        print(f"To be said on the page: {quote}")
