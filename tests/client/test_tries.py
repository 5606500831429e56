"""When a request is sent again, and what a refusal becomes."""

from __future__ import annotations

import math

import httpx
import pytest

from handup.client import calls
from handup.client.calls import LONGEST_PAUSE_S, Tries, answered, refusal
from handup.core import (
    BadRequest,
    HandupError,
    NotForYou,
    NotPaired,
    ServerRefused,
    ServerUnreachable,
    TooFast,
)

REFUSED = httpx.ConnectError("connection refused")


def test_a_server_that_is_not_there_is_tried_with_growing_pauses() -> None:
    tries = Tries(calls.health(), "http://here", math.inf)
    pauses = [tries.lost(REFUSED) for _ in range(8)]
    assert pauses == sorted(pauses)
    assert pauses[0] < 0.1
    assert pauses[-1] == LONGEST_PAUSE_S


def test_when_patience_ends_the_error_says_what_to_do() -> None:
    with pytest.raises(ServerUnreachable) as told:
        Tries(calls.health(), "http://here", 0.0).lost(REFUSED)
    assert "no handup server answers at http://here (connection refused)" in str(told.value)
    assert "handup serve" in told.value.hint


@pytest.mark.parametrize("call", [calls.enable(), calls.pair("CODE", "tablet"), calls.leave()], ids=lambda c: c.path)
def test_what_must_not_be_done_twice_is_sent_again_only_where_it_cannot_have_arrived(
    call: calls.ServerCall[object],
) -> None:
    tries = Tries(call, "http://here", math.inf)
    assert tries.lost(REFUSED) > 0
    with pytest.raises(ServerUnreachable, match="may have been carried out"):
        tries.lost(httpx.ReadError("reset"))
    assert tries.busy(503, None, None) is None, "it is told, not tried again"


def test_a_reply_keeps_its_token_however_often_it_is_sent() -> None:
    call = calls.answer("run/food/1", "plum")
    assert call.again
    assert call.json is not None
    assert call.arguments()["json"]["token"] == call.arguments()["json"]["token"] != ""
    assert "by" not in call.json, "the server knows whom it paired"
    other = calls.answer("run/food/1", "plum")
    assert other.json is not None
    assert other.json["token"] != call.json["token"]


def test_a_server_that_says_when_to_come_back_is_left_alone_until_then() -> None:
    tries = Tries(calls.health(), "http://here", math.inf)
    assert tries.busy(429, "2.5", None) == 2.5
    assert tries.busy(503, "a date", None) == pytest.approx(0.1)
    assert tries.busy(200, None, None) is None


def test_a_server_that_is_busy_for_too_long_is_told_as_it_says() -> None:
    body = {"error": {"code": "HU504", "cause": "too many requests", "hint": "Slow down."}}
    with pytest.raises(TooFast, match="too many requests"):
        Tries(calls.health(), "http://here", 1.0).busy(429, "60", body)


@pytest.mark.parametrize(
    ("status", "code", "kind"), [(401, "HU501", NotPaired), (403, "HU502", NotForYou), (422, "HU507", BadRequest)]
)
def test_a_refusal_is_the_error_that_the_server_names(status: int, code: str, kind: type[HandupError]) -> None:
    error = refusal(status, {"error": {"code": code, "cause": "because", "hint": "Do this."}})
    assert type(error) is kind
    assert (error.cause, error.hint) == ("because", "Do this.")


@pytest.mark.parametrize("body", [None, "<html>", {"detail": "no"}, {"error": "no"}, {"error": {"code": "HU999"}}, []])
def test_what_no_handup_server_says_is_still_one_clear_line(body: object) -> None:
    error = refusal(502, body)
    assert type(error) is ServerRefused
    assert str(error).count("\n") == 0


@pytest.mark.parametrize("said", [None, "text", [], {"id": 3}, {"status": "answered"}])
def test_an_answer_that_cannot_be_read_is_refused(said: object) -> None:
    with pytest.raises(ServerRefused):
        answered(calls.claim("run/food/1"), 200, said)
    with pytest.raises(ServerRefused):
        answered(calls.me(), 200, "text")
