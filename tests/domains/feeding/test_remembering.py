"""The feeding robot's memory: answers are kept with where they come from, reused where it looks alike, and let go."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handup.core import BadData, BadRecord, Box, Value
from handup.core.panels import ChainPanel
from handup.desk import SkippingClock
from handup.domains.feeding import HARD, Item, Plate, PlateWorld, Skill, foods
from handup.domains.feeding.attempt_record import AttemptLog, BiteAttempt
from handup.domains.feeding.meal import NAME, Meal
from handup.domains.feeding.meal_result import Served
from handup.domains.feeding.memory_modules import (
    FOOD,
    PIECE,
    SETTINGS,
    SKILL,
    Lessons,
    RememberingModules,
    memory_in,
    share_of_blame,
)
from handup.domains.feeding.module_outputs import Found, Picture
from handup.domains.feeding.modules import CROPPED, PLATE, Faulty, Modules, PictureEncoder, folder_of, square_of
from handup.domains.feeding.order import UNSEEN, Order
from handup.domains.feeding.page_meal import AS_BEFORE, session_of, told_of
from handup.domains.feeding.policy import SURE, BitePolicy
from handup.domains.feeding.truth import box_of
from handup.journal import Journal
from handup.memory import Embedding, Memory, MemoryConfirmed, MemorySettings, Source, check_embedder
from handup.recover.run_record import RunForwarded, RunSettled
from tests.fakes.feeding import Oracle, calibrators
from tests.fakes.panels import of_type
from tests.recover.house import FragileJournal, Killed
from tests.soak import swept

HOME, SIZE = 267_000, (320, 240)
ALWAYS = "topo+query-for-all"
MODELS = ("encode_plate.onnx", "encode_crop.onnx", "encode.json")


@pytest.fixture(scope="module")
def plates() -> PictureEncoder:
    return PictureEncoder.load(PLATE)


@pytest.fixture(scope="module")
def crops() -> PictureEncoder:
    return PictureEncoder.load(CROPPED)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Journal.open(tmp_path / "home.db") as book:
        yield memory_in(book)


@contextmanager
def dinner(seed: int, plate: str | Plate = "thanksgiving", kitchen: int = HOME) -> Iterator[PlateWorld]:
    with PlateWorld(plate, seed=seed, looks=HARD, size=SIZE, kitchen=kitchen) as world:
        yield world


def view(seed: int, plate: str | Plate = "thanksgiving", kitchen: int = HOME) -> Picture:
    with dinner(seed, plate, kitchen) as world:
        return world.view().rgb


def piece(world: PlateWorld, food: str) -> Item:
    return max((each for each in world.truth() if each.food == food), key=lambda each: each.pixels)


# -- the encoders ------------------------------------------------------------------------------------------------------


def test_encoders_keep_the_contract(plates: PictureEncoder, crops: PictureEncoder) -> None:
    with dinner(1) as world:
        rgb, box = world.view().rgb, box_of(piece(world, "chicken"))
    check_embedder(plates, [rgb], ["", "chicken"])
    check_embedder(crops, [square_of(rgb, box)])
    assert (plates.dimension, crops.dimension) == (64, 64)
    assert Embedding.of(PictureEncoder.load(PLATE), rgb).vector.tobytes() == Embedding.of(plates, rgb).vector.tobytes()


def test_encoders_are_small_and_their_card_is_about_them() -> None:
    with folder_of() as place:
        sizes = [(place / name).stat().st_size for name in MODELS]
        card = json.loads((place / "encode.json").read_text(encoding="utf-8"))
    assert max(sizes) <= 1_000_000
    assert {"dimension", "digest", "command", "seed", "date"} <= set(card)
    first, last = card["kitchens"]
    assert 240_000 <= first <= last < 260_000


def test_an_encoder_that_is_not_its_cards_is_refused(tmp_path: Path) -> None:
    with folder_of() as place:
        for name in MODELS:
            (tmp_path / name).write_bytes((place / name).read_bytes())
    model = tmp_path / "encode_plate.onnx"
    model.write_bytes(model.read_bytes()[:-1] + b"\0")
    with pytest.raises(BadRecord, match="not the one that its card is about"):
        PictureEncoder.load(PLATE, tmp_path)
    model.unlink()
    with pytest.raises(BadRecord, match="no encoder"):
        PictureEncoder.load(PLATE, tmp_path)


@pytest.mark.parametrize("given", [b"png", np.zeros((4, 4), np.uint8), np.zeros((4, 4, 4), np.uint8)])
def test_what_is_no_picture_is_refused(plates: PictureEncoder, given: Any) -> None:
    with pytest.raises(BadData, match="no picture"):
        plates.embed(given)


def test_only_squares_are_pieces(crops: PictureEncoder) -> None:
    with pytest.raises(BadData, match="a square of 320 × 240 px"):
        crops.embed(np.zeros((240, 320, 3), np.uint8))


def test_plates_are_near_where_the_same_is_on_them_at_home(plates: PictureEncoder) -> None:
    """Over several homes, so that one lucky one does not decide."""
    same, less, other = [], [], []
    without = Plate("less", {"mashed potatoes": (1, 1), "green beans": (6, 8)})
    for kitchen in range(HOME, HOME + 120, 20):
        monday, tuesday = (Embedding.of(plates, view(kitchen + meal, kitchen=kitchen)) for meal in (0, 1))
        same.append(monday.similarity(tuesday))
        less.append(monday.similarity(Embedding.of(plates, view(kitchen + 2, without, kitchen))))
        other.append(monday.similarity(Embedding.of(plates, view(kitchen + 3, "mixed salad", kitchen))))
    assert np.mean(same) > 0.85
    assert np.mean(less) < np.mean(same) - 0.1
    assert max(other) < SETTINGS.threshold


# -- reusing -----------------------------------------------------------------------------------------------------------


def remember_food(memory: Memory, plates: PictureEncoder, rgb: Picture, label: str) -> int:
    return memory.remember(FOOD, Embedding.of(plates, rgb), label, by="Ana", source=Source(question=label)).id


def test_what_was_said_of_a_plate_like_this_is_said_again(memory: Memory, plates: PictureEncoder) -> None:
    with dinner(1) as world:
        rgb = world.view().rgb
        number = remember_food(memory, plates, rgb, "chicken")
        oracle = Oracle(world, label="tofu", score=0.9)
        remembering = RememberingModules(oracle, memory, plates)
        named = remembering.name(rgb)
        assert (named.label, named.recalled and named.recalled.memory) == ("chicken", number)
        assert named.scores == oracle.name(rgb).scores, "M1's own, for where the remembered word is tried in vain"
        policy = BitePolicy(world, remembering, calibrators())
        made = policy.forward({})
        assert (made.outputs["food"], made.confidences["food"]) == ("chicken", SURE[1])
        assert policy.recalled == {"food": number}
        assert "told before" in (policy.question("food", made.outputs).why or "")
        assert "told before" not in (policy.question("skill", made.outputs).why or "")


def test_a_probability_is_no_score_to_calibrate(memory: Memory, plates: PictureEncoder) -> None:
    """The plate of the next day: the confidence is the similarity, not what the calibrator makes of it."""
    remember_food(memory, plates, view(0, kitchen=HOME), "chicken")
    with dinner(1) as world:
        rgb = world.view().rgb
        similarity = Embedding.of(plates, rgb).similarity(Embedding.of(plates, view(0, kitchen=HOME)))
        assert similarity >= SETTINGS.threshold
        policy = BitePolicy(
            world, RememberingModules(Oracle(world, label="tofu", score=0.2), memory, plates), calibrators()
        )
        made = policy.forward({})
    assert made.outputs["food"] == "chicken"
    assert made.confidences["food"] == pytest.approx(min(similarity, SURE[1]))


def test_one_that_agrees_with_the_module_makes_it_no_less_sure(memory: Memory, plates: PictureEncoder) -> None:
    remember_food(memory, plates, view(0), "chicken")
    with dinner(1) as world:
        oracle = Oracle(world, label="chicken", score=0.985)
        made = BitePolicy(world, RememberingModules(oracle, memory, plates), calibrators()).forward({})
    assert made.confidences["food"] == pytest.approx(0.985)


class SeesOnly(Oracle):
    """M2 finds some foods only."""

    sees: tuple[str, ...] = ()

    def find(self, rgb: Picture, label: str) -> Found:
        return super().find(rgb, label) if label in self.sees else Found((), ())


def test_a_food_that_is_not_found_is_passed_over(memory: Memory, plates: PictureEncoder) -> None:
    with dinner(1) as world:
        rgb = world.view().rgb
        beans = remember_food(memory, plates, view(0), "green beans")
        remember_food(memory, plates, view(2), "chicken")
        oracle = SeesOnly(world, label="tofu")
        oracle.sees = ("green beans", "tofu")
        named = RememberingModules(oracle, memory, plates).name(rgb)
        assert (named.label, named.recalled and named.recalled.memory) == ("green beans", beans)
        oracle.sees = ("tofu",)
        named = RememberingModules(oracle, memory, plates).name(rgb)
        assert (named.label, named.recalled) == ("tofu", None)


def test_a_changed_menu_does_not_poison(memory: Memory, plates: PictureEncoder) -> None:
    """Whatever was said of Monday's plate is not said of another menu in the same home, though M2 would find it."""
    for number, kitchen in enumerate(range(HOME, HOME + 120, 20)):
        memory.remember(FOOD, Embedding.of(plates, view(kitchen, kitchen=kitchen)), "chicken", by="Ana")
        for meal, menu in enumerate(("mixed salad", "savory salad" if number % 2 else "noodles"), 1):
            with dinner(kitchen + meal, menu, kitchen) as world:
                named = RememberingModules(Oracle(world, label="lettuce"), memory, plates).name(world.view().rgb)
                assert named.recalled is None or menu != "mixed salad"
                assert named.label in ("lettuce", *world.plate.pieces)


def test_a_wrong_answer_is_dropped_once_somebody_says_otherwise(memory: Memory, plates: PictureEncoder) -> None:
    with dinner(0) as world:
        rgb = world.view().rgb
        remembering = RememberingModules(Oracle(world), memory, plates)
        for number, label in enumerate(("tofu", "chicken")):
            remembering.learn(FOOD, {FOOD: label}, rgb, by="Ana", source=Source(question=str(number)))
            assert remembering.name(rgb).label == label
        assert [each.label for each in memory.kept()] == ["chicken"]


def test_a_skill_is_remembered_for_pieces_of_that_name(memory: Memory, crops: PictureEncoder) -> None:
    with dinner(0) as monday:
        rgb, box = monday.view().rgb, box_of(piece(monday, "chicken"))
        outputs: dict[str, Value] = {"food": "chicken", "box": box, "skill": "scoop"}
        RememberingModules(Oracle(monday), memory, crops=crops).learn(
            "skill", outputs, rgb, by="Ana", source=Source(question="1")
        )
    with dinner(1) as world:
        rgb, box = world.view().rgb, box_of(piece(world, "chicken"))
        remembering = RememberingModules(Oracle(world), memory, crops=crops)
        chosen = remembering.choose(rgb, "chicken", box)
        assert (chosen.skill, chosen.recalled is not None) == (Skill.SCOOP, True)
        assert chosen.recalled is not None and chosen.score == pytest.approx(chosen.recalled.probability)
        assert remembering.choose(rgb, "tofu", box).recalled is None
        assert remembering.choose(rgb, "chicken", box_of(piece(world, "green beans"))).recalled is None
    assert [(each.module, each.label) for each in memory.kept()] == [(SKILL, "chicken: scoop")]


def test_a_piece_is_found_that_looks_like_what_was_boxed(memory: Memory, crops: PictureEncoder) -> None:
    class Both(Oracle):
        """M2 takes beans for chicken, and finds chicken only then."""

        def find(self, rgb: Picture, label: str) -> Found:
            beans, chicken = (box_of(piece(self.world, name)) for name in ("green beans", "chicken"))
            return Found((beans, chicken), (0.6, 0.5))

    with dinner(0) as monday:
        rgb, box = monday.view().rgb, box_of(piece(monday, "chicken"))
        RememberingModules(Oracle(monday), memory, crops=crops).learn(
            "box", {"food": "chicken", "box": box}, rgb, by="Ana", source=Source(question="1")
        )
    with dinner(1) as world:
        remembering = RememberingModules(Both(world), memory, crops=crops)
        found = remembering.find(world.view().rgb, "chicken")
        assert found.boxes[0] == box_of(piece(world, "chicken"))
        assert (found.scores, found.recalled and found.recalled.agrees) == ((0.5, 0.6), False)
        assert found.recalled is not None and found.recalled.probability >= SETTINGS.threshold
        assert remembering.find(world.view().rgb, "green beans").recalled is None
    assert [each.label for each in memory.kept(PIECE)] == ["chicken"]


def test_what_people_called_otherwise_comes_last_and_is_doubted(memory: Memory, crops: PictureEncoder) -> None:
    """Somebody called chicken green beans. The robot must still be able to find chicken, and to hear who was wrong."""
    with dinner(0) as monday:
        rgb, box = monday.view().rgb, box_of(piece(monday, "chicken"))
        RememberingModules(Oracle(monday), memory, crops=crops).learn(
            "box", {"food": "green beans", "box": box}, rgb, by="Ana", source=Source(question="1")
        )
    [wrong] = memory.kept(PIECE)
    for number in range(3):
        memory.confirm(wrong.id, evidence=str(number))
    with dinner(1) as world:
        rgb, box = world.view().rgb, box_of(piece(world, "chicken"))
        remembering = RememberingModules(Oracle(world, label="tofu", score=0.8), memory, crops=crops)
        found = remembering.find(rgb, "chicken")
        assert (found.boxes, found.recalled) == ((box,), None)
        assert found.score <= 0.8 * (1.0 - SETTINGS.threshold) + 1e-9
        remembering.learn("box", {"food": "chicken", "box": box}, rgb, by="Ben", source=Source(question="2"))
    assert [each.label for each in memory.kept(PIECE)] == ["chicken"]


def test_a_food_is_not_recalled_where_people_called_every_box_of_it_otherwise(
    memory: Memory, plates: PictureEncoder, crops: PictureEncoder
) -> None:
    remember_food(memory, plates, view(0), "chicken")
    with dinner(1) as world:
        rgb, box = world.view().rgb, box_of(piece(world, "chicken"))
        remembering = RememberingModules(Oracle(world, label="tofu"), memory, plates, crops)
        assert remembering.name(rgb).label == "chicken"
        remembering.learn("box", {"food": "lettuce", "box": box}, rgb, by="Ana", source=Source(question="1"))
        assert RememberingModules(Oracle(world, label="tofu"), memory, plates, crops).name(rgb).label == "tofu"


def test_another_piece_of_the_same_food_contradicts_nothing(memory: Memory, crops: PictureEncoder) -> None:
    with dinner(0) as world:
        rgb, (one, two, *_) = world.view().rgb, [box_of(each) for each in world.truth() if each.food == "green beans"]
        remembering = RememberingModules(Oracle(world), memory, crops=crops)
        assert Embedding.of(crops, square_of(rgb, one)).similarity(Embedding.of(crops, square_of(rgb, two))) > 0.9
        remembering.learn("box", {"food": "green beans", "box": one}, rgb, by="Ana", source=Source(question="1"))
        [first] = memory.kept(PIECE)
        remembering.learn(
            "box", {"food": "green beans", "box": two}, rgb, by="Ana", source=Source(question="2"), instead_of=first.id
        )
        assert memory[first.id].kept
        chicken = box_of(piece(world, "chicken"))
        remembering.learn(
            "box",
            {"food": "green beans", "box": chicken},
            rgb,
            by="Ana",
            source=Source(question="3"),
            instead_of=first.id,
        )
        assert not memory[first.id].kept


@dataclass
class Hears:
    """Writes down what there is to learn, in the place of `Lessons`."""

    heard_of: list[tuple[str, bool, int | None]] = field(default_factory=list)
    erasures: int = 0

    def heard(self, module: str, *seen: Any, food_was_said: bool, instead_of: int | None = None) -> None:
        self.heard_of.append((module, food_was_said, instead_of))

    def acted(self, acted: BiteAttempt, *, a_person_looked: bool) -> None: ...


def test_a_remembered_food_is_no_word_of_now(memory: Memory, plates: PictureEncoder) -> None:
    """A box under a food that only memory names would make one error two."""
    tofu = remember_food(memory, plates, view(0), "tofu")
    with dinner(1) as world:
        box = box_of(piece(world, "chicken"))
        learns: Any = Hears()
        policy = BitePolicy(world, RememberingModules(Oracle(world), memory, plates), calibrators(), learns=learns)
        assert policy.forward({}).outputs["food"] == "tofu"
        policy.forward({"box": box})
        assert learns.heard_of == [("box", False, None)]
        policy.forward({"food": "chicken"})
        policy.forward({"food": "chicken", "box": box})
        assert learns.heard_of[1:] == [("food", True, tofu), ("box", True, None)]


def test_one_who_says_what_memory_says_contradicts_nothing(memory: Memory, plates: PictureEncoder) -> None:
    remember_food(memory, plates, view(0), "chicken")
    with dinner(1) as world:
        learns: Any = Hears()
        policy = BitePolicy(world, RememberingModules(Oracle(world), memory, plates), calibrators(), learns=learns)
        policy.forward({"food": "chicken"})
    assert learns.heard_of == [("food", True, None)]


@dataclass
class Watched:
    """An encoder of the user's own, which sees the middle of a picture only."""

    name: str = "own-1"
    dimension: int = 3
    digest: str = "ab" * 32
    texts: list[str] = field(default_factory=list)

    def embed(self, picture: Any, text: str = "") -> Any:
        self.texts.append(text)
        return picture[picture.shape[0] // 2, picture.shape[1] // 2].astype(np.float64) + 1.0


def test_a_meal_may_have_encoders_of_its_own_and_skills_are_seen_with_the_foods_name(tmp_path: Path) -> None:
    plates, crops = Watched(), Watched(name="own-2")
    with ExitStack() as stack:
        book, journal = (
            stack.enter_context(Journal.open(tmp_path / name, clock=SkippingClock())) for name in ("home.db", "m.db")
        )
        memory, oracle = Memory(book, MemorySettings(threshold=0.9)), Oracle(PlateWorld.__new__(PlateWorld))
        meal = stack.enter_context(
            Meal(
                replace(ORDER, bites=1, method=ALWAYS),
                journal,
                modules=oracle,
                calibrators=calibrators(),
                memory=memory,
                plates=plates,
                crops=crops,
            )
        )
        oracle.world = meal.world
        meal.eat([meal.simulated(accuracy=1.0)])
        kept_with = {each.module: each.encoder.name for each in memory.kept()}
    assert kept_with == {FOOD: "own-1", PIECE: "own-2", SKILL: "own-2"}
    assert set(plates.texts) == {""}
    named = [text for text in crops.texts if text]
    assert "" in crops.texts and set(named) <= set(foods())
    assert len(named) >= 2, "when it is looked up, and when it is kept"


def test_blame_is_shared(memory: Memory) -> None:
    alone = share_of_blame({"food": 0.5}, "food")
    shared = share_of_blame({"food": 0.5, "box": 0.5, "params": 0.5}, "food")
    assert 0.9 < alone <= 1.0
    assert 0.5 < shared < 0.6
    assert share_of_blame({"food": 0.99, "box": 0.2}, "food") < 0.02
    assert share_of_blame({"box": 0.2}, "food") == 0.0


# -- meals -------------------------------------------------------------------------------------------------------------


@contextmanager
def table(
    folder: Path, order: Order, *, home: str | None = "home.db", store: str = "m.db", dies_at: Any = None, **errs: Any
) -> Iterator[Meal]:
    """A meal whose modules know the truth, but for what is said, with the household's memory."""
    clock = SkippingClock()
    with ExitStack() as stack:
        journal = stack.enter_context(FragileJournal.open(folder / store, clock=clock))
        book = None if home is None else stack.enter_context(Journal.open(folder / home, clock=clock))
        clock.skip_to(max(journal.head().at_s, 0.0 if book is None else book.head().at_s))
        memory = None if book is None else memory_in(book)
        oracle = Oracle(PlateWorld.__new__(PlateWorld), **errs)
        meal = stack.enter_context(Meal(order, journal, modules=oracle, calibrators=calibrators(), memory=memory))
        oracle.world = meal.world
        assert isinstance(journal, FragileJournal)
        journal.dies_at = dies_at
        yield meal


def eaten(folder: Path, order: Order, **rest: Any) -> Served:
    with table(folder, order, **rest) as meal:
        return meal.eat([meal.simulated(accuracy=1.0)])


def kept(folder: Path) -> list[tuple[str, str, str, str, str]]:
    with Journal.open(folder / "home.db") as book:
        return [
            (each.module, each.label, each.by, each.source.question.partition("/")[2], each.source.picture)
            for each in memory_in(book).kept()
        ]


ORDER = Order(plate="thanksgiving", looks="hard", kitchen=HOME, seed=HOME, bites=2)


def test_an_answer_is_kept_with_where_it_comes_from_and_not_asked_again(tmp_path: Path) -> None:
    first = eaten(tmp_path, ORDER, score=0.45, variance=1e-6)
    assert "food" in first.bites[0].asked and "food" not in first.bites[1].asked
    food, *_ = kept(tmp_path)
    assert food[0] == FOOD and food[1] in ("chicken", "green beans", "mashed potatoes")
    assert food[2:] == (NAME, "meal/bite-1/food/1", "meal/bite-1/picture-0")
    second = replace(ORDER, seed=HOME + 1, name="next", bites=1)
    assert eaten(tmp_path, second, score=0.5, variance=1e-6).bites[0].asked.count("food") == 0
    without = eaten(tmp_path, second, home=None, store="n.db", score=0.5, variance=1e-6)
    assert sum(each.asked.count("food") for each in without.bites) > 0


def test_two_stores_have_questions_of_the_same_name_that_are_not_the_same(tmp_path: Path) -> None:
    for number in range(2):
        order = replace(ORDER, kitchen=HOME + 20 * number, bites=1, method=ALWAYS)
        eaten(tmp_path, order, store=f"{number}.db")
    foods_kept = [each for each in kept(tmp_path) if each[0] == FOOD]
    assert len(foods_kept) == 2
    assert len({each[3] for each in foods_kept}) == 1


KILLS = ((2, True), (4, False), (5, True), (7, False), (9, True), (12, False))


@pytest.mark.parametrize(("write", "counts"), swept(KILLS, test=((5, True),)))
def test_killed_anywhere_it_learns_the_same_once(tmp_path: Path, write: int, counts: bool) -> None:
    order = replace(ORDER, method=ALWAYS)
    (tmp_path / "whole").mkdir()
    eaten(tmp_path / "whole", order)
    with contextlib.suppress(Killed):
        eaten(tmp_path, order, dies_at=(write, counts))
    eaten(tmp_path, order)
    assert kept(tmp_path) == kept(tmp_path / "whole")
    assert len(kept(tmp_path)) >= 3
    eaten(tmp_path, order)
    assert kept(tmp_path) == kept(tmp_path / "whole"), "a meal that is over teaches nothing more"


def test_what_worked_is_trusted_more_and_a_failure_costs_what_it_may_be_to_blame_for(tmp_path: Path) -> None:
    eaten(tmp_path, replace(ORDER, bites=1, method=ALWAYS))
    with ExitStack() as stack:
        book, journal = (stack.enter_context(Journal.open(tmp_path / name)) for name in ("home.db", "m.db"))
        memory, [acted] = memory_in(book), AttemptLog(journal, ORDER.run_of(1)).done
        world = stack.enter_context(dinner(1))
        lessons = Lessons(RememberingModules(Oracle(world), memory), journal, ORDER.run_of(1), "meal")
        [food] = memory.kept(FOOD)
        acted = replace(acted, recalled={FOOD: food.id})
        for _ in range(2):
            lessons.acted(replace(acted, ok=True, certainty=0.99), a_person_looked=False)
        sure = memory[food.id].trust
        told = 0.99 * (1.0 - UNSEEN["food"])
        assert sure.right == pytest.approx(food.trust.right + told), "the same attempt counts once"
        missed = replace(acted, action="2", ok=False, certainty=0.9, confidences={"food": 0.9, "params": 0.5})
        lessons.acted(missed, a_person_looked=False)
        assert memory[food.id].trust.wrong - sure.wrong == pytest.approx(0.9 * 0.1 / (1 - 0.93 * 0.45))
        seen = replace(acted, action="3", ok=True, certainty=0.97)
        before = memory[food.id].trust.right
        lessons.acted(seen, a_person_looked=True)
        assert memory[food.id].trust.right == pytest.approx(before + 0.97), "people see which food it is"
        book.erase(NAME)
        lessons.acted(replace(missed, action="4"), a_person_looked=False)
        assert memory.kept() == ()


def test_the_next_meal_confirms_what_it_used(tmp_path: Path) -> None:
    eaten(tmp_path, replace(ORDER, bites=1), score=0.5, variance=1e-6)
    eaten(tmp_path, replace(ORDER, bites=1, seed=HOME + 1, name="next"), score=0.5, variance=1e-6)
    with Journal.open(tmp_path / "home.db") as book:
        assert any(isinstance(entry.event, MemoryConfirmed) and entry.event.by is None for entry in book.read())


def test_a_wrong_word_is_dropped_at_another_plate_however_often_it_seemed_to_work(
    tmp_path: Path, plates: PictureEncoder
) -> None:
    """Somebody said tofu of Monday's chicken, and three bites seemed to confirm it. On Tuesday somebody is asked."""
    monday, tuesday = (Embedding.of(plates, view(seed)) for seed in (HOME, HOME + 1))
    assert SETTINGS.threshold <= monday.similarity(tuesday) < SETTINGS.same
    with Journal.open(tmp_path / "home.db", clock=SkippingClock()) as book:
        memory = memory_in(book)
        wrong = memory.remember(FOOD, monday, "tofu", by="Ana").id
        for number in range(3):
            memory.confirm(wrong, evidence=str(number))
    eaten(tmp_path, replace(ORDER, bites=1, seed=HOME + 1, method=ALWAYS))
    with Journal.open(tmp_path / "home.db") as book:
        memory = memory_in(book)
        assert not memory[wrong].kept
        assert "tofu" not in {each.label for each in memory.kept()}


def confirmed(folder: Path, book: str = "home.db") -> list[tuple[int, float]]:
    with Journal.open(folder / book) as journal:
        found = [(entry.seq, entry.event) for entry in journal.read()]
    return [(seq, each.weight) for seq, each in found if isinstance(each, MemoryConfirmed) and each.by is None]


def test_killed_between_an_attempt_and_its_lesson_it_still_learns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    eaten(tmp_path, replace(ORDER, bites=1), score=0.5, variance=1e-6)
    order = replace(ORDER, bites=1, seed=HOME + 1, name="next")
    add = AttemptLog.add

    def killed(acts: AttemptLog, acted: Any) -> None:
        add(acts, acted)
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(AttemptLog, "add", killed)
        eaten(tmp_path, order, score=0.5, variance=1e-6)
    assert confirmed(tmp_path) == []
    for _ in range(2):
        eaten(tmp_path, order, score=0.5, variance=1e-6)
        assert len(confirmed(tmp_path)) >= 1
    with Journal.open(tmp_path / "m.db") as journal:
        [acted] = AttemptLog(journal, order.run_of(1)).done
    assert len(confirmed(tmp_path)) == len(acted.recalled), "the same attempt counts once"


def test_in_doubt_nothing_is_learnt_before_somebody_has_looked(tmp_path: Path) -> None:
    eaten(tmp_path, replace(ORDER, bites=1), home="m.db", score=0.5, variance=1e-6)
    order = replace(ORDER, bites=1, seed=HOME + 1, name="next", doubt_below=1.0)
    assert "fork" in eaten(tmp_path, order, home="m.db", score=0.5, variance=1e-6).bites[0].asked
    with Journal.open(tmp_path / "m.db") as journal:
        [said] = [entry.seq for entry in journal.read() if isinstance(entry.event, RunSettled)]
        acts = AttemptLog(journal, order.run_of(1))
        [known] = acts.known()
    assert known.a_person_looked and known.acted.recalled
    assert [weight for _, weight in confirmed(tmp_path, "m.db")] == [known.acted.certainty] * len(known.acted.recalled)
    assert min(seq for seq, _ in confirmed(tmp_path, "m.db")) > said


def test_a_box_for_what_only_the_robot_named_shows_no_food(tmp_path: Path) -> None:
    """Asked for tofu, which is not there, people box something else: that must not be remembered as tofu."""
    eaten(tmp_path, replace(ORDER, bites=1, method="topo+query-for-all"), store="asked.db")
    assert [each[1] for each in kept(tmp_path) if each[0] == PIECE] != []
    with Journal.open(tmp_path / "x.db") as book, Journal.open(tmp_path / "y.db") as journal, dinner(1) as world:
        lessons = Lessons(RememberingModules(Oracle(world), memory_in(book)), journal, "run", "meal")
        outputs: dict[str, Value] = {"food": "tofu", "box": Box(left=0.4, top=0.4, right=0.6, bottom=0.6)}
        lessons.heard("box", outputs, world.view().rgb, "p", food_was_said=False)
        assert book.head().seq == 0


def bytes_of(path: Path) -> bytes:
    """A store, with the files that a database has beside it."""
    return b"".join(each.read_bytes() for each in sorted(path.parent.glob(f"{path.name}*")) if each.is_file())


def test_erasing_a_person_removes_every_trace(tmp_path: Path) -> None:
    eaten(tmp_path, replace(ORDER, bites=1, method=ALWAYS))
    said = {(each[0], each[1]) for each in kept(tmp_path)}
    assert {module for module, _ in said} == {FOOD, PIECE, SKILL}
    labels = {word for _, label in said for word in label.split(": ")}
    assert all(label.encode() in bytes_of(tmp_path / "home.db") for label in labels)
    with Journal.open(tmp_path / "home.db") as book:
        memory = memory_in(book)
        assert memory.kept()
        book.erase(NAME)
        assert memory.kept() == ()
        assert book.verify().ok
        told = repr([entry.event for entry in book.read()])
    assert not any(label.encode() in bytes_of(tmp_path / "home.db") for label in labels)
    assert f"by='{NAME}'" not in told
    without = eaten(tmp_path, replace(ORDER, bites=1, seed=HOME + 1, name="next", method=ALWAYS))
    assert without.bites[0].asked.count("food") == 1


def test_an_attempt_keeps_nothing_of_what_an_erased_person_said_for_it(tmp_path: Path) -> None:
    order = replace(ORDER, bites=1, method=ALWAYS)
    served = eaten(tmp_path, order)
    with Journal.open(tmp_path / "m.db") as journal:
        acts = AttemptLog(journal, order.run_of(1)).done
        assert [(each.people, each.got) for each in acts] == [((NAME,), True)]
        journal.erase(NAME)
        [acted] = AttemptLog(journal, order.run_of(1)).done
        assert (acted.said, acted.outputs, acted.food, acted.got) == (None, {}, None, True)
        told = [entry.event for entry in journal.read() if isinstance(entry.event, RunForwarded)]
        assert all(each.outputs is None for each in told if each.people)
    again = eaten(tmp_path, order)
    assert (again.got, again.bites[0].food) == (served.got, None), "a meal that is over can still be read"


def test_what_was_made_of_a_remembered_word_is_erased_with_whoever_said_it(tmp_path: Path) -> None:
    """Ana said it on Monday. On Tuesday nobody was asked, and still it is her word that the robot went by."""
    eaten(tmp_path, replace(ORDER, bites=1), home="m.db", score=0.5, variance=1e-6)
    order = replace(ORDER, bites=1, seed=HOME + 1, name="next")
    assert "food" not in eaten(tmp_path, order, home="m.db", score=0.5, variance=1e-6).bites[0].asked
    with Journal.open(tmp_path / "m.db") as journal:
        before = AttemptLog(journal, order.run_of(1)).done
        assert [each.people for each in before if "food" in each.recalled] == [(NAME,)] * len(before)
        journal.erase(NAME)
        assert [each.said for each in AttemptLog(journal, order.run_of(1)).done] == [None] * len(before)
        told = [entry.event for entry in journal.read(run=order.run_of(1)) if isinstance(entry.event, RunForwarded)]
        assert told and all(each.outputs is None for each in told)


def test_a_remembered_word_that_was_tried_in_vain_gives_way(memory: Memory, plates: PictureEncoder) -> None:
    with dinner(1) as world:
        first, other, *_ = world.left()
        remember_food(memory, plates, world.view().rgb, first)
        oracle = Oracle(world, label=other, score=0.6, off=0.12)
        policy = BitePolicy(world, RememberingModules(oracle, memory, plates), calibrators())
        made = policy.forward({})
        assert (made.outputs["food"], set(policy.recalled)) == (first, {"food"})
        assert not policy.act(made.outputs, "a").ok
        again = policy.forward({})
        assert (again.outputs["food"], again.confidences["food"]) == (other, 0.6)
        assert "food" not in policy.recalled


def test_a_faulty_detector_remembers_too(memory: Memory, plates: PictureEncoder) -> None:
    with dinner(1) as world:
        rgb = world.view().rgb
        remember_food(memory, plates, rgb, "chicken")
        faulty = Faulty(modules=Oracle(world), on_plate=frozenset(world.left()), highest=0.9, share=1.0)
        policy = BitePolicy(world, RememberingModules(faulty, memory, plates), calibrators())
        made = policy.forward({})
        assert (made.outputs["food"], made.confidences["food"]) == ("chicken", SURE[1])


def test_what_is_erased_in_the_middle_of_a_bite_is_not_said_again(tmp_path: Path, plates: PictureEncoder) -> None:
    with Journal.open(tmp_path / "m.db") as journal, dinner(1) as world:
        memory = memory_in(journal)
        remember_food(memory, plates, world.view().rgb, "chicken")
        remembering = RememberingModules(Oracle(world, label="tofu"), memory, plates)
        policy = BitePolicy(world, remembering, calibrators(), learns=Lessons(remembering, journal, "run", "meal"))
        made = policy.forward({})
        assert (made.outputs["food"], made.people) == ("chicken", ("Ana",))
        journal.erase("Ana")
        again = policy.forward({})
        assert (again.outputs["food"], again.people) == ("tofu", ())


def test_the_page_says_that_it_was_told_before(tmp_path: Path) -> None:
    eaten(tmp_path, replace(ORDER, bites=1), score=0.5, variance=1e-6)
    order = replace(ORDER, bites=1, seed=HOME + 1, name="next")
    with table(tmp_path, order, score=0.5, variance=1e-6) as meal:
        meal.eat([meal.simulated(accuracy=1.0)])
        policy = meal._policy(order.run_of(1), 1)
        session = session_of(meal.journal, order.run_of(1), policy.graph, meal.strategy)
        says = {link.module: link.says for link in of_type(told_of(session, ["food"]), ChainPanel).links}
        assert says["food"].endswith(AS_BEFORE)
        assert not any(says[module].endswith(AS_BEFORE) for module in ("box", "skill", "params"))


@pytest.mark.soak
def test_with_a_memory_the_shipped_networks_ask_less_about_food_at_the_next_meal(tmp_path: Path) -> None:
    """Sums over several homes: a first meal, and a second one with what was learnt at the first and without."""
    modules, asked, got = Modules.load(), Counter[str](), Counter[str]()
    menus = ("mixed salad", "savory salad", "noodles", "mixed salad")
    for number, menu in enumerate(menus):
        kitchen = HOME + 200 + 20 * number
        with Journal.open(tmp_path / f"home-{number}.db") as book:
            for name, seed, memory in (
                ("first", 0, memory_in(book)),
                ("with", 1, memory_in(book)),
                ("without", 1, None),
            ):
                order = Order(plate=menu, looks="hard", kitchen=kitchen, seed=kitchen + seed, name=name)
                with (
                    Journal.open(tmp_path / f"{name}-{number}.db", clock=SkippingClock()) as journal,
                    Meal(order, journal, modules=modules, memory=memory) as meal,
                ):
                    served = meal.eat([meal.simulated(accuracy=1.0)])
                asked[name] += sum(each.asked.count("food") for each in served.bites)
                got[name] += served.got
    assert asked["without"] >= 4
    assert asked["with"] <= asked["without"] - 3
    assert got["with"] >= got["without"] - 2
