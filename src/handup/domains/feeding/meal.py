"""A meal: a plate, some bites, a few attempts at each, and people to ask. One journal, one run for each bite.

Killed at any point, the same meal on the same journal goes on: at the same bite, with the same open question, and
without doing anything twice. After a stop, once somebody has enabled the robot, it goes on with the same bite in a new
run.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import count, takewhile
from typing import Any

import numpy as np

from handup.core import (
    Box,
    Calibrator,
    Outcome,
    Person,
    Question,
    QuestionKind,
    RandomSource,
    Value,
    value_from_json,
)
from handup.desk import Channel, Desk, Simulated, SkippingClock
from handup.domains.domain import SIMULATED, Halted
from handup.domains.feeding import calibration
from handup.domains.feeding.attempt_record import AttemptLog, BiteAttempt, HaltedAct
from handup.domains.feeding.film import FILM_EVERY_S, Film, captioned
from handup.domains.feeding.meal_result import Bite, Served
from handup.domains.feeding.memory_modules import Lessons, RememberingModules, kept_in
from handup.domains.feeding.module_outputs import FeedingModules, Picture
from handup.domains.feeding.modules import Faulty
from handup.domains.feeding.order import PERSON, MealTerms, Order, begin, meal_id, ordered_as, refuse_another
from handup.domains.feeding.policy import BitePolicy, Company
from handup.domains.feeding.skills import Skill
from handup.domains.feeding.truth import MODULES, nothing_left, right_answer
from handup.domains.feeding.world import PlateWorld
from handup.journal import Journal
from handup.memory import Embedder, Memory
from handup.models.pictures import marked
from handup.people import BITE, SimulatedPerson, Workload
from handup.recover import Episode, Look, Pass, Settings, run
from handup.recover.run_record import RunForwarded
from handup.recover.unknown_outcome import EFFECTS, NOT_STARTED
from handup.when import Strategy, strategy

NAME = "you"


class Meal:
    """One meal on a journal. Make it, give its desk to people, and `eat`. Close it, or use it in a `with` block.

    Args:
        order: Order of the meal.
        journal: Journal of the meal. With a `SkippingClock` no time is spent waiting.
        modules: The four modules.
        calibrators: Calibrator of each module; None for the shipped ones.
        film: List that takes the frames of a film.
        company: Company at the table.
        memory: Memory of the household, which keeps people's answers about foods and skills for later meals.
        plates: Encoder of plates for the memory; None for the shipped one. Another one needs a memory
            with a threshold of its own.
        crops: Encoder of pieces, likewise.

    Raises:
        MissingExtra, NoPictures: The simulation or OpenGL is missing.
        BadRecord: The journal holds another meal of this name; raised here, or by `eat` for other people or networks.
    """

    def __init__(
        self,
        order: Order,
        journal: Journal,
        *,
        modules: FeedingModules,
        calibrators: dict[str, Calibrator] | None = None,
        film: list[Picture] | None = None,
        company: Company | None = None,
        memory: Memory | None = None,
        plates: Embedder | None = None,
        crops: Embedder | None = None,
    ) -> None:
        self.order, self.journal = order, journal
        self._company = Company() if company is None else company
        self._marks = company is not None
        known = ordered_as(journal, order.name)
        if known is not None:
            refuse_another(known, order)
        self._calibrators = calibration.load(order.calibrated) if calibrators is None else calibrators
        self.world = PlateWorld(order.plate, seed=order.seed, looks=order.looks, kitchen=order.kitchen)
        self._networks = str(getattr(modules, "networks", ""))
        self._most = order.bites
        self._eaten: list[Bite] = []
        self._modules: FeedingModules = modules
        if order.faulty:
            highest = calibration.highest_score(self._calibrators)
            self._modules = Faulty(
                modules=modules, on_plate=frozenset(self.world.plate.pieces), highest=highest, seed=order.seed
            )
        self._memory_store = "" if memory is None else kept_in(memory, journal)
        self._remembering = None if memory is None else RememberingModules(self._modules, memory, plates, crops)
        self._film = film
        self.strategy: Strategy = strategy(order.method)
        done = self._done()
        if done:
            self.world.load(done[-1].plate)

    @property
    def settings(self) -> Settings:
        """Terms of one bite."""
        return self.order.settings

    @property
    def most_bites(self) -> int:
        """Number of bites of the meal: as many as were ordered, or fewer once nothing is left."""
        return self._most

    def simulated(self, person: SimulatedPerson | None = None, *, accuracy: float | None = None) -> Simulated:
        """Return a channel to a simulated person who sees the plate, and answers a question alike in every program.

        Args:
            person: Model of their skill, speed and steadiness.
            accuracy: Probability of a right answer, instead of the model's.
        """
        return Simulated(self.truth, random=self._chance, person=person, accuracy=accuracy)

    def truth(self, question: Question) -> Value:
        """Return a right answer to one of the four questions, or to one about an attempt; for simulated people.

        A simulated plate goes with its program, so an attempt that was cut off has not begun for those who see it.
        """
        if question.options == tuple(EFFECTS):
            return NOT_STARTED
        outputs: dict[str, Value] = {}
        bite = (question.image or "").rpartition("/")[0]
        for entry in self.journal.read(run=bite):
            if isinstance(entry.event, RunForwarded) and entry.event.outputs is not None:
                values = {module: value_from_json(value) for module, value in entry.event.outputs.items()}
                outputs = {module: value for module, value in values.items() if value is not None}
        if question.kind is QuestionKind.YES_NO:
            return AttemptLog(self.journal, bite).done[-1].got
        in_vain = {acted.judged.item for acted in self._done() if isinstance(acted, BiteAttempt) and not acted.got}
        return right_answer(self.world, _module_of(question), outputs, in_vain)

    def eat(self, channels: Sequence[Channel], *, told: Callable[[Bite], object] = lambda bite: None) -> Served:
        """Eat all bites, one after the other; those that the journal knows are only read.

        Args:
            channels: Ways in which questions reach people.
            told: Called after each bite.
        """
        for bite in self.bites(channels):
            told(bite)
        return self.served

    def bites(self, channels: Sequence[Channel], desk: Desk | None = None) -> Generator[Bite, None, None]:
        """Eat bite after bite. Between two of them the person chews.

        Args:
            channels: As for `eat`.
            desk: The desk with these channels and the company's; None for one of its own.
        """
        order, self._on, self._eaten = self.order, self._terms(channels), []
        self._marks = self._marks or self._on.people == PERSON
        begin(self.journal, order, self._on)
        workload = Workload.of(BITE.values(), person=NAME)
        with ExitStack() as stack:
            if desk is None:
                people, ways = [Person(name=NAME)], [*self._company.channels, *channels]
                desk = stack.enter_context(Desk(self.journal, people, channels=ways))
            self._company.sits_down(self, desk)
            for number in range(1, order.bites + 1):
                episodes, acts = self._bite(number, desk, workload)
                assert isinstance(episodes[-1].costs, Workload)
                workload = episodes[-1].costs
                self._eaten.append(Bite.of(number, episodes, acts, self.settings))
                if not self._is_known(order.run_of(number + 1)) and nothing_left(self.world):
                    self._most = number
                self._company.over(self._eaten)
                yield self._eaten[-1]
                if number == self._most:
                    break
                self._rest(episodes[-1].run)

    @property
    def served(self) -> Served:
        """The meal so far."""
        return Served(order=self.order, terms=self._on, bites=tuple(self._eaten), seconds=self._seconds())

    def close(self) -> None:
        """Close the world."""
        self.world.close()

    def __enter__(self) -> Meal:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _bite(self, number: int, desk: Desk, workload: Workload) -> tuple[list[Episode], list[BiteAttempt]]:
        """Eat one bite: one run, and another one after each stop, once somebody has enabled the robot."""
        episodes: list[Episode] = []
        acts: list[BiteAttempt] = []
        for stops in count():
            name = self.order.run_of(number, stops)
            policy = self._policy(name, number)
            self._company.begins(policy, name, number)
            driven = partial(run, policy, self.strategy, desk, run=name)
            costs = episodes[-1].costs if episodes else workload
            try:
                episode = driven(settings=self.settings, costs=costs)
            # The second call finds the stop at the desk, and ends the run by it.
            except Halted:  # somebody said stop in a motion, whose outcome stays unknown
                episode = driven(settings=self.settings, costs=costs)
            policy.teach()
            episodes.append(episode)
            acts += policy.acts.done
            if episode.outcome is not Outcome.STOPPED:
                break
            if not self._is_known(self.order.run_of(number, stops + 1)) and not self._company.goes_on():
                break
            done = self._done()
            if done and isinstance(done[-1], HaltedAct):  # so that the fork is still where the motion was stopped
                self.world.clear_tool()
        return episodes, acts

    def _done(self) -> list[BiteAttempt | HaltedAct]:
        """Return all attempts of this meal, oldest first."""
        return [acted for name in self._runs() for acted in AttemptLog(self.journal, name).all]

    def _terms(self, channels: Sequence[Channel]) -> MealTerms:
        """Return the terms of the meal: who answers, which networks see, and which memory is used."""
        simulated = next((channel for channel in channels if isinstance(channel, Simulated)), None)
        return MealTerms(
            people=PERSON if simulated is None else SIMULATED,
            accuracy=None if simulated is None else simulated.accuracy,
            networks=self._networks,
            memory=self._remembering is not None,
            memory_store=self._memory_store,
        )

    def _chance(self, question: str) -> RandomSource:
        """Return the chance of one question: by the meal's seed and the question's place in the meal."""
        which = zlib.crc32(question.removeprefix(self.order.name).encode())
        return np.random.default_rng((self.order.seed, 23, which))

    def _runs(self) -> list[str]:
        """Return the runs of this meal that have begun."""
        return [
            name
            for bite in range(1, self.order.bites + 1)
            for name in takewhile(self._is_known, (self.order.run_of(bite, stops) for stops in count()))
        ]

    def _seconds(self) -> float:
        """Return the time from the first entry of its runs to the last; other runs may use the store, too."""
        times = [entry.at_s for name in self._runs() for entry in self.journal.read(run=name)]
        return max(times) - min(times)

    def _is_known(self, name: str) -> bool:
        return any(True for _ in self.journal.read(run=name, limit=1))

    def _policy(self, name: str, number: int) -> BitePolicy:
        make = (
            BitePolicy
            if self._film is None
            else partial(FilmedPolicy, frames=self._film, caption=f"bite {number} of {self.order.bites}")
        )
        return make(
            self.world,
            self._remembering or self._modules,
            self._calibrators,
            acts=AttemptLog(self.journal, name),
            name=name,
            company=self._company,
            doubt_below=self.order.doubt_below,
            marks=self._marks,
            passed=self._pass,
            learns=None
            if self._remembering is None
            else Lessons(self._remembering, self.journal, name, meal_id(self.journal, self.order.name)),
        )

    def _pass(self, seconds: float) -> None:
        """Let the time of an attempt pass on a clock that is moved by hand."""
        if isinstance(self.journal.clock, SkippingClock):
            self.journal.clock.advance(seconds)

    def _rest(self, name: str) -> None:
        """Wait while the person chews, from the end of the bite: a meal that goes on does not chew twice."""
        until_s = max((entry.at_s for entry in self.journal.read(run=name)), default=0.0) + self.order.rest_s
        if isinstance(self.journal.clock, SkippingClock):
            self.journal.clock.skip_to(until_s)
        else:
            self._company.rest(until_s)


def _module_of(question: Question) -> str:
    """Return the module that a question is about, by the question's form."""
    by_kind = {"box": "box", "points": "params"}
    return by_kind.get(question.kind, "skill" if question.options == tuple(map(str, Skill)) else "food")


SIZE = (320, 240)
STILL = 9
"""Number of pictures for which a still stays."""


# -- the film: what the robot sees, what it decides, how it tries, what came of it, with captions ----------------------


class FilmedPolicy(BitePolicy):
    """Policy that is filmed: every question and every attempt, each with words below the picture.

    Args:
        arguments: As for `BitePolicy`.
        frames: List to which pictures are added.
        caption: Words below all of them.
        settings: As for `BitePolicy`.
    """

    def __init__(self, *arguments: Any, frames: list[Picture], caption: str, **settings: Any) -> None:
        film = Film(every_s=FILM_EVERY_S, size=SIZE)
        super().__init__(*arguments, film=film, **settings)
        self._reel, self._frames, self._caption = film, frames, caption
        self._answers = {module: heard.answer for module, heard in self._heard.items()}

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        """Return the output of each module, and film a still of each new answer."""
        result = super().forward(answers)
        for module in (name for name in answers if self._answers.get(name) != answers[name]):
            self._still(result.outputs, f"the answer: {_in_words(answers[module])}")
        self._answers = dict(answers)
        return result

    def question(self, module: str, outputs: Mapping[str, Value]) -> Question:
        """Return the question, and film a still of it."""
        asked = super().question(module, outputs)
        sure = f" ({asked.sure:.0%} sure of its guess)" if asked.sure is not None else ""
        self._still(outputs, f"asks{sure}: {asked.prompt}")
        return asked

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        """Act, filmed from the side."""
        plan = f"{outputs['skill']} the {outputs['food']}"
        self._recall()
        confidences = {module: self.said[module].confidence for module in MODULES}
        surely = {module: "by answer" if sure is None else f"{sure:.0%}" for module, sure in confidences.items()}
        sure = ", ".join(map(" ".join, surely.items()))
        self._still(outputs, f"decides: {plan}; sure of {sure}")
        self._reel.frames.clear()
        look = super().act(outputs, action_id)
        acted = self.acts.last
        assert acted is not None
        self._frames += [captioned(frame, self._caption, f"tries to {plan}") for frame in self._reel.frames]
        if self._reel.frames:
            verdict = "thinks it worked" if look.ok else "thinks it failed"
            end = captioned(self._reel.frames[-1], self._caption, f"{verdict}; {acted.execution.reason}")
            self._frames += [end] * STILL
        return look

    def _still(self, outputs: Mapping[str, Value], words: str) -> None:
        drawn = captioned(marked(self.picture(), list(outputs.values()), SIZE), self._caption, words)
        self._frames += [drawn] * STILL


def _in_words(answer: Value) -> str:
    if isinstance(answer, Box):
        return "a box, as drawn"
    return "points, as drawn" if isinstance(answer, tuple) else str(answer)
