"""Requests for help from a table, a model of willingness fitted to them, and its score on people it has not seen.

Each row is one request of a robot to one person. The fit is a mixture of kinds of people (see `willingness`). It
maximises the likelihood, with a pull that keeps each kind near its description, such as "helps nearly always, up to
medium busyness". The columns `asked_before` and `helped_before` may tell what a person did before the first row. Three
settings are chosen by cross-validation over the people of the fit: which record of a person is used, how hard the pull
is, and whether the load counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadData
from handup.people.answer_fits import Evidence
from handup.people.ratings import cells_of, csv_table, number_in
from handup.people.willingness import LEAST_CHANCE, Busyness, HelpRecord, WillingKind, WillingnessModel

NEEDED = ("person", "request", "busyness", "helped")
BEFORE = ("asked_before", "helped_before")
LEFT_OUT = ("prosociality",)
"""Columns of the study that are ignored without a warning: they do not improve predictions of new people."""
HINT = f"Give the columns {', '.join(NEEDED)}, and {' and '.join(BEFORE)} where known."
SAME = {"free": Busyness.FREE}
"""Other words for a busyness."""
OUTCOMES = {"0": False, "1": True, "0.0": False, "1.0": True, "false": False, "true": True}
WINDOW = 5
"""Number of moments of which `asked_before` is the share in which the person was asked."""
PULLS = (2.0, 8.0)
"""Candidates for the pull of a kind towards its description, in requests at each busyness."""
PARTS = 5
"""Parts, split by person, in which candidates are compared."""
SURELY, HALF, HARDLY = 0.95, 0.5, 0.05
KIND_OF_PEOPLE = (
    (HARDLY, HARDLY, HARDLY),
    *((share, HARDLY, HARDLY) for share in (SURELY, HALF)),
    *((share, share, HARDLY) for share in (SURELY, HALF)),
    *((share, share, share) for share in (SURELY, HALF)),
)
"""Descriptions of the kinds of people: they never help, or nearly always or half of the time up to some busyness."""
ROUNDS = 100
LOAD_PULL = 1.0
"""Pull of the weight of the load towards 0: its variance before the data is 1 over this."""
Floats = NDArray[np.float64]


class RecordSource(StrEnum):
    """Record of a person that a prediction uses."""

    ROWS = "rows"
    """The rows of the person before this one."""
    FIRST_AND_ROWS = "first window and rows"
    """The same, and what the columns `asked_before` and `helped_before` of the person's first row tell."""
    WINDOW = "window"
    """Only what these columns tell in this row: the last five moments."""


@dataclass(frozen=True)
class HelpRequest:
    """One request of a robot to a person.

    Args:
        person: Name of the person.
        order: Place among the requests to this person, by which they are sorted.
        busyness: Busyness at this moment.
        helped: True if the person helped.
        load: Share of the last five moments in which the person was asked, where it is known.
        helped_before: Share of those requests at which the person helped, where it is known.
    """

    person: str
    order: float
    busyness: Busyness
    helped: bool
    load: float | None = None
    helped_before: float | None = None

    @property
    def window(self) -> tuple[int, int]:
        """Number of requests in the last five moments, and at how many of them the person helped."""
        if self.load is None or self.helped_before is None:
            return 0, 0
        asked = round(WINDOW * self.load)
        return asked, round(asked * self.helped_before)


@dataclass(frozen=True)
class WillingnessSettings:
    """Settings of a fit, chosen on people left out.

    Args:
        source: Record that predictions use.
        pull: Pull of a kind towards its description, in requests at each busyness.
        with_load: True if the load counts.
    """

    source: RecordSource
    pull: float
    with_load: bool

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class WillingnessFit:
    """Model of willingness fitted to requests, and what was chosen on the way.

    Args:
        model: The fitted model, without anybody's record.
        chosen: Settings that predicted best on people left out, among the people of the fit.
        helped: Share of the requests at which people helped.
        candidates: Brier score of all settings on people left out, among the people of the fit.
    """

    model: WillingnessModel
    chosen: WillingnessSettings
    helped: float
    candidates: Mapping[WillingnessSettings, float]

    def chances(self, requests: Sequence[HelpRequest]) -> Floats:
        """Return P(helps) for each request, in their order; only earlier requests to the same person count for it."""
        return chances_of(self.model, self.chosen.source, requests)

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {
            "model": self.model.to_json(),
            "chosen": self.chosen.to_json(),
            "helped": self.helped,
            "candidates": [{**tried.to_json(), "brier": round(brier, 5)} for tried, brier in self.candidates.items()],
        }


def read_requests(text: str) -> tuple[tuple[HelpRequest, ...], tuple[str, ...]]:
    """Return the requests of a CSV text, in its order, and the names of columns that are not known.

    Raises:
        BadData: A column is missing, there are no rows, or a value is wrong; with its line.
    """
    header, rows = csv_table(text, HINT)
    missing = [column for column in NEEDED if column not in header]
    if missing or len(set(header)) != len(header):
        wrong = f"lacks '{missing[0]}'" if missing else "names a column twice"
        raise BadData(f"the table {wrong}", hint=HINT, line=1)
    requests = tuple(_request(line, cells_of(line, header, row)) for line, row in rows)
    seen: dict[tuple[str, float], int] = {}
    for (line, _), request in zip(rows, requests, strict=True):
        first = seen.setdefault((request.person, request.order), line)
        if first != line:
            cause = f"row {line}: a person's requests must have different numbers, and this one is that of row {first}"
            raise BadData(cause, hint="Number the requests to each person in their order.", line=line)
    return requests, tuple(column for column in header if column not in (*NEEDED, *BEFORE, *LEFT_OUT))


def fit_willingness(
    requests: Sequence[HelpRequest], sources: Sequence[RecordSource] = tuple(RecordSource)
) -> WillingnessFit:
    """Fit a model of willingness; its settings are chosen by cross-validation over these people.

    Args:
        requests: At least one request.
        sources: Records to choose from; without the columns of earlier requests only the rows are left.

    Raises:
        BadData: There are no requests.
    """
    if not requests:
        raise BadData("there must be requests, got none", hint="Give at least one.")
    if not any(request.window[0] for request in requests):
        sources = (RecordSource.ROWS,)
    tried = [WillingnessSettings(source, pull, with_load=False) for source, pull in product(sources, PULLS)]
    errors = {settings: _left_out_error(requests, settings) for settings in tried}
    best = min(tried, key=lambda settings: errors[settings])
    with_load = replace(best, with_load=True)
    errors[with_load] = _left_out_error(requests, with_load)
    chosen = with_load if errors[with_load] < errors[best] else best
    helped = float(np.mean([request.helped for request in requests]))
    return WillingnessFit(model=_fitted(requests, chosen), chosen=chosen, helped=helped, candidates=errors)


def chances_of(model: WillingnessModel, source: RecordSource, requests: Sequence[HelpRequest]) -> Floats:
    """Return P(helps) for each request, in their order; only earlier requests to the same person count for it."""
    chances = np.zeros(len(requests))
    records: dict[str, HelpRecord] = {}
    for place in sorted(range(len(requests)), key=lambda number: requests[number].order):
        request = requests[place]
        if source is RecordSource.WINDOW or request.person not in records:
            asked, helped = (0, 0) if source is RecordSource.ROWS else request.window
            records[request.person] = HelpRecord((0, 0, 0, asked), (0, 0, 0, helped))
        record = records[request.person]
        chances[place] = model.chance_after(record, request.busyness, request.load)
        records[request.person] = record.after(request.busyness, request.helped)
    return chances


def auc(chances: Floats, happened: NDArray[np.bool_]) -> float | None:
    """Return the area under the ROC curve: P(a row that happened ranks above one that did not).

    Ties count one half. None where all rows happened, or none.
    """
    hits = int(happened.sum())
    misses = len(happened) - hits
    if not hits or not misses:
        return None
    _, level, counts = np.unique(chances, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[level]
    return float((ranks[happened].sum() - hits * (hits + 1) / 2.0) / (hits * misses))


def _request(line: int, cells: dict[str, str]) -> HelpRequest:
    busyness = cells["busyness"].lower()
    if busyness not in (*Busyness, *SAME):
        must = f"must be one of {', '.join(Busyness)}"
        hint = "Use one of these words."
        raise BadData(f"row {line}: busyness {must}, got '{cells['busyness']}'", hint=hint, line=line)
    helped = OUTCOMES.get(cells["helped"].lower())
    if helped is None:
        hint = "Give 1 where the person helped."
        raise BadData(f"row {line}: helped must be 0 or 1, got '{cells['helped']}'", hint=hint, line=line)
    before: dict[str, float | None] = {}
    for name in BEFORE:
        before[name] = number_in(line, name, cells[name]) if cells.get(name) else None
        if not 0.0 <= (before[name] or 0.0) <= 1.0:
            cause = f"row {line}: {name} must lie between 0 and 1, got {cells[name]}"
            raise BadData(cause, hint="Give a share.", line=line)
    return HelpRequest(
        person=cells["person"],
        order=number_in(line, "request", cells["request"]),
        busyness=SAME.get(busyness) or Busyness(busyness),
        helped=helped,
        load=before["asked_before"],
        helped_before=before["helped_before"],
    )


def _left_out_error(requests: Sequence[HelpRequest], settings: WillingnessSettings) -> float:
    """Return the Brier score on people left out of the fit, in parts by person; 0 with one person only."""
    people = sorted({request.person for request in requests})
    order = np.random.default_rng(0).permutation(len(people)).tolist()
    part_of = {people[place]: number % PARTS for number, place in enumerate(order)}
    error = 0.0
    for number in sorted(set(part_of.values())) if len(people) > 1 else ():
        others = [request for request in requests if part_of[request.person] != number]
        rest = [request for request in requests if part_of[request.person] == number]
        chances = chances_of(_fitted(others, settings), settings.source, rest)
        error += float(np.square(chances - [request.helped for request in rest]).sum())
    return error / len(requests)


def _fitted(requests: Sequence[HelpRequest], settings: WillingnessSettings) -> WillingnessModel:
    """Fit the kinds of people, then the weight of the load on top of them."""
    kinds = _kinds(*_counts(requests, settings.source), settings.pull)
    model = WillingnessModel(kinds=kinds, evidence=Evidence.HUMAN_DATA)
    known = np.array([request.load is not None for request in requests])
    if not settings.with_load or not known.any():
        return model
    loads = np.array([request.load for request in requests if request.load is not None])
    outcomes = np.array([request.helped for request in requests], dtype=np.float64)
    chances = chances_of(model, settings.source, requests)
    weight = load_weight(chances[known], loads - loads.mean(), outcomes[known])
    return replace(model, load_weight=min(round(weight, 6), 0.0), mean_load=round(float(loads.mean()), 6))


def _counts(requests: Sequence[HelpRequest], source: RecordSource) -> tuple[Floats, Floats]:
    """Return requests and answers of each person at each busyness; the last column is what came before their rows."""
    people = {name: row for row, name in enumerate(sorted({request.person for request in requests}))}
    asked, helped = np.zeros((len(people), 4)), np.zeros((len(people), 4))
    places = {busyness: place for place, busyness in enumerate(Busyness)}
    first: dict[str, HelpRequest] = {}
    for request in sorted(requests, key=lambda request: request.order):
        row, place = people[request.person], places[request.busyness]
        asked[row, place] += 1.0
        helped[row, place] += request.helped
        first.setdefault(request.person, request)
    if source is not RecordSource.ROWS:
        for name, request in first.items():
            asked[people[name], 3], helped[people[name], 3] = request.window
    return asked, helped


def _kinds(asked: Floats, helped: Floats, pull: float) -> tuple[WillingKind, ...]:
    """Fit shares and chances of the kinds by expectation–maximisation, in a fixed number of rounds."""
    towards = np.array(KIND_OF_PEOPLE)
    known = asked[:, :3].sum(axis=0) / max(asked[:, :3].sum(), 1.0)
    chances = np.column_stack([towards, towards @ known])
    shares = np.full(len(towards), 1.0 / len(towards))
    for _ in range(ROUNDS):
        chances = np.clip(chances, LEAST_CHANCE, 1.0 - LEAST_CHANCE)
        logs = np.log(shares) + helped @ np.log(chances).T + (asked - helped) @ np.log1p(-chances).T
        belief = np.exp(logs - logs.max(axis=1, keepdims=True))
        belief /= belief.sum(axis=1, keepdims=True)
        # One more person of each kind keeps every kind in the model.
        shares = (belief.sum(axis=0) + 1.0) / (len(asked) + len(towards))
        weights, hits = belief.T @ asked, belief.T @ helped
        weights[:, :3] += pull
        hits[:, :3] += pull * towards
        chances[:, :3] = falling(hits[:, :3] / weights[:, :3], weights[:, :3])
        # Of moments before the first row nobody knows how busy they were: as busy as the others, until they tell.
        chances[:, 3] = (hits[:, 3] + pull * (chances[:, :3] @ known)) / (weights[:, 3] + pull)
    rounded = np.clip(chances, LEAST_CHANCE, 1.0 - LEAST_CHANCE).round(6).tolist()
    return tuple(WillingKind(round(share, 6), tuple(row)) for share, row in zip(shares.tolist(), rounded, strict=True))


def falling(chances: Floats, weights: Floats) -> Floats:
    """Return the nearest chances that do not rise from left to right, by weighted least squares, for each row."""
    sums = np.column_stack([np.zeros(len(chances)), np.cumsum(chances * weights, axis=1)])
    counts = np.column_stack([np.zeros(len(chances)), np.cumsum(weights, axis=1)])
    columns = range(chances.shape[1])

    def mean(first: int, last: int) -> Floats:
        return np.asarray((sums[:, last + 1] - sums[:, first]) / (counts[:, last + 1] - counts[:, first]))

    # Isotonic regression in closed form: the least over all beginnings of the most over all ends.
    return np.column_stack(
        [
            np.min(
                [np.max([mean(first, last) for last in columns[place:]], axis=0) for first in range(place + 1)], axis=0
            )
            for place in columns
        ]
    )


def load_weight(chances: Floats, loads: Floats, outcomes: Floats) -> float:
    """Return the number that a load adds to the log-odds of these chances, per unit, pulled towards 0."""
    odds, weight = np.log(chances / (1.0 - chances)), 0.0
    for _ in range(ROUNDS):
        shifted = 1.0 / (1.0 + np.exp(-(odds + weight * loads)))
        slope = float(loads @ (outcomes - shifted)) - LOAD_PULL * weight
        bend = float((loads * loads) @ (shifted * (1.0 - shifted))) + LOAD_PULL
        weight += slope / bend
    return weight
