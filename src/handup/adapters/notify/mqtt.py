"""Notices by MQTT: for each robot a retained state, which Home Assistant finds by itself.

Topics, below the one of the settings (`handup`), with ROBOT as in `slug`:

- `handup/status`: `online`, or `offline` once this program has ended. If it was killed, the broker publishes that, as
  the program's last will.
- `handup/ROBOT/question`: `ON` while somebody was told of a question that still waits for them, else `OFF`.
- `handup/ROBOT/about`: the urgency, the number of questions, and the number of the reminder, as JSON.
- `homeassistant/binary_sensor/ID/config`: the description for Home Assistant.
"""

from __future__ import annotations

import hashlib
import json
import re
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from secrets import token_hex
from typing import Any

from handup.adapters.notify.notifier import Notice, NotTold, Urgency
from handup.adapters.notify.notify_file import MQTT, MqttSettings
from handup.core import MissingExtra

KEEPALIVE_S = 30
"""Time in seconds after which the broker takes a silent client for gone, and publishes its last will."""
CONNECT_S = 5.0
"""Longest time in seconds of one try to connect."""
SHORTEST_S, LONGEST_S = 1, 60
"""First and longest pause in whole seconds between two tries to connect."""
CLOSE_S = 0.5
"""Longest time in seconds that a farewell to the broker may take."""
QOS = 1
ON, OFF = b"ON", b"OFF"
ONLINE, OFFLINE = "online", "offline"
NOT_IN_A_TOPIC = re.compile(r"[^a-z0-9]+")
SLUG_LETTERS, HASH_LETTERS = 40, 8


def slug(robot: str) -> str:
    """Return the name of a robot as it stands in topics. Two robots never share one."""
    plain = NOT_IN_A_TOPIC.sub("_", robot.lower()).strip("_")[:SLUG_LETTERS]
    return (
        plain if plain == robot else f"{plain or 'robot'}_{hashlib.sha256(robot.encode()).hexdigest()[:HASH_LETTERS]}"
    )


class Mqtt:
    """States of robots at a broker. It stays connected, and comes back by itself.

    A state is retained by the broker, so a home that begins later has it too. After a restart all states are published
    again, and robots that are not there any more are switched off.

    Args:
        settings: Broker, login, topics and time limit.
        page: Public address of the page, which Home Assistant shows; empty for none.

    Raises:
        MissingExtra: The extra `notify` is not installed.
    """

    way = MQTT

    def __init__(self, settings: MqttSettings, *, page: str = "") -> None:
        try:
            from paho.mqtt import client as paho  # noqa: PLC0415 - an extra
            from paho.mqtt.enums import CallbackAPIVersion  # noqa: PLC0415
        except ModuleNotFoundError:
            raise MissingExtra.of("notify", "Telling people by MQTT") from None
        self._settings = settings
        self._page = page
        self._lock = threading.Lock()
        self._told: dict[str, dict[str, Notice]] = {}
        """Notices that hold, by robot and sequence."""
        self._refused = ""
        self._begun = False
        self._connected = threading.Event()
        self._client = paho.Client(CallbackAPIVersion.VERSION2, client_id=f"handup-{token_hex(6)}")
        client = self._client
        client.connect_timeout = min(CONNECT_S, settings.timeout_s)
        client.reconnect_delay_set(SHORTEST_S, LONGEST_S)
        client.will_set(self._topic("status"), OFFLINE, qos=QOS, retain=True)
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message
        if settings.user:
            client.username_pw_set(settings.user, settings.password)
        if settings.tls:
            client.tls_set_context(ssl.create_default_context(cafile=settings.ca_file))

    def tell(self, notice: Notice) -> None:
        """Switch the robot's state on, or show the number of the reminder."""
        with self._lock:
            told = self._told.setdefault(notice.robot, {})
            before = told.get(notice.sequence)
            told[notice.sequence] = notice
        try:
            self._publish_robots([notice.robot])
        except NotTold:
            with self._lock:  # a connection that comes back publishes `_told`, without notices that count as failed
                if before is None:
                    told.pop(notice.sequence, None)
                else:
                    told[notice.sequence] = before
            raise

    def update(self, told: Mapping[str, Sequence[Notice]], gone: Sequence[Notice]) -> None:
        """Publish the states of all robots: on where a notice holds, else off."""
        with self._lock:
            robots = {*self._told, *told}
            self._told = {robot: {notice.sequence: notice for notice in told.get(robot, ())} for robot in robots}
        self._publish_robots(sorted(robots))

    def close(self) -> None:
        """Say that this program has gone, and disconnect."""
        if not self._begun:
            return
        if self._connected.is_set():
            gone = self._client.publish(self._topic("status"), OFFLINE, qos=QOS, retain=True)
            with suppress(RuntimeError, ValueError):  # the connection is lost: the broker publishes the last will
                gone.wait_for_publish(min(self._settings.timeout_s, CLOSE_S))
        self._client.disconnect()
        self._client.loop_stop()

    # -- publishing ----------------------------------------------------------------------------------------------------

    def _topic(self, *parts: str) -> str:
        return "/".join((self._settings.topic, *parts))

    def _publish_robots(self, robots: Sequence[str]) -> None:
        """Publish the states of some robots, and wait until the broker has taken them."""
        until = time.monotonic() + self._settings.timeout_s
        if not self._begun:
            self._begun = True
            self._client.connect_async(self._settings.host, self._settings.port, keepalive=KEEPALIVE_S)
            self._client.loop_start()
        if not self._connected.wait(self._settings.timeout_s):
            raise NotTold(self._refused or "no connection to the broker")
        for robot in robots:
            for topic, payload in self._messages(robot):
                message = self._client.publish(topic, payload, qos=QOS, retain=True)
                try:
                    message.wait_for_publish(max(until - time.monotonic(), 0.001))
                except (RuntimeError, ValueError):  # it was not even queued
                    raise NotTold("the connection to the broker was lost") from None
                if not message.is_published():
                    raise NotTold(f"the broker did not take the message within {self._settings.timeout_s:g} s")

    def _messages(self, robot: str) -> list[tuple[str, bytes | str]]:
        """Return the topics of a robot, each with what is published there."""
        with self._lock:
            notices = list(self._told.get(robot, {}).values())
        name = slug(robot)
        messages: list[tuple[str, bytes | str]] = []
        if self._settings.discovery:
            id_ = f"{NOT_IN_A_TOPIC.sub('_', self._settings.topic.lower())}_{name}"
            config = f"{self._settings.discovery}/binary_sensor/{id_}/config"
            messages.append((config, json.dumps(self._description(robot, name, id_))))
        messages.append((self._topic(name, "about"), json.dumps(_about(notices))))
        messages.append((self._topic(name, "question"), ON if notices else OFF))
        return messages

    def _description(self, robot: str, name: str, id_: str) -> dict[str, Any]:
        device = {"identifiers": [id_], "name": robot, "manufacturer": "handup"}
        if self._page:
            device["configuration_url"] = self._page
        return {
            "name": "Question",
            "unique_id": f"{id_}_question",
            "icon": "mdi:hand-back-left",
            "state_topic": self._topic(name, "question"),
            "json_attributes_topic": self._topic(name, "about"),
            "availability_topic": self._topic("status"),
            "device": device,
            "origin": {"name": "handup"},
        }

    # -- what the client calls, in its own thread ----------------------------------------------------------------------

    def _on_connect(self, client: Any, _data: object, _flags: object, reason: Any, _properties: object) -> None:
        if reason.is_failure:
            self._refused = f"the broker refused the login ({reason.value})"
            return
        self._refused = ""
        client.publish(self._topic("status"), ONLINE, qos=QOS, retain=True)
        client.subscribe(self._topic("+", "question"), qos=QOS)
        with self._lock:
            robots = list(self._told)
        for robot in robots:
            for topic, payload in self._messages(robot):
                client.publish(topic, payload, qos=QOS, retain=True)
        self._connected.set()

    def _on_disconnect(self, *_: object) -> None:
        self._connected.clear()

    def _on_message(self, client: Any, _data: object, message: Any) -> None:
        """Switch off what another program left on for a robot that is not there any more."""
        with self._lock:
            known = {self._topic(slug(robot), "question") for robot in self._told}
        if message.retain and message.payload == ON and message.topic not in known:
            client.publish(message.topic, OFF, qos=QOS, retain=True)


def _about(notices: Sequence[Notice]) -> dict[str, Any]:
    """Return what a state is about. There are words only of people who allowed them."""
    urgencies = list(Urgency)
    about: dict[str, Any] = {
        "urgency": str(max((notice.urgency for notice in notices), key=urgencies.index, default=Urgency.NORMAL)),
        "questions": len({notice.question for notice in notices}),
        "reminder": max((notice.reminder for notice in notices), default=0),
    }
    words = [notice.words for notice in notices if notice.words]
    return {**about, "words": words} if words else about
