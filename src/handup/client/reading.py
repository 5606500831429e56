"""How requests go through httpx, for both clients."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import httpx

from handup.client import calls
from handup.client.calls import Call
from handup.desk import Record

CONNECT_S = 2.0
"""So long a connection may take to be made."""
NOT_ARRIVED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Failures before anything was sent."""


def limits(call: Call[Any]) -> dict[str, Any]:
    """A request as httpx takes it."""
    return {**call.arguments(), "timeout": httpx.Timeout(call.timeout_s, connect=min(CONNECT_S, call.timeout_s))}


def body_of(response: httpx.Response) -> Any:
    """The JSON of an answer; None where there is none."""
    if not response.content:
        return None
    try:
        return response.json()
    except ValueError:
        return response.text[:200]


def polls(question: str, timeout_s: float | None) -> Iterator[tuple[Call[Record | None], float]]:
    """One request after the other that waits for a question, until the time is up; each with the time that is left."""
    until = math.inf if timeout_s is None else time.monotonic() + timeout_s
    left_s = until - time.monotonic()
    yield calls.wait(question, left_s), max(left_s, 0.0)
    while (left_s := until - time.monotonic()) > 0:
        yield calls.wait(question, left_s), left_s
