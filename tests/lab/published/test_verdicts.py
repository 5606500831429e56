"""The published verdicts and numbers follow from the committed rows."""

from __future__ import annotations

import json

import pytest

from examples.claim_pages import MOST_SHOWN
from tests.lab.published import golden
from tests.lab.published.adapter import DOCS, HASHED, PUBLISHED, ROW_STUDIES


@pytest.mark.parametrize("name", ROW_STUDIES)
def test_the_record_follows_from_the_rows(name: str) -> None:
    published = json.loads(PUBLISHED[name].read_text(encoding="utf-8"))
    study, kept = ROW_STUDIES[name], golden.unpack(golden.read(name))
    made = study.record(kept)
    golden.compare(golden.without_prose(made), golden.without_prose(published))
    for batch, (identity, rows) in zip(study.batches(), kept, strict=True):
        assert identity.items() >= study.identity(batch).items(), "rows are those of the study as it is defined"
        assert len(rows) == batch.rows


def test_every_published_study_is_kept_in_small_files() -> None:
    missing = {name for name in (*ROW_STUDIES, *HASHED) if not golden.is_there(name)}
    assert not missing, "run the studies, then: python -m tests.lab.published.pack --rows DIR NAME"
    assert sum(path.stat().st_size for path in golden.FOLDER.iterdir()) < 6_000_000


@pytest.mark.parametrize("name", golden.read("cells")["records"])
def test_a_page_of_claims_has_the_verdicts_and_numbers_of_the_record(name: str) -> None:
    page = (DOCS / "claims" / f"{name}.md").read_text(encoding="utf-8").splitlines()
    for claim in golden.read("cells")["records"][name]["claims"]:
        [line] = [line for line in page if line.startswith(f"| {' '.join(claim['text'].split())} |")]
        findings = line.split(" | ")[2:]
        for finding, world in zip(findings, claim["worlds"].values(), strict=True):
            counts, *worst = world["numbers"].items() or [("", "")]
            assert finding.startswith(f"**{world['verdict']}**. ")
            assert "<br>".join([counts[1], *(f"{label}: {value}" for label, value in worst[:MOST_SHOWN])]) in finding
