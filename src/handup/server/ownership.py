"""Which robot a run belongs to: the one that asked first in it. Kept in the journal, so it holds after a restart."""

from __future__ import annotations

from collections import OrderedDict

from handup.core import NotForYou
from handup.journal import Journal, Writer
from handup.server.events import RUNS, RunTaken

MOST = 10_000
"""So many owners are remembered; the others are read again."""


class Owners:
    """The owners of runs. Each method waits for the store where it does not remember; threads may share it.

    Args:
        journal: Where they are kept.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._known: OrderedDict[str, str] = OrderedDict()

    def take(self, run: str, robot: str) -> None:
        """Let a robot ask in a run, which is its own from then on.

        Raises:
            NotForYou: It is another robot's, or it was begun at the store itself.
        """
        owner = self._of(run)
        if owner is None and next(iter(self._journal.rows(run=run)), None) is None:
            with self._journal.writing() as writer:
                owner = _read(writer, run)
                if owner is None:
                    writer.append(RunTaken(robot=robot), run=RUNS, key=run)
                    owner = robot
            self._note(run, owner)
        _refuse_another(owner, robot)

    def owns(self, question: str, robot: str) -> bool:
        """Whether a question is known to be a robot's, without a look into the store."""
        return self._known.get(run_of(question)) == robot

    def check(self, question: str, robot: str) -> None:
        """Let a robot do something with a question of its own.

        Raises:
            NotForYou: It is not of one of its runs.
        """
        _refuse_another(self._of(run_of(question)), robot)

    def _of(self, run: str) -> str | None:
        owner = self._known.get(run) or _read(self._journal, run)
        if owner is not None:
            self._note(run, owner)
        return owner

    def _note(self, run: str, owner: str) -> None:
        self._known[run] = owner
        while len(self._known) > MOST:
            self._known.popitem(last=False)


def run_of(question: str) -> str:
    """The run that a question's id names."""
    return question.rsplit("/", maxsplit=2)[0]


def _read(journal: Journal | Writer, run: str) -> str | None:
    entry = next(iter(journal.read(run=RUNS, key=run)), None)
    return entry.event.robot if entry is not None and isinstance(entry.event, RunTaken) else None


def _refuse_another(owner: str | None, robot: str) -> None:
    if owner != robot:
        raise NotForYou(
            "this run is not this robot's", hint="Ask in a run of its own; a run belongs to the robot that asked first."
        )
