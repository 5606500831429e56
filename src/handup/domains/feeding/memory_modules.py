"""Memory at the plate: no question comes twice, since modules reuse what a person said of a plate or piece like it.

M1 names the food, M2 finds its box, M3 chooses the skill, M4 says where the fork goes in and remembers
nothing.

An answer about the next food is kept with a vector of the plate; one about a skill with a vector of the square around
the piece, apart for each food. A box is kept as the look of the food in it, if a person named that food, too. What is
recalled has its similarity as probability (the core paper's C.3, which has M1 and M3). Everything else that a module
says stays as it is. Needs the extra `sim`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass

from handup.core import BadSetting, Box, Value
from handup.domains.feeding.attempt_record import BiteAttempt
from handup.domains.feeding.module_outputs import Aimed, Chosen, FeedingModules, Found, NamedFood, Picture, Recall
from handup.domains.feeding.modules import CROPPED, PLATE, PictureEncoder, square_of
from handup.domains.feeding.order import UNSEEN
from handup.domains.feeding.policy import FAILED_FOR_SURE
from handup.domains.feeding.skills import Skill
from handup.journal import Journal
from handup.journal.address import address_of
from handup.memory import Embedder, Embedding, Memory, MemorySettings, Recalled, Source
from handup.recover.events import ModuleAnswered
from handup.recover.run_record import RunTold

FOOD, PIECE, SKILL = "food", "piece", "skill"
"""Names in the memory. They stay in the journal for ever, so no word of a person is in them."""
BOXES = 6
"""Most of M2's boxes that are compared with remembered pieces: each takes a few ms."""
SETTINGS = MemorySettings(threshold=0.85, same=0.98)
"""Similarity from which on the shipped encoders' recollections are used; chosen in `docs/feeding/memory.md`."""
LEARNT = (FOOD, "box", "skill")
"""Modules whose answers are remembered: where the fork goes in says nothing about the next piece."""


class RememberingModules:
    """Modules of which the first three remember. Give them to a `BitePolicy`; they may serve any number of plates.

    Args:
        modules: Modules without a memory.
        memory: Memory of the household.
        plates: Encoder of a plate; None for the shipped one.
        crops: Encoder of a piece; None for the shipped one.

    Raises:
        MissingExtra: onnxruntime is not installed.
    """

    def __init__(
        self, modules: FeedingModules, memory: Memory, plates: Embedder | None = None, crops: Embedder | None = None
    ) -> None:
        self.modules, self.memory, self.foods = modules, memory, modules.foods
        self._plates = plates or PictureEncoder.load(PLATE)
        self._crops = crops or PictureEncoder.load(CROPPED)
        self._seen: Picture | None = None
        self._found: dict[str, tuple[Found, bool]] = {}

    # -- seeing ------------------------------------------------------------------------------------------------------

    def name(self, rgb: Picture) -> NamedFood:
        """Return M1's output: what was said of a plate like this, if M2 finds it here; otherwise its own word."""
        own = self.modules.name(rgb)
        possible, seen = list(self.foods), Embedding.of(self._plates, rgb)
        while possible and (recalled := self.memory.recall(FOOD, seen, possible)) is not None:
            if self._compared(rgb, recalled.label)[1]:
                agrees = recalled.label == own.label
                return NamedFood(recalled.label, own.scores, _recall(recalled, agrees))
            # M2 does not find that food here: try the next memory.
            possible.remove(recalled.label)
        return own

    def find(self, rgb: Picture, label: str) -> Found:
        """Return M2's boxes, the one first that is most like what was boxed as this food before.

        A box of a piece that people called something else comes last, and memory lowers its score. So the robot doubts
        the box and asks, and the answer may correct the memory.
        """
        return self._compared(rgb, label)[0]

    def _compared(self, rgb: Picture, label: str) -> tuple[Found, bool]:
        """Return M2's boxes, and whether there is one that nobody called otherwise."""
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
        boxes = tuple(own.boxes[number] for number in ranked)
        scores = tuple(own.scores[number] * min(1.0, 1.0 + _likeness(label, seen[number])) for number in ranked)
        first = seen[ranked[0]]
        if first is None or first.label != label:
            return Found(boxes, scores), first is None
        return Found(boxes, scores, _recall(first, agrees=ranked[0] == 0)), True

    def _piece(self, rgb: Picture, box: Box) -> Recalled | None:
        return self.memory.recall(PIECE, Embedding.of(self._crops, square_of(rgb, box)), self.foods)

    def choose(self, rgb: Picture, label: str, box: Box) -> Chosen:
        """Return M3's output: what was said of a piece like this, named alike; otherwise its own word."""
        own = self.modules.choose(rgb, label, box)
        possible = {skill_of(label, option): option for option in Skill}
        recalled = self.memory.recall(SKILL, Embedding.of(self._crops, square_of(rgb, box), label), list(possible))
        if recalled is None:
            return own
        skill = possible[recalled.label]
        ranked = sorted(recalled.probabilities.items(), key=lambda item: -item[1])
        scores = own.scores if skill is own.skill else {possible[name]: chance for name, chance in ranked}
        return Chosen(skill, scores, _recall(recalled, agrees=skill is own.skill))

    def aim(self, rgb: Picture, box: Box, skill: Skill, *, seed: int) -> Aimed:
        """Return M4's output, as it is."""
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

        A memory that said something else is dropped, however often it was confirmed. A memory of a piece stays if what
        is boxed now looks the same: people may point at any piece of a food.

        Args:
            module: `food`, `box` or `skill`; where the fork goes in is not kept.
            outputs: Outputs of all modules, the answer among them.
            rgb: Picture that it was about.
            by: Name of the person who gave it.
            source: Question that was answered, and its picture.
            instead_of: Id of the memory that said something else, if there is one.
        """
        label, wrong = str(outputs[FOOD]), set() if instead_of is None else {instead_of}
        if module == FOOD:
            kept, seen = FOOD, Embedding.of(self._plates, rgb)
        else:
            box = outputs["box"]
            assert isinstance(box, Box)
            if module == "box":
                kept, seen = PIECE, Embedding.of(self._crops, square_of(rgb, box))
                recalled = self.memory.recall(PIECE, seen, self.foods)
                if recalled is not None:
                    wrong = set() if recalled.label == label else wrong | {recalled.memory.id}
            elif module == "skill":
                kept, seen = SKILL, Embedding.of(self._crops, square_of(rgb, box), label)
                label = skill_of(label, Skill(str(outputs["skill"])))
            else:
                return
        self.memory.remember(kept, seen, label, by=by, source=source, overrules=wrong)


@dataclass(frozen=True)
class Lessons:
    """Lessons of one bite, for its `BitePolicy`. Told again, after a crash, they change nothing.

    Args:
        remembering: Modules that learn.
        journal: Journal of the meal, which knows who answered.
        run: Id of the run of the bite.
        meal: Id that no other meal has, on whatever store: the hash of its order.
    """

    remembering: RememberingModules
    journal: Journal
    run: str
    meal: str

    @property
    def erasures(self) -> int:
        """Number of times that somebody was erased from the memory."""
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
        """Keep an answer, with its person, question and picture. One of a person who was erased is not kept.

        A box shows a food only if the food was a person's word, too: asked for one that is not there, people box
        something else.

        Args:
            module: Module that was asked about.
            outputs: Outputs of all modules now.
            rgb: The picture that it was about.
            name: Name of the picture.
            food_was_said: True if a person said the food for this bite; False for M1's word, or a remembered one.
            instead_of: Id of the memory that said something else, if there is one.
        """
        if module not in LEARNT or (module == "box" and not food_was_said):
            return
        question, by = "", None
        for entry in self.journal.read(run=self.run):
            if isinstance(entry.event, RunTold):
                answer = entry.event.read()
                if isinstance(answer, ModuleAnswered) and answer.module == module:
                    question, by = entry.key, answer.by
        if by is not None:
            source = Source(question=f"{self.meal}/{question}", run=self.run, picture=name)
            self.remembering.learn(module, outputs, rgb, by=by, source=source, instead_of=instead_of)

    def acted(self, acted: BiteAttempt, *, a_person_looked: bool) -> None:
        """Confirm the memories of an attempt that worked; count a failure against each by its share of the blame.

        The robot cannot see that it took a piece of another food; a person can.

        Args:
            acted: Attempt with what is known of it, and with the memories that it used.
            a_person_looked: True if a person said what came of it; otherwise the robot saw it.
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


def _likeness(label: str, recalled: Recalled | None) -> float:
    """Return how much memory says that a piece is of this food: its similarity, below 0 for one called otherwise."""
    if recalled is None:
        return 0.0
    return recalled.similarity if recalled.label == label else -recalled.similarity


def skill_of(food: str, skill: Skill) -> str:
    """Return the memory's name for M3's word about a piece of this food."""
    return f"{food}: {skill}"


def share_of_blame(confidences: Mapping[str, float], module: str) -> float:
    """Return the probability that a module was wrong, after a failure: others may have been, and a fork can slip."""
    works = FAILED_FOR_SURE * math.prod(confidences.values())
    return min(1.0, (1.0 - confidences.get(module, 1.0)) / (1.0 - works))


def memory_in(book: Journal) -> Memory:
    """Return the memory of a household that is kept in a journal, with the thresholds of the shipped encoders."""
    return Memory(book, SETTINGS)


def kept_in(memory: Memory, journal: Journal) -> str:
    """Return the store of a memory as seen from a meal's store, so that both may be moved; empty if it is the same."""
    kept, own = address_of(memory.book.store), address_of(journal.store)
    if kept.path is None:
        return "" if kept.shown == own.shown else kept.shown
    if kept.path == own.path:
        return ""
    return str(kept.path) if own.path is None else os.path.relpath(kept.path, own.path.parent)


def store_at(kept: str, journal: Journal) -> str:
    """Return the store that `kept_in` named."""
    own = address_of(journal.store)
    return kept if own.path is None or address_of(kept).path is None else str(own.path.parent / kept)


def _recall(recalled: Recalled, agrees: bool) -> Recall:
    return Recall(
        memory=recalled.memory.id, probability=recalled.similarity, agrees=agrees, whose=recalled.memory.whose
    )
