"""The shipped model of interruptibility is what its script trains, in the world as it is."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest

from handup.people.interruptibility import FILE, interruptibility_model
from train.interruptibility import trained, world_digest


def test_training_again_gives_the_shipped_model() -> None:
    record, forest = trained()
    shipped = json.loads(files("handup.people").joinpath(f"{FILE}.json").read_text(encoding="utf-8"))
    assert record["provenance"] == shipped["provenance"]
    assert shipped["provenance"]["world"] == world_digest()
    assert record["rates"] == shipped["rates"]
    assert (record["slope"], record["intercept"]) == pytest.approx((shipped["slope"], shipped["intercept"]), abs=1e-4)
    assert np.array_equal(forest.threshold, interruptibility_model().forest.threshold)
    for sensing, scores in record["held_out"].items():
        for name, found in scores.items():
            assert found == pytest.approx(shipped["held_out"][sensing][name], abs=1e-3)
