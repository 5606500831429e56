"""`handup advise`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from handup.cli import advise as command
from handup.core.installation import install_command
from handup.lab.advise import Effort
from tests.cli.calls import assert_one_line_error, here

KEYS = {
    "policy",
    "modules",
    "episodes",
    "seed",
    "expert",
    "w",
    "horizon",
    "recommended",
    "runner_up",
    "ties",
    "best_pair",
    "methods",
    "left_out",
    "flips",
    "flips_episodes",
    "plot",
    "evidence",
}
METRICS = {"success", "query_cost", "failed_attempts", "timesteps", "J"}
FEW = ("--episodes", "20")
POLICY = """\
modules:
  see: {confidence: 0.8, query_cost: 0.2}
  grasp: {confidence: 0.7, query_cost: 0.4, inputs: see}
"""
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    little = Effort(episodes=20, steps=1, halvings=1, decisions=100)
    monkeypatch.setattr(Effort, "for_graph", lambda graph, episodes: little)
    return path


def advised(*arguments: str) -> Any:
    called = here("advise", "--json", *arguments)
    assert called.code == 0, called.err
    return json.loads(called.out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


def test_the_record_has_its_keys_and_kinds(policy: Path) -> None:
    called = here("advise", policy.name, "--json", *FEW, cwd=policy.parent)
    assert called.code == 0, called.err
    record = json.loads(called.out)
    assert set(record) == KEYS
    assert (record["policy"], record["modules"], record["horizon"]) == ("policy.yaml", 2, 8)
    assert (record["episodes"], record["seed"], record["expert"], record["w"]) == (20, 0, 1.0, 0.5)
    assert record["evidence"] == "simulated"
    for row in (record["recommended"], record["runner_up"], record["best_pair"], *record["methods"]):
        assert METRICS | {"method", "same_as", "difference"} <= set(row)
        for metric in METRICS | {"difference"}:
            low, high = row[metric]["ci"]
            assert low - 1e-9 <= row[metric]["mean"] <= high + 1e-9
    assert record["methods"][0] == record["recommended"]
    assert record["methods"][1] == record["runner_up"]
    assert "+" in record["best_pair"]["method"]
    for flips in (record["flips"], record["best_pair"]["flips"]):
        assert list(flips) == ["query_cost", "w", "expert", "confidence"]
        for flip in flips.values():
            assert {"below", "above", "now", "range"} <= set(flip)
            assert flip["below"] is None or flip["below"] < flip["now"]
            assert flip["above"] is None or flip["above"] > flip["now"]
    assert record["plot"] == "policy-advice.svg"
    ElementTree.parse(policy.parent / "policy-advice.svg")


def test_the_words_say_what_to_use_and_where_the_picture_is(policy: Path) -> None:
    called = here("advise", policy.name, *FEW)
    assert called.code == 0, called.err
    record = advised(policy.name, *FEW)
    plain = " ".join(called.out.split())
    assert plain.startswith(f"Use {record['recommended']['method']}. It succeeds in")
    assert "Of the paper's pairs" in plain
    assert record["best_pair"]["method"] in plain
    assert "Runner-up: " in plain
    assert "How near the choice of" in plain
    assert "Simulated: policy.yaml, 2 modules, 20 episodes with each method" in plain
    assert "Picture: policy-advice.svg" in plain
    assert "★" in plain


def test_the_same_call_gives_the_same_words_and_the_same_picture(policy: Path) -> None:
    pictures, words = [], []
    for name in ("one.svg", "two.svg"):
        words.append(here("advise", policy.name, *FEW, "--plot", name).out.replace(name, ""))
        pictures.append((policy.parent / name).read_bytes())
    assert words[0] == words[1]
    assert pictures[0] == pictures[1]
    text = pictures[0].decode()
    assert "troubleshoot" in text
    assert "workload" in text
    assert "simulated" in text


def test_a_picture_in_pixels(policy: Path) -> None:
    record = advised(policy.name, *FEW, "--plot", "here.png")
    assert record["plot"] == "here.png"
    assert (policy.parent / "here.png").read_bytes().startswith(PNG)


def test_no_picture(policy: Path) -> None:
    assert advised(policy.name, *FEW, "--no-plot")["plot"] is None
    assert [path.name for path in policy.parent.iterdir()] == ["policy.yaml"]


def test_options_reach_the_simulation(policy: Path) -> None:
    record = advised(
        policy.name, "--episodes", "20", "--seed", "4", "--expert", "0.9", "--w", "0.2", "--horizon", "3", "--no-plot"
    )
    assert [record[key] for key in ("episodes", "seed", "expert", "w", "horizon")] == [20, 4, 0.9, 0.2, 3]
    assert record["flips"]["w"]["now"] == 0.2
    assert record["recommended"]["timesteps"]["mean"] <= 3.0


def test_without_matplotlib_it_advises_without_a_picture(policy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    called = here("advise", policy.name, *FEW)
    assert called.code == 0, called.err
    assert install_command("lab") in " ".join(called.out.split())
    assert [path.name for path in policy.parent.iterdir()] == ["policy.yaml"]
    assert_one_line_error(here("advise", policy.name, *FEW, "--plot", "a.svg"), "needs the extra 'lab'", "HU301")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.yaml"], ["missing.yaml: ", "there is no such file"]),
        ([], ["POLICY.yaml"]),
        (["policy.yaml", "--episodes", "1"], ["episodes must be a whole number from 2 to"]),
        (["policy.yaml", "--episodes", "many"], ["--episodes", "integer"]),
        (["policy.yaml", "--expert", "2"], ["expert must lie between 0 and 1, got 2", "HU103"]),
        (["policy.yaml", "--w", "nan"], ["w must lie between 0 and 1, got nan", "HU103"]),
        (["policy.yaml", "--horizon", "0"], ["horizon must be a whole number", "HU103"]),
        (["policy.yaml", "--seed", "-1"], ["seed must be a whole number", "HU103"]),
        (["policy.yaml", "--plot", "a.pdf"], ["--plot must end in .svg or .png, got 'a.pdf'"]),
        (["policy.yaml", "--plot", "nowhere/a.svg"], ["can be written", "a folder that exists"]),
        (["policy.yaml", "--colour"], ["--colour"]),
    ],
)
def test_errors_are_one_line(policy: Path, arguments: list[str], words: list[str]) -> None:
    assert_one_line_error(here("advise", *arguments), *words)
    assert [path.name for path in policy.parent.iterdir()] == ["policy.yaml"]


def test_help_has_an_example() -> None:
    called = here("advise", "--help")
    assert called.code == 0
    assert "Example: handup advise examples/policies/bite.yaml" in called.out
    assert "Exit codes: 0 advised" in " ".join(called.out.split())


def test_a_picture_that_cannot_be_written_costs_no_advice(policy: Path) -> None:
    (policy.parent / "policy-advice.svg").symlink_to("/dev/full")
    called = here("advise", str(policy), *FEW, "--json")
    assert called.code == 1
    assert json.loads(called.out)["plot"] is None
    assert called.err.splitlines() == [
        "handup: Cannot write 'policy-advice.svg': No space left on device. Check the disk or the pipe."
    ]
