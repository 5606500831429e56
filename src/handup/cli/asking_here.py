"""A channel to somebody at this terminal, for a robot that has nothing to do until they answer."""

from __future__ import annotations

from handup.cli.output import err
from handup.core import HandupError
from handup.desk import Desk, Record, Terminal
from handup.desk.terminal import How


class Left(Exception):
    """The person left a question: nothing more can be typed. No error of a channel, so it ends what asked."""


class AskingHere:
    """Puts questions in the thread that waits for the answer, so that the robot ends when nothing more can be typed.

    Args:
        person: Who sits here.
        terminal: Where to ask; standard input and standard error where it is None.
    """

    name = "terminal"

    def __init__(self, person: str, terminal: Terminal | None = None) -> None:
        self._terminal = terminal or Terminal(person, leaving=_leave)
        self._asked: dict[str, tuple[Record, Desk]] = {}

    def before(self, record: Record) -> Record:
        """Called before a question is put: as it is shown."""
        return record

    @property
    def next_s(self) -> float | None:
        """At once, where something is asked."""
        return 0.0 if self._asked else None

    def show(self, record: Record, desk: Desk) -> None:
        """Something is asked."""
        self._asked[record.id] = (record, desk)

    def deliver(self) -> None:
        """Put what is asked to the person, until they have replied.

        Raises:
            Left: They cannot: nothing more can be typed.
            KeyboardInterrupt: They do not want to.
        """
        while self._asked:
            id_, (record, desk) = next(iter(self._asked.items()))
            try:
                self._terminal.put(self.before(record), desk)
            except HandupError as error:  # what was typed could not be written: it is asked again
                err.print(str(error), markup=False, soft_wrap=True)
                return
            self._asked.pop(id_, None)

    def taken(self, record: Record) -> None:
        """It was settled, or put off."""
        self._asked.pop(record.id, None)
        self._terminal.taken(record)

    def close(self) -> None:
        """Ask nothing more."""
        self._terminal.close()


def _leave(how: How) -> None:
    if how is How.INTERRUPTED:
        raise KeyboardInterrupt
    raise Left
