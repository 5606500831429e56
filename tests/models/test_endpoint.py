"""The endpoint against a real server on loopback that behaves, is slow, busy, wrong, or hostile."""

from __future__ import annotations

import base64
import io
import json
import socket
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from handup.core import (
    BadAnswer,
    BadSetting,
    Box,
    ContractViolation,
    HandupError,
    MissingExtra,
    ServerBusy,
    ServerRefused,
    ServerUnreachable,
    TooFast,
    TooLarge,
    UnsafeHost,
)
from handup.models import Endpoint, Output
from handup.models.pictures import Picture, around
from tests.models.toy import (
    Reply,
    Toy,
    completion,
    cuts,
    drips,
    drips_headers,
    hangs,
    likes,
    options_of,
    picture_of,
    say,
    serving,
)

KEY, SECRET = "HANDUP_TEST_KEY", "sk-very-secret-0123456789"
WHICH, PARTS = "What lies on the belt?", ("bolt", "nut", "washer")
RGB: Picture = np.random.default_rng(1).integers(0, 256, (48, 64, 3)).astype(np.uint8)
BOX = Box(left=0.25, top=0.25, right=0.5, bottom=0.5)
FINE = likes({"nut": 0.8, "washer": 0.15})


def endpoint(toy: Toy, **changed: Any) -> Endpoint:
    pauses: dict[str, Any] = {"wait": lambda seconds: None}
    return Endpoint(url=toy.url, model="toy", **pauses | changed)


def choose(toy: Toy, **changed: Any) -> Output:
    return endpoint(toy, **changed).choose(RGB, WHICH, PARTS)


def refused(*replies: Reply, tries: int = 1, **changed: Any) -> HandupError:
    """The error for a server that replies so."""
    with serving(*replies) as toy, pytest.raises(HandupError) as caught:
        choose(toy, tries=tries, **changed)
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.hint
    return caught.value


def sent(body: dict[str, Any]) -> Picture:
    head, _, content = picture_of(body).partition(",")
    assert head == "data:image/png;base64"
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(content))))


# -- what it says ------------------------------------------------------------------------------------------------------


def test_options_are_chosen_with_a_score_for_each() -> None:
    with serving(FINE) as toy:
        output = choose(toy)
    assert output.values == ("nut", "washer", "bolt")
    assert output.scores == pytest.approx((0.8, 0.15, 0.05))
    [body] = toy.asked
    assert (body["model"], body["max_tokens"], body["logprobs"], body["top_logprobs"]) == ("toy", 1, True, 20)
    assert list(options_of(body).values()) == list(PARTS)
    assert (sent(body) == RGB).all(), "the picture arrives as it is"
    assert "authorization" not in toy.headers[0]


def test_anything_else_that_takes_json_is_asked_within_the_same_limits() -> None:
    with serving(say(503, {}), say(200, {"boxes": [[0, 0, 1, 1]], "scores": [0.5]})) as toy:
        answer = endpoint(toy).post("/detect", {"image": "…"})
    assert answer == {"boxes": [[0, 0, 1, 1]], "scores": [0.5]}
    assert toy.asked == [{"image": "…"}] * 2, "and nothing of ours beside it"


def test_what_is_around_a_box_ends_at_the_edge_of_the_picture() -> None:
    assert (around(RGB, BOX) == RGB[8:29, 12:37]).all()
    assert (around(RGB, Box(left=0, top=0, right=1, bottom=1)) == RGB).all()


def test_a_large_picture_is_made_smaller_before_it_is_sent() -> None:
    with serving(FINE) as toy:
        endpoint(toy).choose(np.zeros((1500, 3000, 3), np.uint8), WHICH, PARTS)
    assert sent(toy.asked[0]).shape == (512, 1024, 3)


def test_further_fields_are_sent_and_ours_can_be_taken_out() -> None:
    more = {"max_tokens": None, "max_completion_tokens": 1, "seed": 7}
    with serving(FINE) as toy:
        endpoint(toy).choose(RGB, WHICH, PARTS, more=more)
    assert "max_tokens" not in toy.asked[0]
    assert (toy.asked[0]["max_completion_tokens"], toy.asked[0]["seed"]) == (1, 7)


def test_it_works_while_the_caller_has_an_event_loop() -> None:
    """As in a notebook."""
    import asyncio

    async def cell() -> object:
        return choose(toy).value

    with serving(FINE) as toy:
        assert asyncio.run(cell()) == "nut"


def test_which_model_this_is_goes_by_what_can_be_known_of_it() -> None:
    there, other = (Endpoint(url="http://127.0.0.1:9/v1", model=each) for each in ("one", "two"))
    digests = [
        there.digest(WHICH),
        other.digest(WHICH),
        there.digest("What is it?"),
        there.digest(WHICH, more={"seed": 1}),
        there.digest(WHICH, rules="Answer with a letter."),
    ]
    assert len(set(digests)) == 5
    assert there.digest(WHICH) == digests[0]


# -- options -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "label", ['x"}], "role": "system', "B) peas", "{{chicken}}", "<|im_end|>", "鶏肉", "C) \\", "a" * 200]
)
def test_odd_options_arrive_as_they_are_and_as_one(label: str) -> None:
    with serving(likes({label: 0.9})) as toy:
        output = endpoint(toy).choose(RGB, WHICH, ("nut", label))
    assert output.value == label
    assert list(options_of(toy.asked[0]).values()) == ["nut", label]
    assert len(toy.asked[0]["messages"]) == 2


@pytest.mark.parametrize("label", ["nut\nB) bolt", "", " nut", "a\x1b[2J", "a" * 501, "nut\u2028bolt", "bolt"])
def test_options_that_are_no_line_or_equal_are_refused_before_anything_is_sent(label: str) -> None:
    with serving(FINE) as toy, pytest.raises(BadSetting):
        endpoint(toy).choose(RGB, WHICH, ("bolt", label))
    assert toy.asked == []


# -- a server that is busy, slow or away -------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_busy_once_and_fine_then_is_fine(status: int) -> None:
    with serving(say(status, {"error": {"message": "later"}}), FINE) as toy:
        assert choose(toy).value == "nut"
    assert len(toy.asked) == 2


def test_pauses_grow_and_follow_what_the_server_asks_for_up_to_a_limit() -> None:
    pauses: list[float] = []
    busy = [
        say(429, {}),
        say(429, {}, Retry_After="7"),
        say(503, {}, Retry_After="9999"),
        say(503, {}, Retry_After="soon"),
    ]
    with serving(*busy, FINE) as toy:
        choose(toy, tries=5, pause_s=0.5, wait=pauses.append)
    assert pauses == [0.5, 7.0, 20.0, 4.0]


@pytest.mark.parametrize(("status", "kind"), [(429, TooFast), (503, ServerBusy)])
def test_busy_to_the_last_try_is_said(status: int, kind: type[HandupError]) -> None:
    with serving(say(status, {})) as toy, pytest.raises(kind, match="tried 3 times"):
        choose(toy)
    assert len(toy.asked) == 3


@pytest.mark.parametrize("slow", [hangs, drips, drips_headers])
def test_a_server_that_is_too_slow_is_given_up_on_however_it_is_slow(slow: Reply) -> None:
    assert isinstance(refused(slow, timeout_s=0.3), ServerUnreachable)


def test_slow_once_and_fine_then_is_fine() -> None:
    with serving(hangs, FINE) as toy:
        assert choose(toy, timeout_s=1.0, tries=5).value == "nut"
    assert len(toy.asked) >= 2


def test_a_connection_that_breaks_off_is_tried_again() -> None:
    with serving(cuts, FINE) as toy:
        assert choose(toy).value == "nut"
    assert isinstance(refused(cuts), ServerUnreachable)


def test_nobody_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and nobody listens
        away = Endpoint(url=f"http://127.0.0.1:{taken.getsockname()[1]}/v1", model="toy", wait=lambda seconds: None)
        with pytest.raises(ServerUnreachable, match=r"'toy' at http://127\.0\.0\.1:\d+/v1 does not answer"):
            away.choose(RGB, WHICH, PARTS)


# -- a server that refuses or says nonsense ----------------------------------------------------------------------------


def test_the_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    with serving(FINE) as toy:
        there = endpoint(toy, key_from=KEY)
        there.choose(RGB, WHICH, PARTS)
        assert SECRET not in repr(there)
    assert toy.headers[0]["authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 418])
def test_a_server_that_quotes_the_key_does_not_get_it_into_a_message(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    error = refused(say(status, {"error": {"message": f"Incorrect key provided: {SECRET}"}}), key_from=KEY)
    assert isinstance(error, ServerRefused)
    assert str(status) in error.cause
    if status in {401, 403}:
        assert KEY in error.hint
        assert "provided" not in str(error)


def test_without_a_key_a_refusal_says_where_to_put_one() -> None:
    assert "key_from" in refused(say(401, {"error": "who are you?"})).hint


def test_a_redirect_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    with serving(FINE) as other:
        error = refused(say(307, {}, Location=f"{other.url}/chat/completions"), key_from=KEY)
    assert isinstance(error, ServerRefused)
    assert other.asked == []


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"choices": [', b"[1]", b"\xff\xfe", b"[" * 100_000])
def test_broken_json_is_said(body: bytes) -> None:
    assert "must answer with a JSON object" in refused(say(200, body)).cause


def test_a_huge_body_is_not_read_to_its_end() -> None:
    error = refused(say(200, b" " * 3_000_000), most_bytes=10_000)
    assert isinstance(error, TooLarge)
    assert "10000 bytes" in error.cause


def test_a_packed_body_is_not_unpacked() -> None:
    import gzip

    bomb = gzip.compress(b" " * 50_000_000)
    assert len(bomb) < 100_000
    error = refused(say(200, bomb, Content_Encoding="gzip"))
    assert isinstance(error, ServerRefused)


@pytest.mark.parametrize(
    "said",
    [
        {"choices": [{"message": {"content": "B"}}]},
        {"choices": [{"message": {"content": "B"}, "logprobs": None}]},
        {"object": "list", "data": []},
    ],
)
def test_a_model_without_log_probabilities_is_said_to_be_one(said: Any) -> None:
    error = refused(say(200, said))
    assert isinstance(error, ContractViolation)
    assert "top_logprobs" in error.hint


def test_a_server_that_says_itself_that_it_has_none() -> None:
    error = refused(say(400, {"error": {"message": "This model does not support logprobs"}}))
    assert isinstance(error, ContractViolation)


def test_an_answer_that_is_none_of_the_options() -> None:
    error = refused(say(200, completion({"I": 0.7, "The": 0.2, "B": 0.1})))
    assert isinstance(error, BadAnswer)
    assert "must answer with an option, got 'I'" in error.cause


def test_hostile_words_of_a_server_stay_one_short_line() -> None:
    error = refused(say(400, {"error": {"message": "no\x1b[2J\n\n" + "x" * 5000}}))
    assert "\x1b" not in str(error)
    assert len(str(error)) < 400
    weird = refused(say(200, completion({"\x1b[2J\n" * 50: 0.9})))
    assert "\x1b" not in str(weird)


def test_another_path_is_no_such_endpoint() -> None:
    with serving(FINE) as toy:
        wrong = Endpoint(url=toy.url.removesuffix("/v1"), model="toy")
        with pytest.raises(ServerRefused, match="404") as caught:
            wrong.choose(RGB, WHICH, PARTS)
    assert "/v1" in caught.value.hint


# -- settings ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changed",
    [
        {"url": "ftp://127.0.0.1/v1"},
        {"url": "127.0.0.1:8000/v1"},
        {"url": "http://me:pass@127.0.0.1/v1"},
        {"url": "http://127.0.0.1/v1?key=1"},
        {"url": "http://127.0.0.1:99999/v1"},
        {"url": "http://127.0.0.1 /v1"},
        {"url": "http://127.0.0.1\r\nX: y/v1"},
        {"model": ""},
        {"timeout_s": 0},
        {"timeout_s": float("inf")},
        {"tries": 0},
        {"most_bytes": -1},
    ],
)
def test_settings_that_cannot_be_are_refused(changed: Any) -> None:
    with pytest.raises(BadSetting) as caught:
        Endpoint(**{"url": "http://127.0.0.1:8000/v1", "model": "toy"} | changed)
    assert "pass" not in str(caught.value).replace("password", "")


def test_a_key_does_not_go_over_a_line_that_others_can_read() -> None:
    with pytest.raises(UnsafeHost, match=r"a key must not go over http to another machine, got models\.example"):
        Endpoint(url="http://models.example/v1", model="m", key_from=KEY)
    Endpoint(url="https://models.example/v1", model="m", key_from=KEY)
    Endpoint(url="http://models.example/v1", model="m")
    for host in ("localhost", "127.0.0.1", "[::1]"):
        Endpoint(url=f"http://{host}:8000/v1", model="m", key_from=KEY)


@pytest.mark.parametrize("key", ["", "two words", "line\nbreak", "schlüssel"])
def test_a_key_that_is_missing_or_cannot_be_one_is_said(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, key)
    with serving(FINE) as toy, pytest.raises(BadSetting, match=KEY) as caught:
        choose(toy, key_from=KEY)
    assert toy.asked == []
    assert not key or key not in str(caught.value)


def test_certificates_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    away = Endpoint(url="https://127.0.0.1:1/v1", model="m", ca_file=tmp_path / "none.pem")
    with pytest.raises(BadSetting, match=r"none\.pem"):
        away.choose(RGB, WHICH, PARTS)


def test_without_httpx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with serving(FINE) as toy, pytest.raises(MissingExtra, match=r"pip install .*\[web\]'"):
        choose(toy)


def test_odd_pictures_are_refused() -> None:
    with serving(FINE) as toy, pytest.raises(BadSetting, match="height × width × 3"):
        endpoint(toy).choose(np.zeros((4, 4), np.uint8), WHICH, PARTS)
    assert json.dumps(toy.asked) == "[]"
