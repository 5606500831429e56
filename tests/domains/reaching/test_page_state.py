"""What a page is told: help only where some is given, and what stops the hand."""

from __future__ import annotations

import pytest

from handup.domains.reaching import Mode, scene
from handup.domains.reaching.driven_hand import DevicePush, Drive
from handup.domains.reaching.page_drive import MOMENT_S, Noticing, said_of
from handup.domains.reaching.scenes import Gripper
from handup.intent import Pose
from handup.intent.pose import Vector


@pytest.mark.parametrize("why", ["to cup/top", "hindsight", "carry", "no-assist"])
def test_a_command_that_adds_nothing_is_no_help(why: str) -> None:
    assert said_of(why, still=True) == "only following you"


def test_why_it_holds_back_is_still_said() -> None:
    why = "hands off near an object"
    assert said_of(why, still=True) == said_of(why) != "only following you"


def noticed(pushed: Vector, seconds: float, start: Vector, mode: Mode = Mode.TRANSLATE) -> str:
    """Why, after somebody has pushed for some seconds."""
    drive, noticing = Drive(scene("S1"), helper="manual"), Noticing()
    drive.hand = Gripper(Pose(start), drive.scene.obstacles)
    push = DevicePush(mode, pushed)
    for step in range(round(seconds * 40)):
        before = drive.hand.pose
        drive.tick(push)
        noticing.look(drive, push, before, missed=False, now_s=step / 40)
    return noticing.why


HIGH_UP, LOW_DOWN = (0.2, 0.0, 0.3), (0.2, 0.0, 0.041)


def test_only_more_than_a_moment_counts() -> None:
    down = (0.0, 0.0, -1.0)
    assert noticed(down, MOMENT_S - 0.05, LOW_DOWN) == ""
    assert noticed(down, MOMENT_S + 0.05, LOW_DOWN) == "Something is in the way: the table"
    assert noticed(down, 1.0, HIGH_UP) == ""


def test_a_hand_that_slides_along_is_not_stopped() -> None:
    assert noticed((0.0, 1.0, -1.0), 1.0, LOW_DOWN) == ""


def test_what_cannot_turn_is_stopped_as_well() -> None:
    assert noticed((0.0, -1.0, 0.0), 1.0, LOW_DOWN, Mode.ROTATE) == "Something is in the way: the table"
