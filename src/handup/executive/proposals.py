"""Proposals: a fault that people solved the same way again and again becomes a recovery, ready to paste."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from handup.core import ResumeHint
from handup.core.log_entry import LogEntry
from handup.executive.events import ActionEnded, Begun, Ending, Failed, Over, Recovering, TaskAnswered
from handup.executive.failure import IN_RECOVERY, Failure
from handup.executive.recipe import FORMAT
from handup.executive.recovery import Recovery

OFFERED = "People solved these the same way again and again. To paste into a file of recoveries:"
"""Heading of rules that are offered."""
USES = 2
"""Most uses for a step, of a rule that is offered."""


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """Rule that people taught.

    Args:
        name: Name of the recovery.
        path: Path of the failures that it is for.
        code: Code of these failures.
        hint: How the task goes on.
        level: Name of the task at which it goes on; None for the one whose step failed.
        times: Number of times that people solved it this way.
        people: Number of people who did.
        limit: Most uses for a step.
        replaces: True if there is a rule of this name, which does the same and was used up.
    """

    name: str
    path: str
    code: str
    hint: ResumeHint
    level: str | None
    times: int
    people: int
    limit: int = USES
    replaces: bool = False

    @property
    def yaml(self) -> str:
        """The recovery, to paste into a file below `recoveries:`."""
        resume = str(self.hint) if self.level is None else f"{{hint: {self.hint}, level: {_word(self.level)}}}"
        by = "One person" if self.people == 1 else f"{self.people} people"
        used_up = ", once it was used up" if self.replaces else ""
        return "\n".join(
            [
                *(["# In the place of the rule of this name:"] if self.replaces else []),
                f"- name: {_word(self.name)}",
                f"  about: {_word(f'{by} solved this the same way {self.times} times{used_up}.')}",
                f"  when: {{path: {_word(self.path)}, code: {_word(self.code)}}}",
                "  do: []",
                f"  resume: {resume}",
                f"  limit: {self.limit}",
                "",
            ]
        )

    def to_json(self) -> dict[str, Any]:
        """Return a plain record, with the YAML to paste."""
        return {**asdict(self), "hint": str(self.hint), "yaml": self.yaml}


def as_file(proposals: Iterable[Proposal]) -> str:
    """Return a whole file of proposed recoveries."""
    return "".join([f"format: {FORMAT}\nrecoveries:\n", *(proposal.yaml for proposal in proposals)])


def propose(entries: Iterable[LogEntry], *, after: int = 3, known: Iterable[Recovery] = ()) -> tuple[Proposal, ...]:
    """Return rules that people taught, the most frequent first.

    Answers count that say how to go on, and after which the step went on: it worked, or the task was done. What people
    did with their hands, or said of a module or a belief, makes no rule that a robot could follow by itself. If a rule
    does the same already, only answers count that came after its use for the step, and a larger limit is offered.

    Args:
        entries: Entries of a journal, in order, of one run or of several.
        after: Number of times that a fault must have been solved the same way: `Settings.proposed_after` of a run.
        known: Rules that exist already.
    """
    fixes = _Fixes()
    for entry in entries:
        fixes.take(getattr(entry, "run", ""), entry.event)
    rules = tuple(known)
    taken = {rule.name for rule in rules}
    proposals = []
    for way, helpful in sorted(fixes.solved().items(), key=lambda item: -len(item[1])):
        same = next((rule for rule in rules if _does(rule, way)), None)
        counted = [fix for fix in helpful if same is None or same.name in fix.tried]
        if len(counted) >= after:
            stem = f"{way.path.rsplit('/', maxsplit=1)[-1]}_{way.code}_{way.hint}"
            proposals.append(
                Proposal(
                    **asdict(way),
                    name=_free(stem, taken) if same is None else same.name,
                    times=len(counted),
                    people=len({fix.by for fix in counted}),
                    limit=USES if same is None else same.limit + USES,
                    replaces=same is not None,
                )
            )
    return tuple(proposals)


@dataclass(frozen=True, kw_only=True)
class _Way:
    """Fault, and how people went on after it."""

    path: str
    code: str
    hint: ResumeHint
    level: str | None


@dataclass(kw_only=True)
class _Fix:
    """Answer of a person, and what it led to as far as that is known."""

    way: _Way
    by: str
    aborts: int
    action: bool
    tried: frozenset[str]
    worked: bool


class _Fixes:
    """Answers in some runs, and whether the steps went on after them."""

    def __init__(self) -> None:
        self._failures: dict[tuple[str, int], Failure] = {}
        self._under_way: dict[str, str] = {}
        self._tried: dict[tuple[str, str], set[str]] = {}
        self._open: dict[tuple[str, str], _Fix] = {}
        self._solved: list[_Fix] = []

    def solved(self) -> dict[_Way, list[_Fix]]:
        """Return the answers that helped, by what they did."""
        fixes: dict[_Way, list[_Fix]] = {}
        for fix in [*self._solved, *(fix for fix in self._open.values() if fix.worked)]:
            fixes.setdefault(fix.way, []).append(fix)
        return fixes

    def take(self, run: str, event: object) -> None:
        """Take in one event of a run."""
        match event:
            case Begun():
                self._under_way[run] = event.path
            case ActionEnded(ok=True):
                fix = self._open.get((run, self._under_way.get(run, "")))
                if fix is not None:
                    fix.worked = True
            case Failed():
                self._failed(run, event)
            case Recovering() if (run, event.number) in self._failures:
                self._tried[run, self._failures[run, event.number].path].add(event.recovery)
            case TaskAnswered() if (run, event.number) in self._failures:
                self._answered(run, event)
            case Over():
                # A run that is done has gone on after its last answers; steps that are no action end without an event.
                for key in [place for place in self._open if place[0] == run]:
                    fix = self._open.pop(key)
                    if fix.worked or (event.ending is Ending.DONE and not fix.action):
                        self._solved.append(fix)
            case _:
                pass

    def _failed(self, run: str, event: Failed) -> None:
        """Take in a failure. Aborts are counted until a step has worked: fewer than before say that it has."""
        failure, key = event.failure, (run, event.failure.path)
        self._failures[run, event.number] = failure
        fix = self._open.pop(key, None)
        if fix is not None and failure.levels[-1].aborts <= fix.aborts:
            self._solved.append(fix)
        if failure.levels[-1].aborts == 1 or key not in self._tried:
            self._tried[key] = set()

    def _answered(self, run: str, event: TaskAnswered) -> None:
        failure = self._failures[run, event.number]
        if event.hint in (None, ResumeHint.NONE) or event.fixed or event.module or event.about:
            return
        assert event.hint is not None
        self._open[run, failure.path] = _Fix(
            way=_Way(path=_pattern(failure), code=failure.code, hint=event.hint, level=event.level),
            by=event.by or "",
            aborts=failure.levels[-1].aborts,
            action=failure.kind == "action",
            tried=frozenset(self._tried[run, failure.path]),
            worked=event.hint is ResumeHint.NEXT,
        )


def _does(rule: Recovery, way: _Way) -> bool:
    """Return whether a rule does for all these failures what people did."""
    if (rule.when.path, rule.when.codes, rule.attempt, len(rule.branches)) != (way.path, (way.code,), (), 1):
        return False
    (branch,) = rule.branches
    return (branch.condition, branch.steps, branch.hint, branch.level) == (None, (), way.hint, way.level)


def _pattern(failure: Failure) -> str:
    """Return a pattern of the failing step in the task around it, wherever in the tree that is."""
    tasks = [level.task for level in failure.levels if not level.task.startswith(IN_RECOVERY)]
    return f"**/{tasks[-1]}/{failure.leaf}" if tasks else f"**/{failure.leaf}"


def _free(stem: str, taken: set[str]) -> str:
    base = re.sub(r"[^A-Za-z0-9_]+", "_", stem)
    name, count = base, 1
    while name in taken:
        count += 1
        name = f"{base}_{count}"
    taken.add(name)
    return name


def _word(text: str) -> str:
    """Quote a text for YAML, whatever is in it."""
    return json.dumps(text, ensure_ascii=False)
