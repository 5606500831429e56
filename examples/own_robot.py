"""Bring your own robot: two modules, a drawer, a loop of its own, and a server through which it asks.

Start a server with `handup serve`, get a token with `handup pair --robot drawer`, and run this with
`python -m examples.own_robot --url URL --token TOKEN`. Robot and confidences are made up.
"""

import argparse
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from handup import Action, Client, HandupError, Module, ModuleGraph, Question, RobotLink, Session, Unanswered
from handup.core import QuestionKind, Value

DOING = "opening the drawer"
QUESTIONS = {
    "side": Question("On which side is the handle?", QuestionKind.CHOICE, ("left", "right"), doing=DOING),
    "force": Question("How hard shall I pull?", QuestionKind.NUMBER, low=1, high=20, unit="N", doing=DOING),
}
NO_ANSWER = {
    "deferred": Unanswered.NOT_NOW,
    "handed-on": Unanswered.SOMEONE_ELSE,
    "delegated": Unanswered.LET_ROBOT_TRY,
}
PHASES = {Action.ACT: "moving", Action.ASK: "asking", Action.WAIT: "resting", Action.YIELD: "done"}


def forward(answers: Mapping[str, Value]) -> tuple[dict[str, Value], dict[str, float]]:
    """Your policy: what each module says and how sure it is. An answer replaces a module."""
    return {"side": "left", "force": 5.0, **answers}, {"side": 0.5, "force": 0.9}


def pull(outputs: Mapping[str, Value], link: RobotLink) -> bool:
    """Your robot, in small motions: it looks before each whether it may still move, and holds where it may not."""
    for _ in range(10):
        if not link.hold(timeout_s=60.0):
            return False
        time.sleep(0.02)
    return outputs["side"] == "right"


def recover(client: Client, link: RobotLink, run: str) -> Session:
    """One task: do what the session says, ask through the server, and show people what is going on."""
    answers: dict[str, Value] = {}
    outputs, confidences = forward(answers)
    modules = [Module(each, confidences[each], 0.3, question=QUESTIONS[each]) for each in QUESTIONS]
    session, asked = Session(ModuleGraph.chain(modules)), Counter[str]()
    while session.outcome is None:
        link.hold(only_heard=True)  # without a server nobody can be asked, and nobody can say stop
        if link.stopped:
            session.stopped("Somebody said stop.")
            break
        decision = session.next(link.clock.now_s())
        link.state({"phase": PHASES[decision.action], "doing": DOING, "why": decision.reason})
        print(f"{decision.action}: {decision.reason}", flush=True)
        if decision.action is Action.ACT:
            session.executed(pull(outputs, link))
        elif decision.action is Action.ASK and decision.module:
            module = decision.module
            asked[module] += 1
            question = replace(QUESTIONS[module], why=decision.reason, guess=outputs[module], sure=confidences[module])
            record = client.wait(client.ask(question, run=run, step=module, attempt=asked[module]).id)
            now_s = link.clock.now_s()
            if record and record.answer and record.answer.value is not None:
                changed, answers[module] = record.answer.value != outputs[module], record.answer.value
                session.answered(module, changed=changed, by=record.answer.by, now_s=now_s)
                outputs, confidences = forward(answers)
                session.forwarded(confidences)
            elif record and not link.stopped:
                client.withdraw(record.id, "The robot goes on without it.")  # one that was put off
                session.unanswered(module, NO_ANSWER.get(record.status, Unanswered.EXPIRED), now_s=now_s)
        elif decision.action is Action.WAIT and decision.until_s:
            while not link.stopped and link.clock.now_s() < decision.until_s:
                time.sleep(0.1)
    link.state({"phase": "stopped" if link.stopped else "done", "doing": f"{session.outcome}"})
    return session


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--url", help="where the server is (HANDUP_URL)")
    options.add_argument("--token", help="this robot's token (HANDUP_TOKEN)")
    options.add_argument("--run", default=f"drawer-{time.time_ns()}", help="the same again after a crash")
    url, token, run = vars(options.parse_args()).values()
    try:
        with Client(url, token) as client, RobotLink(url, token, client.me()["name"]) as link:
            print(f"{recover(client, link, run).outcome}")
    except HandupError as error:
        raise SystemExit(str(error)) from None
