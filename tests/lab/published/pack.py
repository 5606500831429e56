"""Writes the golden files from finished runs: `python -m tests.lab.published.pack --rows DIR NAME …`.

DIR is the `--out` of `handup study run`. NAME is a study with committed rows, or a family with committed hashes. Not a
row is simulated, and nothing is written of a study that is not whole. Golden files hold published numbers: write them
anew only when a published study was changed on purpose.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from handup.core import BadRecord
from handup.lab.engine import Batch, Columns, Study
from handup.lab.engine.results import rows_of
from handup.lab.engine.store import RowStore
from tests.lab.published import golden
from tests.lab.published.adapter import HASHED, ROW_STUDIES, plain, whole


def kept(study: Study, batch: Batch, folder: Path) -> Columns:
    """Return the rows of a batch of a finished run.

    Raises:
        FileNotFoundError: It was not run.
        BadRecord: Other code than the present one made it.
    """
    columns = RowStore(folder, study.store_name or study.name, study.stamp()).load(batch)
    if columns is None:
        raise BadRecord(f"{batch.label} was made by other code", hint="Run the study again with the code as it is.")
    return columns


def pack(name: str, folder: Path) -> Path:
    """Write the golden file of a study or a family."""
    if name in ROW_STUDIES:
        study, size = whole(name)
        batches = [
            (ROW_STUDIES[name].identity(batch), plain(rows_of(kept(study, batch, folder))))
            for batch in study.batches(size)
        ]
        return golden.write(name, golden.pack(batches))
    family = HASHED[name]
    study, _ = whole(family.studies[0])
    made = {batch: kept(study, batch, folder) for batch in family.batches().values()}
    hashes = {key: golden.row_hash(family.rows(batch, made[batch])) for key, batch in family.batches().items()}
    return golden.write(name, {"hashes": hashes, "records": family.records(made)})


def main(given: Sequence[str] | None = None) -> None:
    """Pack what is asked for, and say how large it is."""
    parser = argparse.ArgumentParser(description="Write the golden files of published studies.")
    parser.add_argument("--rows", type=Path, required=True, metavar="DIR", help="Folder of finished runs.")
    parser.add_argument("names", nargs="+", metavar="NAME", help=f"Among {' '.join((*ROW_STUDIES, *HASHED))}.")
    chosen = parser.parse_args(given)
    for name in chosen.names:
        path = pack(name, chosen.rows)
        sys.stderr.write(f"{path.name}: {path.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
