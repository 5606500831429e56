"""Wrap your own policy: three functions with confidences, a person behind a callback, and one loop.

Run it with `python -m examples.wrap_your_policy`. Robot, confidences and person are made up.
"""

from collections.abc import Callable, Mapping

from handup import Action, Module, ModuleGraph, Question, Session, Unanswered

QUESTIONS = {"thing": "What is this?", "grip": "How shall I hold it?", "force": "How firmly?"}
Ask = Callable[[Question], str | None]


def forward(answers: Mapping[str, str]) -> tuple[dict[str, str], dict[str, float]]:
    """Your policy: what each function says, how sure it is. An answer replaces a function."""
    thing = answers.get("thing", "bowl")  # the camera is wrong, and not sure
    usual, sure = {"bowl": ("by the rim", 0.9), "mug": ("by the handle", 0.7)}[thing]
    grip, force = answers.get("grip", usual), answers.get("force", "gently")
    return {"thing": thing, "grip": grip, "force": force}, {"thing": 0.6, "grip": sure, "force": 0.8}


def execute(outputs: Mapping[str, str]) -> bool:
    """Your robot. It truly is a mug, and only this lifts it."""
    return outputs == {"thing": "mug", "grip": "by the handle", "force": "gently"}


def recover(ask: Ask) -> Session:
    """One episode: do what the session says, and tell it what came of it."""
    answers: dict[str, str] = {}
    outputs, confidences = forward(answers)
    modules = [Module(each, confidences[each], 0.3, question=Question(QUESTIONS[each])) for each in outputs]
    session, now_s = Session(ModuleGraph.chain(modules)), 0.0
    while session.outcome is None:
        decision = session.next(now_s)
        print(f"{now_s:4.0f} s  {decision.action}: {decision.reason}")
        if decision.action is Action.ACT:
            session.executed(execute(outputs))
        elif decision.action is Action.ASK and decision.module and session.question:
            answer = ask(session.question)
            if answer is None:
                session.unanswered(decision.module, Unanswered.NOT_NOW, now_s=now_s)
            else:
                changed = answer != outputs[decision.module]
                session.answered(decision.module, changed=changed, now_s=now_s)
                answers[decision.module] = answer
                outputs, confidences = forward(answers)
                session.forwarded(confidences)
        elif decision.action is Action.WAIT and decision.until_s:
            now_s = decision.until_s  # a real robot sleeps here, or does something else
        now_s += 1.0
    tally = session.tally
    print(f"{session.outcome}; questions: {tally.questions}, executions: {tally.executions}")
    return session


if __name__ == "__main__":
    KNOWN = {"What is this?": "mug", "How shall I hold it?": "by the handle", "How firmly?": "gently"}
    recover(lambda question: KNOWN[question.prompt])
