"""Notices by HTTP, at a web server of the test's own: what arrives there, and what a bad server leads to."""

from __future__ import annotations

from dataclasses import replace
from email.header import decode_header, make_header
from pathlib import Path

import pytest

from handup.adapters.notify.notifier import Notice, Notifier, NotTold, PerhapsTold
from handup.adapters.notify.notify_file import NtfySettings
from handup.adapters.notify.ntfy import Ntfy
from tests.adapters.notify.servers import HOST, dripping, free_port, silent, web

NOTICE = Notice(question="meal/food/1", opened_s=1000.0, robot="Kitchen arm", address="ada-7391")
LONG_S = 20.0
"""Longer than any test should take; it says only that nothing is to be cut."""


def ntfy(url: str, timeout_s: float = LONG_S, **more: str) -> Ntfy:
    return Ntfy(NtfySettings(url=url, timeout_s=timeout_s, **more))


def test_title_priority_and_link_arrive_at_the_topic_of_the_person_and_nothing_private_does() -> None:
    with web() as server:
        way = ntfy(f"{server.url}/push/")
        assert isinstance(way, Notifier)
        way.tell(replace(NOTICE, left_s=300.0, link="https://house.example"))
    (posted,) = server.arrived
    assert (posted.method, posted.path) == ("POST", "/push/ada-7391")
    assert posted.headers["title"] == "Kitchen arm has a question"
    assert posted.headers["priority"] == "4"
    assert posted.headers["click"] == "https://house.example"
    assert posted.body == "It can wait for 5 minutes."
    assert "meal" not in str(posted), "the names of runs and steps stay here"
    assert "authorization" not in posted.headers


@pytest.mark.parametrize(("left_s", "priority"), [(None, "3"), (3600.0, "4"), (30.0, "5")])
def test_the_less_time_the_higher_the_priority(left_s: float | None, priority: str) -> None:
    with web() as server:
        ntfy(server.url).tell(replace(NOTICE, left_s=left_s))
    assert server.arrived[0].headers["priority"] == priority
    assert "click" not in server.arrived[0].headers


def test_a_name_in_any_alphabet_arrives() -> None:
    with web() as server:
        ntfy(server.url).tell(replace(NOTICE, robot="Küchenarm 手", words="Ist das eine Tomate?"))
    title = str(make_header(decode_header(server.arrived[0].headers["title"])))
    assert title == "Küchenarm 手 has a question"
    assert server.arrived[0].body == "Ist das eine Tomate?\nThere is no hurry."


def test_token_and_password_go_in_the_header_and_nowhere_else() -> None:
    with web() as server:
        ntfy(server.url, token="tk_1").tell(NOTICE)
        ntfy(server.url, user="ada", password="pw").tell(NOTICE)
    assert [posted.headers["authorization"] for posted in server.arrived] == ["Bearer tk_1", "Basic YWRhOnB3"]


def test_a_reminder_takes_the_place_of_the_notice_and_an_answer_clears_it() -> None:
    with web() as server:
        way = ntfy(server.url)
        way.tell(NOTICE)
        way.tell(replace(NOTICE, reminder=1))
        server.statuses = [404]  # an older ntfy cannot clear
        way.update({"Kitchen arm": []}, [NOTICE])
    first, second, cleared = server.arrived
    assert first.headers["x-sequence-id"] == second.headers["x-sequence-id"]
    assert second.headers["title"] == "Kitchen arm is still waiting for you"
    assert (cleared.method, cleared.path) == ("PUT", f"/ada-7391/{first.headers['x-sequence-id']}/clear")


@pytest.mark.parametrize("status", [502, 504])
def test_a_proxy_that_lost_its_server_has_perhaps_told(status: int) -> None:
    with web() as server:
        server.statuses = [status]
        with pytest.raises(PerhapsTold, match=f"the server answered {status}"):
            ntfy(server.url).tell(NOTICE)


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (500, "the server answered 500"),
        (302, "the server answered 302"),
        (401, "the server refused the login (401)"),
        (403, "the server refused the login (403)"),
    ],
)
def test_a_server_that_refuses_has_surely_not_told(status: int, why: str) -> None:
    with web() as server:
        server.statuses = [status]
        with pytest.raises(NotTold) as refused:
            ntfy(server.url, token="tk_1").tell(NOTICE)
    assert refused.type is NotTold
    assert refused.value.why == why


def test_a_server_that_is_away_has_surely_not_told() -> None:
    with pytest.raises(NotTold) as refused:
        ntfy(f"http://{HOST}:{free_port()}").tell(NOTICE)
    assert refused.type is NotTold
    assert refused.value.why == "no connection to the server: Connection refused"


def test_a_server_that_says_nothing_is_left_and_nobody_knows_whether_it_told() -> None:
    with silent() as port, pytest.raises(PerhapsTold, match=r"did not answer within 0\.2 s"):
        ntfy(f"http://{HOST}:{port}", 0.2).tell(NOTICE)


def test_a_server_that_answers_letter_by_letter_is_cut_after_the_time_for_all() -> None:
    with dripping(b"H") as port, pytest.raises(PerhapsTold, match=r"within 0\.3 s"):
        ntfy(f"http://{HOST}:{port}", 0.3).tell(NOTICE)


def test_a_server_that_hangs_up_after_the_request_may_have_told() -> None:
    with web() as server:
        server.act = lambda handler: handler.connection.close()
        with pytest.raises(PerhapsTold):
            ntfy(server.url).tell(NOTICE)
    assert len(server.arrived) == 1


def test_tls_is_checked(pair: tuple[Path, Path]) -> None:
    with web(tls=pair) as server:
        url = f"https://localhost:{server.port}"
        ntfy(url, ca_file=str(pair[0])).tell(NOTICE)
        with pytest.raises(NotTold, match="the server's certificate is not trusted"):
            ntfy(url).tell(NOTICE)
    assert len(server.arrived) == 1


def test_a_server_that_is_away_is_asked_to_clear_again_later() -> None:
    way = ntfy(f"http://{HOST}:{free_port()}")
    way.update({"Kitchen arm": [NOTICE]}, [])
    with pytest.raises(NotTold):
        way.update({}, [NOTICE])
