"""When recoveries run out: questions from modules and failures, and what the answers do."""

from __future__ import annotations

from typing import Any

from handup.core import ManualClock, Question, QuestionKind, ResumeHint
from handup.executive import (
    Aborted,
    Around,
    Bystander,
    Call,
    Done,
    Ending,
    Executive,
    Outcome,
    Run,
    Said,
    Settings,
    Unseen,
)
from handup.executive.beliefs import Source
from handup.executive.escalation import AGAIN, BACK, DID_IT, FIXED, STOP, escalate, posterior_of
from handup.executive.failure import Failure, Level
from handup.executive.machine import AskPerson
from handup.policy import Module, ModuleGraph
from tests.executive.making import action, recipe, recipes, rule, task
from tests.executive.robot import acting, after, by_name

GRAPH = ModuleGraph.chain(
    [
        Module("camera", 0.95, question=Question("Is my camera clean?", QuestionKind.YES_NO)),
        Module("angle", 0.6, question=Question("At which angle should I grasp?", QuestionKind.NUMBER, low=0, high=180)),
        Module("arm", 0.9),
    ]
)
MAIN = recipes(
    recipe("main", task("pick")), recipe("pick", action("approach"), action("grasp", angle=10), action("lift"))
)
ASK = Settings(unseen=Unseen.ASK, questions=3)


class Scene:
    """Grasping works at an angle of 90, or once it is clean and wiped."""

    def __init__(self, says: dict[str, Any]) -> None:
        self.clock = ManualClock()
        self.says = says
        self.asked: list[Question] = []
        self.ran: list[tuple[str, dict[str, Any]]] = []
        self.wiped = False

        def grasp(call: Call) -> Outcome:
            self.ran.append(("grasp", dict(call.goal)))
            good = call.goal["angle"] == 90 or self.wiped
            return Done() if good else Aborted(code="slip", why="The part slipped.", fields={"force_n": 3})

        def wipe(call: Call) -> Outcome:
            self.ran.append(("wipe", {}))
            self.wiped = True
            return Done()

        def plain(name: str) -> Any:
            return acting(name, after(lambda call: self.ran.append((name, {}))), lasts_s=1.0)

        self.actions = by_name(
            plain("approach"),
            plain("lift"),
            acting("wipe", wipe),
            acting("grasp", grasp, takes=("angle",), codes=("slip",), modules=lambda self, failure: GRAPH),
        )

    def answer(self, question: Question) -> Said | None:
        self.asked.append(question)
        value = self.says.get(question.prompt)
        return None if value is None else Said(value=value, latency_s=20.0, by="Maya")

    def live(self, *rules: Any) -> tuple[Executive, Any]:
        run = Run(MAIN, rules, settings=ASK)
        people = Bystander(self.answer, self.clock)
        executive = Executive(run, Around(actions=self.actions, clock=self.clock, people=people))
        return executive, executive.to_the_end()


def test_the_module_most_likely_to_blame_is_asked_about_and_its_answer_is_the_next_input() -> None:
    scene = Scene({"At which angle should I grasp?": 90.0})
    _, finished = scene.live()
    assert finished.ending is Ending.DONE
    assert [goal["angle"] for name, goal in scene.ran if name == "grasp"] == [10, 90.0]
    (question,) = scene.asked
    assert (question.guess, round(question.sure or 0.0, 2)) == (10.0, round(1 - posterior_of(GRAPH, 1)["angle"], 2))
    assert question.doing == "trying to grasp (angle: 10), as part of main › pick"
    assert question.why == "It failed (slip). The part slipped."
    assert "force_n: 3" in question.support
    assert "angle (" in question.support
    assert scene.clock.now_s() == 22.0


def test_what_is_said_of_a_module_that_is_no_input_is_believed_and_rules_are_looked_for_again() -> None:
    scene = Scene({"At which angle should I grasp?": 30.0, "Is my camera clean?": False})
    wipe = rule("wipe", "**/grasp", action("wipe"), belief="beliefs.camera == false")
    executive, finished = scene.live(wipe)
    assert finished.ending is Ending.DONE
    assert [question.prompt for question in scene.asked] == ["At which angle should I grasp?", "Is my camera clean?"]
    assert [name for name, _ in scene.ran] == ["approach", "grasp", "grasp", "wipe", "grasp", "lift"]
    said = executive.machine.beliefs.by("camera", Source.PERSON)
    assert said is not None
    assert said.value is False


def test_the_last_question_asks_how_to_go_on() -> None:
    scene = Scene(
        {
            "At which angle should I grasp?": 30.0,
            "Is my camera clean?": True,
            "I cannot grasp. How shall I go on?": DID_IT,
        }
    )
    _, finished = scene.live()
    assert finished.ending is Ending.DONE
    last = scene.asked[-1]
    assert last.options == (AGAIN, FIXED, DID_IT, BACK, "Start again with pick", "Start again with main", STOP)
    assert len(last.effects) == len(last.options)
    assert [name for name, _ in scene.ran][-1] == "lift"


def test_stop_as_an_answer_ends_the_run_and_silence_too() -> None:
    said = {"At which angle should I grasp?": 30.0, "Is my camera clean?": True}
    scene = Scene({**said, "I cannot grasp. How shall I go on?": STOP})
    assert scene.live()[1].ending is Ending.FAILED
    assert Scene(said).live()[1].ending is Ending.UNANSWERED


def asked(levels: int = 1, tried: tuple[str, ...] = ()) -> AskPerson:
    failure = Failure(
        levels=tuple(Level(task=f"task_{index}", step=(0,), name="go") for index in range(levels)),
        leaf="go",
        kind="action",
        code="slip",
    )
    return AskPerson(number=1, failure=failure, tried=tried, turn=1)


def test_each_way_to_go_on_has_its_meaning() -> None:
    put = escalate(asked(2), None, takes=(), settled=(), last=False)
    means = {option: put.meaning(asked(2), option, by=None, at_s=0.0) for option in put.question.options}
    assert [(each.hint, each.level, each.fixed) for each in means.values()] == [
        (ResumeHint.CONTINUE, None, False),
        (ResumeHint.CONTINUE, None, True),
        (ResumeHint.NEXT, None, True),
        (ResumeHint.PREVIOUS, None, False),
        (ResumeHint.RETRY, "task_1", False),
        (ResumeHint.RETRY, "task_0", False),
        (ResumeHint.NONE, None, False),
    ]


def test_a_question_says_what_the_robot_tried_itself() -> None:
    put = escalate(asked(1, ("reload_map", "wiggle")), None, takes=(), settled=(), last=False)
    assert "I tried by myself: reload map, wiggle." in put.question.why


def test_after_more_failures_the_same_module_is_blamed_no_less() -> None:
    once, often = posterior_of(GRAPH, 1), posterior_of(GRAPH, 3)
    assert once["angle"] > once["arm"] > once["camera"]
    assert often == once  # the same decision failed again: that says nothing new
