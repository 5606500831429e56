"""A fault that people solved the same way again and again is offered to the developer as a recovery, ready to paste."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from handup.core import ResumeHint
from handup.executive.events import Answered, Failed
from handup.executive.failure import IN_RECOVERY, Failure
from handup.executive.recipe import FORMAT
from handup.recover.sides import Line


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A rule that people taught.

    Args:
        name: Of the recovery.
        path: The failures that it is for.
        code: Their code.
        hint: How the task goes on.
        level: At which task; the one whose step failed where it is None.
        times: So often people solved it this way.
        people: So many people did.
    """

    name: str
    path: str
    code: str
    hint: ResumeHint
    level: str | None
    times: int
    people: int

    @property
    def yaml(self) -> str:
        """The recovery, to paste into a file below `recoveries:`."""
        resume = str(self.hint) if self.level is None else f"{{hint: {self.hint}, level: {_word(self.level)}}}"
        by = "one person" if self.people == 1 else f"{self.people} people"
        return "\n".join(
            [
                f"- name: {_word(self.name)}",
                f"  about: {_word(f'{by} solved this the same way {self.times} times.'.capitalize())}",
                f"  when: {{path: {_word(self.path)}, code: {_word(self.code)}}}",
                "  do: []",
                f"  resume: {resume}",
                "  limit: 2",
                "",
            ]
        )


def as_file(proposals: Iterable[Proposal]) -> str:
    """A whole file of proposed recoveries."""
    return "".join([f"format: {FORMAT}\nrecoveries:\n", *(each.yaml for each in proposals)])


def propose(entries: Iterable[Line], *, after: int = 3, known: Collection[str] = ()) -> tuple[Proposal, ...]:
    """Rules that people taught, the most frequent first.

    Counted are answers that say how to go on, and after which the step did not fail once more. What people did with
    their hands, and what they said of a module or a belief, is no rule that a robot could follow by itself.

    Args:
        entries: Of a journal, of any runs.
        after: So often it must have been solved the same way.
        known: Names that are taken.
    """
    failures: dict[tuple[str, int], Failure] = {}
    solved: dict[tuple[str, str, ResumeHint, str | None], list[tuple[str, int, str]]] = {}
    open_: dict[tuple[str, str], tuple[tuple[str, str, ResumeHint, str | None], int]] = {}
    for entry in entries:
        run = getattr(entry, "run", "")
        match entry.event:
            case Failed() as failed:
                failure = failed.failure
                failures[run, failed.number] = failure
                way, aborts = open_.pop((run, failure.path), (None, 0))
                if way is not None and failure.levels[-1].aborts == aborts + 1:
                    solved[way].pop()  # it did not help
            case Answered(hint=ResumeHint() as hint) as answered if (run, answered.number) in failures:
                failure = failures[run, answered.number]
                if hint is ResumeHint.NONE or answered.fixed or answered.sets or answered.beliefs:
                    continue
                way = (_pattern(failure), failure.code, hint, answered.level)
                solved.setdefault(way, []).append((run, answered.number, answered.by or ""))
                open_[run, failure.path] = way, failure.levels[-1].aborts
            case _:
                pass
    taken = set(known)
    made = []
    for (path, code, hint, level), fixes in sorted(solved.items(), key=lambda each: -len(each[1])):
        if len(fixes) >= after:
            name = _free(f"{path.rsplit('/', maxsplit=1)[-1]}_{code}_{hint}", taken)
            people = len({by for _, _, by in fixes})
            proposal = Proposal(
                name=name, path=path, code=code, hint=hint, level=level, times=len(fixes), people=people
            )
            made.append(proposal)
    return tuple(made)


def _pattern(failure: Failure) -> str:
    """The failing step in the task around it, wherever in the tree that is."""
    tasks = [each.task for each in failure.levels if not each.task.startswith(IN_RECOVERY)]
    return f"**/{tasks[-1]}/{failure.leaf}" if tasks else f"**/{failure.leaf}"


def _free(wanted: str, taken: set[str]) -> str:
    base = re.sub(r"[^A-Za-z0-9_]+", "_", wanted)
    name, count = base, 1
    while name in taken:
        count += 1
        name = f"{base}_{count}"
    taken.add(name)
    return name


def _word(text: str) -> str:
    """A text as YAML takes it, whatever is in it."""
    return json.dumps(text, ensure_ascii=False)
