"""Numbers of docs/lab/real-scores.md and of docs/people/workload.md, from rows and records of the published studies."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, partial

from handup.lab.chains import CALIBRATED, KNOWNO, SAID, SIZES
from handup.lab.engine import columns_of
from handup.lab.studies.real_scores import (
    ALWAYS,
    LONGER,
    MAIN,
    NEVER,
    OTHERS,
    OURS,
    PAIR,
    PLAIN,
    Condition,
    ScoreComparison,
    ScoredArm,
    Spread,
)
from tests.lab.published import golden
from tests.lab.published.adapter import HASHED, whole

NAMES = {NEVER: "never", ALWAYS: "always", KNOWNO: "KnowNo sets"}
ASKS = PLAIN[1:]
ROWS = "real-scores-rows"


@cache
def comparison() -> ScoreComparison:
    """Return the published rows. They are the ones that the committed hashes are of."""
    study, size = whole("real-scores")
    family, hashes = HASHED["real-scores"], golden.read("real-scores")["hashes"]
    kept = golden.unpack(golden.read(ROWS))
    made = {}
    for (key, batch), (_, rows) in zip(family.batches().items(), kept, strict=True):
        made[batch] = columns_of(rows)
        assert golden.row_hash(family.rows(batch, made[batch])) == hashes[key], key
    found = study.results(size, made)
    assert isinstance(found, ScoreComparison)
    return found


def share(value: float, digits: int = 2) -> str:
    """Return a share as the page writes it: without the zero before the point."""
    return f"{value:.{digits}f}".removeprefix("0")


def told(spread: Spread, digits: int = 2) -> str:
    value, low, high = (f"{number:.{digits}f}".replace("-", "−") for number in (spread.value, *spread.ci))
    return f"{value} [{low}, {high}]"


def told_share(spread: Spread) -> str:
    value, low, high = map(share, (spread.value, *spread.ci))
    return f"{spread.value:g}" if spread.ci == (spread.value,) * 2 else f"{value} [{low}, {high}]"


def bold(text: str) -> str:
    value, space, interval = text.partition(" ")
    return f"**{value}**{space}{interval}"


def quotes() -> Iterator[str]:
    """Yield everything with a number that the text of docs/lab/real-scores.md has to say."""
    found, record = comparison(), golden.read("real-scores")["records"]["real-scores"]
    right = [stream["right"] for stream in record["streams"]]
    rows = sum(stream["rows"] for stream in record["streams"])
    yield f"{rows:,} rows; these modules are right in {share(min(right))} to {share(max(right))} of them"
    yield f"In each of {record['draws']} draws"
    yield f"{record['episodes']:,} episodes for each k, seed {record['seed']}, answers right with .90"
    for k in SIZES:
        yield from _table(found, k)
    yield from _against_others(found)
    yield from _confidences(found, record["chosen"])


def _table(found: ScoreComparison, k: int) -> Iterator[str]:
    at = Condition(k)
    best = {metric: found.ranked(metric, at, PLAIN)[0] for metric in ("J", "success")}
    best |= {metric: found.ranked(metric, at, ASKS)[0] for metric in ("help_rate", "workload")}
    for place, arm in enumerate(found.ranked("J", at, PLAIN)):
        cells = [f"{k}" if place == 0 else "", NAMES.get(arm.method, f"`{arm.method}`, {arm.said}")]
        for metric, winner in best.items():
            spread = found.spread(metric, at, arm)
            cell = told_share(spread) if metric in ("success", "help_rate") else told(spread)
            cell = "0" if spread.value == 0.0 else cell
            cells.append(bold(cell) if arm == winner else cell)
        cells.append("" if arm == OURS else told(found.spread("J", at, arm, OURS), 3))
        yield re.sub(" +", " ", f"| {' | '.join(cells)} |")


def _against_others(found: ScoreComparison) -> Iterator[str]:
    lowest, places, clear, lower = re.findall(r"\d+", found.study.answer(found, ()))
    yield f"lowest J at {lowest} of {places} places** (k = 1…4, answers right with .80, .90, .97)"
    yield f"clear of chance over streams at {clear} of them"
    assert lower == "0", "nothing is clearly lower anywhere"
    hurried = Condition(1, MAIN[0].expert)
    assert found.best("J", hurried)[0] == ScoredArm(NEVER)
    yield f"right in {share(hurried.expert)} `never` is lower by {told(found.ahead(hurried), 3)}"
    alone = found.over_draws(1, lambda row: row["alone"]).value
    yield f"they say {share(_said(found, CALIBRATED), 3)} and {share(alone, 3)} are right"
    succeeds = [share(found.spread("success", Condition(1), arm).value) for arm in (OURS, ScoredArm(ALWAYS))]
    yield f"succeeds in {succeeds[0]} where *always* does in {succeeds[1]}"
    leads = [found.ahead(at) for at in LONGER]
    assert all(lead.is_clear() for lead in leads)
    succeeds = sorted(share(found.spread("success", at, OURS).value) for at in LONGER)
    yield f"clear at every k ({', '.join(f'{lead.value:.2f}' for lead in leads)})"
    yield f"it succeeds in {succeeds[0]} to {succeeds[-1]}"
    helped = sorted(share(found.spread("help_rate", Condition(k), ScoredArm(KNOWNO)).value) for k in SIZES)
    yield f"(help rate {helped[0]} to {helped[-1]})"
    more = [found.spread("J", Condition(k), ScoredArm(ALWAYS), OURS).value for k in SIZES]
    cost = [found.spread("J", Condition(k), ScoredArm(ALWAYS)).value for k in SIZES]
    shares = sorted(round(100 * gap / whole) for gap, whole in zip(more, cost, strict=True))
    yield f"within {shares[0]} to {shares[-1]} % of its J"


def _said(found: ScoreComparison, said: str) -> float:
    return found.over_draws(1, lambda row: row["said"][said]).value


def _confidences(found: ScoreComparison, chosen: dict[str, int]) -> Iterator[str]:
    alone = share(found.over_draws(1, lambda row: row["alone"]).value)
    raw, interval = (_said(found, said) for said in ("raw", "interval"))
    yield f"say {share(raw)} of modules that are right in {alone}"
    yield f"kept them in {chosen['identity']} of {sum(chosen.values())} calibrations"
    harmless = (arm for arm in OTHERS if arm.method == OURS.method and arm.said != "interval")
    changes = [found.spread("J", Condition(k), arm, OURS) for arm in harmless for k in SIZES]
    assert max(abs(change.value) for change in changes) < 0.02
    assert not any(change.is_clear() for change in changes)
    yield "J by less than 0.02 at every k, within chance"
    areas = {said: share(found.aurc(1, said).value, 3) for said in SAID}
    yield f"(k = 1: {areas[CALIBRATED]} calibrated, {areas['raw']} raw, {areas['platt']} `platt`)"
    yield f"they say {share(interval)} of a module that is right in {alone}"
    rises = partial(_rises, found)
    yield "rises by {}, {}, {} and {} for k = 1…4, all clear".format(*rises(OURS.method, SIZES))
    yield "that of the pair by {}, {} and {} from k = 2 on".format(*rises(PAIR, SIZES[1:]))
    yield f"Their area is {areas['interval']}."


def _rises(found: ScoreComparison, method: str, sizes: Sequence[int]) -> list[str]:
    """Return how much more J is with interval confidences than with calibrated ones; all clear of chance."""
    than = ScoredArm(method, CALIBRATED)
    rises = [found.spread("J", Condition(k), ScoredArm(method, "interval"), than) for k in sizes]
    assert all(rise.is_clear() for rise in rises)
    return [f"{rise.value:.2f}" for rise in rises]


def quotes_of_workload() -> Iterator[str]:
    """Yield what docs/people/workload.md has to say of the study of its coefficients."""
    record = golden.read("workload-sensitivity")["records"]["workload-sensitivity"]
    level, eased = record["weights"]
    yield f"In {record['meals']} meals of five bites, in each of {level['settings']} settings"
    assert level["best_everywhere"] == [level["best"]]
    assert level["flips"] == []
    yield f"`{level['best']}` in all {level['settings']} | `{level['best_pair']}`; no other is clearly better anywhere"
    asked = level["asked"].split(" > ")
    yield f"{asked[0]} most, then {', '.join(asked[1:])}: the same everywhere"
    counts = Counter((flip["what"], flip["after"]) for flip in eased["flips"])
    (method,) = {after for what, after in counts if what == "best"}
    clear = [flip["place"] for flip in eased["flips"] if flip["what"] == "best"]
    assert min(place["a_d"] + place["a_r"] for place in clear) >= 0.3 - 1e-9
    others = [(place["g"], place["tau_s"]) for place in clear if place["g"] != 0.3]
    lowest = _lowest(eased["w"], eased["best"])
    yield f"`{eased['best']}` in {lowest}; `{method}` is clearly better in {len(clear)}, all with a_d"
    yield f"(g = .3; once g = {share(others[0][0])} with τ = {others[0][1]:g} s)"
    assert len(others) == 1
    pairs = [flip for flip in eased["flips"] if flip["what"] == "best pair"]
    assert all(flip["after"].endswith("until-confident") for flip in pairs)
    assert sum(flip["place"]["g"] != 0.0 for flip in pairs) == 1
    yield f"`{eased['best_pair']}`; an `until-confident` pair is clearly better in {len(pairs)}, all but one with g = 0"


def _lowest(w: float, method: str) -> int:
    """Return in how many settings a method has the lowest mean J, by the rows that the committed hashes are of."""
    hashes = golden.read("workload-sensitivity")["hashes"]
    kept = golden.unpack(golden.read("workload-sensitivity-rows"))
    assert [golden.row_hash(rows) for _, rows in kept] == list(hashes.values())
    settings = (rows for _, rows in kept if float(rows[0]["w"]) == w)
    return sum(min(rows, key=lambda row: float(row["J_mean"]))["method"] == method for rows in settings)
