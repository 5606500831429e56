"""What docs/lab/reaching.md says, from the record of the published study in docs/lab/reaching/.

`python -m examples.reaching_page` puts tables and claims of the record onto the page, below the text, and prints the
numbers that the text does not say, to be put there by hand. With the folder of a study that was run, such as
`python -m examples.reaching_page studies/reaching`, record and pictures are taken from there first. A test holds the
page to the record.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from examples.quotes import missing
from handup.confidence.metrics import wilson
from handup.domains.reaching import scene
from handup.lab.studies.reaching.figures import PAPER_FIGURES
from handup.lab.studies.reaching.results import ATTEMPTS, EVERYWHERE, LIMITS, OWN, PAPERS, SWEEP, VERSUS, FailureCause
from handup.lab.studies.reaching.study import PERCENT, RULES, family, rounded, tables
from handup.lab.studies.reaching.trials import (
    COMPLEX,
    HO,
    HO_YIELDS,
    MANUAL,
    MIXED,
    NO_QUESTIONS,
    OURS,
    PAPER,
    PARTS,
    STRATEGIES,
)

Record = Mapping[str, Any]
DOCS = Path(__file__).parent.parent / "docs"
PAGE, RECORD, PICTURES = DOCS / "lab" / "reaching.md", DOCS / "lab" / "reaching" / "record.json", DOCS / "img" / "lab"
SHOWN = ("reaching.svg", "reaching-look-ahead.svg")
CLOSE = ("fig-4", "fig-6", "fig-14")
"""Trials looked at closely; those of a figure are shown where the study has some."""
BARS = tuple(f"reaching-{name.lower()}.png" for name in PAPER_FIGURES)
NUMBERS = "## Numbers\n"
"""What comes below is made of the record; what comes before is written by hand."""
WITH_PEOPLE = ("U6", "U22")
"""Scenes of the paper's studies with people, for which it has analyses of variance."""
MEASURES = ("success", "first_success", "total_s", "time_s", "all_opposing", "predicted", "questions")
SECONDS = ("time_s", "total_s")
FEW = ("success", "total_s", "all_opposing", "questions")
COLORS = 128
"""Of a picture: as clear, and a third as large."""


def record() -> dict[str, Any]:
    """Return what the published study found."""
    found: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def refreshed(page: str, found: Record) -> str:
    """Return the page with tables and claims of the record below its text."""
    return page.partition(NUMBERS)[0] + NUMBERS + "\n" + "\n\n".join(_numbers(found)) + "\n"


def _numbers(found: Record) -> Iterator[str]:
    names = ["families", "goal", "poses", "versus", "claims", "orderings", *(f"table 1, {user}" for user in STRATEGIES)]
    names += ["table 2", f"overview, {MIXED}", "variance", "look-ahead", "gentle", "failures"]
    made = tables(found)
    yield from (made[name].markdown() for name in names)
    yield "## Claim by claim"
    yield RULES
    by_family: dict[str, list[str]] = {}
    for claim in found["claims"]:
        by_family.setdefault(family(claim), []).append(_claim(claim))
    for name, lines in by_family.items():
        yield f"### {name[0].upper()}{name[1:]}"
        yield "\n".join(lines)


def _claim(claim: Record) -> str:
    again = "" if claim["without_rule"] is None else f"; without the rule of exclusion *{claim['without_rule']}*"
    numbers = "".join(f"\n    - {numbers}" for numbers in claim.get("numbers", ()))
    about = f"{claim['user']}; {claim['source']}"
    return f"- **{claim['key']}** ({about}): *{claim['verdict']}*{again}. {claim['why']}{numbers}"


def number(measure: str, numbers: Sequence[float], *, signed: bool = False) -> str:
    """Return a mean with its unit and its interval; with a sign it is a difference, and one of shares is in points."""
    share = measure in PERCENT
    unit = (" points" if signed else " %") if share else " s" if measure in SECONDS else ""
    digits = 1 if share or measure in SECONDS else 2
    value, low, high = (rounded((100.0 if share else 1.0) * each, digits, signed=signed) for each in numbers[:3])
    return f"{value}{unit} ({low} to {high})"


def mean(measure: str, numbers: Sequence[float]) -> str:
    """Return a mean with its unit, without its interval."""
    return number(measure, [*numbers[:1]] * 3).partition(" (")[0]


def quotes(found: Record) -> Iterator[str]:
    """Yield everything with a number that the text of the page has to say."""
    yield f"`{found['command']}`, {found['made_at'][:10]}, {found['trials']:,} trials"
    for name, (first, count) in found["seeds"].items():
        yield f"| {name} | {PARTS[name]['about']} | {count}, from {first} |"
    trials = found["seeds"]["goal"][1] * len(scene(COMPLEX).tasks)
    yield f"At the {trials} trials of the goal, ≥ {100 * LIMITS['success']:g} % success holds only with at most"
    yield f"at most {most_failures(trials)} failure"
    yield from _goal(found["goal"])
    for name, users in found["means"].items():
        yield f"{users[MIXED][PAPER]['questions'][0]:.2f} in {name}"
    yield "{} questions in {} trials".format(*found["asked"][OURS])
    yield from _versus(found)
    yield from _paper(found)
    yield from _prototype(found)
    yield from _rule(found)
    yield from _look_ahead(found)
    seconds = {arm: numbers["total_s"][0] for arm, numbers in found["gentle"].items()}
    yield f"letting go makes HO {seconds[HO] - seconds[HO_YIELDS]:.1f} s faster"
    yield f"questions make the policy {seconds[PAPER] - seconds[NO_QUESTIONS]:.1f} s slower"
    for looked_for in found["close"].values():
        yield from (label for labels in looked_for.values() for label in labels)


def _goal(goal: Record) -> Iterator[str]:
    ours, ratio = goal["methods"][OURS], goal["ratio"]
    yield f"{number('success', ours['success'])} succeed"
    yield f"{number('total_s', ours['total_s'])} for all attempts"
    yield f"{number('ratio', ratio['total_s'])} times that of a person alone"
    yield f"{number('ratio', ratio['time_s'])} by the paper's rule"
    yield f"{number('questions', ours['questions'])} questions per task"
    yield f"{number('all_opposing', ours['all_opposing'])} of the time opposed"
    for task, gap in goal["slower_s"].items():
        yield f"{task} {number('total_s', gap, signed=True)}"
    for arm in (PAPER, MANUAL):
        yield ", ".join(number(name, goal["methods"][arm][name]) for name in FEW[:2])
        yield ", ".join(number(name, goal["methods"][arm][name]) for name in FEW[2:])
    for arm in (OURS, PAPER, MANUAL):
        yield failed(arm, goal["failures"][arm][EVERYWHERE])
    for poses in goal["poses"].values():
        yield f"({poses['people']} trials)"
        for arm, numbers in poses["methods"].items():
            yield f"`{arm}` {number('success', numbers['success'])} in {mean('total_s', numbers['total_s'])}"


def failed(arm: str, counts: Mapping[str, int]) -> str:
    """Return how many attempts failed, and of what, the most frequent first."""
    causes = sorted(((counts[cause], cause) for cause in FailureCause if counts[cause]), key=lambda each: -each[0])
    words = ", ".join(f"{count} × {cause}" for count, cause in causes)
    return f"{sum(count for count, _ in causes)} of {counts[ATTEMPTS]} attempts with `{arm}` fail: {words}"


def _versus(found: Record) -> Iterator[str]:
    better = sum(
        numbers[name][2] < 0.0 if name != "success" else numbers[name][1] > 0.0
        for users in found["versus"].values()
        for numbers in users.values()
        for name in FEW
    )
    yield f"all {better} comparisons"
    held = [claim["verdict"] for claim in found["claims"] if claim["family"] == VERSUS]
    yield f"all {held.count('holds')} claims"
    for name, users in found["versus"].items():
        listed = found["versus_listed"][name]
        cells = (
            *(number(each, users[MIXED][each], signed=True) for each in FEW),
            number("total_s", listed, signed=True),
        )
        yield f"| {name} | {' | '.join(cells)}, {listed[4]:.0f} people |"


def _paper(found: Record) -> Iterator[str]:
    theirs = [claim for claim in found["claims"] if claim["family"] == PAPERS]
    for user in STRATEGIES:
        claims = [claim for claim in theirs if claim["user"] == user]
        orders = Counter(order["users"][user]["verdict"] for order in found["orderings"])
        rows = (
            Counter(claim["verdict"] for claim in claims),
            Counter(claim["without_rule"] or claim["verdict"] for claim in claims),
        )
        counts = [f"{row['holds']} / {row['does not hold']} / {row['cannot be told']}" for row in rows]
        counts.append(f"{orders['reappears']} / {orders['does not']} / {orders['cannot be told']}")
        yield f"| {user} | {' | '.join(counts)} |"
    yield f"{len(theirs) // len(STRATEGIES)} claims"
    told = [{user["verdict"] for user in order["users"].values()} for order in found["orderings"]]
    everybody, nobody = told.count({"reappears"}), told.count({"does not"})
    yield (
        f"Of the {len(told)} single orders {everybody} reappear for all three kinds of users, {nobody} for none, and "
        f"{len(told) - everybody - nobody} depend on the user or cannot be told"
    )
    for verdicts, keys in _alike(theirs).items():
        yield f"{verdicts}: {'; '.join(keys)}."


def _alike(claims: Iterable[Record]) -> dict[str, list[str]]:
    """Return the names of claims by what their verdicts for the three users have in common."""
    by_key: dict[str, set[str]] = {}
    for claim in claims:
        by_key.setdefault(claim["key"], set()).add(claim["verdict"])
    kinds = {
        "Hold for all three": {"holds"},
        "Hold for none of the three": {"does not hold"},
        "Hold for some and cannot be told for others": {"holds", "cannot be told"},
        "Do not hold for some and cannot be told for others": {"does not hold", "cannot be told"},
        "Cannot be told for any": {"cannot be told"},
    }
    found = {words: [key for key, told in by_key.items() if told == kind] for words, kind in kinds.items()}
    found["Hold for some and not for others"] = [
        key for key, told in by_key.items() if {"holds", "does not hold"} <= told
    ]
    return found


def _prototype(found: Record) -> Iterator[str]:
    for claim in found["claims"]:
        if claim["source"] == OWN and claim["key"].startswith("prototype"):
            yield claim["numbers"][0].rpartition(": ")[2].rpartition("; ")[0]
    cup = found["table_1"][STRATEGIES[0]]
    yield f"{number('total_s', cup[PAPER]['total_s'])} with the policy"
    yield f"{number('total_s', cup[HO]['total_s'])} with HO"
    counts = found["failures"][PAPER][EVERYWHERE]
    total, belief = sum(counts[cause] for cause in FailureCause), counts[FailureCause.BELIEF]
    low, high = wilson(belief, total)
    yield f"{belief} of {total} or {100 * belief / total:.0f} % ({100 * low:.0f} to {100 * high:.0f})"
    yield failed(PAPER, counts)
    (faster,) = {len(alone[PAPER]) for alone in found["faster_alone"].values()}
    (never,) = {len(alone[OURS]) for alone in found["faster_alone"].values()}
    yield f"on {faster} of {len(found['tasks'])} tasks, and than with `assist` on {never or 'none'}"


def _rule(found: Record) -> Iterator[str]:
    for name, users in found["means"].items():
        cells = (
            f"{mean('time_s', numbers['time_s'])}, {100.0 * (1.0 - numbers['success'][0]):.1f} %, "
            f"{mean('total_s', numbers['total_s'])}"
            for numbers in (users[MIXED][arm] for arm in (MANUAL, HO, PAPER, OURS))
        )
        yield f"| {name} | {' | '.join(cells)} |"
    touched = [claim for claim in found["claims"] if claim["without_rule"] is not None]
    others = sum(claim["without_rule"] != claim["verdict"] for claim in touched)
    yield f"Of {len(touched)} verdicts that the rule could change, {others} are different without it"


def _look_ahead(found: Record) -> Iterator[str]:
    methods = {f"T = {seconds} s": scenes for seconds, scenes in found["look_ahead"].items()}
    methods |= {f"`{arm}`": scenes for arm, scenes in found["look_ahead_beside"].items()}
    for label, scenes in methods.items():
        means = {name: sum(each[name][0] for each in scenes.values()) / len(scenes) for name in FEW}
        yield f"| {label} | {' | '.join(mean(name, [means[name]]) for name in FEW)} |"
    for claim in found["claims"]:
        if claim["family"] == SWEEP and claim["key"].startswith("T ="):
            yield claim["numbers"][0].rpartition(": ")[2].rpartition("; ")[0]


def most_failures(trials: int) -> int | None:
    """Return with how many failures the interval of success still clears its bar; None where with none at all."""
    return max((each for each in range(trials) if wilson(trials - each, trials)[0] >= LIMITS["success"]), default=None)


def picture(name: str) -> str:
    """Return the file of trials looked at closely; as PNG, since a drawing of many moments is large."""
    return f"reaching-{name}.png"


def take(study: Path) -> None:
    """Take record and pictures from the folder of a study that was run; those that are large are made small."""
    found = json.loads((study / "study.json").read_text(encoding="utf-8"))
    if any(found["seeds"][name] != part["seeds"] for name, part in PARTS.items()):
        raise SystemExit(f"{study} is not the whole study on its own seeds. Run: handup study run reaching")
    shorten(found)
    lines = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in found.items()]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    for name in (*BARS, *(picture(name) for name in CLOSE if any(found["close"][name].values()))):
        with Image.open(study / name) as drawn:
            small = drawn.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
        small.save(PICTURES / name, optimize=True)
    for name in SHOWN:
        shutil.copy(study / name, PICTURES / name)


def shorten(found: dict[str, Any]) -> None:
    """Leave out of a record what the page does not show."""
    for claim in found["claims"]:
        if claim["source"] != OWN:
            del claim["numbers"]  # the orderings have them
    for users in found["means"].values():
        for user in STRATEGIES:
            users[user] = {
                arm: {name: users[user][arm][name] for name in MEASURES if name in users[user][arm]}
                for arm in (HO, PAPER, OURS)
            }
    for users in found["tasks"].values():
        for user in STRATEGIES:
            del users[user]
    for arm, places in found["failures"].items():
        found["failures"][arm] = places if arm == OURS else {EVERYWHERE: places[EVERYWHERE]}
    found["variance"] = [each for each in found["variance"] if each["scene"] in WITH_PEOPLE]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        take(Path(sys.argv[1]))
    text = refreshed(PAGE.read_text(encoding="utf-8"), record())
    PAGE.write_text(text, encoding="utf-8")
    for quote in missing(text.partition(NUMBERS)[0], quotes(record())):
        print(f"To be said on the page: {quote}")
