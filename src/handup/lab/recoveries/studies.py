"""The study of recoveries: its ways of running, the dissertation's claims of chapter 2 that runs can tell, and ours.

The claims were written before the seeds of the study were run.
"""

from __future__ import annotations

from collections.abc import Iterator

from handup.domains.kitting.variants import VARIANTS
from handup.lab.recoveries.claim import Bar, Claim
from handup.lab.recoveries.definition import HARD, USUAL, RecoveryStudy

NAME = "recoveries"
FULL, BYSTANDER, OPERATOR = "full", "full + bystander", "full + operator"
BLIND = ("none", "retry", "restart")
ALONE = 0.9
"""Nine runs of ten are to need nobody."""
DAYS = (USUAL, HARD)


def _more_kits(than: str, source: str, text: str) -> Iterator[Claim]:
    for day in DAYS:
        yield Claim(
            name=f"kits over '{than}', {day.name} day",
            source=source,
            text=f"{text} ({day.name.capitalize()} day.)",
            bars=(Bar(measure="kits", way=FULL, than=than, day=day.name),),
        )


def _papers() -> Iterator[Claim]:
    for day in DAYS:
        yield Claim(
            name=f"45 minutes alone, {day.name} day",
            source="chapter 1, section 2.4.1",
            text="With recoveries a robot works 45 minutes without an intervention. The paper: in its final run; "
            f"here: in nine runs of ten at least. ({day.name.capitalize()} day.)",
            bars=(Bar(measure="alone", way=FULL, day=day.name, by=ALONE),),
        )
    yield from _more_kits("none", "section 2.4", "With recoveries more kits are built than without.")
    yield from _more_kits(
        "restart",
        "section 2.1.2",
        "Recoveries build more kits than re-attempting the whole task, which is less reactive.",
    )
    yield from _more_kits(
        "retry", "section 2.3.2", "Diverse recoveries build more kits than running the failed step again."
    )
    hierarchy = "Where in the task hierarchy something failed is needed to choose a recovery: blind to it, fewer kits."
    counts = "How often something failed is needed to choose a recovery: blind to it, fewer kits."
    beliefs = "Beliefs are needed to choose a recovery: without them, fewer kits."
    yield from _more_kits("no hierarchy", "section 2.4.3", hierarchy)
    yield from _more_kits("no counts", "section 2.4.3", counts)
    yield from _more_kits("no beliefs", "section 2.4.3", beliefs)
    for day in DAYS:
        yield Claim(
            name=f"hierarchy matters most, {day.name} day",
            source="section 2.4.3",
            text="The location in the hierarchy is the most important of these: without it, fewer kits than without "
            f"counts, and than without beliefs. ({day.name.capitalize()} day.)",
            bars=tuple(
                Bar(measure="kits", way="no hierarchy", than=other, day=day.name, less=True)
                for other in ("no counts", "no beliefs")
            ),
        )
    yield Claim(
        name="development is fast",
        source="section 2.5",
        text="Recovery-driven development is faster than other ways to the same robustness.",
        untold="Runs do not tell how long people took to write the rules.",
    )


def _ours() -> Iterator[Claim]:
    for day in DAYS:
        when = f"({day.name.capitalize()} day.)"
        for helped, who in ((BYSTANDER, "a bystander"), (OPERATOR, "a remote operator")):
            yield Claim(
                name=f"asking {who} on top of all rules, {day.name} day",
                source="handup",
                text=f"All rules and {who} to ask build more kits than all rules alone. {when}",
                bars=(Bar(measure="kits", way=helped, than=FULL, day=day.name),),
            )
        for helped, who in (("half + bystander", "a bystander"), ("half + operator", "a remote operator")):
            yield Claim(
                name=f"asking {who} with half of the rules, {day.name} day",
                source="handup",
                text=f"With half of the rules, asking {who} builds more kits than breaking off. {when}",
                bars=(Bar(measure="kits", way=helped, than="half", day=day.name),),
            )
        yield Claim(
            name=f"rules spare people, {day.name} day",
            source="handup",
            text=f"With all rules a bystander is needed at most once in two runs, and less than without rules. {when}",
            bars=(
                Bar(measure="interventions", way=BYSTANDER, day=day.name, less=True, by=0.5),
                Bar(measure="interventions", way=BYSTANDER, than="bystander", day=day.name, less=True),
            ),
        )
        yield Claim(
            name=f"rules over people alone, {day.name} day",
            source="handup",
            text=f"All rules with nobody build more kits than no rules with a bystander, asked each time. {when}",
            bars=(Bar(measure="kits", way=FULL, than="bystander", day=day.name),),
        )


RECOVERIES = RecoveryStudy(
    name=NAME,
    title="Recoveries: rules, people, both and neither",
    figure="section 2.4",
    question="How many kits does a robot build in 45 minutes, and how often does it need somebody?",
    ways=tuple(VARIANTS),
    ours=FULL,
    days=DAYS,
    claims=(*_papers(), *_ours()),
)
