"""`handup run`, killed again and again: it goes on, and the world comes to the same end."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest

from tests.cli.calls import SRC, here
from tests.cli.test_run import KITTING, process, world_of, worlds


@pytest.mark.parametrize("most", [3, pytest.param(6, marks=pytest.mark.soak)])
@pytest.mark.parametrize("people", ["nobody", "simulated"])
def test_killed_at_random_it_comes_to_the_same_end(tmp_path: Path, people: str, most: int) -> None:
    draw = random.Random(11)
    folder = SRC / "handup" / "domains" / "kitting" / "recoveries"
    few = [f"--recoveries={folder / name}.yaml" for name in ("common", "told")] if people == "simulated" else []
    order = (*KITTING, "--seed", "3", "--people", people, "--json", *few)
    whole = here("run", *order, "--store", "whole.db", cwd=tmp_path)
    kills = 0
    while kills < most:
        made = process(tmp_path, *order, "--resume", "--store", "killed.db", "--speed", "400")
        while not worlds(tmp_path / "killed.db") and made.poll() is None:
            time.sleep(0.02)
        time.sleep(draw.uniform(0.3, 1.5))
        if made.poll() is not None:
            break
        made.kill()
        made.wait()
        kills += 1
    assert kills >= 3, "it was killed again and again"
    last = here("run", *order, "--resume", "--store", "killed.db", cwd=tmp_path)
    assert last.code == whole.code
    first, second = json.loads(whole.out), json.loads(last.out)
    for key in ("ending", "reason", "outputs", "result", "failures", "questions", "help_s"):
        assert second[key] == first[key], key
    (state, effects), (killed, others) = world_of(tmp_path / "whole.db"), world_of(tmp_path / "killed.db")
    for each in (state, killed):
        assert each.goal is None
    plain = [{**each.to_json(), "last": None, "helped": None} for each in (state, killed)]
    assert plain[0] == plain[1]
    assert [(each.action, each.at_s, each.code) for each in others] == [
        (each.action, each.at_s, each.code) for each in effects
    ]
    assert len({each.number for each in others}) == len(others)
    assert not any(each.again for each in others), "nothing was repeated, marked or not"
