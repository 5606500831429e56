"""Notices by e-mail, at a mail server of the test's own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from handup.adapters.notify.mail import Mail
from handup.adapters.notify.notifier import Notice, Notifier, NotTold, PerhapsTold
from handup.adapters.notify.notify_file import MailSecurity, MailSettings
from tests.adapters.notify.servers import HOST, PASSWORD, USER, dripping, free_port, mail, silent

NOTICE = Notice(question="meal/food/1", opened_s=1000.0, robot="Kitchen arm", address="ada@example.org")


def way(port: int, **more: object) -> Mail:
    usual = {"host": HOST, "sender": "robot@example.org", "security": MailSecurity.NONE, "timeout_s": 20.0}
    return Mail(MailSettings(**{**usual, "port": port, **more}))  # type: ignore[arg-type]


def test_it_names_robot_and_urgency_and_leads_to_the_page() -> None:
    with mail() as post:
        assert isinstance(way(post.port), Notifier)
        way(post.port).tell(replace(NOTICE, left_s=60.0, link="https://house.example"))
    (sent,) = post.arrived
    assert post.envelopes == [("robot@example.org", ["ada@example.org"])]
    assert sent["Subject"] == "Kitchen arm has a question"
    assert sent["From"] == "Kitchen arm <robot@example.org>"
    assert (sent["Importance"], sent["Auto-Submitted"]) == ("high", "auto-generated")
    assert str(sent.get_payload()).split("\r\n") == [
        "It can wait for 60 seconds.",
        "",
        "Answer on the page: https://house.example",
        "",
    ]
    assert "meal" not in str(sent), "the names of runs and steps stay here"


def test_a_reminder_belongs_to_the_notice() -> None:
    with mail() as post:
        way(post.port).tell(NOTICE)
        way(post.port).tell(replace(NOTICE, reminder=1))
    first, second = post.arrived
    assert second["In-Reply-To"] == first["Message-ID"] != second["Message-ID"]
    assert second["Subject"] == "Kitchen arm is still waiting for you"


def test_words_in_any_alphabet_and_lines_of_dots_arrive() -> None:
    with mail() as post:
        way(post.port).tell(replace(NOTICE, robot="Küchenarm 手", words=". ist das eine Süßkartoffel?"))
    (sent,) = post.arrived
    assert sent["Subject"] == "Küchenarm 手 has a question"
    text = sent.get_payload(decode=True)
    assert isinstance(text, bytes)
    assert text.decode().splitlines() == [". ist das eine Süßkartoffel?", "There is no hurry."]


def test_starttls_and_login(pair: tuple[Path, Path]) -> None:
    trusted = {"security": MailSecurity.STARTTLS, "host": "localhost", "ca_file": str(pair[0])}
    with mail(tls=pair, login=True) as post:
        way(post.port, **trusted, user=USER, password=PASSWORD).tell(NOTICE)
        with pytest.raises(NotTold) as refused:
            way(post.port, **trusted, user=USER, password="wrong").tell(NOTICE)
        assert refused.type is NotTold
        assert refused.value.why == "the server refused the login (535)"
        with pytest.raises(NotTold, match="the server's certificate is not trusted"):
            way(post.port, **{**trusted, "ca_file": None}, user=USER, password=PASSWORD).tell(NOTICE)
        with pytest.raises(NotTold, match="the server answered 530"):
            way(post.port).tell(NOTICE)  # it wants STARTTLS
    assert len(post.arrived) == 1


def test_starttls_without_login(pair: tuple[Path, Path]) -> None:
    with mail(tls=pair) as post:
        way(post.port, security=MailSecurity.STARTTLS, host="localhost", ca_file=str(pair[0])).tell(NOTICE)
    assert len(post.arrived) == 1


def test_without_starttls_at_the_server_nothing_goes_out() -> None:
    with mail() as post, pytest.raises(NotTold, match="offers no STARTTLS"):
        way(post.port, security=MailSecurity.STARTTLS).tell(NOTICE)
    assert post.arrived == []


def test_what_the_server_does_not_take_is_told_by_its_number_alone() -> None:
    with mail() as post:
        post.replies = ["554 ada@example.org is unwanted here"]
        with pytest.raises(NotTold) as refused:
            way(post.port).tell(NOTICE)
    assert refused.type is NotTold
    assert refused.value.why == "the server answered 554"


def test_a_server_that_is_away_has_surely_not_told() -> None:
    with pytest.raises(NotTold) as refused:
        way(free_port()).tell(NOTICE)
    assert refused.type is NotTold
    assert refused.value.why == "no connection to the server: Connection refused"


def test_a_server_that_hangs_up_after_the_e_mail_may_have_told() -> None:
    with mail() as post:
        post.hang_up = True
        with pytest.raises(PerhapsTold):
            way(post.port).tell(NOTICE)
    assert len(post.arrived) == 1


def test_a_server_that_says_nothing_is_left() -> None:
    with silent() as port, pytest.raises(NotTold) as refused:
        way(port, timeout_s=0.2).tell(NOTICE)
    assert refused.type is NotTold
    assert "within 0.2 s" in refused.value.why


def test_a_server_that_greets_without_end_is_cut_after_the_time_for_all() -> None:
    with dripping(b"220-hello\r\n") as port, pytest.raises(NotTold, match=r"within 0\.3 s"):
        way(port, timeout_s=0.3).tell(NOTICE)


def test_tls_from_the_start_wants_tls() -> None:
    with mail() as post, pytest.raises(NotTold):
        way(post.port, security=MailSecurity.TLS, timeout_s=2.0).tell(NOTICE)
    assert post.arrived == []
