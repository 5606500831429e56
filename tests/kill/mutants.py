"""Deliberately broken programs. The harness must find what is wrong with each, or it finds nothing at all.

Each breaks the process in which it is called, for the rest of its life.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Engine, event

from handup.core import Reply
from handup.desk import Desk, Receipt, Record, decide
from handup.recover import AskingDesk, Attempt, DurableSession, Policy, Settled, Unanswered, loop


def acknowledges_early() -> None:
    """A desk that says *accepted* before anything is written, and writes when it is next used."""
    late: list[Reply] = []
    really, pending, close = Desk.reply, Desk.pending, Desk.close

    def flush(desk: Desk) -> None:
        while late:
            really(desk, late.pop(0))

    def reply(desk: Desk, said: Reply) -> Receipt:
        flush(desk)
        late.append(said)
        return decide(desk.state, said, desk.now_s(), desk.terms).receipt

    def pending_after(desk: Desk, person: str | None = None) -> tuple[Record, ...]:
        flush(desk)
        return pending(desk, person)

    def close_after(desk: Desk) -> None:
        flush(desk)
        close(desk)

    _patch(Desk, reply=reply, pending=pending_after, close=close_after)


def acts_first() -> None:
    """A robot that acts, and writes down afterwards that it was about to."""
    begin, executed = DurableSession.begin, DurableSession.executed

    def begin_later(session: DurableSession) -> str:
        return f"{session.run}/act/{len(session.trail.attempts) + 1}"

    def begin_and_execute(session: DurableSession, *args: Any, **named: Any) -> None:
        if session.open_attempt is None:
            begin(session)
        executed(session, *args, **named)

    _patch(DurableSession, begin=begin_later, executed=begin_and_execute)


def repeats_blindly() -> None:
    """A robot that does again whatever has no outcome."""

    def settle(session: DurableSession, attempt: Attempt, policy: Policy, at_desk: AskingDesk) -> None:
        session.settle(Settled.VOID)

    _patch(loop, settle_unknown=settle)


def takes_unknown_for_failed() -> None:
    """A robot that takes an action without an outcome for one that failed."""

    def settle(session: DurableSession, attempt: Attempt, policy: Policy, at_desk: AskingDesk) -> None:
        session.settle(Settled.SENSED)

    _patch(loop, settle_unknown=settle)


def forgets_tokens() -> None:
    """A desk that does not know a reply again, so that one sent twice gets two receipts."""
    _patch(Record, done=lambda record, token, by: None)


def commits_each_statement() -> None:
    """A journal whose transactions are none."""

    def commit(connection: Connection, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith(("INSERT", "UPDATE")):
            connection.connection.commit()

    event.listen(Engine, "after_cursor_execute", commit, insert=True)


def forgets_answers() -> None:
    """A robot that is told an answer and goes on as if nobody had answered."""
    tell = loop._Loop._tell

    def forget(each: Any, module: str, record: Any) -> None:
        if record.status == "answered":
            each.session.unanswered(module, Unanswered.EXPIRED, now_s=each.desk.now_s())
        else:
            tell(each, module, record)

    _patch(loop._Loop, _tell=forget)


def _patch(owner: object, **changes: Any) -> None:
    for name, change in changes.items():
        assert hasattr(owner, name), f"there is no {name} to break"
        setattr(owner, name, change)


MUTANTS: dict[str, Callable[[], None]] = {
    each.__name__: each
    for each in (
        acknowledges_early,
        acts_first,
        repeats_blindly,
        takes_unknown_for_failed,
        forgets_tokens,
        forgets_answers,
        commits_each_statement,
    )
}
