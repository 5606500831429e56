"""What an action's outcome is told as."""

from __future__ import annotations

from handup.core import ContractViolation
from handup.executive.action import Aborted, Done
from handup.executive.durable import plain
from handup.executive.events import Acted, Known


def acted(number: int, outcome: object, at_s: float, known: Known = Known.SEEN, by: str | None = None) -> Acted:
    """What an action's outcome is told as.

    Raises:
        ContractViolation: It is none.
        BadRecord: It holds what is no plain data.
    """
    match outcome:
        case Done():
            return Acted(
                number=number,
                ok=True,
                results=plain(dict(outcome.results)),
                beliefs=plain(dict(outcome.beliefs)),
                known=known,
                by=by,
                at_s=at_s,
            )
        case Aborted():
            return Acted(
                number=number,
                ok=False,
                code=outcome.code,
                why=outcome.why,
                fields=plain(dict(outcome.fields)),
                known=known,
                by=by,
                at_s=at_s,
            )
        case _:
            raise ContractViolation(f"an action gave {outcome!r}", hint="Return Done(...) or Aborted(...) from step().")
