"""The tables of docs/people that quote fitted numbers: each row is made again from the record that is shipped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from handup.people.answers import answers_record, shipped_record
from tests.examples.pages import DOCS


def short(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}f}".removeprefix("0")


def interval(value: float, ends: list[float], digits: int = 3) -> str:
    return f"{short(value, digits)} [{short(ends[0], digits)}, {short(ends[1], digits)}]"


def quotes_of_willingness(record: dict[str, Any]) -> Iterator[str]:
    scores = record["held_out"]["scores"]
    for name, words in (
        ("load_alone", "how often the person was asked, alone"),
        ("record_alone", "own record alone (last five moments)"),
        ("busyness_alone", "busyness alone"),
    ):
        of = scores[name]
        yield f"| {words} | {interval(of['brier'], of['brier_ci'])} | {interval(of['auc'], of['auc_ci'], 2)} |"
    base, model = scores["base"], scores["model"]
    yield f"| the same share for everybody | {interval(base['brier'], base['brier_ci'])} | |"
    brier = interval(model["brier"], model["brier_ci"])
    yield f"| **busyness and own record** | **{brier}** | **{interval(model['auc'], model['auc_ci'])}** |"
    yield f"the columns of a person's first row, then the rows** | **{brier}** | **{short(model['auc'])}** |"
    for source, words in (("window", "`helped_before`)"), ("rows", "the rows before")):
        of = scores[f"record: {source}"]
        yield f"{words} | {interval(of['brier'], of['brier_ci'])} | {short(of['auc'])} |"
    for label, key in (("predicted ", "said"), ("helped    ", "happened")):
        yield label + "".join(f"  {short(found[key], 2)}" for found in record["held_out"]["reliability"])
    for kind in record["model"]["kinds"]:
        yield f"| {' | '.join(short(value, 2) for value in (kind['share'], *kind['chances'][:3]))} |"


def test_the_page_of_willingness_quotes_the_shipped_record() -> None:
    text = (DOCS / "people" / "willingness.md").read_text(encoding="utf-8")
    record = shipped_record("willingness", "fitted-willingness")
    assert [quote for quote in quotes_of_willingness(record) if quote not in text] == []
    load = record["load"]
    assert f"−{short(-load['weight'], 2)} [−{short(-load['ci'][0], 2)}, +{short(load['ci'][1], 2)}]" in text


def test_the_page_of_answers_quotes_the_shipped_record() -> None:
    text = (DOCS / "people" / "answers.md").read_text(encoding="utf-8")
    held = answers_record()["held_out"]
    for name, words in (
        ("base", "the same share for everybody"),
        ("shipped_features", "without a record"),
        ("features", "without a record"),
        ("without_problem", "the default without the problem"),
        ("without_steps", "the default without the steps"),
        ("without_certainty", "the default without certainty"),
        ("without_support", "the default without support"),
    ):
        cells = (interval(held[kind][name]["brier"], held[kind][name]["ci"]) for kind in ("diagnosis", "action"))
        assert f"{words} | {' | '.join(cells)} |" in text
    cells = (f"**{interval(held[kind]['model']['brier'], held[kind]['model']['ci'])}**" for kind in held)
    assert f"the default** | {' | '.join(cells)} |" in text
