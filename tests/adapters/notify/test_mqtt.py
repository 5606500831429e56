"""States at a real broker: Debian's mosquitto, and a listener that hears what a home's own program would."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from handup.adapters.notify.mqtt import Mqtt, slug
from handup.adapters.notify.notifier import Notice, Notifier, NotTold
from handup.adapters.notify.notify_file import MqttSettings
from handup.core import MissingExtra
from tests.adapters.notify.servers import HOST, PASSWORD, USER, Broker, listening, passwords, silent
from tests.deadlines import soon

NOTICE = Notice(question="meal/food/1", opened_s=1000.0, robot="arm")
OTHER = Notice(question="meal/drink/1", opened_s=1000.0, robot="arm", left_s=30.0)
_NUMBERS = count(1)


def topic() -> str:
    return f"test{next(_NUMBERS)}"


@contextmanager
def way(port: int, *, page: str = "", **more: Any) -> Iterator[Mqtt]:
    made = Mqtt(MqttSettings(**{"host": HOST, "port": port, "timeout_s": 20.0, **more}), page=page)
    try:
        yield made
    finally:
        made.close()


def test_a_home_finds_each_robot_and_its_state_also_later(broker: Broker) -> None:
    at = topic()
    with way(broker.port, topic=at, page="https://house.example") as told:
        assert isinstance(told, Notifier)
        told.update({"arm": [], "Küchen/Arm +#": []}, [])
        with listening(broker.port) as home:  # begins later: all of it is retained
            home.state(f"{at}/arm/question", "OFF")
            home.state(f"{at}/status", "online")
            config = home.json(f"homeassistant/binary_sensor/{at}_arm/config")
            assert config["state_topic"] == f"{at}/arm/question"
            assert config["availability_topic"] == f"{at}/status"
            assert config["device"]["configuration_url"] == "https://house.example"
            assert config["device"]["name"] == "arm"
            assert home.json(f"homeassistant/binary_sensor/{at}_{slug('Küchen/Arm +#')}/config")["unique_id"]
            assert home.json(config["json_attributes_topic"]) == {"urgency": "normal", "questions": 0, "reminder": 0}


def test_a_state_goes_on_and_off_with_the_notices_that_hold(broker: Broker) -> None:
    at = topic()
    with way(broker.port, topic=at) as told, listening(broker.port) as home:
        told.update({"arm": []}, [])
        home.state(f"{at}/arm/question", "OFF")
        told.tell(NOTICE)
        home.state(f"{at}/arm/question", "ON")
        told.tell(OTHER)
        soon(lambda: home.retained[f"{at}/arm/about"] == '{"urgency": "urgent", "questions": 2, "reminder": 0}')
        told.update({"arm": [replace(NOTICE, reminder=1)]}, [])
        soon(lambda: home.retained[f"{at}/arm/about"] == '{"urgency": "normal", "questions": 1, "reminder": 1}')
        assert home.retained[f"{at}/arm/question"] == "ON"
        told.update({}, [])
        home.state(f"{at}/arm/question", "OFF")
        assert "meal" not in str(home.retained), "the names of runs and steps stay here"


def test_words_are_there_only_where_somebody_allowed_them(broker: Broker) -> None:
    at = topic()
    with way(broker.port, topic=at) as told, listening(broker.port) as home:
        told.tell(replace(NOTICE, words="Is this a tomato?"))
        told.tell(OTHER)
        soon(lambda: home.json(f"{at}/arm/about").get("questions") == 2)
        assert home.json(f"{at}/arm/about")["words"] == ["Is this a tomato?"]


def test_whoever_leaves_says_so_and_a_program_that_is_cut_off_is_said_to_have_left(broker: Broker) -> None:
    at = topic()
    with listening(broker.port) as home:
        with way(broker.port, topic=at) as told:
            told.update({}, [])
            home.state(f"{at}/status", "online")
        home.state(f"{at}/status", "offline")
        with way(broker.port, topic=at) as told:
            told.update({}, [])
            home.state(f"{at}/status", "online")
            told._client._sock_close()  # without a word, as by a killed program
            home.state(f"{at}/status", "offline")


def test_what_a_killed_program_left_on_is_switched_off(broker: Broker) -> None:
    at = topic()
    with listening(broker.port) as home:
        with way(broker.port, topic=at) as told:
            told.tell(NOTICE)
            told.tell(replace(NOTICE, robot="gone"))
        home.state(f"{at}/gone/question", "ON")
        with way(broker.port, topic=at) as told:
            told.update({"arm": [NOTICE]}, [])
            home.state(f"{at}/gone/question", "OFF")
            assert home.retained[f"{at}/arm/question"] == "ON"


def test_a_broker_that_comes_back_has_all_of_it_again(tmp_path: Path) -> None:
    broker = Broker(tmp_path)
    broker.start()
    try:
        with way(broker.port, topic="back") as told:
            told.tell(NOTICE)
            broker.stop()
            soon(lambda: not told._connected.is_set())
            broker.start()  # it has forgotten everything
            with listening(broker.port) as home:
                home.state("back/arm/question", "ON")
                home.state("back/status", "online")
    finally:
        broker.stop()


def test_without_discovery_nothing_is_described(broker: Broker) -> None:
    at = topic()
    with way(broker.port, topic=at, discovery="") as told, listening(broker.port) as home:
        told.tell(NOTICE)
        home.state(f"{at}/arm/question", "ON")
        assert not [name for name in home.retained if name.endswith(f"{at}_arm/config")]


def test_a_broker_that_is_away_or_silent_has_not_told_and_tells_nothing_later(tmp_path: Path) -> None:
    broker = Broker(tmp_path)
    with way(broker.port, topic="late", timeout_s=0.2) as told:
        with pytest.raises(NotTold, match="no connection to the broker"):
            told.tell(NOTICE)
        broker.start()
        try:
            with listening(broker.port) as home:
                home.state("late/status", "online")
                told.update({"arm": []}, [])
                home.state("late/arm/question", "OFF")
                topics = [home.heard.get(timeout=30) for _ in range(home.heard.qsize())]
                assert ("late/arm/question", "ON", False) not in topics
        finally:
            broker.stop()
    with silent() as port, way(port, timeout_s=0.2) as told, pytest.raises(NotTold, match="no connection"):
        told.tell(NOTICE)


def test_a_broker_that_refuses_the_login(tmp_path: Path) -> None:
    broker = Broker(tmp_path, "allow_anonymous false", f"password_file {passwords(tmp_path)}")
    broker.start()
    try:
        with way(broker.port, user=USER, password=PASSWORD) as told:
            told.tell(NOTICE)
        with way(broker.port, user=USER, password="wrong", timeout_s=5.0) as told:
            soon(lambda: refused(told) == "the broker refused the login (135)")
    finally:
        broker.stop()


def refused(way: Mqtt) -> str:
    way._settings = replace(way._settings, timeout_s=0.2)
    with pytest.raises(NotTold) as told:
        way.tell(NOTICE)
    return told.value.why


@pytest.mark.parametrize("name", ["arm", "Arm", "arm ", "a/r/m", "+", "#", "手", "x" * 100])
def test_any_name_makes_a_topic_of_its_own(name: str) -> None:
    made = slug(name)
    assert made.replace("_", "").isalnum()
    assert made.isascii()
    assert made == "arm" or slug("arm") != made


def test_without_the_package_the_command_that_installs_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "paho.mqtt", None)
    with pytest.raises(MissingExtra, match=r"\[notify\]"):
        Mqtt(MqttSettings(host=HOST))
