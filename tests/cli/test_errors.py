"""Whatever is wrong: one line on stderr with place and next step, exit code 2, nothing else anywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calls import POLICY, SRC, assert_one_line_error, here, shell

BITE = SRC.parent / "examples" / "policies" / "bite.yaml"

FILES: dict[str, tuple[str | bytes, list[str]]] = {
    "unknown key": (
        "modules:\n  a: {confidence: 0.5}\n  b: {confidence: 0.5, confidance: 1, inputs: [a]}\n",
        ["bad.yaml:3: ", "'confidance' is no key of 'b'", "Did you mean 'confidence'?"],
    ),
    "unknown top key": ("moduls:\n  a: {confidence: 0.5}\n", ["bad.yaml:1: ", "'moduls'", "Did you mean 'modules'?"]),
    "cycle": (
        "modules:\n  a: {confidence: 0.5, inputs: [b]}\n  b: {confidence: 0.5, inputs: [a]}\n",
        ["bad.yaml:2: ", "cycle: a takes b takes a", "Remove one of these inputs"],
    ),
    "unknown input": (
        "modules:\n  a: {confidence: 0.5}\n  b:\n    confidence: 0.5\n    inputs: [c]\n",
        ["bad.yaml:5: ", "'b' takes 'c', which is no module", "Known: a, b"],
    ),
    "confidence": (
        "modules:\n  a:\n    confidence: 1.2\n",
        ["bad.yaml:3: ", "confidence of 'a' must lie between 0 and 1, got 1.2", "Give a probability"],
    ),
    "negative cost": (
        "modules:\n  a: {confidence: 0.5,\n      query_cost: -0.1}\n",
        ["bad.yaml:3: ", "query_cost of 'a' must be finite and at least 0, got -0.1", "Give what a question costs"],
    ),
    "two final modules": (
        "modules:\n  a: {confidence: 0.5}\n  b: {confidence: 0.5}\n",
        ["bad.yaml:2: ", "2 modules feed no other: a, b", "One module gives the action"],
    ),
    "no YAML": ("modules: [\n", ["bad.yaml:1: ", "no valid YAML"]),
    "no mapping": ("- a\n- b\n", ["bad.yaml:1: ", "Start with 'modules:'"]),
    "empty": ("", ["bad.yaml:1: ", "there is nothing to read", "Start with 'modules:'"]),
    "binary": (b"\x00\xff\xfe\x81" * 100, ["bad.yaml:1: ", "no UTF-8 text", "saved as UTF-8"]),
    "huge": (b"# " + b"a" * (5 * 1024 * 1024), ["bad.yaml: ", "is not read", "check that it is the right file"]),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("case", FILES)
def test_a_bad_policy_is_placed_in_its_file_and_line(case: str, tmp_path: Path) -> None:
    content, words = FILES[case]
    data = content.encode() if isinstance(content, str) else content
    (tmp_path / "bad.yaml").write_bytes(data)
    called = here("decide", "bad.yaml", "--json", cwd=tmp_path)
    assert_one_line_error(called, *words)
    assert [each.name for each in tmp_path.iterdir()] == ["bad.yaml"], "nothing is written"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    called = here("decide", "gone.yaml", cwd=tmp_path)
    assert_one_line_error(called, "gone.yaml: there is no such file", "Check the path")
    assert not list(tmp_path.iterdir())


def test_a_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert_one_line_error(here("decide", "folder", cwd=tmp_path), "folder: this is a directory", "Name a file in it")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--method", "troubleshot"], ["no strategy is called 'troubleshot'", "Did you mean 'troubleshoot'?"]),
        (["--method", "grap+workload-aware"], ["no selector is called 'grap'", "Did you mean 'graph'?"]),
        (["--method", "graph"], ["'graph' is half a method", "SELECTOR+WHEN"]),
        (["--method", "graph+workload-aware", "--tau", "0.5"], ["has no setting 'tau'", "It has: epsilon, lambda"]),
        (["--observed", "failed"], ["--observed is not JSON", "Quote it for the shell"]),
        (["--observed", ""], ["--observed is not JSON"]),
        (["--observed", '{"executed": "failed"}'], ["not a list of records", "Write for example"]),
        (["--observed", "[1]"], ["not a list of records", "Write for example"]),
        (["--observed", '[{"executed": "failed"}, {"sung": 1}]'], ["entry 2 of the history", "Write for example"]),
        (
            ["--observed", '[{"executed": {"ok": false, "certainty": 0.2}}]'],
            ["entry 1 of the history", "certainty", "Write for example"],
        ),
        (["--observed", '[{"answered": "nobody"}]'], ["no module 'nobody'", "It has: camera, haptics, fusion, grasp"]),
        (["--observed", '[{"answered": "no\\nbody"}]'], ["no module 'no body'"]),
        (["--observed", '[{"executed": "failed"}, {"executed": "succeeded"}]'], ["for certain", "certainty below 1"]),
        (["--observed", "[" * 20_000], ["--observed is not JSON"]),
        (["--observed", f"[{'1' * 5_000}]"], ["--observed is not JSON"]),
        (["--expert", "2"], ["expert must lie between 0 and 1, got 2"]),
        (["--expert", "nan"], ["expert must lie between 0 and 1, got nan"]),
        (["--expert", "much"], ["'--expert'", "Try 'handup decide --help'"]),
        (["--w", "-1"], ["w must lie between 0 and 1, got -1"]),
        (["--horizon", "0"], ["--horizon must be above 0 and finite, got 0"]),
        (["--horizon", "inf"], ["got inf"]),
        (["--horizon", "nan"], ["got nan"]),
        (["--frobnicate"], ["--frobnicate", "Try 'handup decide --help'"]),
        (["--method"], ["--method", "Try 'handup --help'"]),
        (["another.yaml"], ["another.yaml", "Try 'handup decide --help'"]),
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else None,
)
def test_a_bad_option_or_history_is_named(arguments: list[str], words: list[str], folder: Path) -> None:
    called = here("decide", str(folder / "policy.yaml"), *arguments)
    assert_one_line_error(called, *words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["decide"], ["POLICY.yaml"]),
        (["decied", "policy.yaml"], ["decied"]),
        (["--verson"], ["--verson"]),
        (["bench", "decisons"], ["decisons"]),
        (["doctor", "me"], ["me"]),
        (["decide", "policy.yaml", "--frobnicate"], ["--frobnicate"]),
        (["decide", "policy.yaml", "--observed", "[{"], ["--observed is not JSON"]),
        (["decide", "policy.yaml", "--observed", f"[{'1' * 5_000}]"], ["--observed is not JSON"]),
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else None,
)
def test_a_wrong_call_in_a_shell_ends_in_one_line(arguments: list[str], words: list[str], folder: Path) -> None:
    called = here(*arguments, cwd=folder)
    assert_one_line_error(called, *words)
    assert [each.name for each in folder.iterdir()] == ["policy.yaml"]


def test_a_file_name_of_two_lines_makes_no_second_line(tmp_path: Path) -> None:
    assert_one_line_error(here("decide", "two\nlines.yaml", cwd=tmp_path), "no such file")


def test_a_file_name_that_is_no_text_makes_no_traceback(tmp_path: Path) -> None:
    assert_one_line_error(shell("decide", b"\xff.yaml", cwd=tmp_path), "no such file")


def test_square_brackets_in_a_message_are_no_markup(tmp_path: Path) -> None:
    assert_one_line_error(here("decide", "[red]gone[/red].yaml", cwd=tmp_path), "[red]gone[/red].yaml")


def test_a_terminal_without_unicode_gets_the_decision_all_the_same(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "handup", "decide", str(BITE)],
        env={**os.environ, "PYTHONPATH": str(SRC), "PYTHONIOENCODING": "ascii"},
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"ask about 'skill'")


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "handup", "decide", str(BITE)],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(SRC)},
            cwd=tmp_path,
            check=False,
            timeout=120,
        )
    assert done.returncode == 1
    lines = done.stderr.decode().splitlines()
    assert lines == ["handup: Cannot write: No space left on device. Check the disk or the pipe."]


def test_a_negative_seed_is_refused(tmp_path: Path) -> None:
    assert_one_line_error(here("bench", "decisions", "--seed", "-1", cwd=tmp_path), "--seed")
