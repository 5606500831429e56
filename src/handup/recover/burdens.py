"""What an event means for the people around: answers given, failures seen, time waited."""

from __future__ import annotations

from collections.abc import Iterator

from handup.core import Burden, BurdenKind
from handup.recover.events import Answered, Decided, Event, Executed
from handup.recover.state import State


def burdens_of(event: Event, before: State, after: State) -> Iterator[Burden]:
    """What people bore by an event, oldest first.

    A person waits while the robot acts, from the decision to the time that is told with the outcome, and while it
    has decided to wait. Without a time no wait is known, and the event counts at the latest time told.

    Args:
        event: What the session was told.
        before: Its state before …
        after: … and after.
    """
    match event:
        case Answered():
            module = before.belief.graph.index(event.module)
            yield Burden(kind=BurdenKind.ANSWERED, now_s=after.now_s, module=module, by=event.by)
        case Executed():
            yield from _waited(after.now_s - before.now_s, after.now_s)
            if not event.ok:
                yield Burden(kind=BurdenKind.FAILED, now_s=after.now_s)
        case Decided() if before.waiting is not None:
            since_s, until_s = before.waiting
            yield from _waited(min(event.now_s, until_s) - since_s, event.now_s)
        case _:
            return


def _waited(seconds: float, now_s: float) -> Iterator[Burden]:
    if seconds > 0.0:
        yield Burden(kind=BurdenKind.WAITED, now_s=now_s, waited_s=seconds)
