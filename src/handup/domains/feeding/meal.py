"""A meal: a plate, some bites, a few attempts at each, and somebody to ask. One journal, one run for each bite.

Killed at any point, the same meal on the same journal goes on: at the same bite, with the same open question, and
without doing anything twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from handup.core import BadSetting, Calibrator, Person, Question, RandomSource, Value, value_from_json
from handup.desk import Channel, Desk, Simulated, SkippingClock
from handup.domains.feeding import calibration
from handup.domains.feeding.acts import Acted, Acts
from handup.domains.feeding.faulty import Faulty
from handup.domains.feeding.filming import FilmedPolicy
from handup.domains.feeding.looks import LOOKS
from handup.domains.feeding.policy import BitePolicy, Sees
from handup.domains.feeding.seeing import Picture
from handup.domains.feeding.served import Bite, Served
from handup.domains.feeding.skills import Skill
from handup.domains.feeding.truthful import right_answer
from handup.domains.feeding.world import World
from handup.journal import Journal
from handup.people import BITE, SimulatedPerson, Workload
from handup.recover import Settings, run
from handup.recover.trail import RunForwarded
from handup.when import Strategy, strategy

NAME = "you"
SIMULATED = "simulated"


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is served, and how the robot eats it.

    Args:
        plate: The name of a plate.
        looks: `easy` or `hard`.
        method: How the robot decides; `never+query-then-execute` never asks, `topo+query-for-all` asks everything.
        bites: How many.
        attempts: At each, at most.
        seed: Everything that chance decides.
        faulty: Whether the food detector is faulty, as in the core paper's appendix D.
        calibrators: `best`, or the paper's `interval` or `scaled`; with a faulty detector always `scaled`.
        expert: How far the robot trusts an answer.
        rest_s: From a bite to the next: chewing.
        name: Of the meal in the journal.

    Raises:
        BadSetting: No bites, no attempts, or unknown looks.
        UnknownMethod: No such method.
    """

    plate: str = "savory salad"
    looks: str = "easy"
    method: str = "troubleshoot"
    bites: int = 5
    attempts: int = 3
    seed: int = 0
    faulty: bool = False
    calibrators: str = calibration.BEST
    expert: float = 0.97
    rest_s: float = 20.0
    name: str = "meal"

    def __post_init__(self) -> None:
        if self.looks not in LOOKS:
            raise BadSetting(f"looks are '{self.looks}'", hint=f"Choose among: {', '.join(LOOKS)}.")
        for what, number, most in (("bites", self.bites, 20), ("attempts", self.attempts, 10)):
            if not 1 <= number <= most:
                raise BadSetting(f"{number} {what}", hint=f"Give 1 to {most}.")
        strategy(self.method)

    @property
    def settings(self) -> Settings:
        """The terms of one bite: time for every attempt and for every question before it."""
        horizon = float(self.attempts * (len(BITE) + 1))
        return Settings(expert=self.expert, horizon=horizon, max_executions=self.attempts)

    def run_of(self, bite: int) -> str:
        """The run of a bite."""
        return f"{self.name}/bite-{bite}"


class Meal:
    """One meal on a journal. Make it, give its desk to people, and `eat`. Close it, or use it in a `with` block.

    Args:
        order: What is served.
        journal: Where everything is kept. With a `SkippingClock` no time is spent waiting.
        modules: The four.
        calibrators: For each of the four; the shipped ones where not given.
        film: The frames of a film go here.
        shown: Called with each picture that a question is about.

    Raises:
        MissingExtra, NoPictures: The simulation or OpenGL is missing.
        BadRecord: The journal holds another meal of this name.
    """

    def __init__(
        self,
        order: Order,
        journal: Journal,
        *,
        modules: Sees,
        calibrators: dict[str, Calibrator] | None = None,
        film: list[Picture] | None = None,
        shown: Callable[[str, Picture], object] = lambda name, picture: None,
    ) -> None:
        self.order, self.journal = order, journal
        kind = calibration.SCALED if order.faulty else order.calibrators
        self._calibrators = calibration.load(kind) if calibrators is None else calibrators
        self.world = World(order.plate, seed=order.seed, looks=LOOKS[order.looks])
        self._modules: Sees = modules
        if order.faulty:
            highest = calibration.highest_score(self._calibrators)
            self._modules = Faulty(
                modules=modules, on_plate=frozenset(self.world.plate.pieces), highest=highest, seed=order.seed
            )
        self._film, self._shown = film, shown
        self._strategy: Strategy = strategy(order.method)
        done = self._done()
        if done:
            self.world.load(done[-1].plate)

    def simulated(self, person: SimulatedPerson | None = None, *, accuracy: float | None = None) -> Simulated:
        """Somebody who sees the plate, as a channel.

        Args:
            person: How well, how fast and how steadily.
            accuracy: Instead of the person's: the probability of a right answer.
        """
        random: RandomSource = np.random.default_rng((self.order.seed, 23, self.journal.head().seq))
        return Simulated(self.truth, random=random, person=person, accuracy=accuracy)

    def truth(self, question: Question) -> Value:
        """A right answer to one of the four questions; for simulated people."""
        said: dict[str, Value] = {}
        bite = (question.image or "").rpartition("/")[0]
        for entry in self.journal.read(run=bite):
            if isinstance(entry.event, RunForwarded) and entry.event.outputs is not None:
                read = {module: value_from_json(each) for module, each in entry.event.outputs.items()}
                said = {module: each for module, each in read.items() if each is not None}
        in_vain = {acted.judged.item for acted in self._done() if not acted.got}
        return right_answer(self.world, _module_of(question), said, in_vain)

    def eat(self, channels: Sequence[Channel], *, told: Callable[[Bite], object] = lambda bite: None) -> Served:
        """All bites, one after the other; those that the journal knows already are only read.

        Args:
            channels: How questions reach the person.
            told: Called after each bite.
        """
        order, bites = self.order, []
        workload = Workload.of(BITE.values(), person=NAME)
        with Desk(self.journal, [Person(name=NAME)], channels=channels) as desk:
            for number in range(1, order.bites + 1):
                name = order.run_of(number)
                policy = self._policy(name, number)
                episode = run(policy, self._strategy, desk, run=name, settings=order.settings, costs=workload)
                assert isinstance(episode.costs, Workload)
                workload = episode.costs
                bites.append(Bite.of(number, episode, policy.acts.done))
                told(bites[-1])
                self._rest(name)
        return Served(
            plate=order.plate,
            looks=order.looks,
            method=order.method,
            people=SIMULATED if any(isinstance(each, Simulated) for each in channels) else "person",
            seed=order.seed,
            bites=tuple(bites),
            seconds=self._seconds(),
        )

    def _seconds(self) -> float:
        """How long it took, from the first entry of its bites to the last."""
        runs = [self.order.run_of(bite) for bite in range(1, self.order.bites + 1)]
        times = [entry.at_s for run_ in runs for entry in self.journal.read(run=run_)]
        return max(times, default=0.0) - min(times, default=0.0)

    def close(self) -> None:
        """Give the world back."""
        self.world.close()

    def __enter__(self) -> Meal:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _done(self) -> list[Acted]:
        """All that was tried in this meal, oldest first."""
        runs = [self.order.run_of(bite) for bite in range(1, self.order.bites + 1)]
        return [acted for run_ in runs for acted in Acts(self.journal, run_).done]

    def _policy(self, name: str, number: int) -> BitePolicy:
        made = (
            BitePolicy if self._film is None else partial(FilmedPolicy, frames=self._film, caption=self._title(number))
        )
        return made(
            self.world,
            self._modules,
            self._calibrators,
            acts=Acts(self.journal, name),
            name=name,
            passed=self._pass,
            shown=self._shown,
        )

    def _title(self, number: int) -> str:
        return f"bite {number} of {self.order.bites}"

    def _pass(self, seconds: float) -> None:
        """An attempt took its time; a clock that is moved by hand is moved on."""
        if isinstance(self.journal.clock, SkippingClock):
            self.journal.clock.advance(seconds)

    def _rest(self, name: str) -> None:
        """Chewing. It begins when the bite ended, so a meal that goes on does not chew twice."""
        if isinstance(self.journal.clock, SkippingClock):
            ended_s = max((entry.at_s for entry in self.journal.read(run=name)), default=0.0)
            self.journal.clock.skip_to(ended_s + self.order.rest_s)


def _module_of(question: Question) -> str:
    """Which of the four questions this is, by its form."""
    by_kind = {"box": "box", "points": "params"}
    return by_kind.get(question.kind, "skill" if question.options == tuple(map(str, Skill)) else "food")
