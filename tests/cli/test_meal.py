"""`handup meal`: a meal without a person, twice the same; what it refuses, it refuses in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handup import __version__
from handup.cli import meal
from handup.domains.feeding import gl
from handup.domains.feeding.modules import networks_in
from handup.journal import Journal
from tests.cli.calls import Called, assert_one_line_error, here

SHORT = ("meal", "--people", "simulated", "--bites", "1", "--attempts", "2", "--seed", "1")


def test_the_same_seed_prints_the_same_json(tmp_path: Path) -> None:
    one, two = (here(*SHORT, "--json", cwd=tmp_path) for _ in range(2))
    assert (one.code, one.err) == (0, "")
    assert one.out == two.out
    record = json.loads(one.out)
    assert {"plate", "bites", "queries", "executions", "workload", "J"} <= set(record)
    assert {"outcome", "attempts", "queries"} <= set(record["bites"][0])
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


def test_a_summary_says_what_was_got_asked_and_paid(tmp_path: Path) -> None:
    film = tmp_path / "meal.gif"
    called = here(*SHORT, "--method", "topo+query-for-all", "--record", str(film))
    assert called.code == 0
    assert "food, box, skill, params" in called.out
    assert "of 1 bites of the food that was meant" in called.out
    assert film.stat().st_size > 10_000
    assert str(film) in called.err


def test_a_store_keeps_the_meal(tmp_path: Path) -> None:
    store = tmp_path / "meal.db"
    one, two = (here(*SHORT, "--store", str(store), "--json") for _ in range(2))
    assert one.code == two.code == 0
    assert one.out == two.out
    film = here(*SHORT, "--store", str(store), "--json", "--record", str(tmp_path / "film.gif"))
    assert (film.code, film.out) == (0, one.out)
    assert "No film: the meal was over before" in film.err
    assert not (tmp_path / "film.gif").exists()


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (("--looks", "hard"), "looks easy, not hard"),
        (("--faulty-detector",), "faulty detector no, not yes"),
        (("--calibrators", "interval"), "calibrators best, not interval"),
        (("--accuracy", "0.5"), "accuracy not set, not 0.5"),
        (("--attempts", "3", "--bites", "2"), "bites 1, not 2; attempts 2, not 3"),
    ],
)
def test_a_meal_on_a_store_does_not_go_on_under_other_terms(
    tmp_path_factory: pytest.TempPathFactory, other: tuple[str, ...], said: str
) -> None:
    store = tmp_path_factory.getbasetemp() / "one-meal.db"
    assert here(*SHORT, "--store", str(store)).code == 0
    refused = here(*SHORT, *other, "--store", str(store))
    assert_one_line_error(refused, said, "Use another --store file, or --new.")
    assert not {"world", "run id", "{"} & set(refused.err.split())


def test_a_new_meal_on_a_store_is_another_one(tmp_path: Path) -> None:
    store = str(tmp_path / "m.db")
    assert here(*SHORT, "--store", store).code == 0
    again = here(*SHORT, "--store", store, "--new", "--accuracy", "0.9", "--json")
    assert again.code == 0
    assert json.loads(again.out)["accuracy"] == 0.9


def test_the_record_says_which_experiment_it_was() -> None:
    record = json.loads(here(*SHORT, "--faulty-detector", "--accuracy", "0.7", "--json").out)
    assert (record["faulty"], record["calibrators"], record["accuracy"], record["attempts"]) == (True, "scaled", 0.7, 2)
    assert record["networks"] == networks_in()
    assert record["version"] == __version__
    assert record["evidence"] == {"plate": "simulated", "answers": "simulated"}


def test_a_film_that_cannot_be_written_is_refused_before_the_meal(tmp_path: Path) -> None:
    (tmp_path / "film.gif").symlink_to(tmp_path / "no" / "folder.gif")
    assert_one_line_error(here(*SHORT, "--record", str(tmp_path / "film.gif")), "--record", "can be written")


def test_the_result_is_printed_though_the_film_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object, **more: object) -> None:
        raise OSError(28, "No space left on device", "film.gif")

    monkeypatch.setattr(meal, "save_film", full)
    called = here(*SHORT, "--json", "--record", str(tmp_path / "film.gif"))
    assert called.code == 1
    assert json.loads(called.out)["got"] in {0, 1}
    assert "Cannot write 'film.gif': No space left on device" in called.err


def test_the_faulty_detector_is_mostly_wrong() -> None:
    record = json.loads(here(*SHORT, "--faulty-detector", "--method", "never+query-then-execute", "--json").out)
    assert record["bites"][0]["food"] not in {"chicken", "lettuce", "cherry tomatoes"}
    assert record["bites"][0]["cause"] == "food"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--people", "nobody"), "--people must name people of a meal, got 'nobody'"),
        (("--plate", "soup"), "there is no plate 'soup'"),
        (("--looks", "odd"), "looks must be one of easy, hard, got 'odd'"),
        (("--bites", "0"), "bites must lie between 1 and 20, got 0"),
        (("--method", "guess"), "guess"),
        (("--record", "no/such/film.gif"), "--record"),
        (("--record", "film.mp4"), "--record"),
        (("--calibrators", "odd"), "got 'odd'"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(given: tuple[str, ...], words: str) -> None:
    assert_one_line_error(here(*SHORT, *given), words)


def test_without_opengl_one_line_names_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        @staticmethod
        def GLContext(*size: object) -> object:
            raise OSError("libEGL.so.1: cannot open shared object file")

    real = gl.mujoco()

    class Half:
        GLContext = Broken.GLContext

        def __getattr__(self, name: str) -> object:
            return getattr(real, name)

    gl._context.cache_clear()
    monkeypatch.setattr(gl, "mujoco", Half)
    assert_one_line_error(here(*SHORT), "apt-get install")
    gl._context.cache_clear()


def test_the_help_has_an_example() -> None:
    called = here("meal", "--help")
    assert called.code == 0
    assert "handup meal --people simulated --plate thanksgiving" in called.out


# -- memory ------------------------------------------------------------------------------------------------------------

HOME = ("meal", "--people", "simulated", "--plate", "mixed salad", "--looks", "hard", "--kitchen", "267400", "--json")
"""A home where the robot has much to ask; a meal in it needs a seed."""


def asked(called: Called) -> list[str]:
    assert called.code == 0, called.err
    return [what for bite in json.loads(called.out)["bites"] for what in bite["asked"]]


def test_with_a_memory_less_is_asked_and_the_journal_tells_why(tmp_path: Path) -> None:
    """The same meals with and without: sums over a few, so that one lucky one does not decide."""
    home, seeds = str(tmp_path / "home.db"), ("267401", "267402")
    without = [what for seed in seeds for what in asked(here(*HOME, "--seed", seed, "--accuracy", "1"))]
    with_it = [
        what for seed in seeds for what in asked(here(*HOME, "--seed", seed, "--accuracy", "1", "--memory", home))
    ]
    assert without.count("food") >= 3
    assert with_it.count("food") <= without.count("food") / 2
    assert len(with_it) < len(without)
    told = here("journal", "replay", home)
    assert told.code == 0
    assert "that you said" in told.out and "about food" in told.out
    with Journal.open(home) as book:
        book.erase("you")
    told = here("journal", "replay", home)
    assert "that you said" not in told.out


def test_a_memory_may_lie_in_the_meals_own_store(tmp_path: Path) -> None:
    store = str(tmp_path / "m.db")
    called = here(*HOME, "--seed", "267401", "--bites", "1", "--store", store, "--memory", store)
    again = here(*HOME, "--seed", "267401", "--bites", "1", "--store", store, "--memory", store)
    assert (called.code, again.code) == (0, 0)
    assert called.out == again.out
    with Journal.open(store, readonly=True) as journal:
        assert journal.verify().ok
    goes_on = here(*HOME, "--seed", "267401", "--bites", "1", "--store", store)
    assert goes_on.out == called.out, "where nothing is said, a meal goes on as it was begun"
    forgets = here(*HOME, "--seed", "267401", "--bites", "1", "--store", store, "--no-memory")
    assert_one_line_error(forgets, "memory yes, not no")
    record = json.loads(called.out)
    assert (record["kitchen"], record["memory"]) == (267_400, True)


def test_a_meal_goes_on_with_the_memory_that_it_was_begun_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "house"
    folder.mkdir()
    monkeypatch.chdir(folder)
    order = (*HOME, "--seed", "267401", "--bites", "1", "--store", "m.db")
    begun = here(*order, "--memory", "home.db")
    assert begun.code == 0, begun.err
    moved = folder.rename(tmp_path / "moved")
    monkeypatch.chdir(tmp_path)
    order = (*order[:-1], str(moved / "m.db"))
    assert here(*order).out == begun.out
    assert not (tmp_path / "home.db").exists()
    another = here(*order, "--memory", str(moved / "other.db"))
    assert_one_line_error(another, "a memory in home.db, not other.db")
    assert_one_line_error(here(*order, "--remember"), "a memory in home.db, not the meal's own store")
    assert_one_line_error(here(*order, "--no-memory"), "memory yes, not no")


def test_a_place_for_what_is_not_kept_is_refused(tmp_path: Path) -> None:
    assert_one_line_error(here(*SHORT, "--memory", str(tmp_path / "h.db"), "--no-memory"), "--no-memory")


def test_a_meal_does_not_go_on_in_another_kitchen(tmp_path: Path) -> None:
    store = str(tmp_path / "m.db")
    assert here(*SHORT, "--store", store, "--kitchen", "7").code == 0
    assert_one_line_error(here(*SHORT, "--store", store, "--kitchen", "8"), "kitchen 7, not 8")
    assert_one_line_error(here(*SHORT, "--store", store), "kitchen 7, not not set")


def test_what_cannot_be_a_memory_is_refused_in_one_line(tmp_path: Path) -> None:
    assert_one_line_error(here(*SHORT, "--memory", str(tmp_path)), str(tmp_path))
