"""Handling of an action whose outcome nobody knows: look, or ask a person; never repeat it blindly.

Its outcome was lost with the program that did it, or the robot cannot tell by looking.
"""

from __future__ import annotations

from collections.abc import Mapping

from handup.core import ContractViolation, Question, QuestionKind, Value
from handup.core.kinds import in_passing
from handup.recover.durable import DurableSession
from handup.recover.protocols import AtDesk, Doubts, Look, Plans, Policy, Senses, look_of, shown
from handup.recover.run_record import Attempt, Settled, question_of

WORKED = "It worked"
FAILED = "It did not work"
NOT_STARTED = "It had not started"
EFFECTS = {
    WORKED: "I take it as done.",
    FAILED: "I take it as failed and decide what to do next.",
    NOT_STARTED: "I do it now, for the first time.",
}
LAST = "How did the last thing that I did turn out?"
DAY_S = 86400
LONGEST = 300
"""Longest text about what the robot was about to do, in characters."""


def settle_unknown(session: DurableSession, attempt: Attempt, policy: Policy, at_desk: AtDesk) -> None:
    """Find out how an action went: by looking, or else by asking.

    If the robot doubts its own look, a person is asked first. If nobody can tell, the run is stopped. After a stop at
    the desk nothing is done.
    """
    sensed: object = policy.sense(attempt.id) if isinstance(policy, Senses) else None
    look = None if sensed is None else look_of("sense()", sensed)
    doubt = doubt_of(policy, attempt.id) if look is None or look.started else None
    if look is not None and doubt is None:
        session.settle(Settled.SENSED if look.started else Settled.VOID, look)
        return
    outputs = session.outputs or {}
    plan = policy.plan(outputs) if isinstance(policy, Plans) and outputs else ""
    question = doubt or lost_question(plan, support=support_for(outputs, session.begun_s(attempt)))
    turns = questions_about(session, attempt)
    for turn, (this, following) in enumerate(zip(turns, (*turns[1:], None), strict=True), start=1):
        asked = at_desk.desk.ask(question, run=session.run, step=_step_of(attempt), attempt=turn)
        record = at_desk.ended(asked)
        if record is None or record.cause == "stop":
            return
        answer = record.answer
        value, certainty = (None, 1.0) if answer is None else (answer.value, answer.certainty)
        meaning = meaning_of(value, certainty, let_try=record.status == "delegated")
        if look is not None and meaning is not None and meaning[0] is Settled.LET_TRY:
            break  # the person left it to the robot, so its own look counts
        if meaning is not None:
            session.settle(*meaning, by=record.by)
            return
        if following is not None:
            at_desk.rest(session.settings.expired_s, this, following)
    if look is not None:
        session.settle(Settled.SENSED, look)
    else:
        session.stopped(f"Nobody could say what became of '{attempt.id}'.")


def doubt_of(policy: Policy, action: str) -> Question | None:
    """Return the policy's own question about an action; None where it trusts its own look.

    Raises:
        ContractViolation: It returned something else than a yes-no question.
    """
    doubt: object = policy.doubt(action) if isinstance(policy, Doubts) else None
    if doubt is not None and not (isinstance(doubt, Question) and doubt.kind is QuestionKind.YES_NO):
        raise ContractViolation(f"doubt() gave {shown(doubt)}", hint="doubt() must return a yes-no Question, or None.")
    return doubt


def questions_about(session: DurableSession, attempt: Attempt) -> list[str]:
    """Return the ids of all questions that may be asked about an action."""
    turns = range(1, session.settings.max_unanswered + 1)
    return [question_of(session.run, _step_of(attempt), turn) for turn in turns]


def _step_of(attempt: Attempt) -> str:
    """Return the step that questions about an action have: no module name can hold a colon."""
    return f"act:{attempt.id.rsplit('/', maxsplit=1)[-1]}"


def lost_question(plan: str, goal: str = "", support: str = "") -> Question:
    """Return the question how an action went whose outcome was lost.

    Args:
        plan: Purpose of the action, in a few words; empty where that is not known.
        goal: Inputs of the action, in a few words.
        support: Information that helps to answer.
    """
    doing = f"about to {plan}{f' ({goal})' if goal else ''} when I was interrupted"
    return Question(
        f"I was interrupted while I was about to {plan}. How did it turn out?" if plan else LAST,
        QuestionKind.CHOICE,
        tuple(EFFECTS),
        doing=doing[:LONGEST] if plan else "my last action, or about to begin it, when my program ended",
        why="I cannot tell by myself, and I do nothing twice without knowing.",
        effects=tuple(EFFECTS.values()),
        support=support,
    )


def support_for(outputs: Mapping[str, Value], begun_s: float) -> str:
    """Describe when an action was begun, and on what outputs."""
    what = ", ".join(f"{module}: {in_passing(output)}" for module, output in outputs.items())
    about = f"It was begun at {_clock(begun_s)} UTC{f' with {what}' if what else ''}."
    return about if len(about) <= LONGEST else f"{about[: LONGEST - 1]}…"


def _clock(at_s: float) -> str:
    """Return the time of day."""
    seconds = int(at_s % DAY_S)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def meaning_of(
    value: Value | None, certainty: float = 1.0, *, let_try: bool = False
) -> tuple[Settled, Look | None] | None:
    """Return how a reply settles the outcome of an action; None where it does not.

    Args:
        value: The answer; None where there is none.
        certainty: Certainty of the answer.
        let_try: True if the reply was to let the robot try: that says nothing of how the action went, and that the
            robot may go on all the same.
    """
    if let_try:
        return Settled.LET_TRY, None
    if value == NOT_STARTED:
        return Settled.VOID, None
    if not isinstance(value, bool) and value not in (WORKED, FAILED):
        return None
    return Settled.SAID, Look(value in (True, WORKED), max(0.5, certainty))
