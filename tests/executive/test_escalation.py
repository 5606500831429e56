"""When recoveries run out: questions from modules and failures, and what the answers do."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from handup.core import ManualClock, Question, QuestionKind, ResumeHint
from handup.executive import (
    Aborted,
    Around,
    Call,
    Done,
    Ending,
    Executive,
    Outcome,
    Run,
    RunSettings,
    SimulatedBystander,
    SimulatedSaying,
    Unseen,
)
from handup.executive.beliefs import BeliefSource
from handup.executive.escalation import AGAIN, BACK, DID_IT, FIXED, STOP, escalate, posterior_of, read_for
from handup.executive.failure import Failure, FailureLevel
from handup.executive.machine import AskPerson, ModuleAnswer
from handup.policy import Module, ModuleGraph
from tests.executive.making import action, branch, recipe, recipes, rule, task
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
ASK = RunSettings(unseen=Unseen.ASK, questions=3)


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

    def answer(self, question: Question) -> SimulatedSaying | None:
        self.asked.append(question)
        value = self.says.get(question.prompt)
        return None if value is None else SimulatedSaying(value=value, latency_s=20.0, by="Maya")

    def live(self, *rules: Any) -> tuple[Executive, Any]:
        run = Run(MAIN, rules, settings=ASK)
        people = SimulatedBystander(self.answer, self.clock)
        executive = Executive(run, Around(actions=self.actions, clock=self.clock, people=people))
        return executive, executive.to_the_end()


def test_the_module_most_likely_to_blame_is_asked_about_and_its_answer_is_the_next_input() -> None:
    scene = Scene({"At which angle should I grasp?": 90.0})
    _, finished = scene.live()
    assert finished.ending is Ending.DONE
    assert [goal["angle"] for name, goal in scene.ran if name == "grasp"] == [10, 90.0]
    (question,) = scene.asked
    assert (question.guess, round(question.sure or 0.0, 2)) == (10.0, round(1 - posterior_of(GRAPH)["angle"], 2))
    assert question.doing == "trying to grasp (angle: 10), as part of main › pick"
    assert question.why == "It failed (slip). The part slipped."
    assert "force_n: 3" in question.support
    assert "angle (" in question.support
    assert scene.clock.now_s() == 22.0


def test_what_is_said_of_a_module_that_is_no_input_is_believed_and_rules_are_looked_for_again() -> None:
    scene = Scene({"At which angle should I grasp?": 30.0, "Is my camera clean?": False})
    executive, finished = scene.live(WIPE)
    assert finished.ending is Ending.DONE
    assert [question.prompt for question in scene.asked] == ["At which angle should I grasp?", "Is my camera clean?"]
    assert [name for name, _ in scene.ran] == ["approach", "grasp", "grasp", "wipe", "grasp", "lift"]
    said = executive.machine.beliefs.by("camera", BeliefSource.PERSON)
    assert said is not None
    assert said.value is False


WIPE = rule("wipe", "**/grasp", action("wipe"), belief="beliefs.camera == false")


def test_the_last_question_asks_how_to_go_on() -> None:
    scene = Scene(
        {
            "At which angle should I grasp?": 30.0,
            "Is my camera clean?": True,
            "I cannot grasp. How shall I go on?": DID_IT,
        }
    )
    _, finished = scene.live(WIPE)
    assert finished.ending is Ending.DONE
    assert len(scene.asked) == 3
    last = scene.asked[-1]
    assert last.options == (AGAIN, FIXED, DID_IT, BACK, "Start again with pick", "Start again with main", STOP)
    assert len(last.effects) == len(last.options)
    assert [name for name, _ in scene.ran][-1] == "lift"


def test_stop_as_an_answer_ends_the_run_and_silence_too() -> None:
    said = {"At which angle should I grasp?": 30.0, "Is my camera clean?": True}
    scene = Scene({**said, "I cannot grasp. How shall I go on?": STOP})
    assert scene.live()[1].ending is Ending.FAILED
    assert Scene(said).live()[1].ending is Ending.UNANSWERED


def asked(levels: int = 1, tried: tuple[str, ...] = (), turn: int = 1) -> AskPerson:
    failure = Failure(
        levels=tuple(FailureLevel(task=f"task_{index}", step=(0,), name="go") for index in range(levels)),
        leaf="go",
        kind="action",
        code="slip",
    )
    return AskPerson(number=1, failure=failure, tried=tried, turn=turn)


def test_what_did_not_help_is_not_thought_best_again() -> None:
    assert escalate(asked(2), None).question.guess == AGAIN
    assert escalate(asked(2, turn=2), None).question.guess == "Start again with task 1"
    after_a_module = replace(asked(2, turn=2), spoken={"camera": ModuleAnswer(number=1)})
    assert escalate(after_a_module, None).question.guess == AGAIN, "how to go on was not asked yet"


def test_left_to_the_robot_it_does_as_it_thinks_best() -> None:
    first, second = asked(2), asked(2, turn=2)
    told = escalate(first, None).left_to_the_robot(first, by="maya", at_s=3.0)
    assert (told.hint, told.level, told.fixed, told.by) == (ResumeHint.CONTINUE, None, False, "maya")
    told = escalate(second, None).left_to_the_robot(second, by="maya", at_s=3.0)
    assert (told.hint, told.level) == (ResumeHint.RETRY, "task_1")


def test_people_are_told_values_in_words_and_not_as_a_program_writes_them() -> None:
    given = asked()
    goal, fields = {"kit": {"scene": 0}, "to": "the_tray"}, {"held": False}
    question = escalate(replace(given, failure=replace(given.failure, goal=goal, fields=fields)), None).question
    assert question.doing == "trying to go (kit: scene 0; to: the tray), as part of task 0"
    assert "held: no" in question.support


def test_each_way_to_go_on_has_its_meaning() -> None:
    put = escalate(asked(2), None)
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
    put = escalate(asked(1, ("reload_map", "wiggle")), None)
    assert "I tried by myself: reload map, wiggle." in put.question.why


def test_the_less_sure_a_module_the_more_it_is_to_blame() -> None:
    posterior = posterior_of(GRAPH)
    assert posterior["angle"] > posterior["arm"] > posterior["camera"]


def test_what_people_said_of_a_module_counts() -> None:
    before = posterior_of(GRAPH)
    cleared = posterior_of(GRAPH, {"angle": ModuleAnswer(number=1, right=True)}, 1)
    assert set(cleared) == {"camera", "arm"}
    assert cleared["arm"] > before["arm"]
    given = posterior_of(GRAPH, {"angle": ModuleAnswer(number=1, right=False, given=True)}, 2)
    assert given == cleared, "what a person gave is right from then on"
    blamed = posterior_of(GRAPH, {"angle": ModuleAnswer(number=1, right=False)}, 1)
    assert blamed == {"camera": pytest.approx(0.05), "angle": pytest.approx(1.0), "arm": pytest.approx(0.1)}
    assert posterior_of(GRAPH, {"angle": ModuleAnswer(number=1, right=False)}, 2) == before, "it was dealt with since"
    everything = {name: ModuleAnswer(number=1, right=True) for name in GRAPH.names}
    assert posterior_of(GRAPH, everything, 1) == {}, "then it is none of them"


SURE = ModuleGraph.chain(
    [
        Module("camera", 0.6, question=Question("Is my camera clean?", QuestionKind.YES_NO, guess=True)),
        Module("lamp", 0.9, question=Question("Is the lamp on?", QuestionKind.YES_NO, guess=True)),
    ]
)
READS = [rule("wipe", belief="beliefs.camera == false"), rule("light", helps="beliefs.lamp == false")]


@pytest.mark.parametrize(
    ("camera", "blamed"), [(True, {"lamp": pytest.approx(1.0)}), (False, {"camera": 1.0, "lamp": pytest.approx(0.1)})]
)
def test_the_next_question_knows_what_was_said(camera: bool, blamed: dict[str, float]) -> None:
    first = escalate(asked(), SURE, rules=READS)
    assert first.module == "camera"
    told = first.meaning(asked(), camera, by="Maya", at_s=0.0)
    assert told.right is camera
    second = escalate(replace(asked(), spoken={"camera": ModuleAnswer(number=1, right=told.right)}), SURE, rules=READS)
    assert (second.module, second.posterior) == ("lamp", blamed)
    assert ("camera" in second.question.support) is not camera


def test_a_module_is_only_asked_about_where_something_uses_the_answer() -> None:
    assert escalate(asked(), SURE).module == ""
    assert escalate(asked(), SURE, takes=("lamp?",)).module == "lamp"
    assert escalate(asked(), SURE, rules=[READS[1]]).module == "lamp"
    for other in (
        rule("other_place", "**/fly", belief="beliefs.camera"),
        rule("other_code", codes=["jammed"], belief="beliefs.camera"),
        rule("later", least=2, belief="beliefs.camera"),
        rule("other_belief", belief="beliefs.dark"),
    ):
        assert escalate(asked(), SURE, rules=[other]).module == ""
    branching = rule("branching", "**/task_1", branches=[branch("beliefs.camera == false")])
    given = rule("given", "**", action("wipe", again="beliefs.lamp"))
    assert read_for(asked(2).failure, [branching, given]) == {"camera", "lamp"}


def test_another_fault_at_the_same_step_has_questions_of_its_own() -> None:
    clock, left, prompts = ManualClock(), ["slip", "slip", "jammed", "jammed", "ok"], list[str]()

    def grasp(call: Call) -> Outcome:
        code = left.pop(0)
        return Done() if code == "ok" else Aborted(code=code)

    def says(question: Question) -> SimulatedSaying:
        prompts.append(question.why)
        return SimulatedSaying(value=AGAIN)

    run = Run(recipes(recipe("main", action("grasp"))), settings=RunSettings(unseen=Unseen.ASK, questions=2))
    actions = by_name(acting("grasp", grasp, codes=("slip", "jammed")))
    executive = Executive(run, Around(actions=actions, clock=clock, people=SimulatedBystander(says, clock)))
    assert executive.to_the_end().ending is Ending.DONE
    assert prompts == [
        "It failed (slip).",
        "It failed 2 times (slip).",
        "It failed 3 times (jammed).",
        "It failed 4 times (jammed).",
    ]


def test_questions_about_one_fault_are_counted_also_where_another_one_comes_in_between() -> None:
    clock, codes, asked_ = ManualClock(), itertools.cycle(["slip", "jammed"]), list[str]()

    def says(question: Question) -> SimulatedSaying:
        asked_.append(question.why)
        return SimulatedSaying(value=AGAIN)

    run = Run(recipes(recipe("main", action("grasp"))), settings=RunSettings(unseen=Unseen.ASK, questions=2))
    actions = by_name(acting("grasp", lambda call: Aborted(code=next(codes)), codes=("slip", "jammed")))
    executive = Executive(run, Around(actions=actions, clock=clock, people=SimulatedBystander(says, clock)))
    assert executive.to_the_end().ending is Ending.OUT_OF_RECOVERIES
    assert len(asked_) == 4


def test_a_failure_that_was_given_up_further_in_is_another_question_further_out() -> None:
    """The same failure is asked about twice, once in each task: an answer to the one is none to the other."""
    clock, steps = ManualClock(), list[str]()

    class Overheard(SimulatedBystander):
        def ask(self, question: Question, step: str) -> str:
            steps.append(step)
            return super().ask(question, step)

    people = Overheard(lambda question: SimulatedSaying(value=False if "camera" in question.prompt else STOP), clock)
    give_up = rule("give_up", "**/grasp", resume=ResumeHint.NONE, level="pick", belief="beliefs.camera == false")
    grasp = acting("grasp", lambda call: Aborted(code="slip"), codes=("slip",), modules=lambda self, failure: SURE)
    main = recipes(recipe("main", task("pick")), recipe("pick", action("grasp")))
    run = Run(main, [give_up], settings=ASK)

    executive = Executive(run, Around(actions=by_name(grasp), clock=clock, people=people))
    assert executive.to_the_end().ending is Ending.FAILED
    assert steps == ["failure:1:1", "failure:1:2"]
