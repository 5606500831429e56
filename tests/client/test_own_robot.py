"""The example of a robot of one's own, as a program of its own."""

from __future__ import annotations

import subprocess
import sys

from handup.client import Client
from handup.core import ReplyKind
from tests.client.people import Ana
from tests.client.servers import ENVIRONMENT, ROOT, Server, free_port
from tests.deadlines import soon

COMMAND = (sys.executable, "-m", "examples.own_robot")


def robot_of(server: Server, run: str) -> subprocess.Popen[str]:
    command = (*COMMAND, "--url", server.url, "--token", server.robot, "--run", run)
    return subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)


def said_by(robot: subprocess.Popen[str]) -> list[str]:
    said, _ = robot.communicate(timeout=60)
    assert robot.returncode == 0
    return [line.split(":")[0] for line in said.splitlines()]


def test_it_asks_and_opens_the_drawer(own_server: Server) -> None:
    with Ana(own_server, {"side": "right", "force": 5.0}) as ana:
        assert said_by(robot_of(own_server, "drawer-1")) == ["act", "ask", "act", "recovered"]
    assert ana.asked == ["drawer-1/side/1"]


def test_it_survives_the_server_and_gets_the_same_question_after_its_own_death(own_server: Server) -> None:
    with Client(own_server.url, own_server.tokens["ana"], patience_s=60) as ana:
        first = robot_of(own_server, "drawer-2")
        soon(ana.waiting, 30)
        first.kill()
        first.communicate()
        second = robot_of(own_server, "drawer-2")
        own_server.kill()
        own_server.start()
        (asked,) = ana.waiting()
        assert ana.answer(asked.id, "right").accepted
        assert said_by(second)[-1] == "recovered"


def test_somebody_lets_it_try(own_server: Server) -> None:
    with Client(own_server.url, own_server.tokens["ana"]) as ana:
        robot = robot_of(own_server, "drawer-3")
        soon(ana.waiting, 30)
        assert ana.reply(ana.waiting()[0].id, ReplyKind.LET_ROBOT_TRY).accepted
        soon(lambda: [asked for asked in ana.waiting() if asked.id == "drawer-3/side/2"], 30)
        assert ana.answer("drawer-3/side/2", "right").accepted
        assert said_by(robot) == ["act", "ask", "act", "ask", "act", "recovered"]


def test_somebody_says_stop(own_server: Server) -> None:
    with Client(own_server.url, own_server.tokens["ana"]) as ana:
        robot = robot_of(own_server, "drawer-4")
        soon(ana.waiting, 30)
        ana.stop("the cat is in the drawer")
        assert said_by(robot)[-1] == "stopped"


def test_without_a_server_it_says_so_in_one_line() -> None:
    command = (*COMMAND, "--url", f"http://127.0.0.1:{free_port()}", "--token", "token")
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "[HU512]" in done.stderr
