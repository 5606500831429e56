"""Rows that are simulated again are the published ones: thirty fixed places in `make test`, all in the soak."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lab.published import golden
from tests.lab.published.adapter import HASHED, ROW_STUDIES

FEW_ROWS: list[tuple[str, dict[str, Any]]] = [
    ("meal-methods", {"arm": "never+query-then-execute", "participant": 5}),
    ("meal-methods", {"arm": "troubleshoot", "participant": 0}),
    ("meal-heterogeneity", {"arm": "confidence+workload-aware", "participant": 7}),
    ("meal-heterogeneity", {"arm": "graph+workload-aware", "participant": 2}),
    ("meal-home", {"arm": "topo+query-for-all", "participant": 11}),
    ("meal-home", {"arm": "troubleshoot", "participant": 47}),
    ("meal-memory", {"arm": "remembers, same menu", "participant": 1}),
    ("recoveries", {"way": "full", "day": "hard", "first_seed": 1000}),
    ("recoveries", {"way": "full + operator", "day": "hard", "first_seed": 1025}),
    ("recoveries", {"way": "half + bystander", "day": "usual", "first_seed": 1050}),
    ("recoveries", {"way": "no beliefs", "day": "usual", "first_seed": 1175}),
    ("recovery-effort", {"arm": "15", "place": "files, bystander", "first_seed": 3025}),
    ("recovery-effort", {"arm": "27", "place": "need, nobody", "first_seed": 3000}),
    ("helper-roles", {"arm": "operator, 5 s, both", "place": "half of the rules", "first_seed": 3050}),
    ("helper-roles", {"arm": "2 robots", "place": "all of the rules", "first_seed": 3000}),
    ("reaching", {"part": "all", "scene": "S1", "method": "manual", "user": "stop-beside"}),
    ("reaching", {"part": "all", "scene": "S2", "method": "assist"}),
    ("reaching", {"part": "all", "scene": "U6", "method": "paper+no-questions"}),
    ("reaching", {"part": "all", "scene": "U22", "method": "ho"}),
    ("reaching", {"part": "goal", "method": "assist", "first_seed": 240}),
    ("reaching", {"part": "look-ahead", "scene": "U22", "method": "paper, T = 1 s"}),
    ("reaching", {"part": "gentle", "scene": "S1", "method": "paper"}),
    ("interruptibility", {"model": "default", "place": "Std + objects, noisy", "first_seed": 3009}),
    ("interruptibility", {"model": "CRF", "place": "Min, clean", "first_seed": 3027}),
    ("interrupt", {"robot": "aware", "place": "noisy sensing", "first_seed": 20_030}),
    ("whom", {"rule": "joint", "setting": "base", "first_seed": 50_000}),
    ("whom", {"rule": "table with gate", "setting": "long bouts", "first_seed": 50_040}),
    ("whom", {"rule": "joint without kinds", "setting": "base"}),
]
FEW_HASHES = [
    ("cells", "cell modules=3 method=mip+workload-aware"),
    ("cells", "cell modules=3 method=troubleshoot"),
    ("cells", "cell modules=3 method=hybrid+workload-aware"),
    ("cells", "cell modules=100 structure=or method=confidence+query-then-execute"),
    ("cells", "cell structure=or-then-and method=brute-force+workload-aware"),
    ("cells", "cell structure=and-then-or method=troubleshoot"),
    ("cells", "cell expert=0.6 method=graph+until-confident"),
    ("cells", "cell confidences=0.6,0.5 beta=0.6"),
    ("cells", "cell query_cost=0.08 method=binary-tree+workload-aware world=replica"),
    ("cells", "cell structure=or method=brute-force+workload-aware world=replica"),
    ("cells", "cell modules=100 structure=or method=confidence+until-confident world=replica"),
    ("workload-sensitivity", "w=0.8 setting=17"),
]
PARTS = 4
"""All rows of a study in so many tests, for several processes."""


@pytest.mark.parametrize(("name", "chosen"), [each for each in FEW_ROWS if golden.is_there(each[0])], ids=str)
def test_a_few_rows_come_out_again(name: str, chosen: dict[str, Any]) -> None:
    study = ROW_STUDIES[name]
    kept = golden.unpack(golden.read(name))
    place = next(number for number, (identity, _) in enumerate(kept) if chosen.items() <= identity.items())
    small, where = study.part(study.batches()[place])
    assert study.simulate(small) == kept[place][1][where]


@pytest.mark.parametrize(("family", "key"), [each for each in FEW_HASHES if golden.is_there(each[0])])
def test_a_few_hashes_come_out_again(family: str, key: str) -> None:
    maker = HASHED[family]
    assert golden.row_hash(maker.simulate(maker.batches()[key])) == golden.read(family)["hashes"][key]


@pytest.mark.soak
@pytest.mark.parametrize("family", [name for name in HASHED if golden.is_there(name)])
def test_every_hash_and_verdict_comes_out_again(family: str) -> None:
    rows, records = HASHED[family].again()
    kept = golden.read(family)
    assert {key: golden.row_hash(some) for key, some in rows.items()} == kept["hashes"]
    golden.compare(golden.without_prose(records), golden.without_prose(kept["records"]))


@pytest.mark.soak
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", [name for name in ROW_STUDIES if golden.is_there(name)])
def test_every_row_comes_out_again(name: str, part: int) -> None:
    study = ROW_STUDIES[name]
    kept = list(zip(study.batches(), golden.unpack(golden.read(name)), strict=True))
    for batch, (identity, rows) in kept[part::PARTS]:
        assert study.simulate(batch) == rows, identity
