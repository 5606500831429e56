"""Assistants that ask: the paper's, looking far ahead, and ours, for somebody whom questions cost nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from handup.intent import Ask, Assist, Assistant, Goal, Helper, Paper, Points
from tests.intent.places import CUP_TOP, START, TABLE, towards

EAGER = Paper(points=Points(look_ahead_s=2.0))
"""Looks so far ahead that it asks."""
CURIOUS = replace(Assist(), question_s=0.01, load_s=0.0, watch_s=0.1)
"""Ours, for somebody whom questions cost nothing."""
TORN = np.array([0.48, 0.48, 0.01, 0.01, 0.02])
"""Between the two grasps of the cup."""


def asking(assistant: Assistant, goal: Goal = CUP_TOP, most: int = 200) -> Ask:
    """Push at a goal until it asks."""
    pose = START
    for _ in range(most):
        stick = towards(pose, goal)
        said = assistant.step(pose, stick, 0.1)
        if isinstance(said, Ask):
            return said
        pose = pose.moved(stick.linear, stick.angular, 0.1)
    pytest.fail("it never asked")


def torn(helper: Helper = CURIOUS, **more: Any) -> Assistant:
    """One that does not know which grasp of the cup is meant."""
    assistant = Assistant(TABLE, helper, **more)
    weights = TORN if assistant.state.belief.unknown else np.append(TORN[:-1] / TORN[:-1].sum(), 0.0)
    assistant.state = replace(assistant.state, belief=replace(assistant.state.belief, weights=weights))
    return assistant


def asked_ours(assistant: Assistant) -> Ask:
    """What ours asks where it is torn."""
    said = assistant.step(START, towards(START, CUP_TOP), 0.1)
    assert isinstance(said, Ask)
    return said
