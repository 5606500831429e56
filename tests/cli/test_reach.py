"""`handup reach`: a simulated trial in one record; a person at the page, whose silence, questions and stops hold."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from handup.desk import Desk
from handup.desk.events import Asked
from handup.domains.reaching import SteeringHabit, User, episode, method, scene
from handup.journal import Journal
from handup.lab.studies.reaching.trials import FIRST_TRYING
from tests.cli.calls import assert_one_line_error, here
from tests.cli.reaching import Reaching, Stick, rests
from tests.fakes.panels import numbers


def test_a_simulated_person_gives_one_record_the_trials_own() -> None:
    called = here(
        "reach", "--user", "stop-over", "--task", "cup/side", "--method", "manual", "--seed", "5003", "--json"
    )
    assert (called.code, called.err) == (0, "")
    found: dict[str, Any] = json.loads(called.out)
    trial = episode(scene("S1"), "cup/side", User(strategy=SteeringHabit.STOP_OVER), method("manual"), 5003)
    assert found.pop("version")
    assert found.pop("evidence") == "simulated"
    assert found == json.loads(json.dumps(trial.to_json()))


def test_without_a_seed_it_is_nobody_of_the_study() -> None:
    called = here("reach", "--user", "stop-beside", "--task", "chips can/side", "--method", "manual", "--json")
    assert json.loads(called.out)["seed"] == FIRST_TRYING


def test_without_a_task_it_is_the_scenes_first_and_people_read_a_table() -> None:
    called = here("reach", "--scene", "U6", "--user", "rotate-first", "--method", "manual")
    assert called.code == 0
    assert "rotate-first" in called.out
    assert "U6, bottle/side, with manual; a simulated person." in called.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scene", "S9"], ["S9", "U22"]),
        (["--user", "nobody"], ["nobody", "stop-beside"]),
        (["--user", "stop-over", "--task", "cup/bottom"], ["cup/bottom"]),
        (["--user", "stop-over", "--method", "magic"], ["magic", "assist"]),
        (["--user", "stop-over", "--store", "x.db"], ["--store"]),
        (["--user", "stop-over", "--port", "8800"], ["--port"]),
        (["--user", "stop-over", "--no-browser"], ["--no-browser"]),
        (["--user", "stop-over", "--no-wait"], ["--no-wait"]),
        (["--user", "stop-over", "--limit", "600"], ["--limit"]),
        (["--user", "stop-over", "--linger", "0"], ["--linger"]),
        (["--seed", "5001"], ["--seed"]),
        (["--task", "cup/bottom"], ["cup/bottom"]),
        (["--method", "magic"], ["magic"]),
    ],
    ids=" ".join,
)
def test_what_cannot_be_is_one_line(arguments: list[str], words: list[str]) -> None:
    assert_one_line_error(here("reach", *arguments), *words)


def test_a_push_moves_the_hand_and_silence_and_a_late_push_do_not(tmp_path: Path) -> None:
    with Reaching(tmp_path, "--method", "manual", "--json") as reaching, Stick(reaching) as stick:
        reaching.until(reaching.state)
        start = reaching.hand()
        assert rests(reaching), "nobody steers"
        assert reaching.state()["phase"] == "holding"
        stick.push = (0.0, 1.0, 0.0)
        reaching.until(lambda: reaching.hand()[1] > start[1] + 0.03)
        assert reaching.scene()["driver"] == "you"
        stick.push = None  # as if the page was gone
        reaching.until(lambda: reaching.state()["phase"] == "holding")
        assert rests(reaching)
        stick.push, stick.late_s = (0.0, 1.0, 0.0), 5.0
        assert rests(reaching), "what was pushed long ago moves nothing"
        assert stick.refused == []
        stick.late_s, stick.mode = 0.0, "rotate"
        reaching.until(lambda: numbers(reaching.state())["changes of mode"] == 1)
        here_now = reaching.hand()
        reaching.until(lambda: abs(reaching.scene()["hand"][3] - 1.0) > 0.01)
        assert reaching.hand() == here_now, "it only turns"
        stick.closing = True
        reaching.until(lambda: "nothing to hold" in reaching.state()["why"])
        assert reaching.robot.poll() is None, "a miss is no end"


def test_a_stop_holds_the_hand_until_somebody_lets_it_go_on(tmp_path: Path) -> None:
    with Reaching(tmp_path, "--method", "manual", "--json") as reaching, Stick(reaching) as stick:
        stick.push = (0.0, 1.0, 0.0)
        reaching.until(lambda: reaching.state().get("phase") == "moving")
        reaching.client.stop("a test")
        reaching.until(lambda: reaching.state()["phase"] == "stopped")
        assert rests(reaching), "though the stick is pushed"
        reaching.client.enable()
        reaching.until(lambda: reaching.state()["phase"] == "moving")


def test_a_question_goes_through_the_desk_and_the_hand_stands_still_meanwhile(tmp_path: Path) -> None:
    with Reaching(tmp_path, "--method", "entropy", "--json") as reaching, Stick(reaching) as stick:
        stick.push = (1.0, 0.0, 0.0)
        reaching.until(lambda: reaching.state().get("phase") == "asking")
        [record] = reaching.until(reaching.client.waiting)
        assert record.question.prompt.startswith("Do you want the ")
        assert rests(reaching), "though the stick is pushed"
        reaching.client.answer(record.id, True)
        asked = record.question.prompt.removeprefix("Do you want the ").split(", with ")[0]
        reaching.until(lambda: max(reaching.scene()["goals"], key=lambda goal: goal["chance"])["object"] == asked)
        reaching.until(lambda: reaching.state()["phase"] == "moving" or reaching.client.waiting())
        with Journal.open(reaching.store, readonly=True) as journal:
            assert [each for each in journal.read() if isinstance(each.event, Asked)]


def test_after_a_crash_in_a_question_the_attempt_goes_on_and_another_takes_the_question_back(tmp_path: Path) -> None:
    with Reaching(tmp_path, "--method", "entropy") as reaching, Stick(reaching) as stick:
        stick.push = (1.0, 0.0, 0.0)
        [asked] = reaching.until(reaching.client.waiting)
        reaching.until(lambda: reaching.state().get("phase") == "asking")
        before = reaching.scene()
        reaching.crash()
    with Reaching(tmp_path, "--method", "entropy") as reaching:
        [again] = reaching.until(reaching.client.waiting)
        reaching.until(lambda: reaching.state().get("phase") == "asking")
        assert (again.id, reaching.scene()["hand"]) == (asked.id, before["hand"])
        assert "goes on" in reaching.said
        reaching.crash()
    with Reaching(tmp_path, "--method", "entropy", "--scene", "U6") as reaching:
        reaching.until(reaching.state)
        assert reaching.client.waiting() == ()
        record = reaching.client.record(asked.id)
        assert record is not None
        assert record.status == "withdrawn"
        assert reaching.scene()["hand"] != before["hand"]


def test_who_leaves_leaves_no_question_behind(tmp_path: Path) -> None:
    with Reaching(tmp_path, "--method", "entropy") as reaching, Stick(reaching) as stick:
        stick.push = (1.0, 0.0, 0.0)
        [asked] = reaching.until(reaching.client.waiting)
    with Journal.open(reaching.store) as journal, Desk(journal, []) as desk:
        assert desk.pending() == ()
        record = desk.record(asked.id)
        assert record is not None
        assert record.status == "withdrawn"


def test_every_code_that_it_ends_with_is_in_its_help() -> None:
    told = " ".join(here("reach", "--help").out.split())
    assert all(code in told for code in ("0 it is over", "130 left with Ctrl-C", "143 with SIGTERM", "129 when"))


def test_a_whole_reach_ends_with_its_record(tmp_path: Path) -> None:
    """To the chips can, from the side: aim, go there, close."""
    goal = scene("S1").goal("chips can/side").poses[2].position
    with (
        Reaching(tmp_path, "--task", "chips can/side", "--method", "manual", "--json") as reaching,
        Stick(reaching) as stick,
    ):
        reaching.until(reaching.state)

        def near() -> bool:
            at = reaching.hand()
            ways = [there - where for there, where in zip(goal, at, strict=True)]
            if abs(ways[1]) > 0.008 or abs(ways[2]) > 0.008:
                ways[0] = 0.0  # beside it first
            x, y, z = (max(-1.0, min(1.0, each / 0.04)) for each in ways)
            stick.push = (x, y, z)
            return math.dist(goal, at) < 0.008

        reaching.until(near)
        stick.push, stick.closing = (0.0, 0.0, 0.0), True
        found = reaching.over()
    assert (found["success"], found["held"], found["endings"]) == (True, "chips can/side", ["grasped"])
    assert (found["strategy"], found["evidence"], found["questions"]) == ("you", "person", 0)
    assert found["time_s"] > 3.0
