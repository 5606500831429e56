"""The published numbers of the networks and calibrators: statistics beside textbook ones, plates kept apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.progress import Progress
from scipy.stats import spearmanr

from handup.confidence import Sample
from handup.confidence.metrics import LEVEL, RESAMPLES
from handup.domains.feeding.calibration import SIZES
from handup.domains.feeding.foods import foods
from handup.domains.feeding.modules import NAMES, Modules
from handup.domains.feeding.skills import Skill
from handup.domains.feeding.truth import MODULES, PoseError, box_of
from handup.domains.feeding.world import PlateWorld
from tests.fakes.feeding import Oracle
from train.feeding import calibrate, evaluate, report
from train.feeding.splits import SPLITS

DOCS = Path(__file__).parents[2] / "docs" / "feeding"


def some_rows(ties: bool = True) -> evaluate.Rows:
    """Forty rows of M4 on twelve plates, with equal scores and equal errors among them."""
    random = np.random.default_rng(5)
    rows = evaluate.Rows()
    for _ in range(40):
        variance = float(np.round(random.gamma(2.0), 1 if ties else 9))
        place_mm = float(np.round(random.gamma(2.0) + 0.4 * variance, 1 if ties else 9))
        rows.add(int(random.integers(12)), -variance, bool(random.random() < 0.7), ("peas", "aimed"))
        rows.off.append(PoseError(place_mm, 10.0))
    return rows


def bootstrapped(rows: evaluate.Rows, statistic: Callable[[list[int]], float]) -> tuple[float, float]:
    """A percentile interval the slow way: plates drawn with replacement, each with all its rows."""
    plates = sorted(set(rows.plate))
    random = np.random.default_rng(0)
    drawn = []
    for counts in random.multinomial(len(plates), np.full(len(plates), 1.0 / len(plates)), size=RESAMPLES):
        times = dict(zip(plates, counts.tolist(), strict=True))
        drawn.append(statistic([row for row, plate in enumerate(rows.plate) for _ in range(times[plate])]))
    low, high = np.quantile(drawn, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0])
    return float(low), float(high)


# -- evaluate ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", [True, False])
def test_rank_correlations_are_scipys_on_every_resample(ties: bool) -> None:
    rows = some_rows(ties)
    variance, place = -np.array(rows.score), np.array([each.place_mm for each in rows.off])
    weights = np.random.default_rng(1).multinomial(40, np.full(40, 1 / 40), size=50).astype(np.float64)
    times = weights.astype(int)
    true = [spearmanr(np.repeat(variance, each), np.repeat(place, each)).statistic for each in times]
    assert evaluate.rank_correlations(variance, place, weights) == pytest.approx(true)
    assert evaluate.rank_correlations(np.zeros(40), place, weights[:2]).tolist() == [0.0, 0.0]


def test_a_summary_is_what_scipy_and_a_loop_over_resampled_plates_find() -> None:
    rows = some_rows()
    found = evaluate.summary("aim", rows)
    score, right = np.array(rows.score), np.array(rows.right)
    place = np.array([each.place_mm for each in rows.off])
    assert (found["rows"], found["plates"]) == (40, len(set(rows.plate)))
    assert found["rank_correlation"]["value"] == pytest.approx(spearmanr(-score, place).statistic)
    assert found["accuracy"]["value"] == pytest.approx(right.mean())
    assert found["place_mm"]["median"] == pytest.approx(np.median(place))
    slow: dict[str, Callable[[list[int]], float]] = {
        "accuracy": lambda drawn: float(right[drawn].mean()),
        "rank_correlation": lambda drawn: float(spearmanr(-score[drawn], place[drawn]).statistic),
    }
    for name, statistic in slow.items():
        assert found[name]["ci"] == pytest.approx(bootstrapped(rows, statistic)), name
    assert found["wrong"] == {"peas": int((~right).sum())}


def test_a_split_is_evaluated_with_the_one_rule_for_boxes_and_aims(tmp_path: Path) -> None:
    """Modules that know the truth are always right; those that aim beside never are."""
    with PlateWorld("thanksgiving", seed=1, size=(320, 240)) as world:
        items, names = world.truth(), list(foods())
        best = np.full((len(items), len(Skill), 4), np.nan, np.float32)
        for row, item in enumerate(items):
            for skill, params in item.best.items():
                best[row, list(Skill).index(skill)] = params.numbers
        part: dict[str, Any] = {
            "rgb": world.view().rgb[None],
            "seed": [1],
            "mm": [(300.0, 225.0)],
            "of": [0] * len(items),
            "food": [names.index(item.food) for item in items],
            "box": np.array([item.box for item in items]),
            "best": best,
        }
        np.savez(tmp_path / "easy-1.npz", **part)
        (tmp_path / "easy-2.part.npz").write_bytes(b"half of it")
        for off, right in ((0.0, 1.0), (0.3, 0.0)):
            oracle: Any = Oracle(world, off=off)
            rows = evaluate.rows_of(oracle, tmp_path, "easy")
            assert {name: float(np.mean(rows[name].right)) for name in NAMES[:3]} == dict.fromkeys(NAMES[:3], 1.0)
            assert np.mean(rows["aim"].right) == right
        assert box_of(items[0]) == evaluate._box(part["box"][0])


# -- calibrate ---------------------------------------------------------------------------------------------------------


def test_intervals_of_new_rows_are_over_plates() -> None:
    random = np.random.default_rng(2)
    right, chances = random.random(60) < 0.7, random.random(60)
    alone = calibrate.on_new(chances, right, 0.7, list(range(60)))
    twice = calibrate.on_new(np.tile(chances, 2), np.tile(right, 2), 0.7, [*range(60), *range(60)])
    for name in ("brier", "difference"):
        assert twice[name].value == pytest.approx(alone[name].value)
        assert twice[name].ci == pytest.approx(alone[name].ci), "the same plates again are no further evidence"
    assert alone["brier"].value == pytest.approx(((chances - right) ** 2).mean())
    assert alone["difference"].value == pytest.approx(((chances - right) ** 2 - (0.7 - right) ** 2).mean())


def test_what_is_written_says_whose_scores_it_is_for() -> None:
    random = np.random.default_rng(3)
    scores = random.random(80)
    samples = {
        module: Sample.of_scores(scores, random.random(80) < scores, second=scores / 2) for module in MODULES[:3]
    }
    samples["params"] = Sample.of_variances(scores, random.random(80) > scores)
    record = calibrate.record_of(calibrate.fitted(samples), "0123")
    assert (record["networks"], record["sizes"]) == ("0123", dict(SIZES))
    assert {kind: set(each) for kind, each in record["calibrators"].items()} == {
        kind: set(MODULES) for kind in ("best", "interval", "scaled")
    }


def test_no_plate_is_in_the_set_and_in_the_test() -> None:
    enough = dict.fromkeys(MODULES, 4)
    modules = Modules.load()
    with Progress(disable=True) as progress:
        fit = calibrate.drawn(modules, calibrate.SORTS, enough, progress)
        new = [
            calibrate.drawn(modules, (sort,), enough, progress, after=calibrate.plates_in(fit))
            for sort in ("easy", "hard")
        ]
    seen, *tested = (set().union(*rows.plates.values()) for rows in (fit, *new))
    assert min(seen) == SPLITS["calibration easy"].first
    assert SPLITS["calibration hard"].first in seen
    for each in tested:
        assert each and seen.isdisjoint(each)


# -- report ------------------------------------------------------------------------------------------------------------


def test_the_tables_of_the_page_are_those_of_the_numbers() -> None:
    found = json.loads((DOCS / "models.json").read_text(encoding="utf-8"))
    page = (DOCS / "models.md").read_text(encoding="utf-8")
    inside = page.split(report.BEGIN)[1].split(report.END)[0]
    assert inside.strip() == "\n".join(report.lines(found)), "run: python -m train.feeding.report"
