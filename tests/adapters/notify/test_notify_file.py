"""The file of notices: what it may hold, where secrets come from, and the line of every mistake."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from handup.adapters.notify import load_notify, notifiers
from handup.adapters.notify.notify_file import (
    MailSecurity,
    MailSettings,
    MqttSettings,
    NotifySettings,
    NtfySettings,
    PersonNotices,
)
from handup.core import HandupError, QuietHours

ROOT = Path(__file__).parents[3]
WHOLE = """\
page: https://house.example
ntfy:
  url: https://ntfy.example/push
  token_env: NTFY_TOKEN
mqtt:
  host: 127.0.0.1
  user: handup
  password_file: secret
  topic: home/handup
  discovery:
email:
  host: mail.example
  sender: robot@house.example
people:
  Ana:
    ntfy: ana-kitchen-7391
    after_s: 20
    reminders: {every_s: 60, most: 2}
  Ben:
    email: ben@example.org
    mqtt: true
    words: true
    per_hour: 10
    quiet: [{start: "22:00", end: "07:00", zone: Europe/Berlin}]
"""
ENVIRONMENT = {"NTFY_TOKEN": "tk_1", "EMPTY": " "}


def load(folder: Path, text: str) -> NotifySettings:
    (folder / "notify.yaml").write_text(text)
    return load_notify(folder / "notify.yaml", ENVIRONMENT)


def test_everything_that_it_may_hold(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("pw\n")
    settings = load(tmp_path, WHOLE)
    assert settings == NotifySettings(
        page="https://house.example",
        ntfy=NtfySettings(url="https://ntfy.example/push", token="tk_1"),
        mqtt=MqttSettings(host="127.0.0.1", user="handup", password="pw", topic="home/handup", discovery=""),
        email=MailSettings(host="mail.example", sender="robot@house.example", security=MailSecurity.STARTTLS),
        people={
            "Ana": PersonNotices(addresses={"ntfy": "ana-kitchen-7391"}, after_s=20.0, every_s=60.0, most=2),
            "Ben": PersonNotices(
                addresses={"mqtt": "", "email": "ben@example.org"},
                words=True,
                per_hour=10,
                quiet=(QuietHours(start="22:00", end="07:00", zone="Europe/Berlin"),),
            ),
        },
    )
    assert [way.way for way in notifiers(settings)] == ["ntfy", "mqtt", "email"]


def test_secrets_are_in_no_text_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hunter2")
    shown = repr(load(tmp_path, WHOLE))
    assert "hunter2" not in shown
    assert "tk_1" not in shown


NTFY = "ntfy: {url: https://ntfy.example}\n"
ADA = "people:\n  Ada: {ntfy: ada}\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("people: {Ada: {ntfy: ada}}", 1, "'Ada' wants notices by ntfy, and the file has no ntfy. Add 'ntfy'"),
        (NTFY, 1, "people must be a map of names, got nothing"),
        (NTFY + "people:\n  Ada: {after_s: 5}", 3, "'Ada' must have at least one of ntfy, mqtt, email, got none"),
        (NTFY + "people: []", 2, "people must be a map of names, got a list"),
        ("[]", 1, "the file must be a map, got a list"),
        (NTFY + "peple: {}", 2, "'peple' is no key of the file. Did you mean 'people'?"),
        (NTFY + "people:\n  Ada: {nfty: ada}", 3, "Did you mean 'ntfy'?"),
        (NTFY + "people:\n  Ada: {ntfy: ada lovelace}", 3, "ntfy of 'Ada' must be a topic"),
        (NTFY + "people:\n  Ada: {ntfy: ada, words: yes}", 3, "words of 'Ada' must be true or false, got 'yes'"),
        (NTFY + "people:\n  Ada: {ntfy: ada, after_s: -1}", 3, "after_s of 'Ada' must be a number from 0 to 86400"),
        (NTFY + "people:\n  Ada: {ntfy: ada, after_s: soon}", 3, "got 'soon'"),
        (NTFY + "people:\n  Ada: {ntfy: ada, per_hour: 1.5}", 3, "must be a whole number, got 1.5"),
        (NTFY + "people:\n  Ada:\n    ntfy: ada\n    reminders: {every_s: 1}", 5, "every_s of reminders of 'Ada'"),
        (NTFY + "people:\n  Ada:\n    ntfy: ada\n    reminders: 3", 5, "Write for example: {every_s: 60, most: 3}."),
        (NTFY + "people:\n  Ada:\n    ntfy: ada\n    quiet: 22:00", 5, "quiet of 'Ada' must be a list"),
        (NTFY + "people:\n  Ada:\n    ntfy: ada\n    quiet: [22:00]", 5, 'Write for example: [{start: "22:00"'),
        (NTFY + "people:\n  Ada:\n    ntfy: ada\n    quiet:\n    - {start: '9', end: '10:00'}", 6, "time of day"),
        ("ntfy: {url: ntfy.example}\n" + ADA, 1, "url of ntfy must be an address such as https://robot.example"),
        ("ntfy:\n  url: https://a:b@ntfy.example\n" + ADA, 2, "without a name, a password or a query"),
        ("ntfy: {}\n" + ADA, 1, "ntfy must have url"),
        ("ntfy:\n  url: http://ntfy.example\n" + ADA, 2, "ntfy would send to another machine without encryption"),
        ("ntfy:\n  url: https://n.example\n  token: tk_1\n" + ADA, 3, "must not hold a secret itself"),
        ("ntfy:\n  url: https://n.example\n  token_env: NO\n" + ADA, 3, "the variable NO must hold the token of ntfy"),
        ("ntfy:\n  url: https://n.example\n  token_env: EMPTY\n" + ADA, 3, "it is not set"),
        (
            "ntfy:\n  url: https://n.example\n  token_file: none\n" + ADA,
            3,
            "token_file of ntfy cannot be used",
        ),
        ("ntfy:\n  url: https://n.example\n  user: ada\n" + ADA, 2, "must have a user and a password, got only user"),
        (
            "ntfy:\n  url: https://n.example\n  user: a\n  password_env: NTFY_TOKEN\n  token_env: NTFY_TOKEN\n" + ADA,
            2,
            "ntfy must have a token or a user, got both",
        ),
        (
            "ntfy:\n  url: https://n.example\n  token_env: NTFY_TOKEN\n  token_file: x\n" + ADA,
            4,
            "must name one place of its token",
        ),
        ("ntfy:\n  url: https://n.example\n  ca_file: none.pem\n" + ADA, 3, "ca_file of ntfy must be a file"),
        ("ntfy:\n  url: https://n.example\n  timeout_s: 0\n" + ADA, 3, "must be a number from 0.1 to 60"),
        ("mqtt: {host: broker.example}\n" + "people: {Ada: {mqtt: true}}", 1, "mqtt would send to another machine"),
        ("mqtt:\n  host: localhost\n  topic: a/#\n" + "people: {Ada: {mqtt: true}}", 3, "a topic without + and #"),
        ("mqtt:\n  host: localhost\n  port: 99999\n" + "people: {Ada: {mqtt: true}}", 3, "from 1 to 65535"),
        (
            "email: {host: m.example, sender: robot}\npeople: {Ada: {email: ada@example.org}}",
            1,
            "sender of email must be an e-mail address",
        ),
        (
            "email: {host: m.example, sender: a@b.c}\npeople:\n  Ada: {email: 'ada@b.c, eve@b.c'}",
            3,
            "email of 'Ada' must be an e-mail address",
        ),
        (
            "email: {host: m.example, sender: a@b.c, security: none}\npeople: {Ada: {email: a@b.c}}",
            1,
            "email would send to another machine without encryption",
        ),
        (
            "email:\n  host: m.example\n  sender: a@b.c\n  security: ssl\npeople: {Ada: {email: a@b.c}}",
            4,
            "one of starttls, tls, none",
        ),
        ("page: house\n" + NTFY + ADA, 1, "page of the file must be an address"),
        (NTFY + "people: {Ada: {ntfy: ada}, Ada: {ntfy: bea}}", 2, "stands twice"),
        (NTFY + "people:\n  ' ': {ntfy: ada}", 3, "a name"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(HandupError) as refused:
        load(tmp_path, text)
    assert words in str(refused.value)
    assert (refused.value.line, refused.value.file) == (line, str(tmp_path / "notify.yaml"))
    assert "tk_1" not in str(refused.value)


def test_without_encryption_only_by_own_word(tmp_path: Path) -> None:
    text = "ntfy: {url: http://ntfy.example, insecure: true}\n" + ADA
    assert load(tmp_path, text).ntfy == NtfySettings(url="http://ntfy.example")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(HandupError, match="there is no such file"):
        load_notify(tmp_path / "notify.yaml")


BLOCKS = re.findall(r"^```yaml.*?\n(.*?)^```$", (ROOT / "docs/desk/told.md").read_text("utf-8"), re.M | re.S)
PEOPLE = {"ntfy": "ada", "mqtt": "true", "email": "ada@example.org"}


@pytest.mark.parametrize("block", BLOCKS)
def test_what_the_docs_show_is_read(tmp_path: Path, block: str) -> None:
    (tmp_path / "mqtt.secret").write_text("pw")
    way = block.partition(":")[0]
    text = block if "people:" in block else f"{block}people: {{Ada: {{{way}: {PEOPLE[way]}}}}}\n"
    (tmp_path / "notify.yaml").write_text(text)
    settings = load_notify(tmp_path / "notify.yaml", {"NTFY_TOKEN": "tk_1", "MAIL_PASSWORD": "pw"})
    assert settings.people
    assert notifiers(settings)
