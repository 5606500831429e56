"""The models of interruptibility: exact sums, true gradients, nothing from the future."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from handup.lab.studies.interrupt import level_models
from handup.lab.studies.interrupt.level_models import (
    LEVELS,
    MODELS,
    STATES,
    Floats,
    Ints,
    LevelClassifier,
    Stretch,
    Stretches,
    chain,
    fitted,
    hcrf_loss,
    ldcrf_loss,
    prefix_probabilities,
    stretches,
)
from handup.lab.studies.interrupt.watched_person import watch
from handup.people.interruptibility import FeatureSet
from tests.oracles.chains import node_marginals, paths, step_marginals

RANDOM = np.random.default_rng(0)


@cache
def runs() -> tuple[Stretches, ...]:
    people = (watch(seed, "noisy", segments=150) for seed in range(4))
    return tuple(stretches(person, FeatureSet.STD, objects=True) for person in people)


@cache
def model(name: str) -> LevelClassifier:
    return fitted(name, runs()[1:], FeatureSet.STD, objects=True)


def test_sums_over_a_chain_are_those_over_all_of_its_paths() -> None:
    scores, moves = RANDOM.normal(size=(2, 4, 3)), RANDOM.normal(size=(3, 3))
    found = chain(scores, moves)
    for number, mine in enumerate(scores):
        assert found.total[number] == pytest.approx(np.log(sum(paths(mine, moves).values())))
        assert found.nodes[number] == pytest.approx(node_marginals(mine, moves))
        assert found.steps(np.eye(2)[number]) == pytest.approx(step_marginals(mine, moves))
    assert found.steps() == pytest.approx(found.steps(np.ones(2)))


def test_a_field_over_the_segments_so_far_is_summed_over_all_of_its_paths() -> None:
    scores, moves = RANDOM.normal(size=(5, 4)), RANDOM.normal(size=(4, 4))
    found = prefix_probabilities(scores, moves)
    for at in range(5):
        assert found[at] == pytest.approx(node_marginals(scores[: at + 1], moves)[-1])


@pytest.mark.parametrize("name", ["LDCRF", "HCRF"])
def test_gradients_are_those_of_small_differences(name: str) -> None:
    features = RANDOM.normal(size=(3, 4, 2))
    latent = name == "LDCRF"
    loss, states = (ldcrf_loss, LEVELS * STATES[name]) if latent else (hcrf_loss, STATES[name])
    levels: Ints = RANDOM.integers(0, LEVELS, (3, 4) if latent else 3)
    start = RANDOM.normal(size=states * (2 + states + (0 if latent else LEVELS)))

    def value(parameters: Floats) -> float:
        return loss(parameters, features, levels)[0]

    assert loss(start, features, levels)[1] == pytest.approx(approx_fprime(start, value, 1e-7), abs=1e-5)


def test_a_latent_field_sums_over_the_hidden_states_of_the_true_levels() -> None:
    features, levels = RANDOM.normal(size=(1, 3, 2)), np.array([[2, 2, 0]])
    states = LEVELS * STATES["LDCRF"]
    start = RANDOM.normal(size=states * (2 + states))
    weights, moves = start[: 2 * states].reshape(2, states), start[2 * states :].reshape(states, states)
    found = paths((features @ weights)[0], moves)
    true = sum(weight for path, weight in found.items() if [state // STATES["LDCRF"] for state in path] == [2, 2, 0])
    pull = 0.5 * level_models.PULL * float(start @ start)
    assert ldcrf_loss(start, features, levels)[0] == pytest.approx(-np.log(true / sum(found.values())) / 3 + pull)


def test_the_likelihood_under_a_markov_model_is_hmmlearns() -> None:
    markov = level_models.MarkovModels()
    markov.fit(runs()[1:])
    window = runs()[0][0].features[: level_models.WINDOW]
    scaled = (window - markov.mean) / markov.spread
    totals = np.array([model.score(scaled) for model in markov.models]) + np.log(markov.shares)
    shares = np.exp(totals - totals.max())
    assert markov.probabilities(window)[-1] == pytest.approx(shares / shares.sum(), abs=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_a_probability_uses_nothing_that_comes_later(name: str) -> None:
    features = runs()[0][0].features
    whole = model(name).probabilities(features)
    assert whole.sum(axis=1) == pytest.approx(np.ones(len(features)))
    for cut in (1, 5, 40):
        assert model(name).probabilities(features[:cut]) == pytest.approx(whole[:cut], abs=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_stretches_of_a_few_segments_are_no_trouble(name: str) -> None:
    (first, *_), *others = runs()
    short = (Stretch(first.features[:3], first.levels[:3]), Stretch(first.features[5:6], first.levels[5:6]))
    assert fitted(name, [short, *others], FeatureSet.STD, objects=True).probabilities(first.features[:1]).shape == (
        1,
        4,
    )


def test_a_run_is_cut_where_the_person_is_out_of_view() -> None:
    person = watch(3, "clean", segments=1800)
    found = stretches(person, FeatureSet.EXT, objects=True)
    assert sum(len(stretch.levels) for stretch in found) == int((person.level > 0).sum())
    assert (
        np.concatenate([stretch.levels for stretch in found]).tolist() == (person.level[person.level > 0] - 1).tolist()
    )
    assert len(found) == int((np.diff(np.append(0, person.level > 0).astype(int)) > 0).sum()) > 1
    assert all(isinstance(stretch, Stretch) and len(stretch.features) == len(stretch.levels) for stretch in found)
