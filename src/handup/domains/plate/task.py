"""Clearing a plate as a task: one step is one action, with a question before it where that is worth asking.

Finished actions are in the journal, each before the next begins. A plate follows from its seed and its actions, bit for
bit, so another program does them once more in a moment, and goes on. An action that is not there did not happen.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from handup.core import BadRecord, ConflictingSettings, Outcome, OutOfRange, Person, Question, RandomSource, Value
from handup.core.panels import (
    ChainLink,
    ChainPanel,
    NumberPart,
    NumbersPanel,
    Panel,
    Phase,
    PicturePanel,
    TimelineEntry,
    TimelinePanel,
)
from handup.desk import Desk, Record, SkippingClock
from handup.domains.domain import PAGE, SIMULATED, STOPPED, TERMINAL, Domain, Halted, Workplace
from handup.domains.plate.choosers import CHOOSERS, OracleChooser, PlateChoice, PlateChooser, check_chooser
from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.engines import plate_of
from handup.domains.plate.low_level import aim_at
from handup.domains.plate.oracles import DRAWS
from handup.domains.plate.plate_film import PlateRecorder
from handup.domains.plate.plate_log import PlateActed, PlateLog, PlateWeighed, words_of
from handup.domains.plate.plate_picture import plate_picture
from handup.domains.plate.policies import UNSEEN, PlateSight
from handup.domains.plate.primitives import PlateFood, PlatePrimitive
from handup.domains.plate.questions import (
    CHOICE,
    QUESTION_SHARE,
    WORDS,
    bare_question,
    graph_of,
    primitive_of,
    settings_of,
)
from handup.domains.runs import Ordered, TaskStarted, begin_run, latest_run, next_name, orders
from handup.journal import Journal
from handup.models.pictures import jpeg
from handup.policy import ModuleGraph
from handup.recover import Episode, Look, Pass, run

ROBOT = "fork"
"""Name of the robot."""
PICTURE = "live/clearing"
"""Name of the picture that changes while the robot moves."""
CAPTION = "The plate from above. Green ring: most food. Blue ring: food that lies furthest away."
METHOD = "troubleshoot"
INTENT_S, REST_S, EVERY_S = 1.5, 1.0, 0.16
"""Seconds for which an action is announced, between two actions, and between two live pictures."""
ANSWERING_DRAWS = 2 * DRAWS
"""Roll-outs by which a simulated person knows better than the oracle that asks."""


@dataclass(frozen=True, kw_only=True)
class PlateOrder:
    """Order of a plate.

    Args:
        food: `noodles` or `beans`.
        policy: Name of the policy that chooses between taking a bite and pushing; one of `CHOOSERS`.
        seed: Source of the plate, and of the errors of the arm.
        ask: Whether somebody may be asked.
        question_share: Share of a full plate that a question must be expected to save, above 0.
        record: Folder for films of the actions and what came of them; empty for none.

    Raises:
        UnknownName: There is no such policy.
        OutOfRange: The seed is below 0, or the share is not above 0.
    """

    food: PlateFood = PlateFood.BEANS
    policy: str = "oracle"
    seed: int = 0
    ask: bool = True
    question_share: float = QUESTION_SHARE
    record: str = ""

    def __post_init__(self) -> None:
        check_chooser(self.policy)
        if self.seed < 0:
            raise OutOfRange.of("seed", self.seed, "be a whole number from 0 on", hint="Give such a number.")
        if not 0.0 < self.question_share <= 1.0:
            share = f"{self.question_share:g}"
            raise OutOfRange.of("question_share", share, "be above 0 and at most 1", hint="To ask nobody, set ask=no.")


@dataclass
class _Onlooker:
    """Channel that only tells its task of questions."""

    task: PlateTask
    name: str = field(default="onlooker", init=False)

    def show(self, record: Record, desk: Desk) -> None:
        self.task.tell(Phase.ASKING, record.question.doing or "asking you", record.question.why)

    def taken(self, record: Record) -> None:
        if record.status == "deferred":
            self.task.tell(Phase.DECIDING, "leaving you alone for a while", "You said: not now.")

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class PlateStep:
    """Policy of one action, as `handup.run` drives it.

    Args:
        task: The task.
        choice: What looks better, and how sure that is.
        name: Name of the run.
    """

    task: PlateTask
    choice: PlateChoice
    name: str

    @property
    def graph(self) -> ModuleGraph:
        """The one module."""
        return graph_of(self.task.order.food)

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        """Return what to do, with the answer in its place."""
        own = WORDS[self.task.order.food].options[self.choice.primitive]
        sure = self.choice.sure if self.task.order.ask else 1.0
        return Pass(outputs={CHOICE: answers.get(CHOICE, own)}, confidences={CHOICE: sure})

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        """Do it.

        Raises:
            Halted: The guard stopped it on its way; the plate is as before.
        """
        self.task.act(primitive_of(self.task.order.food, outputs[CHOICE]), action_id)
        return Look(True)

    def sense(self, action_id: str) -> Look:
        """Tell after a crash: a simulated plate goes with its program, so what is not written down never began."""
        done = any(acted.action == action_id for acted in self.task.done)
        return Look(done, started=done)

    def plan(self, outputs: Mapping[str, Value]) -> str:
        """Return what an action is for, in a few words."""
        food = self.task.order.food
        return WORDS[food].deeds[primitive_of(food, outputs[CHOICE])]

    def question(self, module: str, outputs: Mapping[str, Value]) -> Question:
        """Return the question, with a picture of the plate where somebody looks on."""
        food, values = self.task.order.food, self.choice.values
        own = WORDS[food].options[self.choice.primitive].lower()
        shares = [f"{values[primitive]:.0%}" for primitive in PlatePrimitive if primitive in values]
        expected = "With a bite now I expect to get {} of a full plate from here, with a push first {}."
        # Without a guess both answers stand on the page at once.
        return replace(
            bare_question(food),
            doing=f"choosing action {len(self.task.done) + 1} of {food.actions}",
            why=f"I would {own}, but I am not sure.",
            support=expected.format(*shares) if len(shares) > 1 else "",
            image=self.task.put_picture(self.name),
        )


class PlateTask:
    """Clearing of one plate. See `handup.domains.Task`.

    Args:
        order: The order.
        place: Workplace of the robot.
        chooser: Chooser; None for the one that the order names.
        world: A full plate; None for the one that the order names.

    Raises:
        MissingExtra: Beans need the extra `sim`; pictures need `models`.
        BadRecord: The actions of the journal lead to another plate on this machine.
    """

    interruptible = True

    def __init__(
        self,
        order: PlateOrder,
        place: Workplace,
        *,
        chooser: PlateChooser | None = None,
        world: ClearingWorld | None = None,
    ) -> None:
        self.order, self.place = order, place
        self.world = world or plate_of(order.food, order.seed)
        self._chooser = chooser or CHOOSERS[order.policy](self.world)
        self._masks = [self.world.mask()]
        self.done: list[PlateActed] = []
        """Actions that are over."""
        self._happened: list[TimelineEntry] = []
        self._log = PlateLog(place.journal, place.run)
        for acted, at_s in self._log.acted():
            self._do_again(acted, at_s)
        self._choice: PlateChoice | None = None
        self._plan: PlatePrimitive | None = None
        self._answered = False
        self._pictures, self._shot = 0, float("-inf")
        self._recorder = PlateRecorder(order.record, order.food.actions) if order.record else None
        self._told: dict[str, Any] = {"phase": Phase.LOOKING, "title": "Clearing the plate", "doing": "looking at it"}
        truthful = place.simulated(self.truth, self._chance)
        self._desk = place.sit_down(Person(name=place.person), channels=[_Onlooker(self), *truthful])
        self._withdraw_others()

    def _withdraw_others(self) -> None:
        """Take back what was asked about plates that were left for this one: nobody waits for these answers."""
        others = {ordered.name for ordered in orders(self.place.journal) if ordered.world == DOMAIN.name}
        for record in self._desk.pending():
            if record.run.partition("/")[0] in others - {self.place.run}:
                self._desk.withdraw(record.id, "Another plate was begun.")

    def _do_again(self, acted: PlateActed, at_s: float) -> None:
        self.world.act(acted.primitive, acted.aim)
        if self._mark() != acted.mark:
            raise BadRecord(
                f"action {acted.number} of {self.place.run} leads to another plate here than where it was done",
                hint="Go on with the same handup and libraries on the same kind of machine, or begin a new plate.",
            )
        self._take_in(acted, at_s)

    def _mark(self) -> int:
        """Return a checksum of the plate."""
        arrays = self.world.engine.arrays()
        return zlib.crc32(b"".join(arrays[name].tobytes() for name in sorted(arrays)))

    def _take_in(self, acted: PlateActed, at_s: float) -> None:
        self._masks.append(self.world.mask())
        self.done.append(acted)
        came = words_of(self.order.food, acted.primitive, acted.moved)
        words = f"{acted.number}. {came}{' You had said so.' if acted.answered else ''}"
        self._happened.append(TimelineEntry(at_s=at_s, kind="answered" if acted.answered else "said", words=words))

    # -- as a task ---------------------------------------------------------------------------------------------------

    def step(self) -> float | None:
        """Do the next action; after a stop, wait until somebody lets the robot go on."""
        if self.done and not self._log.ended(last := self.done[-1].run):  # the program ended just after it
            self._drive(PlateStep(self, self._weighed(len(self.done)), last))
        self._choice = self._plan = None
        self._snap()
        if self.world.over:
            self.tell(Phase.DONE, "finished", self.in_words)
            self._write_record()
            return None
        number = len(self.done) + 1
        self.tell(Phase.DECIDING, "weighing what to do next")
        self._choice = self._weighed(number)
        self.tell(Phase.DECIDING, "choosing the next action")
        episode = self._drive(PlateStep(self, self._choice, self._log.tries(number)[-1]))
        if episode.outcome is Outcome.STOPPED:
            self._plan = None
            self._snap()
            self.tell(Phase.STOPPED, STOPPED)
            self.place.await_enabled()
        return 0.0 if self.world.over or episode.outcome is Outcome.STOPPED else REST_S

    def hold(self, held: bool) -> None:
        """Take note that the arm holds, or goes on."""
        holding = {"phase": Phase.HOLDING, "doing": "holding still until the link is back"} if held else {}
        self.place.show({**self.view(), **holding})

    def view(self) -> Mapping[str, Any]:
        """Return the plate as people see it."""
        panels: list[Panel] = [PicturePanel(name=PICTURE, seq=self._pictures, caption=CAPTION)]
        if (choice := self._choice) is not None:
            link = ChainLink(
                module=CHOICE,
                label="Next",
                says=WORDS[self.order.food].options[self._plan or choice.primitive].lower(),
                confidence=choice.sure if choice.values else None,
                by="person" if self._answered else "robot",
                asking=self._told["phase"] is Phase.ASKING,
            )
            panels.append(ChainPanel(links=[link]))
        panels += [self._numbers(), TimelinePanel(entries=self._happened)]
        return {**self._told, "at_s": self.place.journal.clock.now_s(), "panels": panels}

    def _numbers(self) -> NumbersPanel:
        """Return what is done, and the values of both primitives."""
        shares = {"picked up so far": self.cleared, "left on the plate": self.world.engine.left()}
        for primitive, value in ({} if self._choice is None else self._choice.values).items():
            shares[f"still to get, if I {WORDS[self.order.food].options[primitive].lower()}"] = value
        numbers = [NumberPart(label=label, value=round(100 * share), unit="%") for label, share in shares.items()]
        return NumbersPanel(summary="Shares of a full plate", numbers=numbers)

    def result(self) -> Mapping[str, Any]:
        """Return how the plate was cleared."""
        weighed, order = self._log.weighed(), self.order
        return {
            "food": str(order.food),
            "seed": order.seed,
            "policy": order.policy,
            "cleared": self.cleared,
            "lost": sum(acted.moved.lost for acted in self.done),
            "left": self.world.engine.left(),
            "questions": sum(acted.asked for acted in self.done),
            "actions": [acted.to_json(weighed[acted.number]) for acted in self.done],
            "in_words": self.in_words,
        }

    def close(self) -> None:
        """Do nothing: no file stays open, and the plate can go on later."""

    @property
    def cleared(self) -> float:
        """Share of the full plate that was picked up."""
        return sum(acted.moved.taken for acted in self.done)

    @property
    def in_words(self) -> str:
        """The result in a sentence."""
        pushes = sum(acted.primitive is PlatePrimitive.GROUP for acted in self.done)
        asked = sum(acted.asked for acted in self.done)
        times = "Nobody was asked" if not asked else f"I asked {'once' if asked == 1 else f'{asked} times'}"
        actions = f"{len(self.done)} actions, {pushes} of them {'a push' if pushes == 1 else 'pushes'}"
        return f"Picked up {self.cleared:.0%} of the {self.order.food} in {actions}. {times}."

    # -- deciding ----------------------------------------------------------------------------------------------------

    def _drive(self, step: PlateStep) -> Episode:
        settings = settings_of(step.choice, self.order.question_share)
        try:
            return run(step, METHOD, self._desk, run=step.name, settings=settings)
        except Halted:  # the second call finds the stop at the desk, and ends the run by it
            return run(step, METHOD, self._desk, run=step.name, settings=settings)

    def _weighed(self, number: int) -> PlateChoice:
        """Return the choice of an action: as a person wished before a stop, as it was written down, or as it is now."""
        choice = self._log.weighed().get(number)
        if choice is None:
            done = tuple(acted.primitive for acted in self.done)
            left = self.world.food.actions - self.world.actions
            choice = self._chooser.weigh(PlateSight(masks=tuple(self._masks), done=done, left=left))
            self._log.add(PlateWeighed(number=number, choice=choice))
        answer = self._log.answer(number, self._desk) if len(self._log.tries(number)) > 1 else None
        if answer is None:
            return choice
        return replace(choice, primitive=primitive_of(self.order.food, answer), sure=1.0)

    def truth(self, question: Question) -> Value:
        """Return the right answer, as the fair oracle knows it; for simulated people."""
        sight = PlateSight(masks=tuple(self._masks), done=(), left=self.world.food.actions - self.world.actions)
        best = OracleChooser(self.world, draws=ANSWERING_DRAWS).weigh(sight)
        return WORDS[self.order.food].options[best.primitive]

    def _chance(self, question: str) -> RandomSource:
        """Return the chance of one question: by the seed, and by the question's place."""
        which = zlib.crc32(question.removeprefix(self.place.run).encode())
        return np.random.default_rng((self.order.seed, 3, which))

    # -- acting ------------------------------------------------------------------------------------------------------

    def act(self, primitive: PlatePrimitive, action_id: str) -> None:
        """Announce an action, do it, and write down what came of it.

        Raises:
            Halted: Somebody said stop; the plate is as before.
        """
        number, words = len(self.done) + 1, WORDS[self.order.food]
        asked, answer = self._log.questions(number), self._log.answer(number, self._desk)
        aim = aim_at(self.world.mask()) or UNSEEN
        self._answered, self._plan = answer is not None, primitive
        self._snap()
        self.tell(Phase.DECIDING, f"about to {words.deeds[primitive]}", "You said so." if self._answered else "")
        guard, clock = self.place.guard, self.place.journal.clock
        guard.begin()
        if self.place.link is not None:
            guard.pause(INTENT_S / (self.place.speed or 1.0))
        self.tell(Phase.MOVING, words.doing[primitive])
        guard.begin()
        took_s = 0.0
        film = None if self._recorder is None else self._recorder.begin(self.world.engine, number, aim, primitive)

        def look(seconds: float) -> None:
            nonlocal took_s
            took_s = seconds
            if not isinstance(clock, SkippingClock):
                guard(seconds)
            elif guard.stopped:
                raise Halted(seconds)
            if film is not None:
                film(seconds)
            if self.place.link is not None and self.place.clock() >= self._shot + EVERY_S:
                self._snap()
                self.place.show(self.view())

        outcome = self.world.act(primitive, aim, look)
        acted = PlateActed(
            action=action_id,
            number=number,
            primitive=primitive,
            aim=aim,
            moved=outcome.moved,
            left=outcome.left,
            asked=bool(asked),
            answered=self._answered,
            mark=self._mark(),
        )
        came = words_of(self.order.food, primitive, outcome.moved)
        if self._recorder is not None:  # before the journal: if the program ends in between, it is filmed once more
            self._recorder.end(self.world.engine, came)
            self._recorder.save()
        if isinstance(clock, SkippingClock):
            clock.advance(took_s)
        self._take_in(acted, self._log.add(acted, key=action_id).at_s)
        self._write_record()
        self._choice, self._plan, self._answered = None, None, False
        self._snap()
        self.tell(Phase.LOOKING, "looking at what it brought", came)

    def _write_record(self) -> None:
        if self._recorder is not None:
            self._recorder.write(self.result())

    # -- showing -----------------------------------------------------------------------------------------------------

    def put_picture(self, name: str) -> str | None:
        """Put the picture of a question on the server, and return its name; None where nobody looks on."""
        if self.place.link is None:
            return None
        picture = f"{name}/picture"

        def waits(why: str) -> None:
            self.tell(Phase.HOLDING, "waiting for the server", why)

        self.place.put_picture(picture, jpeg(plate_picture(self.world.engine, aim_at(self.world.mask()))), waits=waits)
        return picture

    def tell(self, phase: Phase, doing: str, why: str = "") -> None:
        """Show people a phase."""
        number = min(len(self.done) + 1, self.order.food.actions)
        title = "Clearing the plate" if phase is Phase.DONE else f"Action {number} of {self.order.food.actions}"
        self._told = {"phase": phase, "title": title, "doing": doing, "why": why}
        self.place.show(self.view())

    def _snap(self) -> None:
        """Send a picture of the plate as it is now, where somebody looks on."""
        if self.place.link is None:
            return
        self._pictures, self._shot = self._pictures + 1, self.place.clock()
        aim = None if self._told["phase"] is Phase.MOVING else aim_at(self.world.mask())
        self.place.link.picture(PICTURE, jpeg(plate_picture(self.world.engine, aim, self._plan)))


DOMAIN = Domain(
    name="plate",
    about="A robot clears a plate of noodles or beans over many bites, and asks whether to push them together first.",
    robot=ROBOT,
    order=PlateOrder,
    task=PlateTask,
    people=(PAGE, TERMINAL, SIMULATED),
)


@dataclass(frozen=True, kw_only=True)
class BegunPlate:
    """The plate that is cleared now, written down as begun.

    Args:
        name: Name of its run.
        order: Its order.
        goes_on: True if it was begun before.
    """

    name: str
    order: PlateOrder
    goes_on: bool


def begin_plate(
    journal: Journal, wanted: PlateOrder, people: str, *, new: bool = False, own_seed: bool = False
) -> BegunPlate:
    """Return the plate of a store that goes on, or begin another one.

    Args:
        journal: The store.
        wanted: Order of a new plate.
        people: Kind of the people who are asked.
        new: Begin a new plate, even if the last one is not over.
        own_seed: Give each new plate of the store another seed, counted from the order's on.

    Raises:
        ConflictingSettings: The plate that would go on was ordered otherwise.
    """
    with journal.writing() as writer:
        plates = [ordered for ordered in orders(writer) if ordered.world == DOMAIN.name]
        last = None if new else latest_run(writer, lambda ordered: ordered in plates)
        if last is not None and last.over is None and isinstance(last.begun, TaskStarted):
            known: PlateOrder = DOMAIN.order_of(last.begun.options)
            same = replace(wanted, record=known.record, seed=known.seed if own_seed else wanted.seed)
            if known != same or last.order.people != people:
                raise ConflictingSettings(
                    f"{last.order.name} is not over and must go on as it was begun, with {_listed(known)} and people "
                    f"{last.order.people}; now you give {_listed(same)} and people {people}",
                    hint="Give those options again, or begin another plate with --new, or on another --store.",
                )
            return BegunPlate(name=last.order.name, order=replace(known, record=wanted.record), goes_on=True)
        order = replace(wanted, seed=wanted.seed + (len(plates) if own_seed else 0))
        ordered = Ordered(name=next_name(writer, DOMAIN.name), world=DOMAIN.name, people=people)
        name = begin_run(writer, ordered, DOMAIN.options_of(order)).name
        return BegunPlate(name=name, order=order, goes_on=False)


def _listed(order: PlateOrder) -> str:
    return ", ".join(f"{name} {value}" for name, value in DOMAIN.options_of(order).items() if name != "record")
