"""Settings of notices, and the reader of their file, which names file and line in every error.

The file holds no passwords and no tokens. It names a variable of the environment, or another file, that holds one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from handup.adapters.notify.notifier import Notifier
from handup.core import (
    BadSetting,
    ConflictingSettings,
    HandupError,
    Malformed,
    MissingSetting,
    OutOfRange,
    QuietHours,
    UnknownName,
    UnsafeHost,
)
from handup.core.checks import MAX_NAME, check_person, is_loopback, shown, suggestion
from handup.core.files import read_text
from handup.core.yaml_document import (
    Listing,
    Node,
    Scalar,
    YamlLimits,
    YamlMap,
    in_words,
    is_nothing,
    raising,
    read_yaml,
)

NTFY, MQTT, EMAIL = "ntfy", "mqtt", "email"
WAYS = (NTFY, MQTT, EMAIL)
LIMITS = YamlLimits(size=256 * 1024, values=5_000, depth=8, text=1_000)
START = "Write for example: {ntfy: {url: https://ntfy.sh}, people: {Ada: {ntfy: my-topic}}}."
TOPIC = re.compile(r"[-_A-Za-z0-9]{1,64}")
"""A topic of ntfy."""
MQTT_TOPIC = re.compile(r"[^+#\s/]+(?:/[^+#\s/]+)*")
MAIL_ADDRESS = re.compile(r"[!-~]+@[!-~]+")
NOT_IN_ADDRESSES = frozenset('<>,;:"()\\')
TIMEOUT_S = 10.0
LONGEST_TIMEOUT_S = 60.0
LONGEST_S = 86_400.0
SHORTEST_REMINDER_S = 5.0
MOST_REMINDERS = 20
PER_HOUR = 60
MOST_PER_HOUR = 1000
MOST_SECRET = 4096


class MailSecurity(StrEnum):
    """Protection of the connection to a mail server."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"


@dataclass(frozen=True, kw_only=True)
class LoginSettings:
    """Login at the server of a way, the certificates to trust, and the time limit.

    Args:
        user: Name to log in with; no login where it is empty.
        password: Password of that name.
        ca_file: File of certificates to trust instead of the system's.
        timeout_s: Longest time of one notice in seconds.
    """

    user: str = ""
    password: str = field(default="", repr=False)
    ca_file: str | None = None
    timeout_s: float = TIMEOUT_S


@dataclass(frozen=True, kw_only=True)
class NtfySettings(LoginSettings):
    """Server of ntfy, or one that takes the same requests.

    Args:
        url: Its address, without a topic.
        token: Token to log in with, in place of a name.
    """

    url: str
    token: str = field(default="", repr=False)


@dataclass(frozen=True, kw_only=True)
class MqttSettings(LoginSettings):
    """Broker of MQTT, and the topics there.

    Args:
        host: Its name or address.
        port: Its port.
        tls: Whether the connection is encrypted.
        topic: First part of all topics.
        discovery: First part of the topics of Home Assistant's discovery; empty for no discovery.
    """

    host: str
    port: int = 1883
    tls: bool = False
    topic: str = "handup"
    discovery: str = "homeassistant"


@dataclass(frozen=True, kw_only=True)
class MailSettings(LoginSettings):
    """Mail server that takes e-mail from here.

    Args:
        host: Its name or address.
        sender: Address of the sender.
        port: Its port.
        security: Protection of the connection.
    """

    host: str
    sender: str
    port: int = 587
    security: MailSecurity = MailSecurity.STARTTLS


@dataclass(frozen=True, kw_only=True)
class PersonNotices:
    """Notices that one person wants.

    Args:
        addresses: For each way that they want, their topic or e-mail address; empty for a way that needs none.
        after_s: Time in seconds that a question waits for them before the first notice.
        every_s: Time in seconds from a notice to the next reminder.
        most: The most reminders; none where it is 0.
        quiet: Parts of the day without notices, besides those in which they are not asked at all.
        words: Whether a notice may hold the words of the question.
        per_hour: The most notices in an hour on each way; the next waits.
    """

    addresses: Mapping[str, str]
    after_s: float = 0.0
    every_s: float = 60.0
    most: int = 0
    quiet: tuple[QuietHours, ...] = ()
    words: bool = False
    per_hour: int = PER_HOUR


@dataclass(frozen=True, kw_only=True)
class NotifySettings:
    """All settings of notices.

    Args:
        people: Notices that people want, by name; everybody else gets none.
        page: Public address of the page, to which notices lead; they lead nowhere where it is empty.
        ntfy: The server of ntfy.
        mqtt: The broker of MQTT.
        email: The mail server.
    """

    people: Mapping[str, PersonNotices] = field(default_factory=dict)
    page: str = ""
    ntfy: NtfySettings | None = None
    mqtt: MqttSettings | None = None
    email: MailSettings | None = None


def notifiers(settings: NotifySettings) -> tuple[Notifier, ...]:
    """Return the ways that are set up.

    Raises:
        MissingExtra: MQTT is wanted, and its package is not installed.
    """
    from handup.adapters.notify.mail import Mail  # noqa: PLC0415 - only what is wanted is imported
    from handup.adapters.notify.mqtt import Mqtt  # noqa: PLC0415
    from handup.adapters.notify.ntfy import Ntfy  # noqa: PLC0415

    found: list[Notifier] = []
    if settings.ntfy is not None:
        found.append(Ntfy(settings.ntfy))
    if settings.mqtt is not None:
        found.append(Mqtt(settings.mqtt, page=settings.page))
    if settings.email is not None:
        found.append(Mail(settings.email))
    return tuple(found)


# -- the file ----------------------------------------------------------------------------------------------------------


def load_notify(path: Path, environment: Mapping[str, str] = os.environ) -> NotifySettings:
    """Return the settings that a YAML file holds.

    Args:
        path: The file.
        environment: Variables that may hold secrets.

    Raises:
        BadSetting: The file cannot be read, or does not describe notices; with the line.
    """
    try:
        text = read_text(path, LIMITS.size, error=BadSetting)
        root = read_yaml(text, raising(BadSetting), limits=LIMITS, start=START)
        return _Reader(path.parent, environment).settings(root)
    except HandupError as error:
        raise error.at(str(path)) from None


class _Section:
    """A map in the file, whose keys must be known. Every error names the line.

    Args:
        node: The map.
        what: Name of the map in messages.
        known: All keys that it may have.
        hint: What to write instead of something that is no map.
    """

    def __init__(self, node: Node, what: str, known: Iterable[str], hint: str = START) -> None:
        self.what = what
        self.line = node.line
        if not isinstance(node, YamlMap):
            raise Malformed(f"{what} must be a map, got {in_words(node)}", hint=hint, line=node.line)
        self.nodes = {key: entry.value for key, entry in node.entries.items()}
        names = tuple(known)
        for key, entry in node.entries.items():
            if key in ("token", "password"):
                cause = f"{what} must not hold a secret itself, got the key '{key}'"
                hint = f"Give {key}_env, the name of a variable that holds it, or {key}_file."
                raise ConflictingSettings(cause, hint=hint, line=entry.line)
            if key not in names:
                cause = f"{shown(key)} is no key of {what}"
                raise UnknownName(cause, hint=suggestion(key, names), line=entry.line)

    def has(self, key: str) -> bool:
        return key in self.nodes

    def line_of(self, key: str) -> int:
        return self.nodes[key].line if key in self.nodes else self.line

    def named(self, key: str) -> str:
        return f"{key} of {self.what}"

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text of one line; without a default it must be there."""
        node = self.nodes.get(key)
        if node is None:
            if default is None:
                raise MissingSetting(f"{self.what} must have {key}", hint=f"Add '{key}'.", line=self.line)
            return default
        if not isinstance(node, Scalar) or not node.text.strip() or not node.text.isprintable():
            cause = f"{self.named(key)} must be a text of one line, got {in_words(node)}"
            raise Malformed(cause, hint="Write one.", line=node.line)
        return node.text.strip()

    def number(self, key: str, default: float, low: float, high: float) -> float:
        """Return a number within a range."""
        node = self.nodes.get(key)
        if node is None:
            return default
        try:
            value = float(node.text) if isinstance(node, Scalar) and node.plain else float("nan")
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            must = f"be a number from {low:g} to {high:g}"
            raise OutOfRange(
                f"{self.named(key)} must {must}, got {in_words(node)}", hint="Give such a number.", line=node.line
            )
        return value

    def count(self, key: str, default: int, low: int, high: int) -> int:
        """Return a whole number within a range."""
        value = self.number(key, default, low, high)
        if value != int(value):
            cause = f"{self.named(key)} must be a whole number, got {value:g}"
            raise OutOfRange(cause, hint="Give such a number.", line=self.line_of(key))
        return int(value)

    def flag(self, key: str) -> bool:
        """Return True or False; False where it is left out."""
        node = self.nodes.get(key)
        if node is None:
            return False
        if not isinstance(node, Scalar) or not node.plain or node.text not in ("true", "false"):
            cause = f"{self.named(key)} must be true or false, got {in_words(node)}"
            raise Malformed(cause, hint="Write true or false.", line=node.line)
        return node.text == "true"


class _Reader:
    """Reader of the file's sections.

    Args:
        folder: Folder of the file, from which the names of files with secrets start.
        environment: Variables that may hold secrets.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = environment

    def settings(self, root: Node) -> NotifySettings:
        """Return the settings that the root describes."""
        file = _Section(root, "the file", ("page", *WAYS, "people"))
        page = file.text("page", "")
        if page:
            _check_url("page of the file", page, file.line_of("page"))
        ntfy, mqtt, email = (
            read(file.nodes[way]) if file.has(way) else None
            for way, read in ((NTFY, self._ntfy), (MQTT, self._mqtt), (EMAIL, self._email))
        )
        ways = [way for way in WAYS if file.has(way)]
        people: dict[str, PersonNotices] = {}
        node = file.nodes.get("people")
        if not isinstance(node, YamlMap) or not node.entries:
            got = "nothing" if node is None else in_words(node)
            raise Malformed(f"people must be a map of names, got {got}", hint=START, line=file.line_of("people"))
        for key, entry in node.entries.items():
            name = _name(key, entry.line)
            people[name] = _person(entry.value, f"'{name}'", ways)
        return NotifySettings(people=people, page=page, ntfy=ntfy, mqtt=mqtt, email=email)  # type: ignore[arg-type]

    def _secret(self, section: _Section, name: str) -> str:
        variable, file = f"{name}_env", f"{name}_file"
        if section.has(variable) and section.has(file):
            cause = f"{section.what} must name one place of its {name}, got {variable} and {file}"
            raise ConflictingSettings(cause, hint="Keep one of them.", line=section.line_of(file))
        if section.has(variable):
            key, line = section.text(variable), section.line_of(variable)
            if not (secret := self._environment.get(key, "").strip()):
                cause = f"the variable {key} must hold the {name} of {section.what}, and it is not set"
                raise MissingSetting(cause, hint=f"Set {key} where the server is started.", line=line)
            return secret
        if section.has(file):
            path, line = self._folder / section.text(file), section.line_of(file)
            try:
                secret = read_text(path, MOST_SECRET, error=BadSetting).strip()
            except BadSetting as error:
                cause = f"{file} of {section.what} cannot be used: {error.cause}"
                raise BadSetting(cause, hint=error.hint, line=line) from None
            if not secret or not secret.isprintable():
                cause = f"{file} of {section.what} must hold one line of text, and does not"
                raise Malformed(cause, hint=f"Write the {name} into it.", line=line)
            return secret
        return ""

    def _login(self, section: _Section) -> dict[str, Any]:
        """Return the fields of `LoginSettings`: with a name and its password, or without both."""
        user, password = section.text("user", ""), self._secret(section, "password")
        if bool(user) != bool(password):
            given, missing = ("user", "a password") if user else ("a password", "user")
            cause = f"{section.what} must have a user and a password, got only {given}"
            raise MissingSetting(cause, hint=f"Add {missing}, or leave both out.", line=section.line)
        timeout_s = section.number("timeout_s", TIMEOUT_S, 0.1, LONGEST_TIMEOUT_S)
        return {"user": user, "password": password, "ca_file": self._ca_file(section), "timeout_s": timeout_s}

    def _ca_file(self, section: _Section) -> str | None:
        if not section.has("ca_file"):
            return None
        path = self._folder / section.text("ca_file")
        if not path.is_file():
            cause = f"ca_file of {section.what} must be a file, and '{section.text('ca_file')}' is none"
            raise Malformed(cause, hint="Name a file of certificates in PEM.", line=section.line_of("ca_file"))
        return str(path)

    def _ntfy(self, node: Node) -> NtfySettings:
        section = _Section(node, NTFY, ("url", "token_env", "token_file", *_LOGIN))
        url = section.text("url")
        host, tls = _check_url(section.named("url"), url, section.line_of("url"))
        _check_safe(section, host, tls=tls)
        login, token = self._login(section), self._secret(section, "token")
        if token and login["user"]:
            cause = "ntfy must have a token or a user, got both"
            raise ConflictingSettings(cause, hint="Keep one of them.", line=section.line)
        return NtfySettings(url=url, token=token, **login)

    def _mqtt(self, node: Node) -> MqttSettings:
        section = _Section(node, MQTT, ("host", "port", "tls", "topic", "discovery", *_LOGIN))
        host, tls = section.text("host"), section.flag("tls")
        _check_safe(section, host, tls=tls)
        topics = {}
        for key, default in (("topic", "handup"), ("discovery", "homeassistant")):
            off = key == "discovery" and key in section.nodes and is_nothing(section.nodes[key])
            topics[key] = topic = "" if off else section.text(key, default)
            if not off and (not MQTT_TOPIC.fullmatch(topic) or topic.startswith("$")):
                cause = f"{section.named(key)} must be a topic without + and #, got {shown(topic)}"
                raise Malformed(cause, hint="Write for example handup, or home/handup.", line=section.line_of(key))
        return MqttSettings(
            host=host,
            port=section.count("port", 8883 if tls else 1883, 1, 65535),
            tls=tls,
            topic=topics["topic"],
            discovery=topics["discovery"],
            **self._login(section),
        )

    def _email(self, node: Node) -> MailSettings:
        section = _Section(node, EMAIL, ("host", "port", "security", "sender", *_LOGIN))
        host, named = section.text("host"), section.text("security", MailSecurity.STARTTLS)
        if named not in list(MailSecurity):
            cause = f"security of email must be one of {', '.join(MailSecurity)}, got {shown(named)}"
            raise UnknownName(cause, hint="Give one of these words.", line=section.line_of("security"))
        security = MailSecurity(named)
        _check_safe(section, host, tls=security is not MailSecurity.NONE)
        usual = {MailSecurity.STARTTLS: 587, MailSecurity.TLS: 465, MailSecurity.NONE: 25}[security]
        return MailSettings(
            host=host,
            sender=_mail_address(section, "sender"),
            port=section.count("port", usual, 1, 65535),
            security=security,
            **self._login(section),
        )


_LOGIN = ("user", "password_env", "password_file", "ca_file", "insecure", "timeout_s")


def _name(key: str, line: int) -> str:
    try:
        return check_person("a name", key, MAX_NAME, error=BadSetting)
    except BadSetting as error:
        raise BadSetting(error.cause, hint=error.hint, line=line) from None


def _check_url(what: str, url: str, line: int) -> tuple[str, bool]:
    """Check an address of the web; return its host, and True where it is encrypted."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    plain = url.isascii() and not (set(url) & set('"<>\\^`{|} ?#')) and "@" not in parts.netloc
    if parts.scheme not in {"http", "https"} or not host or not plain:
        cause = f"{what} must be an address such as https://robot.example, got {shown(url)}"
        raise Malformed(cause, hint="Give scheme, host and path, without a name, a password or a query.", line=line)
    return host, parts.scheme == "https"


def _check_safe(section: _Section, host: str, *, tls: bool) -> None:
    """Refuse to send notices and secrets over a network without encryption, unless the file says so."""
    if not tls and not section.flag("insecure") and not is_loopback(host):
        cause = f"{section.what} would send to another machine without encryption"
        hint = "Turn TLS on, or write insecure: true for a network that you trust."
        raise UnsafeHost(cause, hint=hint, line=section.line)


def _mail_address(section: _Section, key: str) -> str:
    address = section.text(key)
    if not MAIL_ADDRESS.fullmatch(address) or set(address) & NOT_IN_ADDRESSES or address.count("@") != 1:
        cause = f"{section.named(key)} must be an e-mail address, got {shown(address)}"
        raise Malformed(cause, hint="Write for example ada@example.org.", line=section.line_of(key))
    return address


def _person(node: Node, what: str, ways: list[str]) -> PersonNotices:
    section = _Section(node, what, (*WAYS, "after_s", "reminders", "quiet", "words", "per_hour"))
    if not any(section.has(way) for way in WAYS):
        cause = f"{what} must have at least one of {', '.join(WAYS)}, got none"
        raise MissingSetting(cause, hint="Add one, or take the name out.", line=section.line)
    addresses: dict[str, str] = {}
    for way in WAYS:
        if not section.has(way):
            continue
        if way not in ways:
            cause = f"{what} wants notices by {way}, and the file has no {way}"
            raise MissingSetting(cause, hint=f"Add '{way}', or take it away here.", line=section.line_of(way))
        if way == MQTT:
            if section.flag(way):
                addresses[way] = ""
        elif way == EMAIL:
            addresses[way] = _mail_address(section, way)
        else:
            addresses[way] = section.text(way)
            if not TOPIC.fullmatch(addresses[way]):
                cause = f"{section.named(way)} must be a topic of letters, digits, - and _, got {shown(addresses[way])}"
                raise Malformed(cause, hint="Choose a long one that nobody guesses.", line=section.line_of(way))
    every_s, most = 60.0, 0
    if section.has("reminders"):
        hint = "Write for example: {every_s: 60, most: 3}."
        reminders = _Section(section.nodes["reminders"], f"reminders of {what}", ("every_s", "most"), hint)
        every_s = reminders.number("every_s", every_s, SHORTEST_REMINDER_S, LONGEST_S)
        most = reminders.count("most", 1, 0, MOST_REMINDERS)
    return PersonNotices(
        addresses=addresses,
        after_s=section.number("after_s", 0.0, 0.0, LONGEST_S),
        every_s=every_s,
        most=most,
        quiet=_quiet(section),
        words=section.flag("words"),
        per_hour=section.count("per_hour", PER_HOUR, 1, MOST_PER_HOUR),
    )


def _quiet(section: _Section) -> tuple[QuietHours, ...]:
    if not section.has("quiet"):
        return ()
    node = section.nodes["quiet"]
    hint = 'Write for example: [{start: "22:00", end: "07:00", zone: Europe/Berlin}].'
    if not isinstance(node, Listing):
        cause = f"{section.named('quiet')} must be a list, got {in_words(node)}"
        raise Malformed(cause, hint=hint, line=node.line)
    hours = []
    for item in node.items:
        part = _Section(item, "quiet hours", ("start", "end", "zone"), hint)
        given = {"start": part.text("start"), "end": part.text("end"), "zone": part.text("zone", "UTC")}
        try:
            hours.append(QuietHours(**given))
        except HandupError as error:
            raise BadSetting(error.cause, hint=error.hint, line=item.line) from None
    return tuple(hours)
