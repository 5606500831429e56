"""The study `recovery-rules`: what the rules of the kitting world are made of, like the dissertation's Figure 2.6.

Nothing is simulated: the rules themselves are counted. The dissertation's figure is a picture without numbers in its
text; where its text says which share is the largest, or that there is some, that stands beside ours.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from handup import __version__
from handup.core import ResumeHint
from handup.domains.kitting.variants import COMMON, LAST, RULES, TOLD, read
from handup.executive.recovery import Recovery
from handup.executive.rules import RuleTable, rule_table
from handup.lab.files import write_whole
from handup.lab.recoveries.rows import code_digest
from handup.lab.study.store import Store
from handup.lab.study.tables import Table

NAME = "recovery-rules"
TITLE = "What recoveries are made of"
FIGURE = "Fig. 2.6"
QUESTION = "Which situations, factors and ways to resume do recoveries need?"
THEIRS = 18
"""So many recoveries the dissertation has."""
_SECTION = "section 2.4.3"


@dataclass(frozen=True, kw_only=True)
class Part:
    """One of the three panels.

    Args:
        name: `a`, `b` or `c`.
        title: What it is of.
        shares: For each entry, the share of our rules, by the set they are counted in.
        said: What the dissertation's text says of an entry; not of all of them does it say anything.
    """

    name: str
    title: str
    shares: Mapping[str, Mapping[str, float]]
    said: Mapping[str, str]

    def table(self) -> Table:
        """As text."""
        sets = tuple(next(iter(self.shares.values())))
        rows = tuple(
            (entry, *(f"{100 * found[each]:.0f} %" for each in sets), self.said.get(entry, "–"))
            for entry, found in self.shares.items()
        )
        return Table(f"Figure 2.6 {self.name}: {self.title}", ("", *sets, "the dissertation's text"), rows)


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """What the study came to.

    Args:
        folder: Where it lies.
        counts: How many rules each set has.
        parts: The three panels.
        rules: What each rule is, one by one.
        made_at: When the report was made.
    """

    folder: Path
    counts: Mapping[str, int]
    parts: tuple[Part, ...]
    rules: Table
    made_at: datetime

    @property
    def report(self) -> Path:
        """The page for people."""
        return self.folder / "report.html"

    @property
    def tables(self) -> tuple[Table, ...]:
        """Those of the three panels."""
        return tuple(each.table() for each in self.parts)

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {
            "name": NAME,
            "evidence": "counted in the rules; nothing is simulated",
            "rules": dict(self.counts),
            "theirs": THEIRS,
            "versions": {"handup": __version__, "code": code_digest()},
            "made_at": self.made_at.isoformat(timespec="seconds"),
            "parts": [asdict(each) for each in self.parts],
            "tables": [asdict(each) for each in self.tables],
        }


@cache
def shipped() -> tuple[Recovery, ...]:
    """The rules of the kitting world for failures of the robot."""
    return read((*COMMON, *RULES, *LAST))


@cache
def _with_people() -> tuple[Recovery, ...]:
    return read((*COMMON, *RULES, *LAST, *TOLD))


def parts() -> tuple[Part, ...]:
    """The three panels, from the rules as they are."""
    ours, more = shipped(), _with_people()
    found = {
        f"our {len(ours)} rules": rule_table(ours),
        f"and {len(more) - len(ours)} for what people say": rule_table(more),
    }

    def shares(entries: Mapping[str, Callable[[RuleTable], float]]) -> dict[str, dict[str, float]]:
        return {entry: {name: of(each) for name, each in found.items()} for entry, of in entries.items()}

    hints = {str(hint): _share_of(hint) for hint in ResumeHint}
    all_needed = "all five were necessary"
    return (
        Part(
            name="a",
            title="properties of recoveries",
            shares=shares(
                {
                    "shared": lambda table: table.shared,
                    "immediate": lambda table: table.immediate,
                    "dynamic": lambda table: table.dynamic,
                }
            ),
            said={
                "immediate": "the most frequent",
                "shared": "less frequent than immediate",
                "dynamic": "less frequent than immediate",
            },
        ),
        Part(
            name="b",
            title="factors that choose a recovery",
            shares=shares(
                {
                    "place in the hierarchy": lambda table: table.location,
                    "number of aborts": lambda table: table.aborts,
                    "belief": lambda table: table.belief,
                    "error signal": lambda table: table.signal,
                    "result of an immediate action": lambda table: table.result,
                }
            ),
            said={"place in the hierarchy": "especially important"},
        ),
        Part(
            name="c",
            title="ways to resume",
            shares=shares(hints),
            said={
                **dict.fromkeys(hints, all_needed),
                "none": f"{all_needed}; also the default for unseen errors",
            },
        ),
    )


def _share_of(hint: ResumeHint) -> Callable[[RuleTable], float]:
    return lambda table: table.hints[hint]


def one_by_one() -> Table:
    """Each of our rules with what it is."""
    rows = []
    for rule in shipped():
        table = rule_table([rule])
        kinds = [name for name in ("shared", "immediate", "dynamic") if getattr(table, name)]
        names = {"location": "place", "aborts": "aborts", "belief": "belief", "signal": "signal", "result": "result"}
        factors = [word for name, word in names.items() if getattr(table, name)]
        hints = [str(hint) for hint, share in table.hints.items() if share]
        rows.append((f"`{rule.name}`", *(", ".join(each) or "–" for each in (kinds, factors, hints)), rule.about))
    columns = ("rule", "properties", "factors", "resumes", "about")
    return Table(f"Our {len(rows)} rules, one by one", columns, tuple(rows))


def run(out: Path, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Outcome:
    """Count, draw and write the folder.

    Args:
        out: The folder; a folder with the study's name is made in it.
        now: The time to put into the report.

    Raises:
        MissingExtra: The drawing is missing.
        BadSetting: Another run is at work in the folder.
    """
    from handup.lab.recoveries import rules_page  # noqa: PLC0415 - drawing is an extra

    outcome = Outcome(
        folder=out / NAME,
        counts={"rules": len(shipped()), "with those for what people say": len(_with_people())},
        parts=parts(),
        rules=one_by_one(),
        made_at=now(),
    )
    with Store(out).lock():
        drawing = rules_page.draw(outcome)
        text = "\n\n".join(each.markdown() for each in (*outcome.tables, outcome.rules)) + "\n"
        write_whole(outcome.folder / "tables.md", text)
        write_whole(outcome.folder / "study.json", json.dumps(outcome.to_json(), indent=2, ensure_ascii=False) + "\n")
        write_whole(outcome.folder / f"{drawing.name}.svg", drawing.svg)
        write_whole(outcome.folder / f"{drawing.name}.png", drawing.png)
        write_whole(outcome.report, rules_page.page(outcome, drawing))
    return outcome
