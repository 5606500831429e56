"""What the docs show is what happens: every example runs, every block runs, every output shown is the real one."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples.pages import ENVIRONMENT, PAGES, ROOT, Block, blocks, plain, run, run_handup, run_python

PYTHON = {page: found for page in PAGES if (found := [each for each in blocks(page) if each.language == "python"])}
COMMANDS = [
    pytest.param(arguments, block, id=f"{page}: handup {' '.join(arguments)}")
    for page in PAGES
    for block in blocks(page)
    for arguments in block.commands
    if arguments[0] != "bench"
]


@pytest.mark.parametrize("page", PYTHON)
def test_python_blocks_of_a_page_run_and_print_what_the_page_shows(page: str) -> None:
    for block, printed in zip(PYTHON[page], run_python(PYTHON[page]), strict=True):
        assert plain(printed) == plain(block.output or "")


@pytest.mark.parametrize(("arguments", "block"), COMMANDS)
def test_a_command_of_the_docs_works_and_prints_what_the_page_shows(arguments: list[str], block: Block) -> None:
    printed = run_handup(arguments)
    if block.output is not None:
        assert len(block.commands) == 1, "one command per output"
        assert plain(printed) == plain(block.output)


def test_the_docs_show_runs() -> None:
    assert sum(block.output is not None for page in PAGES for block in blocks(page)) > 40


def test_wrap_your_policy() -> None:
    done = run(sys.executable, "-m", "examples.wrap_your_policy")
    assert done.returncode == 0, done.stderr
    *decisions, ending = done.stdout.splitlines()
    assert [line.split(" s  ")[1].split(":")[0] for line in decisions] == ["act", "ask", "act"]
    assert ending == "recovered; questions: 1, executions: 2"


def test_own_selector() -> None:
    done = run(sys.executable, "-m", "examples.own_selector")
    assert done.returncode == 0, done.stderr
    contract, *decisions = done.stdout.splitlines()
    assert contract == "the contract is kept"
    assert [line.split(":")[0] for line in decisions] == ["act", "ask", "act"]
    assert "'skill' is the most suspect" in decisions[1]


def test_durable_robot_goes_on_after_a_kill(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "examples.durable_robot", "--auto", "--folder", str(tmp_path))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=ENVIRONMENT) as robot:
        assert robot.stdout is not None
        assert robot.stdout.readline().startswith("mug/act/1: lifting a mug by the handle")
        robot.kill()
    done = run(*command)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "mug/act/1: what became of it before the program ended? It was begun."
    assert done.stdout.splitlines()[1].startswith("mug/act/2: lifting a mug"), "a person said that it may begin"
    assert done.stdout.splitlines()[-1] == "recovered: It worked at try 1. Questions: 1."
    assert run(*command).stdout == "recovered: It worked at try 1. Questions: 1.\n", "what is over is over"
    world = (tmp_path / "did.txt").read_text("utf-8").splitlines()
    assert world == ["mug/act/1 begun", "mug/act/2 begun", "mug/act/2 lifted"]


def test_durable_robot_ends_with_one_line_when_it_is_interrupted(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "examples.durable_robot", "--auto", "--folder", str(tmp_path))
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=ROOT, env=ENVIRONMENT) as robot:
        assert robot.stdout is not None
        robot.stdout.readline()
        robot.send_signal(signal.SIGINT)
        _, said = robot.communicate(timeout=60)
    assert (robot.returncode, said) == (1, "Ended here. The same command goes on from here.\n")


def test_durable_robot_says_in_one_line_what_is_wrong_with_its_store(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_text("no journal")
    done = run(sys.executable, "-m", "examples.durable_robot", "--auto", "--folder", str(tmp_path))
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "[HU40" in done.stderr


def test_when_questions_pay() -> None:
    done = run(sys.executable, "-m", "examples.reaching_questions", "--seeds", "1", "--scenes", "S1", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    _, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()]
    asked = [float(row[2]) for row in rows]
    for these in (asked[:4], asked[4:]):
        assert these == sorted(these), "the cheaper, the more is asked"
        assert these[0] == 0.0 < these[-1]
    assert all(row[5].startswith("+0.00") for row in rows if row[6] == "nothing")
