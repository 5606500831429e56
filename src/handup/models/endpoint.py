"""A model at a server: one request, bounded in time, tries and size, and a choice with a score for each option.

The key comes from an environment variable and goes nowhere but into the request: not into a message, not into a repr,
not to another host (redirects are not followed) and not over a line that others can read.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import os
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from handup.core import (
    BadAnswer,
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
from handup.core.checks import MAX_NAME, MAX_OPTION, check_count, check_name, check_number, shown, storable
from handup.models.model import Output
from handup.models.pictures import Picture, data_url

LONGEST_PAUSE_S = 20.0
"""So long at most before it is tried again, whatever the server asks for."""
LONGEST_TEXT = 160
"""So much of a server's own words stands in a message."""
BUSY = (408, 429, 500, 502, 503, 504, 529)
"""Answers after which the same request may do better a little later."""
RULES = "You choose for a robot. Answer with one letter and nothing else."
LETTERS = "BCDEFGHJKLMNPQRSTUVW"
"""As many as `top_logprobs` shows of one token: more could not all be seen. Letters that begin a sentence by themselves
(A, I, O) are left out: "A plate of …" is no choice of the first option."""
LEAST_MASS = 0.5
"""So much of the probability must lie on the options. Below, the model wanted to say something else."""
AROUND = " \t\n\r\"'`*().:▁Ġ"
"""What may stand around a letter: tokens carry spaces, marks and their tokeniser's own signs."""
OTHER_MODEL = "Choose a model and a server that give `top_logprobs`; a bare answer says nothing of how sure it is."


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Where a model is served. Nothing is sent before it is asked for.

    `choose` asks a vision model that speaks the OpenAI way; `post` sends JSON to anything else, such as a detector.
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
            hint = "Use https, or a tunnel to this machine."
            raise UnsafeHost(f"the key would go to {parts.hostname} without TLS", hint=hint)
        object.__setattr__(self, "url", self.url.rstrip("/"))
        check_name("a model", self.model, MAX_NAME, error=BadSetting)
        for what in ("timeout_s", "pause_s"):
            if check_number(what, getattr(self, what), error=BadSetting) <= 0.0:
                raise BadSetting(f"{what} is {getattr(self, what):g}", hint="Give some seconds.")
        for what in ("tries", "most_bytes"):
            check_count(what, getattr(self, what), least=1, error=BadSetting)

    def choose(
        self,
        picture: Picture,
        prompt: str,
        options: Sequence[str],
        *,
        rules: str = RULES,
        more: Mapping[str, Any] | None = None,
    ) -> Output:
        """Ask a vision model which of some options suits a picture. Scores add up to 1; calibrate them like any others.

        Every option has a letter, and the model is asked for a letter alone, so that the log-probabilities of one token
        decide. Three things can go wrong unseen: a server that gives them *after* its temperature (asked for is 1,
        where both are the same); a model that favours early letters; one that is sure of everything.

        The picture is sent to the endpoint: know whose machine that is, and who agreed to it.

        Args:
            picture: Of height × width × 3.
            prompt: What to ask.
            options: 2 to 20, each in one line. They are sent as JSON, so none can pose as a line of ours.
            rules: What the model is told before.
            more: Further fields of the request; None takes one of ours out. OpenAI's newer models want
                `{"max_tokens": None, "max_completion_tokens": 1}`.

        Raises:
            HandupError: As `post` does.
            ContractViolation: The model gives no log-probabilities.
            BadAnswer: It answers with none of the options.
        """
        letters = lettered(options)
        listed = "\n".join(f"{letter}) {json.dumps(option, ensure_ascii=False)}" for letter, option in letters.items())
        content = [
            {"type": "text", "text": f"{prompt}\n{listed}\nAnswer with the letter alone."},
            {"type": "image_url", "image_url": {"url": data_url(picture)}},
        ]
        body = {
            "messages": [{"role": "system", "content": rules}, {"role": "user", "content": content}],
            "max_tokens": 1,
            "temperature": 1,
            "logprobs": True,
            "top_logprobs": len(LETTERS),
            **(more or {}),
            "model": self.model,
        }
        answer = self.post("/chat/completions", {key: value for key, value in body.items() if value is not None})
        return probabilities(first_token(answer), letters)

    def digest(self, prompt: str, *, rules: str = RULES, more: Mapping[str, Any] | None = None) -> str:
        """Hash what can be known of the model: its server's and its own name and what it is asked, not its weights."""
        known = json.dumps([self.url, self.model, rules, prompt, dict(more or {})], sort_keys=True, default=str)
        return hashlib.sha256(known.encode()).hexdigest()[:16]

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send JSON, and again while the server is away or busy; the JSON of its answer.

        Args:
            path: What follows the address, such as `/detect`.
            body: What to send.

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
        for number in range(1, self.tries + 1):
            pause_s = self.pause_s * 2.0 ** (number - 1)
            try:
                with ThreadPoolExecutor(1) as thread:  # a loop of its own: the caller may have one already
                    status, headers, content = thread.submit(asyncio.run, self._send(httpx, path, body)).result()
            except httpx.TransportError as error:
                failed: HandupError = self._away(str(error) or type(error).__name__)
            except TimeoutError:
                failed = self._away(f"no whole answer within {self.timeout_s:g} s")
            else:
                if status not in BUSY:
                    return self._read(status, content)
                kind = TooFast if status == 429 else ServerBusy
                told = f"{self._named} is busy (status {status}), tried {self.tries} times"
                failed = kind(told, hint="Ask less often.")
                pause_s = max(pause_s, _seconds(headers.get("retry-after")))
            if number < self.tries:
                self.wait(min(pause_s, LONGEST_PAUSE_S))
        raise failed

    async def _send(self, httpx: Any, path: str, body: Mapping[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        """One try. A server that sends a byte now and then is cut off, too: the limit is for the whole of it."""
        headers = {"Accept-Encoding": "identity", **self._authority()}
        async with (
            asyncio.timeout(self.timeout_s),
            httpx.AsyncClient(verify=self._trust(), trust_env=False, timeout=self.timeout_s) as client,
            client.stream("POST", f"{self.url}{path}", json=dict(body), headers=headers) as response,
        ):
            content = b""
            async for piece in response.aiter_raw():  # as sent: what is packed could grow without limit
                content += piece
                if len(content) > self.most_bytes:
                    told = f"{self._named} sends more than {self.most_bytes} bytes"
                    raise TooLarge(told, hint="See what answers there.")
            return int(response.status_code), response.headers, content

    def _authority(self) -> dict[str, str]:
        if not self.key_from:
            return {}
        key = os.environ.get(self.key_from, "")
        if not key:
            told = f"there is no key in the environment variable {self.key_from}"
            raise BadSetting(told, hint=f"Set it: export {self.key_from}=…")
        if not key.isascii() or not key.isprintable() or " " in key:
            raise BadSetting(f"{self.key_from} holds what no key has", hint="Copy the key again, without spaces.")
        return {"Authorization": f"Bearer {key}"}

    def _trust(self) -> ssl.SSLContext | bool:
        if not self.url.startswith("https"):
            return False  # plain HTTP has nothing to verify
        try:
            return ssl.create_default_context(cafile=self.ca_file)
        except OSError as error:
            told = f"no certificates can be read from {self.ca_file}: {error.strerror or error}"
            raise BadSetting(told, hint="Give a file of certificates in PEM form.") from None

    def _read(self, status: int, content: bytes) -> dict[str, Any]:
        if status in {401, 403}:  # what it says of the key is not repeated: some servers quote it
            raise ServerRefused(
                f"{self._named} does not take the key (status {status})",
                hint=f"Check the key in {self.key_from}." if self.key_from else "Say by key_from where the key is.",
            )
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            answer = None
        if status >= 300:
            raise self._refusal(status, answer)
        if not isinstance(answer, dict):
            raise ServerRefused(f"{self._named} answers with something else than JSON", hint="Check the address.")
        return answer

    def _refusal(self, status: int, answer: object) -> HandupError:
        told = answer.get("error", answer) if isinstance(answer, dict) else ""
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

    @property
    def _named(self) -> str:
        return f"'{self.model}' at {self.url}"


def lettered(options: Sequence[str]) -> dict[str, str]:
    """Each option by its letter.

    Raises:
        BadSetting: Fewer than two, more than there are letters, one twice, or one that is no line of text.
    """
    names = [check_name("an option", option, MAX_OPTION, error=BadSetting) for option in options]
    if not 2 <= len(set(names)) == len(names) <= len(LETTERS):
        raise BadSetting(f"{len(names)} options", hint=f"Give 2 to {len(LETTERS)}, each once, to be told apart.")
    return dict(zip(LETTERS, names, strict=False))


def first_token(answer: Mapping[str, Any]) -> list[tuple[str, float]]:
    """The likeliest first tokens of an answer and their log-probabilities.

    Raises:
        ContractViolation: There are none: the model or its server does not give them.
    """
    try:
        listed = answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        tokens = [(str(entry["token"]), float(entry["logprob"])) for entry in listed]
    except (KeyError, IndexError, TypeError, ValueError):
        tokens = []
    if not tokens or any(math.isnan(number) or number > 1e-6 for _, number in tokens):
        raise ContractViolation("an answer comes without log-probabilities of its first token", hint=OTHER_MODEL)
    return [(token, min(number, 0.0)) for token, number in tokens]


def probabilities(tokens: Sequence[tuple[str, float]], options: Mapping[str, str]) -> Output:
    """Score each option; the scores add up to 1.

    Tokens that mean the same letter (`B`, ` B`, `b`) count together. An option whose letter is not among the tokens
    gets an even share of the probability that is left over, but no more than the least likely token that was shown:
    otherwise it would have been shown.

    Args:
        tokens: As `first_token` gives them.
        options: By letter.

    Raises:
        BadAnswer: Most of the probability lies on something that is none of the options.
    """
    seen: dict[str, float] = {}
    for token, number in tokens:
        letter = token.strip(AROUND).upper()
        if letter in options:
            seen[letter] = seen.get(letter, 0.0) + math.exp(number)
    mass = sum(seen.values())
    if mass < LEAST_MASS:
        likeliest = max(tokens, key=lambda token: token[1])[0]
        raise BadAnswer(
            f"the model answers {shown(likeliest)}, which is none of the options (they have {100 * mass:.0f} % of it)",
            hint="Take a model that does as it is told, or one without a thinking step before its answer.",
        )
    shares = [math.exp(number) for _, number in tokens]
    unseen = len(options) - len(seen)
    share = min(max(1.0 - sum(shares), 0.0) / max(unseen, 1), *shares)
    whole = mass + share * unseen
    ranked = sorted(options, key=lambda letter: -seen.get(letter, share))
    return Output(
        tuple(options[letter] for letter in ranked), tuple(seen.get(letter, share) / whole for letter in ranked)
    )


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
