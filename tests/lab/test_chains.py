"""Chains of streams: read, drawn, decided by sets, and compared with intervals that know of clusters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handup.core import BadData
from handup.lab.batch import EpisodeTerms, run_block
from handup.lab.chains import INTERVAL, RAW, BySets, draw_chain, read_streams
from handup.lab.studies.real_scores import Resamples
from handup.lab.world import MOST_ASKED, EpisodeBlock
from tests.lab.scores import made_streams, write_streams


def test_the_three_longest_are_calibrated_on_more_rows(tmp_path: Path) -> None:
    streams = made_streams(tmp_path)
    assert [stream.name for stream in streams] == [f"stream_{number}" for number in range(5)]
    assert [stream.rows for stream in streams] == [60, 60, 100, 100, 100]
    write_streams(tmp_path / "all" / "module-scores")
    assert len(read_streams(tmp_path / "all")) == 5, "the folder above will do too"


def test_a_wrong_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="no folder"):
        read_streams(tmp_path / "nowhere")
    with pytest.raises(BadData, match="has 0 CSV files"):
        read_streams(tmp_path)
    few = write_streams(tmp_path / "few", rows=50)
    with pytest.raises(BadData, match="50 rows"):
        read_streams(few)
    other = write_streams(tmp_path / "other")
    (other / "stream_2.csv").write_text("score,right\n" + "0.5,1\n" * 90, encoding="utf-8")
    with pytest.raises(BadData, match="no option scores") as refused:
        read_streams(other)
    assert refused.value.file == "stream_2.csv"


def test_a_chain_is_the_same_again_and_begins_with_the_shorter_one(tmp_path: Path) -> None:
    streams = made_streams(tmp_path)
    one, two = (draw_chain(streams, number=3, episodes=8, seed=1) for _ in range(2))
    other = draw_chain(streams, number=4, episodes=8, seed=1)
    assert one.streams == two.streams
    assert len(set(one.streams)) == 4
    for said in one.said:
        assert (one.said[said] == two.said[said]).all()
        assert (one.block(2, said).confidences == one.block(4, said).confidences[:2]).all()
    assert (one.luck == two.luck).all()
    assert not (one.luck == other.luck).all()
    assert sorted(one.costs.tolist()) == [0.24, 0.24, 0.34, 0.46]
    assert one.costs.mean() == pytest.approx(0.32)


def test_outputs_are_held_out_rows_and_raw_scores_are_their_top_scores(tmp_path: Path) -> None:
    streams = made_streams(tmp_path)
    chain = draw_chain(streams, number=0, episodes=20, seed=0)
    for module, stream in enumerate(chain.streams):
        sample = streams[stream].sample
        known = {
            (round(top, 6), right) for top, right in zip(sample.score.tolist(), sample.right.tolist(), strict=True)
        }
        clipped = {(min(max(top, 0.01), 0.99), right) for top, right in known}
        given = zip(chain.said[RAW][module].round(6).tolist(), chain.works[module].tolist(), strict=True)
        assert set(given) <= clipped
    assert set(np.unique(chain.said[INTERVAL])) <= {0.01, 0.99}


def test_sets_grow_with_the_modules_that_they_cover_together(tmp_path: Path) -> None:
    chain = draw_chain(made_streams(tmp_path), number=0, episodes=20, seed=0)
    for fewer, more in zip(chain.sizes, chain.sizes[1:], strict=False):
        assert (more[: len(fewer)] >= fewer).all()


def test_by_sets_asks_the_unsure_modules_once_and_acts() -> None:
    works = np.array([[True, False, False], [True, True, False]])
    unsure = np.array([[False, True, False], [False, True, True]])
    block = EpisodeBlock(np.full((2, 3), 0.5), np.full((2, 3), 0.3), works, np.zeros((MOST_ASKED, 2, 3)))
    found = run_block(block, BySets(unsure), EpisodeTerms(expert=0.9, w=0.5, horizon=4))
    assert found.questions.tolist() == [0, 2, 1]
    assert found.recovered.tolist() == [True, True, False], "the third was sure of a wrong module"
    assert found.executions.tolist() == [1, 1, 3], "and acts again until its time is over"
    assert found.objective == pytest.approx([0.0, 2 * 0.65, 0.65 + 3 * 0.5])


def test_intervals_over_streams_are_wider_where_streams_differ() -> None:
    random = np.random.default_rng(0)
    streams = random.integers(0, 10, size=(200, 1))
    differing = streams[:, 0] + random.normal(size=200)
    found = Resamples(streams.tolist(), 10).mean(differing)
    assert found.ci[0] < found.ci_draws[0] < found.value < found.ci_draws[1] < found.ci[1]
    alike = Resamples(streams.tolist(), 10).mean(random.normal(size=200))
    width, narrow = alike.ci[1] - alike.ci[0], alike.ci_draws[1] - alike.ci_draws[0]
    assert width < 2.0 * narrow


def test_an_interval_over_draws_is_that_of_means() -> None:
    values = np.random.default_rng(1).normal(size=400)
    found = Resamples([[each % 10] for each in range(400)], 10).mean(values)
    half = 1.96 * values.std() / 20.0
    assert found.ci_draws == pytest.approx((values.mean() - half, values.mean() + half), abs=0.02)
    assert Resamples([[0], [1]], 2).mean(np.ones(2)).ci == (1.0, 1.0)
