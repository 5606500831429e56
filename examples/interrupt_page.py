"""Numbers of docs/lab/interrupt.md, from the records of the published studies in docs/lab/interrupt-studies/.

`python -m examples.interrupt_page` writes tables and verdicts below the heading *Numbers*, and prints the sentences
with numbers that the page above it does not say. With a folder of studies, such as `python -m examples.interrupt_page
studies`, the records and the figures there are taken into the docs first. A test holds the page to the records.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from examples.quotes import missing
from handup.confidence.metrics import Estimate
from handup.lab.engine import Table
from handup.lab.engine.registry import study_of
from handup.lab.engine.table import shown

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "lab" / "interrupt.md"
RECORDS = DOCS / "lab" / "interrupt-studies"
STUDIES = {"interruptibility": (3, "2026-11-20"), "interrupt": (1, "2026-11-19")}
"""The studies, with the number of decimals of their tables, and the day on which they were made."""
SHOWN = ("Std", "Min + objects, noisy", "Ext + objects, noisy", "clean sensing", "noisy sensing")
"""Beginnings of the names of places whose tables the page shows."""
HEADING = "\n## Numbers\n"
RULES = (
    "our bar of .05", "an ECE of at most .04 and\n  1.5 flips a minute", "is .02 below the base rate",
    "At .7 the robot", "(seeds 1000 to\n1014)", "by 0.03 and 0.01", "from 0.09 to 0.45",
    "(seeds 2000 to 2014), left 10 of our 26 bars", "had left 0.0 and 0.1 flips",
)  # fmt: skip
"""Numbers on the page that are no results of the published run."""


def record(study: str) -> dict[str, Any]:
    """Return what a published study found."""
    found: dict[str, Any] = json.loads((RECORDS / f"{study}.json").read_text(encoding="utf-8"))
    return found


def take(folder: Path) -> None:
    """Take the records and the figures of a folder of studies into the docs."""
    RECORDS.mkdir(exist_ok=True)
    for study in STUDIES:
        shutil.copyfile(folder / study / "study.json", RECORDS / f"{study}.json")
        shutil.copyfile(folder / study / f"{study}.svg", DOCS / "img" / "lab" / f"{study}.svg")


def numbers() -> str:
    """Return everything below the heading."""
    parts = []
    for name, (digits, day) in STUDIES.items():
        found, study = record(name), study_of(name)
        parts += [f"### `{name}`", f"*Simulated; `{found['command']}`, made on {day}.*"]
        labels = [
            study.measure(measure).label for measure in next(iter(next(iter(found["measures"].values())).values()))
        ]
        for place, arms in found["measures"].items():
            if place.startswith(SHOWN):
                rows = tuple((arm, *(_cell(each, digits) for each in of.values())) for arm, of in arms.items())
                parts.append(Table(f"**{place}**", ("", *labels), rows).markdown())
        if "objects" in found:
            table = found["objects"]
            parts.append(Table(table["caption"], tuple(table["columns"]), tuple(map(tuple, table["rows"]))).markdown())
        rows = tuple((each["text"], each["source"], f"**{each['verdict']}**", _worst(each)) for each in found["claims"])
        parts.append(Table("**Claims**", ("Claim", "Source", "Here", "Numbers"), rows).markdown())
    return "\n" + "\n\n".join(parts) + "\n"


def _cell(estimate: dict[str, Any], digits: int) -> str:
    return shown(Estimate(estimate["value"], tuple(estimate["ci"])), digits)


def _worst(claim: dict[str, Any]) -> str:
    """Return the comparisons of a claim that come to its verdict."""
    chosen = [each for each in claim["comparisons"] if each["verdict"] == claim["verdict"]]
    return "; ".join(f"{each['mean']:+.3f} ({each['low']:+.3f} to {each['high']:+.3f})" for each in chosen[:4])


def refreshed(page: str) -> str:
    """Return the page with the numbers of the records."""
    return page.partition(HEADING)[0] + HEADING + numbers()


def quotes() -> Iterator[str]:
    """Yield everything with a number that the text above the numbers has to say."""
    told, robots = record("interruptibility"), record("interrupt")
    yield f"{told['runs']} runs, seeds {told['seed']} to {told['seed'] + told['runs'] - 1}"
    clean, noisy = (told["measures"][f"Std + objects, {sensing}"] for sensing in ("clean", "noisy"))
    without = [told["measures"][f"Std, {sensing}"] for sensing in ("clean", "noisy")]
    for model in ("forest", "LDCRF"):
        gains = [found[model]["mcc"]["value"] - less[model]["mcc"]["value"]
                 for found, less in zip((clean, noisy), without, strict=True)]  # fmt: skip
        yield f"{gains[0]:+.2f} and {gains[1]:+.2f} for {model}".replace("-", "−")
    for name, of in (("Brier score", "brier"), ("ECE", "ece")):
        ours = [f"{found['default'][of]['value']:.3f}" for found in (clean, noisy)]
        yield f"{name} is {ours[0]} with clean and {ours[1]} with noisy sensing"
    base = [f"{found['base rate']['brier']['value']:.3f}" for found in (clean, noisy)]
    forest = [f"{found['forest']['brier']['value']:.3f}" for found in (clean, noisy)]
    yield f"the base rate's {base[0]} and {base[1]} and the memoryless forest's {forest[0]} and {forest[1]}"
    flips = [f"{found[arm]['flips']['value']:.1f}" for found in (clean, noisy) for arm in ("forest", "default")]
    yield f"from {flips[0]} to {flips[1]} and from {flips[2]} to {flips[3]} a minute"
    yield f"an ECE of {clean['forest, paper']['ece']['value']:.3f} and {noisy['forest, paper']['ece']['value']:.3f}"
    worth = [f"{round(noisy['default'][f'gate_{gate}']['value'], 3) + 0.0:.3f}" for gate in ("0.3", "0.5", "0.7")]
    yield f"a gate at .3 is worth {worth[0]}, one at .5 {worth[1]} and one at .7 {worth[2]}"
    real = told["measures"]["Std + objects, noisy, real bouts"]
    yield (
        f"the default's Brier score is {real['default']['brier']['value']:.3f} against the base rate's "
        f"{real['base rate']['brier']['value']:.3f}"
    )
    sure = [[told["measures"][f"{kind}, {sensing}, sure levels"] for kind in ("Std", "Std + objects")]
            for sensing in ("clean", "noisy")]  # fmt: skip
    for arm in ("forest", "LDCRF"):
        pairs = [f"from {less[arm]['mcc']['value']:.2f} to {more[arm]['mcc']['value']:.2f}" for less, more in sure]
        yield f"{arm}'s MCC {pairs[0]} with clean and {pairs[1]} with noisy sensing"
    ours, base = ([more[arm]["brier"]["value"] for _, more in sure] for arm in ("default", "base rate"))
    yield f"Brier score is {ours[0]:.3f} and {ours[1]:.3f}, against the base rate's {base[0]:.3f} and {base[1]:.3f}"
    errors, flips = ([more["default"][of]["value"] for _, more in sure] for of in ("ece", "flips"))
    yield f"its ECE {errors[0]:.3f} and {errors[1]:.3f}, and it flips {flips[0]:.1f} and {flips[1]:.1f} times a minute"
    sessions = robots["measures"]["noisy sensing"]
    means = {arm: {name: each["value"] for name, each in of.items()} for arm, of in sessions.items()}
    aware, unaware, lower = (means[arm] for arm in ("aware", "unaware", "aware, gate 0.3"))
    bad = [f"{means[arm]['inappropriate']:.1f}" for arm in ("aware", "unaware", "oracle")]
    yield f"{bad[0]} times instead of {bad[1]}, and the oracle {bad[2]}"
    yield f"{aware['own_tasks']:.1f} tasks instead of {unaware['own_tasks']:.1f}"
    yield f"{aware['time_to_help_s']:.0f} s instead of {unaware['time_to_help_s']:.0f} s"
    yield f"{aware['robot_tasks']:.1f} tasks instead of {unaware['robot_tasks']:.1f}"
    yield (
        f"With a gate at .3 help comes after {lower['time_to_help_s']:.0f} s, for {lower['inappropriate']:.1f} "
        f"inappropriate interruptions"
    )
    for name, found in (("interruptibility", told), ("interrupt", robots)):
        for is_ours, words in ((False, "the dissertation's claims"), (True, "our own bars")):
            counts = Counter(each["verdict"] for each in found["claims"] if (each["source"] == "handup") is is_ours)
            yes, no, open_ = (counts[verdict] for verdict in ("holds", "does not hold", "cannot be told"))
            yield f"`{name}`: of {words} {yes} hold, {no} do not, {open_} cannot be told"


if __name__ == "__main__":
    if sys.argv[1:]:
        take(Path(sys.argv[1]))
    text = refreshed(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8")
    for quote in missing(text.partition(HEADING)[0], quotes()):
        print(f"To be said on the page: {quote}")
