"""The policy of one bite: four modules in a chain, as `handup.run` drives it.

M1 names a food, M2 finds it, M3 chooses a skill, M4 aims. Each says how sure it is, by its calibrator; each can be
answered for by a person. What an answer does not touch is not computed again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from handup.core import Box, Calibrator, Point, Question, RawScore, Value, value_to_json
from handup.desk import Channel, Desk
from handup.domains.domain import Halted
from handup.domains.feeding.attempt_record import AttemptLog, BiteAttempt, HaltedAct, HeldAnswer
from handup.domains.feeding.crops import overlap
from handup.domains.feeding.film import Film
from handup.domains.feeding.meal_result import Bite
from handup.domains.feeding.module_outputs import FeedingModules, Found, ModuleOutput, NamedFood, Picture, Recall, whose
from handup.domains.feeding.questions import about, about_fork, bare, doing, plan_of, why
from handup.domains.feeding.skills import Skill
from handup.domains.feeding.truth import MODULES, SAME_BOX, judge, params_of, points_of
from handup.domains.feeding.world import PlateWorld
from handup.people import BITE, WorkloadModel
from handup.policy import Module, ModuleGraph
from handup.recover import Look, Pass

if TYPE_CHECKING:
    from handup.domains.feeding.meal import Meal
    from handup.domains.feeding.memory_modules import Lessons


class Company:
    """Company at the table, which hears what a meal and its policies do. This one is nobody.

    No time is spent on showing, and after a stop nobody waits. Override what somebody is to notice.

    Attributes:
        channels: Ways in which it hears of questions.
    """

    channels: Sequence[Channel] = ()

    def sits_down(self, meal: Meal, desk: Desk) -> None:
        """Hear that the meal begins, or goes on."""

    def guard(self, seconds: float) -> None:
        """Guard a motion, as for `World.execute`: called often while the arm moves. May wait, or raise `Halted`."""

    def shown(self, name: str, picture: Picture) -> None:
        """Hear that a question about this picture comes next."""

    def begins(self, policy: BitePolicy, name: str, number: int) -> None:
        """Hear that a run of a bite begins, or goes on."""

    def looks(self, policy: BitePolicy) -> None:
        """Hear that the robot looks at the plate."""

    def thinks(self, policy: BitePolicy) -> None:
        """Hear that every module has said what it thinks."""

    def moves(self, policy: BitePolicy, outputs: Mapping[str, Value]) -> None:
        """Hear that the robot is about to act. May wait here, or raise `Halted`."""

    def moved(self, policy: BitePolicy, look: Look) -> None:
        """Hear that the robot has acted, and looked at the fork."""

    def over(self, bites: Sequence[Bite]) -> None:
        """Hear that one more bite is over."""

    def rest(self, until_s: float) -> None:
        """Let the person chew, until a time of the desk's clock."""

    def goes_on(self) -> bool:
        """Wait after a stop until the robot is enabled, and return True; return False if it is not waited for."""
        return False


T = TypeVar("T")
ABOUT: Mapping[str, tuple[str, ...]] = {"food": (), "box": ("food",), "skill": ("food",), "params": ("box", "skill")}
"""Modules that an answer is about beside its own: once one of them says something else, the answer no longer holds."""
NOWHERE = Box(left=0.4, top=0.4, right=0.6, bottom=0.6)
"""Box where the robot looks when it has found nothing: the middle of the plate."""
LOST = 0.02
"""Confidence in that box."""
ANOTHER = 0.5
"""Confidence from which on M1's next word takes the place of one that was tried in this bite in vain."""
SURE = (0.01, 0.99)
"""Least and greatest confidence of a module: what it says of itself is never proof."""
SAME_POINTS = 0.02
"""Distance up to which points mean the same, in shares of the picture's width: about 6 mm on the plate."""
FORK_SIZE = (480, 480)
"""Width and height of the picture of the fork, in px."""
DOUBT_BELOW = 0.9
"""Certainty below which a person is asked: on 64 hard plates 24 of 28 errors lay there, in 37 of 320 looks."""
FAILED_FOR_SURE, WORKED_FOR_SURE = 0.93, 0.99
"""Greatest certainty of a failure and of a success: a right decision fails now and then, when the fork slips."""


class BitePolicy:
    """Policy that takes one bite. Give it to `handup.run`; make a new one for the next bite.

    Acting changes the plate, so it looks again after each attempt. An answer about a place holds until the next
    attempt, one that names a food as long as that food can be seen. A module that says the same of the new picture as
    before stays as sure as it was: so a failure counts against it.

    Args:
        world: World with the plate.
        modules: The four modules, as networks or as anything else.
        calibrators: For each of `food`, `box`, `skill` and `params` the calibrator of its raw score.
        acts: Attempts at this bite; those of the program that began it, if that was another one.
        name: Name of the run, for the names of pictures.
        film: Film that takes pictures of what it does.
        doubt_below: Certainty of a look at the fork below which a person is asked; 0 never asks.
        marks: True to write down that the arm is about to move, each time before it does. What became of a motion that
            was begun and has no end is then a person's to say; otherwise it counts as never begun.
        passed: Function that is called with the simulated seconds that an attempt took.
        learns: Lessons, which are told what there is to learn.
        company: Company, which is told what the robot is at and guards its motions.
    """

    outdated_by_acting = ("box", "params")

    def __init__(
        self,
        world: PlateWorld,
        modules: FeedingModules,
        calibrators: Mapping[str, Calibrator],
        *,
        acts: AttemptLog | None = None,
        name: str = "bite",
        film: Film | None = None,
        doubt_below: float = 0.0,
        marks: bool = False,
        passed: Callable[[float], object] = lambda seconds: None,
        learns: Lessons | None = None,
        company: Company | None = None,
    ) -> None:
        self.world, self.modules = world, modules
        self.acts = AttemptLog() if acts is None else acts
        self.graph = graph_of(calibrators, modules.foods)
        self._name, self._film, self._passed = name, film, passed
        self._doubt_below, self._marks, self._learns = doubt_below, marks, learns
        self._company = company or Company()
        self._picture: Picture | None = None
        self._known: dict[Hashable, object] = {}
        self._seen_at = (-1, 0)
        self._heard: dict[str, HeldAnswer] = dict(self.acts.heard)
        self._taught: set[str] = set()
        self.said: dict[str, ModuleOutput] = {}

    # -- looking -----------------------------------------------------------------------------------------------------

    @property
    def picture_name(self) -> str:
        """Name of the picture that it decides on, for questions."""
        return f"{self._name}/picture-{self.world.executions}"

    def picture(self) -> Picture:
        """Return the picture that it decides on: the plate from above."""
        # What is on the fork is eaten or wiped off before the next look.
        if self.world.carries:
            self.world.clear_tool()
        now = (self.world.executions, 0 if self._learns is None else self._learns.erasures)
        if self._picture is None or self._seen_at != now:
            self._seen_at, self._picture = now, self.world.view().rgb
            self._known.clear()
        return self._picture

    @property
    def recalled(self) -> dict[str, int]:
        """Id of the memory behind each module whose output a person gave before."""
        return {module: output.recalled.memory for module, output in self.said.items() if output.recalled is not None}

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        """Return the output of each module, with answers in place of its own; only what these change is computed."""
        self._company.looks(self)
        self.teach()
        self._heard = {module: heard for module, heard in self._heard.items() if answers.get(module) == heard.answer}
        current: dict[str, ModuleOutput] = {}
        outdated: list[str] = []
        last, same = self.acts.last, True
        before = {} if last is None else last.outputs
        for module in MODULES:
            values = {name: output.value for name, output in current.items()}
            holds = module in answers and self._holds(module, values)
            output = ModuleOutput(answers[module]) if holds else self._own(module, values)
            outdated += [module] if module in answers and not holds else []
            # A module that repeats itself stays as sure as at the last attempt: so a failure counts against it.
            same = same and before.get(module) is not None and not self.differs(module, before[module], output.value)
            if same and last is not None and output.confidence is not None:
                output = replace(output, confidence=last.confidences.get(module, output.confidence))
            current[module] = output
        self.said = current
        outputs = {module: output.value for module, output in current.items()}
        for module in answers:
            if self._learns is not None and module not in self._heard and module not in outdated:
                self._learns.heard(
                    module,
                    outputs,
                    self.picture(),
                    self.picture_name,
                    food_was_said=current["food"].confidence is None,
                    instead_of=self._otherwise(module, outputs),
                )
            self._heard.setdefault(
                module, HeldAnswer(answer=answers[module], outputs=outputs, attempts=len(self.acts.done))
            )
        for module in outdated:
            del self._heard[module]
        self._company.thinks(self)
        return Pass(
            outputs=outputs,
            confidences={
                module: output.confidence for module, output in current.items() if output.confidence is not None
            },
            outdated=tuple(outdated),
            people=whose(self.said.values()),
        )

    def _otherwise(self, module: str, outputs: Mapping[str, Value]) -> int | None:
        """Return the memory whose word would stand if a person had not said something else."""
        if module == "params":
            return None
        own = self._own(module, outputs)
        if own.recalled is None or not self.differs(module, own.value, outputs[module]):
            return None
        return own.recalled.memory

    def teach(self) -> None:
        """Tell whoever learns what came of the attempts, as far as that is known; call it when the bite is over, too.

        If the detector is in doubt, a person looks at the fork, and nothing is told before that. A new program begins
        with all attempts so far, so nothing is lost that another one knew and could no longer tell.
        """
        if self._learns is None or len(self._taught) == len(self.acts.done):
            return
        for known in self.acts.known():
            if known.acted.action not in self._taught:
                self._learns.acted(known.acted, a_person_looked=known.a_person_looked)
                self._taught.add(known.acted.action)

    def _recall(self) -> None:
        """Restore what the modules said before a program that was killed, and how sure they were."""
        if not self.said:
            BitePolicy.forward(self, {module: heard.answer for module, heard in self._heard.items()})

    def _holds(self, module: str, said: Mapping[str, Value]) -> bool:
        """Return whether an answer is still about what it was about when it came. A food must still be seen."""
        heard = self._heard.get(module)
        if heard is None:
            return True
        if module == "food" and len(self.acts.done) > heard.attempts:
            return bool(self._boxes(str(heard.answer)).boxes)
        return not any(self.differs(name, heard.outputs[name], said[name]) for name in ABOUT[module])

    def _boxes(self, label: str) -> Found:
        rgb = self.picture()
        return self._once(("box", label), lambda: self.modules.find(rgb, label))

    def _own(self, module: str, said: Mapping[str, Value]) -> ModuleOutput:
        rgb, modules = self.picture(), self.modules
        label, box = str(said.get("food")), said.get("box")
        if module == "food":
            named = self._once((module,), lambda: modules.name(rgb))
            return self._food_word(named)
        if module == "box":
            finding = self._boxes(label)
            if not finding.boxes:
                return ModuleOutput(NOWHERE, LOST)
            return self._word(module, finding.boxes[0], finding.score, finding.recalled)
        assert isinstance(box, Box)
        if module == "skill":
            chosen = self._once((module, label, box), lambda: modules.choose(rgb, label, box))
            return self._word(module, str(chosen.skill), chosen.score, chosen.recalled)
        skill, seed = Skill(str(said["skill"])), self.world.executions
        aimed = self._once((module, box, skill), lambda: modules.aim(rgb, box, skill, seed=seed))
        return ModuleOutput(points_of(aimed.params), self._confidence(module, aimed.variance))

    def _once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return what was computed on this picture from the same inputs, or compute it now."""
        if key not in self._known:
            self._known[key] = compute()
        value: T = self._known[key]  # type: ignore[assignment]
        return value

    def _food_word(self, named: NamedFood) -> ModuleOutput:
        """Return M1's word; or its next one, if the first was tried in this bite in vain and the next is likely."""
        first = self._word("food", named.label, named.score, named.recalled)
        in_vain = {known.acted.food for known in self.acts.known() if not known.acted.ok}
        if named.label not in in_vain:
            return first
        for label, score in named.scores.items():
            if (
                label not in in_vain
                and (sure := self._confidence("food", score)) >= ANOTHER
                and self._boxes(label).boxes
            ):
                return ModuleOutput(label, sure)
        return first

    def _word(self, module: str, value: Value, raw: RawScore, recalled: Recall | None) -> ModuleOutput:
        """Return a module's own word, or a remembered one, whose probability is no score to calibrate."""
        if recalled is None:
            return ModuleOutput(value, self._confidence(module, raw))
        own = self._confidence(module, raw) if recalled.agrees else 0.0
        return ModuleOutput(value, _sure(max(own, recalled.probability)), recalled)

    def _confidence(self, module: str, raw: RawScore) -> float:
        return _sure(self.graph.modules[self.graph.index(module)].calibrated(raw))

    # -- acting ------------------------------------------------------------------------------------------------------

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        """Carry the skill out, and look at the fork. What is on it is then eaten, or wiped off; in doubt, it stays.

        Raises:
            Halted: The guard stopped it on its way.
        """
        self._company.moves(self, outputs)
        self._recall()
        judged = judge(self.world, outputs)
        skill, params = Skill(str(outputs["skill"])), params_of(outputs["params"])
        if self._marks:
            self.acts.begin(action_id)
        try:
            done = self.world.execute(skill, params, film=self._film, guard=self._company.guard)
        except Halted as halted:
            self.acts.add(HaltedAct(action=action_id, seconds=halted.seconds, plate=self.world.save()))
            raise
        seen = self.world.looks_successful()
        if seen.certainty >= self._doubt_below:
            self.world.clear_tool()
        self._passed(done.seconds)
        own = {module: output.confidence for module, output in self.said.items() if output.confidence is not None}
        acted = BiteAttempt(
            action=action_id,
            said={module: value_to_json(output) for module, output in outputs.items()},
            confidences=own,
            ok=seen.ok,
            certainty=min(seen.certainty, WORKED_FOR_SURE if seen.ok else FAILED_FOR_SURE),
            execution=done,
            brought=done.is_bite_of(str(outputs["food"])),
            judged=judged,
            plate=self.world.save(),
            recalled=self.recalled,
            people=whose(self.said.values()),
        )
        self.acts.add(acted)
        look = Look(acted.ok, acted.certainty)
        self._company.moved(self, look)
        return look

    def sense(self, action_id: str) -> Look | None:
        """Return what became of an action; None for one that was stopped or cut off. An unknown one never began."""
        acted = self.acts.of(action_id)
        if isinstance(acted, HaltedAct) or (acted is None and action_id in self.acts.begun):
            return None
        return Look(False, started=False) if acted is None else Look(acted.ok, acted.certainty)

    def doubt(self, action_id: str) -> Question | None:
        """Return the question about the fork, with a picture of it, if the detector is in doubt."""
        acted = self.acts.of(action_id)
        if not isinstance(acted, BiteAttempt) or acted.certainty >= self._doubt_below:
            return None
        name = f"{self._name}/fork-{self.world.executions}"
        self._company.shown(name, self.world.glance("inspect", FORK_SIZE))
        return about_fork(acted.food or "food", acted.ok, acted.certainty, name)

    def plan(self, outputs: Mapping[str, Value]) -> str:
        """Return what an action was to do, in a few words."""
        return plan_of(outputs)

    # -- asking ------------------------------------------------------------------------------------------------------

    def question(self, module: str, outputs: Mapping[str, Value]) -> Question:
        """Return the question about a module, with the robot's guess and the picture of the plate."""
        self._recall()
        output = self.said.get(module)
        self._company.shown(self.picture_name, self.picture())
        return replace(
            about(module, outputs, self.modules.foods),
            doing=doing(module, outputs),
            why=why(
                module,
                len(self.acts.done),
                None if output is None else output.confidence,
                recalled=module in self.recalled,
            ),
            guess=outputs.get(module),
            sure=None if output is None else output.confidence,
            image=self.picture_name,
        )

    def differs(self, module: str, said: Value, answer: Value) -> bool:
        """Return whether two outputs mean different things: other words, another piece, another place."""
        if isinstance(said, Box) and isinstance(answer, Box):
            return overlap(said, answer) < SAME_BOX
        if isinstance(said, tuple) and isinstance(answer, tuple):
            return _apart(said, answer) > SAME_POINTS
        return said != answer


def graph_of(calibrators: Mapping[str, Calibrator], foods: tuple[str, ...]) -> ModuleGraph:
    """Return the chain, with what its questions cost by the workload model. Confidences come with the first pass."""
    costs = [WorkloadModel().base(features) for features in BITE.values()]
    return ModuleGraph.chain(
        Module(name, 0.5, cost, question=bare(name, foods), calibrator=calibrators[name])
        for name, cost in zip(MODULES, costs, strict=True)
    )


def _sure(confidence: float) -> float:
    return min(max(confidence, SURE[0]), SURE[1])


def _apart(first: tuple[Point, ...], second: tuple[Point, ...]) -> float:
    """Return how far two pairs of points are apart at most, whichever comes first."""

    def most(points: tuple[Point, ...]) -> float:
        return max(math.hypot(a.x - b.x, (a.y - b.y) * 0.75) for a, b in zip(first, points, strict=True))

    return min(most(second), most(second[::-1]))
