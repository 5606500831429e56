"""A meal: bites from one plate on one journal; the same twice; killed anywhere, it goes on and repeats nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handup.core import BadRecord, BadSetting, Outcome, UnknownMethod
from handup.desk import SkippingClock
from handup.domains.feeding import LOOKS, World
from handup.domains.feeding.acts import Acted
from handup.domains.feeding.filming import save_film
from handup.domains.feeding.judging import Cause
from handup.domains.feeding.meal import Meal, Order
from handup.domains.feeding.served import Served
from handup.journal import Journal
from handup.recover.trail import RunBegun
from tests.fakes.feeding import Oracle, calibrators
from tests.recover.house import FragileJournal, Killed

NEVER, ALWAYS = "never+query-then-execute", "topo+query-for-all"


@contextmanager
def table(
    store: Path, order: Order, dies_at: tuple[int, bool] | None = None, film: list[Any] | None = None, **errs: Any
) -> Iterator[Meal]:
    """A meal whose modules know the truth, but for what is said."""
    journal = FragileJournal.open(store, clock=SkippingClock())
    assert isinstance(journal, FragileJournal)
    assert isinstance(journal.clock, SkippingClock)
    journal.clock.skip_to(journal.head().at_s)
    with World(order.plate, seed=order.seed, looks=LOOKS[order.looks]) as own:
        oracle = Oracle(own, **errs)
        with journal, Meal(order, journal, modules=oracle, calibrators=calibrators(), film=film) as meal:
            oracle.world = meal.world
            journal.dies_at = dies_at
            yield meal


def eaten(store: Path, order: Order, accuracy: float = 1.0, **rest: Any) -> Served:
    with table(store, order, **rest) as meal:
        return meal.eat([meal.simulated(accuracy=accuracy)])


def test_the_same_seed_gives_the_same_meal(tmp_path: Path) -> None:
    order = Order(seed=3, bites=2)
    one, two = (eaten(tmp_path / f"{n}.db", order, accuracy=0.8, score=0.5) for n in range(2))
    assert one.to_json() == two.to_json()
    assert one.to_json()["queries"] > 0


def test_it_takes_as_long_as_its_own_bites_whatever_the_clock_shows(tmp_path: Path) -> None:
    order = Order(bites=1, method=NEVER)
    with World(order.plate, seed=order.seed) as own, Journal.open(tmp_path / "m.db") as journal:
        oracle = Oracle(own)
        with Meal(order, journal, modules=oracle, calibrators=calibrators()) as meal:
            oracle.world = meal.world
            assert 0.0 <= meal.eat([]).seconds < 3600.0


def test_a_record_has_what_was_promised(tmp_path: Path) -> None:
    record = eaten(tmp_path / "m.db", Order(bites=1)).to_json()
    assert {"plate", "bites", "queries", "executions", "workload", "J", "triage", "seed", "method"} <= set(record)
    assert {"outcome", "attempts", "queries", "got", "food", "cause"} <= set(record["bites"][0])
    assert record["evidence"] == "simulated"


def test_true_answers_to_everything_make_a_good_meal_of_bad_modules(tmp_path: Path) -> None:
    bad: dict[str, Any] = {"label": "tofu", "off": 0.1}
    got = [
        eaten(tmp_path / f"{seed}.db", Order(plate="thanksgiving", looks="hard", method=ALWAYS, seed=seed), **bad).got
        for seed in range(2)
    ]
    assert sum(got) >= 9


@pytest.mark.parametrize(
    ("errs", "cause"),
    [({"label": "tofu"}, Cause.FOOD), ({"blind": True}, Cause.BOX), ({"off": 0.09}, Cause.PARAMS)],
)
def test_without_asking_a_bite_is_lost_to_the_module_that_errs(
    tmp_path: Path, errs: dict[str, Any], cause: Cause
) -> None:
    served = eaten(tmp_path / "m.db", Order(method=NEVER, bites=1, seed=2), **errs)
    [bite] = served.bites
    assert (bite.got, bite.cause, bite.asked) == (False, cause, ())
    assert sum(served.triage.values()) == 1
    assert bite.attempts == 3 or bite.outcome is Outcome.RECOVERED


def test_troubleshooting_asks_and_gets_what_is_lost_without(tmp_path: Path) -> None:
    served = eaten(tmp_path / "m.db", Order(bites=2, seed=2), off=0.09, variance=1e-3)
    assert served.got == 2
    assert all("params" in bite.asked for bite in served.bites)


def test_load_goes_on_from_bite_to_bite(tmp_path: Path) -> None:
    served = eaten(tmp_path / "m.db", Order(bites=2, method=ALWAYS))
    first, second = served.bites
    assert len(first.asked) == len(second.asked) == 4
    assert second.workload > first.workload


# -- killed ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("write", [1, 3, 9, 14, 17, 21, 26])
def test_killed_anywhere_it_goes_on_and_does_nothing_twice(tmp_path: Path, write: int) -> None:
    store, order = tmp_path / "m.db", Order(bites=2, seed=3)
    with contextlib.suppress(Killed):
        eaten(store, order, dies_at=(write, write % 2 == 0), score=0.5)
    served = eaten(store, order, score=0.5)
    assert served.got == 2
    assert eaten(store, order).to_json() == served.to_json(), "a meal that is over is only read"
    with Journal.open(store, readonly=True) as journal:
        assert journal.verify().ok
        events = [entry.event for entry in journal.read()]
    acted = [event.action for event in events if isinstance(event, Acted)]
    begun = [event.action for event in events if isinstance(event, RunBegun)]
    assert len(acted) == len(set(acted)) == sum(bite.attempts for bite in served.bites)
    assert set(acted) <= set(begun)


def test_a_store_with_another_meal_is_refused(tmp_path: Path) -> None:
    eaten(tmp_path / "m.db", Order(bites=1, seed=1))
    with pytest.raises(BadRecord, match="this is"):
        eaten(tmp_path / "m.db", Order(bites=1, seed=2))
    with pytest.raises(BadRecord, match="another method"):
        eaten(tmp_path / "m.db", Order(bites=1, seed=1, method=NEVER))


# -- the film, and what is refused -------------------------------------------------------------------------------------


def test_the_film_shows_the_meal_and_stays_small(tmp_path: Path) -> None:
    from PIL import Image

    frames: list[Any] = []
    eaten(tmp_path / "m.db", Order(bites=1), film=frames, score=0.5)
    save_film(frames, tmp_path / "m.gif")
    with Image.open(tmp_path / "m.gif") as film:
        assert film.size == (320, 274)
        assert 5 < int(getattr(film, "n_frames", 1)) <= len(frames)
    assert (tmp_path / "m.gif").stat().st_size < 600_000
    assert len({np.asarray(each).tobytes() for each in frames}) > 5


@pytest.mark.parametrize(
    "made", [lambda: Order(bites=0), lambda: Order(attempts=11), lambda: Order(looks="odd"), lambda: Order(method="x")]
)
def test_orders_that_cannot_be_are_refused(made: Callable[[], Order]) -> None:
    with pytest.raises((BadSetting, UnknownMethod)):
        made()
