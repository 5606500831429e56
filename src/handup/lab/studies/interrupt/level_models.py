"""Eight kinds of models that classify interruptibility, the base rate, and the product's default, behind one protocol.

Every model works online: the probabilities at a segment depend on that one and those before it. Forest, support
vectors, neighbours and perceptron (scikit-learn) judge each segment by itself. Hidden Markov models (hmmlearn) and
hidden conditional random fields look at a window that ends there. Conditional random fields (python-crfsuite) and
latent-dynamic ones are filtered forwards.
"""

from __future__ import annotations

import logging
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from handup.confidence import Platt, Sample
from handup.core import MissingExtra
from handup.lab.studies.interrupt.watched_person import WatchedPerson, world
from handup.people.interruptibility import FeatureSet, Forest, InterruptibilityModel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LEVELS = 4
TREES, LEAVES = 40, 20
PAPERS_TREES = 10
NEIGHBOURS = 5
THINNED = 3
"""Support vectors are trained on every third segment: neighbouring ones say nearly the same."""
WINDOW, STRIDE, PIECE = 8, 4, 25
"""Segments of a window, between the windows trained on, and in the pieces that a chain is trained on."""
STATES = {"HMM": 3, "HCRF": 4, "LDCRF": 2}
"""Hidden states: of each level's model, in all, and of each level."""
PULL, STEPS = 1e-3, 60
PARTS = 4
"""Groups of runs, one of which is left out in turn, where something is fitted on *other* runs."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """Segments in a row in which a person was in view: features, a line each, and true levels, from 0 for level 1."""

    features: Floats
    levels: Ints


Stretches = tuple[Stretch, ...]
"""The stretches of one run."""


def stretches(person: WatchedPerson, kind: FeatureSet, *, objects: bool) -> Stretches:
    """Return the features and levels of a run, cut where the person is out of view."""
    found: list[Stretch] = []
    rows: list[tuple[float, ...]] = []
    before = None
    ends = np.flatnonzero(np.diff(np.append(person.level > 0, False).astype(np.int64)) < 0) + 1
    for number, sighting in enumerate(person.sightings):
        if not sighting.in_view:
            before = None
            continue
        rows.append(sighting.features(kind, objects=objects, before=before))
        before = sighting
        if number + 1 in ends:
            levels = person.level[number + 1 - len(rows) : number + 1] - 1
            found.append(Stretch(np.array(rows), levels))
            rows = []
    return tuple(found)


class LevelClassifier(Protocol):
    """A model that is fitted on runs and then judges the segments of another one, in their order."""

    def fit(self, runs: Sequence[Stretches]) -> None:
        """Learn from runs."""

    def probabilities(self, features: Floats) -> Floats:
        """Return the probabilities of levels 1 to 4 at each segment of a stretch."""


def _together(runs: Sequence[Stretches]) -> tuple[Floats, Ints, Ints]:
    """Return features, levels and numbers of runs of all segments."""
    known = [(stretch, number) for number, run in enumerate(runs) for stretch in run]
    numbers = np.concatenate([np.full(len(stretch.levels), number) for stretch, number in known])
    features, levels = [stretch.features for stretch, _ in known], [stretch.levels for stretch, _ in known]
    return np.concatenate(features), np.concatenate(levels), numbers


def _shares(levels: Ints) -> Floats:
    counts = np.bincount(levels, minlength=LEVELS) + 1.0
    return np.asarray(counts / counts.sum())


class BaseRate:
    """The shares of the levels in training, whatever is seen."""

    def fit(self, runs: Sequence[Stretches]) -> None:
        """Learn from runs."""
        self.shares = _shares(_together(runs)[1])

    def probabilities(self, features: Floats) -> Floats:
        """Return the same for each segment."""
        return np.tile(self.shares, (len(features), 1))


class SegmentModel:
    """A model of scikit-learn that judges each segment by itself.

    Args:
        make: Function that returns it, given the numbers of the runs of the training segments.
        every: Only each so many-th segment is trained on.
    """

    def __init__(self, make: Callable[[Ints], Any], every: int = 1) -> None:
        self.make, self.every = make, every

    def fit(self, runs: Sequence[Stretches]) -> None:
        """Learn from runs."""
        features, levels, numbers = _together(runs)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Stochastic Optimizer")  # a cap of steps is not a mistake
            self.model = self.make(numbers[:: self.every]).fit(features[:: self.every], levels[:: self.every])

    def probabilities(self, features: Floats) -> Floats:
        """Return what scikit-learn predicts; a level that was not in training has probability 0."""
        found = np.zeros((len(features), LEVELS))
        found[:, self.model.classes_] = self.model.predict_proba(features)
        return found


def _forest(trees: int, leaves: int) -> SegmentModel:
    from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415 - slow to import

    return SegmentModel(lambda _: RandomForestClassifier(trees, min_samples_leaf=leaves, random_state=0))


def _scaled(model: Any) -> Any:
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415 - slow to import
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415

    return make_pipeline(StandardScaler(), model)


def _vectors() -> SegmentModel:
    from sklearn.calibration import CalibratedClassifierCV  # noqa: PLC0415 - slow to import
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415
    from sklearn.svm import SVC  # noqa: PLC0415

    def make(numbers: Ints) -> Any:
        splits = list(GroupKFold(min(PARTS, len(set(numbers)))).split(numbers, groups=numbers))
        return CalibratedClassifierCV(_scaled(SVC()), cv=splits, ensemble=False)

    return SegmentModel(make, every=THINNED)


def _neighbours() -> SegmentModel:
    from sklearn.neighbors import KNeighborsClassifier  # noqa: PLC0415 - slow to import

    return SegmentModel(lambda _: _scaled(KNeighborsClassifier(NEIGHBOURS)))


def _perceptron() -> SegmentModel:
    from sklearn.neural_network import MLPClassifier  # noqa: PLC0415 - slow to import

    return SegmentModel(lambda _: _scaled(MLPClassifier((100, 100), tol=1e-4, max_iter=STEPS, random_state=0)))


@dataclass(frozen=True, eq=False)
class ChainSums:
    """Marginals of linear chains of `states`, all with the same number of segments.

    Args:
        total: Logarithm of the sum over all paths, for each chain.
        nodes: Probability of each state at each segment.
        before: Forward messages but the last, `after` backward ones but the first, `moves` factors of steps.
    """

    total: Floats
    nodes: Floats
    before: Floats
    after: Floats
    moves: Floats

    def steps(self, weights: Floats | None = None) -> Floats:
        """Return the expected number of steps between states, summed over chains with weights."""
        before = self.before if weights is None else self.before * weights[:, None, None]
        states = self.moves.shape[0]
        return np.asarray(self.moves * (before.reshape(-1, states).T @ self.after.reshape(-1, states)))


def chain(scores: Floats, moves: Floats) -> ChainSums:
    """Return the marginals of chains, by sums forwards and backwards.

    Args:
        scores: Log potentials by chain, segment and state; minus infinity forbids a state.
        moves: Log potentials of a step from a state to another.
    """
    top, shift = scores.max(axis=2, keepdims=True), float(moves.max())
    here, step = np.exp(scores - top), np.exp(moves - shift)
    forward, backward, scale = np.empty_like(here), np.ones_like(here), np.empty(scores.shape[:2])
    for at in range(scores.shape[1]):
        now = here[:, at] if at == 0 else (forward[:, at - 1] @ step) * here[:, at]
        scale[:, at] = now.sum(axis=1)
        forward[:, at] = now / scale[:, at, None]
    ahead = here / scale[..., None]
    for at in range(scores.shape[1] - 2, -1, -1):
        backward[:, at] = (ahead[:, at + 1] * backward[:, at + 1]) @ step.T
    total = np.log(scale).sum(axis=1) + top.sum(axis=(1, 2)) + (scores.shape[1] - 1) * shift
    return ChainSums(total, forward * backward, forward[:, :-1], (ahead * backward)[:, 1:], step)


def prefix_probabilities(scores: Floats, moves: Floats) -> Floats:
    """Return P(state at t | everything up to t) in one chain, without what comes later."""
    here, step, found = np.exp(scores - scores.max(axis=1, keepdims=True)), np.exp(moves - moves.max()), []
    belief = np.full(len(moves), np.nan)
    for at, row in enumerate(here):
        belief = row if at == 0 else (belief @ step) * row
        belief = belief / belief.sum()
        found.append(belief)
    return np.array(found).reshape(-1, len(moves))


def _windows(rows: NDArray[Any]) -> NDArray[Any]:
    """Return for each segment the window that ends there; before the start the first segment is repeated."""
    places = np.arange(len(rows))[:, None] + np.arange(1 - WINDOW, 1)
    return np.asarray(rows[np.maximum(places, 0)])


def _softmax(logs: Floats) -> Floats:
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


class MarkovModels:
    """A hidden Markov model for each level; the one under which a window is likeliest wins."""

    def fit(self, runs: Sequence[Stretches]) -> None:
        """Learn from runs."""
        from hmmlearn.hmm import GaussianHMM  # noqa: PLC0415 - slow to import

        logging.getLogger("hmmlearn").setLevel(logging.ERROR)  # it warns of tiny steps back near the optimum
        features, levels, _ = _together(runs)
        self.mean, self.spread = features.mean(axis=0), features.std(axis=0) + 1e-9
        self.shares, self.models = _shares(levels), []
        cuts = np.cumsum([len(stretch.levels) for run in runs for stretch in run])[:-1]
        starts = np.union1d(np.flatnonzero(np.diff(levels)) + 1, cuts)
        parts = np.split((features - self.mean) / self.spread, starts)
        of_level = levels[np.append(0, starts)]
        for level in range(LEVELS):
            mine = [part for part, known in zip(parts, of_level, strict=True) if known == level]
            model = GaussianHMM(STATES["HMM"], n_iter=10, tol=-np.inf, min_covar=0.01, random_state=0)
            self.models.append(model.fit(np.concatenate(mine), [len(part) for part in mine]))

    def probabilities(self, features: Floats) -> Floats:
        """Return the posterior over levels of the window that ends at each segment."""
        rows, totals = (features - self.mean) / self.spread, []
        for model in self.models:
            spread = np.diagonal(model.covars_, axis1=1, axis2=2)
            gaps = (rows[:, None] - model.means_) ** 2 / spread + np.log(2.0 * np.pi * spread)
            scores = _windows(-0.5 * gaps.sum(axis=2))
            scores[:, 0] += np.log(np.maximum(model.startprob_, 1e-12))
            totals.append(chain(scores, np.log(np.maximum(model.transmat_, 1e-12))).total)
        return _softmax(np.array(totals).T + np.log(self.shares))


class _Quarters:
    """Features as indicators: numbers by the quarter of the training segments that they fall into, and a constant."""

    def __init__(self, features: Floats) -> None:
        self.cuts = [np.unique(np.quantile(column, (0.25, 0.5, 0.75))) for column in features.T]
        two = [set(np.unique(column)) <= {0.0, 1.0} for column in features.T]
        self.cuts = [np.array([0.5]) if plain else cuts for plain, cuts in zip(two, self.cuts, strict=True)]

    def __call__(self, features: Floats) -> Floats:
        columns = [np.ones((len(features), 1))]
        for column, cuts in zip(features.T, self.cuts, strict=True):
            quarter = np.searchsorted(cuts, column, side="left")
            columns.append((quarter[:, None] == np.arange(1, len(cuts) + 1)).astype(np.float64))
        return np.concatenate(columns, axis=1)


class RandomField:
    """A conditional random field over the levels, by python-crfsuite."""

    def fit(self, runs: Sequence[Stretches]) -> None:
        """Learn from runs."""
        import pycrfsuite  # noqa: PLC0415 - an extra

        self.quarters = _Quarters(_together(runs)[0])
        trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
        trainer.set_params({"c1": 0.0, "c2": 1.0, "max_iterations": STEPS, "feature.possible_transitions": True})
        for stretch in (stretch for run in runs for stretch in run):
            shown = [list(map(str, np.flatnonzero(row))) for row in self.quarters(stretch.features)]
            trainer.append(shown, list(map(str, stretch.levels)))
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "model")
            trainer.train(path)
            tagger = pycrfsuite.Tagger()
            tagger.open(path)
            found = tagger.info()
            tagger.close()
        size = self.quarters(np.zeros((1, len(self.quarters.cuts)))).shape[1]
        self.weights, self.moves = np.zeros((size, LEVELS)), np.zeros((LEVELS, LEVELS))
        for (attribute, level), weight in found.state_features.items():
            self.weights[int(attribute), int(level)] = weight
        for (level, following), weight in found.transitions.items():
            self.moves[int(level), int(following)] = weight

    def probabilities(self, features: Floats) -> Floats:
        """Return the marginals of the field over the segments up to each one."""
        return prefix_probabilities(self.quarters(features) @ self.weights, self.moves)


def ldcrf_loss(parameters: Floats, features: Floats, levels: Ints) -> tuple[float, Floats]:
    """Return the loss of a latent-dynamic field, and its gradient.

    It is −log P(levels | features) per segment, where each level has hidden states of its own, plus a pull to 0.

    Args:
        parameters: Weights of features and states, then of steps between states.
        features: Features by chain and segment.
        levels: True levels by chain and segment.
    """
    states = LEVELS * STATES["LDCRF"]
    weights, moves = _shaped(parameters, (features.shape[2], states), (states, states))
    scores = features @ weights
    allowed = np.arange(states) // STATES["LDCRF"] == levels[..., None]
    free, told = chain(scores, moves), chain(np.where(allowed, scores, -np.inf), moves)
    excess = free.nodes - told.nodes
    slopes = np.append(_summed(features, excess).ravel(), (free.steps() - told.steps()).ravel())
    return _pulled(parameters, float((free.total - told.total).sum()), slopes, levels.size)


def hcrf_loss(parameters: Floats, features: Floats, levels: Ints) -> tuple[float, Floats]:
    """Return the loss of a hidden field that gives a whole window one level, and its gradient.

    Args:
        parameters: Weights of features and states, of steps between states, and of levels and states.
        features: Features by window and segment.
        levels: True level of each window.
    """
    states, (count, length, size) = STATES["HCRF"], features.shape
    weights, moves, pairs = _shaped(parameters, (size, states), (states, states), (LEVELS, states))
    scores = (features @ weights)[:, None] + pairs[None, :, None]
    found = chain(scores.reshape(-1, length, states), moves)
    totals = found.total.reshape(count, LEVELS)
    shares = _softmax(totals)
    excess = shares - np.eye(LEVELS)[levels]
    nodes = found.nodes.reshape(count, LEVELS, length, states) * excess[..., None, None]
    of_features = _summed(features, nodes.sum(axis=1))
    slopes = np.concatenate([of_features.ravel(), found.steps(excess.ravel()).ravel(), nodes.sum(axis=(0, 2)).ravel()])
    loss = -float(np.log(np.maximum(shares[np.arange(count), levels], 1e-300)).sum())
    return _pulled(parameters, loss, slopes, count)


def _summed(features: Floats, nodes: Floats) -> Floats:
    return np.asarray(features.reshape(-1, features.shape[2]).T @ nodes.reshape(-1, nodes.shape[2]))


def _shaped(parameters: Floats, *shapes: tuple[int, int]) -> list[Floats]:
    ends = np.cumsum([rows * columns for rows, columns in shapes])[:-1]
    return [part.reshape(shape) for part, shape in zip(np.split(parameters, ends), shapes, strict=True)]


def _pulled(parameters: Floats, loss: float, slopes: Floats, count: int) -> tuple[float, Floats]:
    pull = 0.5 * PULL * float(parameters @ parameters)
    return loss / count + pull, slopes / count + PULL * parameters


class HiddenField:
    """A field with hidden states: latent-dynamic (`LDCRF`), or with one level for a window (`HCRF`)."""

    def __init__(self, name: str) -> None:
        self.latent = name == "LDCRF"
        self.states = LEVELS * STATES[name] if self.latent else STATES[name]

    def fit(self, runs: Sequence[Stretches]) -> None:
        """Learn from runs."""
        self.quarters = _Quarters(_together(runs)[0])
        parts = [self._parts(self.quarters(stretch.features), stretch.levels) for run in runs for stretch in run]
        features, levels = (np.concatenate([part[number] for part in parts]) for number in range(2))
        states, size = self.states, features.shape[2]
        shapes = [(size, states), (states, states), *([] if self.latent else [(LEVELS, states)])]
        start = np.random.default_rng(0).normal(0.0, 0.1, sum(rows * columns for rows, columns in shapes))
        loss = ldcrf_loss if self.latent else hcrf_loss
        found = minimize(loss, start, (features, levels), jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
        self.weights, self.moves, *self.pairs = _shaped(found.x, *shapes)

    def _parts(self, rows: Floats, levels: Ints) -> tuple[Floats, Ints]:
        """Cut a stretch into what is trained on: pieces that end to end make nearly all of it, or windows."""
        if not self.latent:
            return _windows(rows)[::STRIDE], levels[::STRIDE]
        count = len(levels) // PIECE
        whole = count * PIECE
        return rows[:whole].reshape(count, PIECE, rows.shape[1]), levels[:whole].reshape(count, PIECE)

    def probabilities(self, features: Floats) -> Floats:
        """Return the marginals of the levels, of the field over the segments up to each one or over its window."""
        scores = self.quarters(features) @ self.weights
        if self.latent:
            found = prefix_probabilities(scores, self.moves)
            return np.asarray(found.reshape(len(features), LEVELS, -1).sum(axis=2))
        totals = [chain(_windows(scores + pair), self.moves).total for pair in self.pairs[0]]
        return _softmax(np.array(totals).T)


class DefaultModel:
    """The product's default: forest, forward filter and calibration.

    Args:
        kind: Features that it is given.
        objects: True if these include labels of objects.
    """

    def __init__(self, kind: FeatureSet = FeatureSet.STD, *, objects: bool = True) -> None:
        self.kind, self.objects = kind, objects

    def fit(self, runs: Sequence[Stretches]) -> None:
        """Learn from runs. The calibration is fitted on runs that the forest and the filter have not seen."""
        beliefs, free = [], []
        for part in range(PARTS):
            others = [run for number, run in enumerate(runs) if number % PARTS != part]
            model = self._filter(others)
            for stretch in (stretch for run in runs[part::PARTS] for stretch in run):
                beliefs.append(model.filtered(model.forest.probabilities(stretch.features))[:, 2:].sum(axis=1))
                free.append(stretch.levels >= LEVELS // 2)
        curve = Platt.fit(Sample.of_scores(np.concatenate(beliefs), np.concatenate(free)))
        self.model = replace(self._filter(runs), slope=curve.slope, intercept=curve.intercept)

    def _filter(self, runs: Sequence[Stretches]) -> InterruptibilityModel:
        forest = _forest(TREES, LEAVES)
        forest.fit(runs)
        moves, time_s = np.zeros((LEVELS, LEVELS)), np.full(LEVELS, 1.0)
        for stretch in (stretch for run in runs for stretch in run):
            np.add.at(moves, (stretch.levels[:-1], stretch.levels[1:]), 1.0)
            time_s += np.bincount(stretch.levels, minlength=LEVELS) * world()["segment_s"]
        rates = np.where(np.eye(LEVELS, dtype=np.bool_), 0.0, (moves + 0.5) / time_s[:, None])
        return InterruptibilityModel(
            forest=exported(forest.model),
            kind=self.kind,
            objects=self.objects,
            prior=_shares(_together(runs)[1]),
            rates=rates - np.diag(rates.sum(axis=1)),
            segment_s=world()["segment_s"],
        )

    def probabilities(self, features: Floats) -> Floats:
        """Return the calibrated belief at each segment of a stretch."""
        return self.model.calibrated(self.model.filtered(self.model.forest.probabilities(features)))


def exported(forest: Any) -> Forest:
    """Return a forest of scikit-learn, trained on levels from 0, as the arrays that the product runs."""
    roots, features, thresholds, rights, counts = [0], [], [], [], [np.zeros((0, LEVELS), dtype=np.int32)]
    leaves = 0
    for estimator in forest.estimators_:
        tree = estimator.tree_
        leaf = tree.feature < 0
        # Values are compared as 32-bit numbers: the next such number below a threshold divides them just as it does.
        near = tree.threshold.astype(np.float32)
        below = np.where(near > tree.threshold, np.nextafter(near, np.float32(-np.inf)), near)
        right = np.where(leaf, leaves + np.cumsum(leaf) - 1, tree.children_right + roots[-1])
        shares = np.zeros((int(leaf.sum()), LEVELS))
        shares[:, forest.classes_] = tree.value[leaf, 0]
        features.append(np.where(leaf, -1, tree.feature).astype(np.int8))
        thresholds.append(np.where(leaf, np.float32(0.0), below))
        rights.append(right.astype(np.int32))
        counts.append(np.rint(shares * tree.weighted_n_node_samples[leaf, None]).astype(np.int32))
        roots.append(roots[-1] + tree.node_count)
        leaves += int(leaf.sum())
    return Forest(
        roots=np.array(roots[:-1], dtype=np.int32),
        feature=np.concatenate(features),
        threshold=np.concatenate(thresholds),
        right=np.concatenate(rights),
        counts=np.concatenate(counts),
    )


MODELS: Mapping[str, Callable[[FeatureSet, bool], LevelClassifier]] = {
    "base rate": lambda kind, objects: BaseRate(),
    "forest": lambda kind, objects: _forest(TREES, LEAVES),
    "forest, paper": lambda kind, objects: _forest(PAPERS_TREES, 1),
    "SVM": lambda kind, objects: _vectors(),
    "KNN": lambda kind, objects: _neighbours(),
    "MLP": lambda kind, objects: _perceptron(),
    "HMM": lambda kind, objects: MarkovModels(),
    "CRF": lambda kind, objects: RandomField(),
    "HCRF": lambda kind, objects: HiddenField("HCRF"),
    "LDCRF": lambda kind, objects: HiddenField("LDCRF"),
    "default": lambda kind, objects: DefaultModel(kind, objects=objects),
}


def fitted(name: str, runs: Sequence[Stretches], kind: FeatureSet, *, objects: bool) -> LevelClassifier:
    """Return a model fitted on runs.

    Raises:
        MissingExtra: Its library is not installed.
    """
    try:
        model = MODELS[name](kind, objects)
        model.fit(runs)
    except ImportError:
        raise MissingExtra.of("lab", f"the model '{name}'") from None
    return model
