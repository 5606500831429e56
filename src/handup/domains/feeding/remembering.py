"""The feeding robot does not ask twice: M1 to M3 reuse what a person said of a plate, or of a piece, like this one.

An answer about the next food is kept with a vector of the plate; one about a skill with a vector of the square around
the piece, apart for each food; a box, where the food in it was a person's word too, as what that food looks like here.
What is recalled has its similarity as probability (the core paper's C.3, which has M1 and M3). Whatever else a module
says stands as it is. Needs the extra `sim`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass

from handup.core import BadSetting, Box, Value
from handup.domains.feeding.acts import Acted
from handup.domains.feeding.modules import CROPPED, PLATE, PictureEncoder, square_of
from handup.domains.feeding.order import UNSEEN
from handup.domains.feeding.ordering import RUN, Ordered
from handup.domains.feeding.policy import FAILED_FOR_SURE
from handup.domains.feeding.seeing import Aimed, Chosen, Found, Named, Picture, Recall, Sees
from handup.domains.feeding.skills import Skill
from handup.journal import Journal
from handup.journal.address import address_of
from handup.memory import Embedder, Embedding, Memory, Recalled, Settings, Source
from handup.recover.events import Answered
from handup.recover.trail import RunTold

FOOD, PIECE, SKILL = "food", "piece", "skill"
"""What the memory calls them. These names stay in the journal for ever, so no word of a person is in them."""
BOXES = 6
"""So many of M2's boxes are compared with pieces that are remembered: each takes a few ms."""
SETTINGS = Settings(threshold=0.85, same=0.98)
"""From which similarity on the shipped encoders' recollections are used; chosen in `docs/feeding/memory.md`."""
LEARNT = (FOOD, "box", "skill")
"""The modules whose answers are remembered: where the fork goes in says nothing about the next piece."""


class Remembering:
    """Modules of which the first three remember. Give them to a `BitePolicy`; they may serve any number of plates.

    Args:
        modules: As they are without.
        memory: The household's.
        plates: What makes a vector of a plate; the shipped encoder where it is None.
        crops: What makes one of a piece, likewise.

    Raises:
        MissingExtra: onnxruntime is not installed.
    """

    def __init__(
        self, modules: Sees, memory: Memory, plates: Embedder | None = None, crops: Embedder | None = None
    ) -> None:
        self.modules, self.memory, self.foods = modules, memory, modules.foods
        self._plates = plates or PictureEncoder.load(PLATE)
        self._crops = crops or PictureEncoder.load(CROPPED)
        self._seen: Picture | None = None
        self._found: dict[str, tuple[Found, bool]] = {}

    # -- seeing ------------------------------------------------------------------------------------------------------

    def name(self, rgb: Picture) -> Named:
        """M1: what was said of a plate like this, if M2 finds it here; otherwise what it says itself."""
        own = self.modules.name(rgb)
        possible, seen = list(self.foods), Embedding.of(self._plates, rgb)
        while possible and (found := self.memory.recall(FOOD, seen, possible)) is not None:
            if self._compared(rgb, found.label)[1]:
                agrees = found.label == own.label
                return Named(found.label, own.scores, _recall(found, agrees))
            possible.remove(found.label)
        return own

    def find(self, rgb: Picture, label: str) -> Found:
        """M2: of the boxes that it finds, first the one that is most like what was boxed as this food before.

        What people called otherwise comes last, with as little of its score as memory leaves: the robot doubts it, so
        it asks, and what is said then may speak against that memory.
        """
        return self._compared(rgb, label)[0]

    def _compared(self, rgb: Picture, label: str) -> tuple[Found, bool]:
        """M2's boxes, and whether there is one that nobody called otherwise."""
        if self._seen is not rgb:
            self._seen, self._found = rgb, {}
        if label not in self._found:
            self._found[label] = self._ranked(rgb, label, self.modules.find(rgb, label))
        return self._found[label]

    def _ranked(self, rgb: Picture, label: str, own: Found) -> tuple[Found, bool]:
        if not own.boxes or not self.memory.count(PIECE):
            return own, bool(own.boxes)
        seen = [self._piece(rgb, box) if number < BOXES else None for number, box in enumerate(own.boxes)]
        ranked = sorted(range(len(seen)), key=lambda number: -_likeness(label, seen[number]))
        boxes = tuple(own.boxes[each] for each in ranked)
        scores = tuple(own.scores[each] * min(1.0, 1.0 + _likeness(label, seen[each])) for each in ranked)
        first = seen[ranked[0]]
        if first is None or first.label != label:
            return Found(boxes, scores), first is None
        return Found(boxes, scores, _recall(first, agrees=ranked[0] == 0)), True

    def _piece(self, rgb: Picture, box: Box) -> Recalled | None:
        return self.memory.recall(PIECE, Embedding.of(self._crops, square_of(rgb, box)), self.foods)

    def choose(self, rgb: Picture, label: str, box: Box) -> Chosen:
        """M3: what was said of a piece like this, named alike; otherwise what it says itself."""
        own = self.modules.choose(rgb, label, box)
        possible = {skill_of(label, each): each for each in Skill}
        found = self.memory.recall(SKILL, Embedding.of(self._crops, square_of(rgb, box), label), list(possible))
        if found is None:
            return own
        said = possible[found.label]
        ranked = sorted(found.probabilities.items(), key=lambda each: -each[1])
        scores = own.scores if said is own.skill else {possible[name]: chance for name, chance in ranked}
        return Chosen(said, scores, _recall(found, agrees=said is own.skill))

    def aim(self, rgb: Picture, box: Box, skill: Skill, *, seed: int) -> Aimed:
        """M4, as it is."""
        return self.modules.aim(rgb, box, skill, seed=seed)

    # -- learning ----------------------------------------------------------------------------------------------------

    def learn(
        self,
        module: str,
        outputs: Mapping[str, Value],
        rgb: Picture,
        *,
        by: str,
        source: Source,
        instead_of: int | None = None,
    ) -> None:
        """Keep an answer about a food, a box or a skill; the same question teaches once.

        A memory that said something else is dropped, however often it was confirmed. One of a piece stays where what
        is boxed now looks the same: people may point at any piece of a food.

        Args:
            module: `food`, `box` or `skill`; where the fork goes in is not kept.
            outputs: What stands for each module, the answer among them.
            rgb: The picture it was about.
            by: Who gave it.
            source: Which question, and of which picture.
            instead_of: The memory that said something else, where one did.
        """
        label, wrong = str(outputs[FOOD]), set() if instead_of is None else {instead_of}
        if module == FOOD:
            kept, seen = FOOD, Embedding.of(self._plates, rgb)
        else:
            box = outputs["box"]
            assert isinstance(box, Box)
            if module == "box":
                kept, seen = PIECE, Embedding.of(self._crops, square_of(rgb, box))
                found = self.memory.recall(PIECE, seen, self.foods)
                if found is not None:
                    wrong = set() if found.label == label else wrong | {found.memory.id}
            elif module == "skill":
                kept, seen = SKILL, Embedding.of(self._crops, square_of(rgb, box), label)
                label = skill_of(label, Skill(str(outputs["skill"])))
            else:
                return
        self.memory.remember(kept, seen, label, by=by, source=source, overrules=wrong)


@dataclass(frozen=True)
class Lessons:
    """What one bite teaches; given to its `BitePolicy`. Told again, after a crash, it changes nothing.

    Args:
        remembering: Who learns.
        journal: The meal's, which knows who answered.
        run: The bite's run.
        meal: What no other meal is called, on whatever store: the hash of its order.
    """

    remembering: Remembering
    journal: Journal
    run: str
    meal: str

    @property
    def erasures(self) -> int:
        """How often somebody was erased from the memory."""
        return self.remembering.memory.erasures

    def heard(
        self,
        module: str,
        outputs: Mapping[str, Value],
        rgb: Picture,
        name: str,
        *,
        food_was_said: bool,
        instead_of: int | None = None,
    ) -> None:
        """A person answered: kept with who it was, which question and which picture. One who was erased is not kept.

        A box shows a food only where the food was a person's word, too: asked for one that is not there, people box
        something else.

        Args:
            module: Which.
            outputs: What stands for each module now.
            rgb: The picture that it was about.
            name: Of the picture.
            food_was_said: Whether the food is what a person said for this bite: neither M1's word nor a remembered one.
            instead_of: The memory that said something else, where one did.
        """
        if module not in LEARNT or (module == "box" and not food_was_said):
            return
        question, by = "", None
        for entry in self.journal.read(run=self.run):
            if isinstance(entry.event, RunTold):
                told = entry.event.read()
                if isinstance(told, Answered) and told.module == module:
                    question, by = entry.key, told.by
        if by is not None:
            source = Source(question=f"{self.meal}/{question}", run=self.run, picture=name)
            self.remembering.learn(module, outputs, rgb, by=by, source=source, instead_of=instead_of)

    def acted(self, acted: Acted, *, a_person_looked: bool) -> None:
        """What was recalled and worked is confirmed. Of a failure it bears as much as it is likely to be to blame.

        A bite of something else looks alike to the robot, and not to a person.

        Args:
            acted: With what is known of it, and with the memories that it was made on.
            a_person_looked: Whether somebody said so; else the robot saw it.
        """
        memory, evidence = self.remembering.memory, f"{self.meal}/{acted.action}"
        for module, number in acted.recalled.items():
            try:
                if acted.ok:
                    unseen = 0.0 if a_person_looked else UNSEEN.get(module, 0.0)
                    memory.confirm(number, evidence=evidence, certainty=acted.certainty * (1.0 - unseen), run=self.run)
                else:
                    share = acted.certainty * share_of_blame(acted.confidences, module)
                    memory.contradict(number, evidence=evidence, certainty=share, run=self.run)
            except BadSetting:  # somebody was erased meanwhile, and it with them
                continue


def _likeness(label: str, found: Recalled | None) -> float:
    """How much memory says that a piece is of this food: its similarity, less than nothing for one called otherwise."""
    if found is None:
        return 0.0
    return found.similarity if found.label == label else -found.similarity


def skill_of(food: str, skill: Skill) -> str:
    """What the memory keeps as M3's word for a piece that is called so."""
    return f"{food}: {skill}"


def share_of_blame(confidences: Mapping[str, float], module: str) -> float:
    """How likely a module was wrong, after a failure: others may have been, and a fork slips now and then."""
    works = FAILED_FOR_SURE * math.prod(confidences.values())
    return min(1.0, (1.0 - confidences.get(module, 1.0)) / (1.0 - works))


def meal_id(journal: Journal, name: str) -> str:
    """What no other meal is called, on whatever store. It names nobody.

    Raises:
        BadSetting: The meal was not begun.
    """
    for entry in journal.read(run=RUN):
        if isinstance(entry.event, Ordered) and entry.event.name == name:
            return entry.hash[:16]
    raise BadSetting(f"there is no meal '{name}' on this store", hint="Begin it first: Meal.eat does.")


def memory_in(book: Journal) -> Memory:
    """The memory of a household that is kept in a journal, with the thresholds of the shipped encoders."""
    return Memory(book, SETTINGS)


def kept_in(memory: Memory, journal: Journal) -> str:
    """Where a memory is kept, seen from a meal's store, so that both may be moved; empty where it is that store."""
    there, here = address_of(memory.book.store), address_of(journal.store)
    if there.path is None:
        return "" if there.shown == here.shown else there.shown
    if there.path == here.path:
        return ""
    return str(there.path) if here.path is None else os.path.relpath(there.path, here.path.parent)


def store_at(kept: str, journal: Journal) -> str:
    """The store that `kept_in` named."""
    here = address_of(journal.store)
    return kept if here.path is None or address_of(kept).path is None else str(here.path.parent / kept)


def _recall(found: Recalled, agrees: bool) -> Recall:
    return Recall(memory=found.memory.id, probability=found.similarity, agrees=agrees, whose=found.memory.whose)
