"""A server that speaks the OpenAI way, `/v1/chat/completions`: one request, bounded in time, tries and size.

The key comes from an environment variable and goes nowhere but into the request: not into a message, not into a repr,
not to another host (redirects are not followed) and not over a line that others can read.
"""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from handup.core import (
    BadSetting,
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
from handup.core.checks import check_count, check_name, check_number, storable
from handup.core.kinds import MAX_NAME

PATH = "/chat/completions"
LONGEST_PAUSE_S = 20.0
"""So long at most before it is tried again, whatever the server asks for."""
LONGEST_TEXT = 160
"""So much of a server's own words stands in a message."""
BUSY = (408, 429, 500, 502, 503, 504, 529)
"""Answers after which the same request may do better a little later."""


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Where a model is served. Nothing is sent before `chat`.

    A call blocks for `timeout_s` at most at each try, and for the pauses between tries. While it does, the robot does
    not move. Threads may share one.

    Args:
        url: Up to and with the version, such as `http://127.0.0.1:8000/v1`.
        model: By the name that the server knows it by.
        key_from: The environment variable with the key; empty where the server wants none.
        timeout_s: For one try, from the connection to the last byte.
        tries: How often it is tried while the server is away or busy.
        pause_s: Before the second try; twice as long before each further one, or as long as the server asks for.
        most_bytes: Of an answer.
        ca_file: Certificates to trust, for a server whose certificate was made at home.
        wait: How a pause is spent.

    Raises:
        BadSetting: An address, name or limit that cannot be.
        UnsafeHost: A key would go to another machine without TLS.
    """

    url: str
    model: str
    key_from: str = ""
    timeout_s: float = 20.0
    tries: int = 3
    pause_s: float = 0.5
    most_bytes: int = 1_000_000
    ca_file: Path | None = None
    wait: Callable[[float], object] = field(default=time.sleep, repr=False, compare=False)

    def __post_init__(self) -> None:
        parts = _parts(self.url)
        if parts.username or parts.password:
            raise BadSetting("an address holds a name or a password", hint="Give the key by key_from.")
        if self.key_from and parts.scheme == "http" and not _is_here(str(parts.hostname)):
            raise UnsafeHost(
                f"the key would go to {parts.hostname} without TLS", hint="Use https, or a tunnel to this machine."
            )
        object.__setattr__(self, "url", self.url.rstrip("/"))
        check_name("a model", self.model, MAX_NAME, error=BadSetting)
        for what in ("timeout_s", "pause_s"):
            if check_number(what, getattr(self, what), error=BadSetting) <= 0.0:
                raise BadSetting(f"{what} is {getattr(self, what):g}", hint="Give some seconds.")
        for what in ("tries", "most_bytes"):
            check_count(what, getattr(self, what), least=1, error=BadSetting)

    def chat(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request, and again while the server is away or busy; the JSON of its answer.

        Args:
            body: All but the model's name.

        Raises:
            MissingExtra: httpx is not installed.
            BadSetting: There is no key in the environment.
            ServerUnreachable: Nobody answers in time.
            TooFast, ServerBusy: It still says so at the last try.
            TooLarge: The answer is too long.
            ContractViolation: The model gives no log-probabilities, and says so.
            ServerRefused: It refuses the key or the request, or answers with something else than JSON.
        """
        try:
            import httpx  # noqa: PLC0415 - only those who ask a server need it
        except ModuleNotFoundError as error:
            raise MissingExtra.of("web", "asking a model at an endpoint") from error
        request = {**body, "model": self.model}
        for number in range(1, self.tries + 1):
            pause_s = self.pause_s * 2.0 ** (number - 1)
            try:
                with ThreadPoolExecutor(1) as thread:  # a loop of its own: the caller may have one already
                    status, headers, content = thread.submit(asyncio.run, self._send(httpx, request)).result()
            except httpx.TransportError as error:
                failed: HandupError = self._away(str(error) or type(error).__name__)
            except TimeoutError:
                failed = self._away(f"no whole answer within {self.timeout_s:g} s")
            else:
                if status not in BUSY:
                    return self._read(status, content)
                failed = self._busy(status)
                pause_s = max(pause_s, _seconds(headers.get("retry-after")))
            if number < self.tries:
                self.wait(min(pause_s, LONGEST_PAUSE_S))
        raise failed

    async def _send(self, httpx: Any, body: Mapping[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        """One try. A server that sends a byte now and then is cut off, too: the limit is for the whole of it."""
        headers = {"Accept-Encoding": "identity", **self._authority()}
        async with (
            asyncio.timeout(self.timeout_s),
            httpx.AsyncClient(verify=self._trust(), trust_env=False, timeout=self.timeout_s) as client,
            client.stream("POST", f"{self.url}{PATH}", json=dict(body), headers=headers) as response,
        ):
            content = b""
            async for piece in response.aiter_raw():  # as sent: what is packed could grow without limit
                content += piece
                if len(content) > self.most_bytes:
                    raise TooLarge(
                        f"{self._named} sends more than {self.most_bytes} bytes", hint="See what answers there."
                    )
            return int(response.status_code), response.headers, content

    def _authority(self) -> dict[str, str]:
        if not self.key_from:
            return {}
        key = os.environ.get(self.key_from, "")
        if not key:
            raise BadSetting(
                f"there is no key in the environment variable {self.key_from}",
                hint=f"Set it: export {self.key_from}=…",
            )
        if not key.isascii() or not key.isprintable() or " " in key:
            raise BadSetting(f"{self.key_from} holds what no key has", hint="Copy the key again, without spaces.")
        return {"Authorization": f"Bearer {key}"}

    def _trust(self) -> ssl.SSLContext | bool:
        if not self.url.startswith("https"):
            return False  # plain HTTP has nothing to verify
        try:
            return ssl.create_default_context(cafile=self.ca_file)
        except OSError as error:
            raise BadSetting(
                f"no certificates can be read from {self.ca_file}: {error.strerror or error}",
                hint="Give a file of certificates in PEM form.",
            ) from None

    def _read(self, status: int, content: bytes) -> dict[str, Any]:
        if status in {401, 403}:  # what it says of the key is not repeated: some servers quote it
            raise ServerRefused(
                f"{self._named} does not take the key (status {status})",
                hint=f"Check the key in {self.key_from}." if self.key_from else "Say by key_from where the key is.",
            )
        try:
            said = json.loads(content)
        except (ValueError, RecursionError):
            said = None
        if status >= 300:
            raise self._refusal(status, said)
        if not isinstance(said, dict):
            raise ServerRefused(f"{self._named} answers with something else than JSON", hint="Check the address.")
        return said

    def _refusal(self, status: int, said: object) -> HandupError:
        told = said.get("error", said) if isinstance(said, dict) else ""
        text = str(told.get("message", "")) if isinstance(told, dict) else str(told)
        key = os.environ.get(self.key_from, "") if self.key_from else ""
        text = storable(text.replace(key, "…") if key else text)
        line = " ".join(text.split())[:LONGEST_TEXT]
        if "logprob" in line.lower():
            return ContractViolation(f"{self._named} gives no log-probabilities: {line}", hint=OTHER_MODEL)
        hint = "Check the address: it ends with the version, such as /v1." if status in {404, 405} else "Ask otherwise."
        return ServerRefused(f"{self._named} refuses with status {status}" + (f": {line}" if line else ""), hint=hint)

    def _away(self, why: str) -> ServerUnreachable:
        return ServerUnreachable(
            f"{self._named} does not answer ({why}), tried {self.tries} times",
            hint="See whether it runs, or allow it more time.",
        )

    def _busy(self, status: int) -> HandupError:
        kind = TooFast if status == 429 else ServerBusy
        return kind(f"{self._named} is busy (status {status}), tried {self.tries} times", hint="Ask less often.")

    @property
    def _named(self) -> str:
        return f"'{self.model}' at {self.url}"


OTHER_MODEL = "Choose a model and a server that give `top_logprobs`; a bare answer says nothing of how sure it is."


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        right = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        right = False
    if not right or not url.isascii() or not url.isprintable() or set(url) & set(" ?#"):
        raise BadSetting("this is no address of a server", hint="Give one such as http://127.0.0.1:8000/v1.")
    return parts


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _seconds(retry_after: str | None) -> float:
    try:
        return max(0.0, float(retry_after or 0.0))
    except ValueError:  # a date
        return 0.0
