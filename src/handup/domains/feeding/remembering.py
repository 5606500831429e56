"""The feeding robot does not ask twice: M1 to M3 reuse what a person said of a plate, or of a piece, like this one.

An answer about the next food is kept with a vector of the plate; one about a skill with a vector of the square around
the piece, apart for each food; a box, where the food in it was a person's word too, as what that food looks like here.
What is recalled has its similarity as probability (the core paper's C.3, which has M1 and M3). Whatever else a module
says stands as it is. Needs the extra `sim`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from handup.core import BadSetting, Box, Value
from handup.domains.feeding.acts import Acted
from handup.domains.feeding.encoder import CROPPED, PLATE, PictureEncoder, square_of
from handup.domains.feeding.order import UNSEEN
from handup.domains.feeding.ordering import RUN, Ordered
from handup.domains.feeding.policy import FAILED_FOR_SURE, Sees
from handup.domains.feeding.seeing import Aimed, Chosen, Found, Named, Picture, Recall
from handup.domains.feeding.skills import Skill
from handup.journal import Journal
from handup.memory import Embedder, Embedding, Memory, Recalled, Settings, Source
from handup.recover.events import Answered
from handup.recover.trail import RunTold

FOOD, PIECE = "food", "piece"
BOXES = 6
"""So many of M2's boxes are compared with pieces that are remembered: each takes a few ms."""
SETTINGS = Settings(threshold=0.85, same=0.98)
"""From which similarity on the shipped encoders' recollections are used; chosen in `docs/feeding/memory.md`."""
LEARNT = (FOOD, "box", "skill")
"""The modules whose answers are remembered: where the fork goes in says nothing about the next piece."""


@dataclass
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

    modules: Sees
    memory: Memory
    plates: Embedder | None = None
    crops: Embedder | None = None
    _plates: Embedder = field(init=False, repr=False)
    _crops: Embedder = field(init=False, repr=False)
    _seen: Picture | None = field(default=None, init=False, repr=False)
    _found: dict[str, Found] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        self._plates = self.plates or PictureEncoder.load(PLATE)
        self._crops = self.crops or PictureEncoder.load(CROPPED)

    @property
    def foods(self) -> tuple[str, ...]:
        """What M1 can name."""
        return self.modules.foods

    # -- seeing ------------------------------------------------------------------------------------------------------

    def name(self, rgb: Picture) -> Named:
        """M1: what was said of a plate like this, if M2 finds it here; otherwise what it says itself."""
        own = self.modules.name(rgb)
        possible, seen = list(self.foods), Embedding.of(self._plates, rgb)
        while possible and (found := self.memory.recall(FOOD, seen, possible)) is not None:
            if self.find(rgb, found.label).boxes:
                agrees = found.label == own.label
                ranked = sorted(found.probabilities.items(), key=lambda each: -each[1])
                return Named(found.label, own.scores if agrees else dict(ranked), _recall(found, agrees))
            possible.remove(found.label)
        return own

    def find(self, rgb: Picture, label: str) -> Found:
        """M2: of the boxes that it finds, first the one that is most like what was boxed as this food before."""
        if self._seen is not rgb:
            self._seen, self._found = rgb, {}
        if label not in self._found:
            self._found[label] = self._known(rgb, label, self.modules.find(rgb, label))
        return self._found[label]

    def _known(self, rgb: Picture, label: str, own: Found) -> Found:
        """Boxes with the one first that shows a piece as a person boxed it, without any that they called otherwise."""
        if not self.memory.kept(PIECE):
            return own
        seen = [self._piece(rgb, box) for box in own.boxes[:BOXES]]
        left = [number for number in range(len(own.boxes)) if _may_be(label, seen[number] if number < BOXES else None)]
        alike = {number: found for number in left if number < BOXES and (found := seen[number]) is not None}
        left.sort(key=lambda number: -alike[number].similarity if number in alike else 0.0)
        boxes, scores = tuple(own.boxes[each] for each in left), tuple(own.scores[each] for each in left)
        if not alike:
            return Found(boxes, scores)
        return Found(boxes, scores, _recall(alike[left[0]], agrees=left[0] == 0))

    def _piece(self, rgb: Picture, box: Box) -> Recalled | None:
        return self.memory.recall(PIECE, Embedding.of(self._crops, square_of(rgb, box)), self.foods)

    def choose(self, rgb: Picture, label: str, box: Box) -> Chosen:
        """M3: what was said of a piece like this, named alike; otherwise what it says itself."""
        own = self.modules.choose(rgb, label, box)
        found = self.memory.recall(
            skill_of(label), Embedding.of(self._crops, square_of(rgb, box)), [str(each) for each in Skill]
        )
        if found is None:
            return own
        agrees = found.label == str(own.skill)
        ranked = sorted(found.probabilities.items(), key=lambda each: -each[1])
        scores = own.scores if agrees else {Skill(name): chance for name, chance in ranked}
        return Chosen(Skill(found.label), scores, _recall(found, agrees))

    def aim(self, rgb: Picture, box: Box, skill: Skill, *, seed: int) -> Aimed:
        """M4, as it is."""
        return self.modules.aim(rgb, box, skill, seed=seed)

    # -- learning ----------------------------------------------------------------------------------------------------

    def learn(self, module: str, outputs: Mapping[str, Value], rgb: Picture, *, by: str, source: Source) -> None:
        """Keep an answer about a food, a box or a skill; the same question teaches once.

        Args:
            module: `food`, `box` or `skill`; where the fork goes in is not kept.
            outputs: What stands for each module, the answer among them.
            rgb: The picture it was about.
            by: Who gave it.
            source: Which question, and of which picture.
        """
        label = str(outputs[FOOD])
        if module == FOOD:
            self._remember(FOOD, Embedding.of(self._plates, rgb), label, by, source)
            return
        box = outputs["box"]
        assert isinstance(box, Box)
        seen = Embedding.of(self._crops, square_of(rgb, box))
        if module == "box":
            self._remember(PIECE, seen, label, by, source)
        elif module == "skill":
            self._remember(skill_of(label), seen, str(outputs["skill"]), by, source)

    def _remember(self, module: str, seen: Embedding, label: str, by: str, source: Source) -> None:
        self.memory.remember(module, seen, label, by=by, source=source)


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

    def heard(self, module: str, outputs: Mapping[str, Value], rgb: Picture, name: str, *, food_was_said: bool) -> None:
        """A person answered: kept with who it was, which question and which picture. One who was erased is not kept.

        A box shows a food only where the food was a person's word, too: asked for one that is not there, people box
        something else.
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
            self.remembering.learn(module, outputs, rgb, by=by, source=source)

    def acted(self, acted: Acted, recalled: Mapping[str, int]) -> None:
        """What was recalled and worked is confirmed. Of a failure it bears as much as it is likely to be to blame."""
        memory, evidence = self.remembering.memory, f"{self.meal}/{acted.action}"
        for module, number in recalled.items():
            try:
                if acted.ok:
                    told = acted.certainty * (1.0 - UNSEEN.get(module, 0.0))  # a bite of something else looks alike
                    memory.confirm(number, evidence=evidence, certainty=told, run=self.run)
                else:
                    share = acted.certainty * blame(acted.confidences, module)
                    memory.contradict(number, evidence=evidence, certainty=share, run=self.run)
            except BadSetting:  # somebody was erased meanwhile, and it with them
                continue


def _may_be(label: str, found: Recalled | None) -> bool:
    """Whether nobody called what is in a box something else."""
    return found is None or found.label == label


def skill_of(label: str) -> str:
    """The memory's name for M3 where a piece is called so."""
    return f"skill: {label}"


def blame(confidences: Mapping[str, float], module: str) -> float:
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


def _recall(found: Recalled, agrees: bool) -> Recall:
    return Recall(memory=found.memory.id, probability=found.similarity, agrees=agrees)
