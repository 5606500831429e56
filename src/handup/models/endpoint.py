"""Model at a server: requests bounded in time, tries and size, and a choice with a score for each option.

The key comes from an environment variable and goes only into the request: not into a message, not into a repr, not to
another host (redirects are not followed) and not over a line that others can read.
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
    ConflictingSettings,
    ContractViolation,
    HandupError,
    Malformed,
    MissingExtra,
    MissingSetting,
    OutOfRange,
    ServerBusy,
    ServerRefused,
    ServerUnreachable,
    TooFast,
    TooLarge,
    UnsafeHost,
    WrongSize,
)
from handup.core.checks import MAX_NAME, MAX_OPTION, check_count, check_name, check_number, shown, storable
from handup.models.model import Output
from handup.models.pictures import Picture, data_url

LONGEST_PAUSE_S = 20.0
"""Longest pause before the next try, whatever the server asks for."""
LONGEST_TEXT = 160
"""Most characters of a server's own message that an error quotes."""
BUSY = (408, 429, 500, 502, 503, 504, 529)
"""Status codes after which the same request may succeed a little later."""
RULES = "You choose for a robot. Answer with one letter and nothing else."
LETTERS = "BCDEFGHJKLMNPQRSTUVW"
"""Letters of the options, as many as `top_logprobs` shows of one token. Letters that are words of a sentence (A, I, O)
are left out: "A plate of …" is no choice of the first option."""
LEAST_MASS = 0.5
"""Least probability of all options together; below it, the model was about to say something else."""
AROUND = " \t\n\r\"'`*().:▁Ġ"
"""Characters around a letter in a token: spaces, marks and signs of tokenisers."""
OTHER_MODEL = "Choose a model and a server that give `top_logprobs`; a bare answer does not show how sure it is."


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Server of a model. Nothing is sent before a call.

    `choose` asks a vision model with OpenAI's API; `post` sends JSON to any other model, such as a detector. A call
    blocks for at most `timeout_s` in each try, and for the pauses between tries, and the robot does not move meanwhile.
    Threads may share an endpoint.

    Args:
        url: Address up to and including the version, such as `http://127.0.0.1:8000/v1`.
        model: Name of the model on the server.
        key_from: Environment variable with the key; empty where the server needs none.
        timeout_s: Seconds for one try, from the connection to the last byte, above 0.
        tries: Number of tries while the server is away or busy, at least 1.
        pause_s: Seconds before the second try, doubled before each further one, or as many as the server asks for.
        most_bytes: Largest answer in bytes.
        ca_file: File of certificates to trust, for a server with a certificate of its own.
        wait: Function that waits for some seconds.

    Raises:
        Malformed, OutOfRange, ConflictingSettings: An address, name or limit is not allowed.
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
            raise ConflictingSettings("url must not hold a name or a password", hint="Give the key by key_from.")
        if self.key_from and parts.scheme == "http" and not _is_local(str(parts.hostname)):
            cause = f"a key must not go over http to another machine, got {parts.hostname}"
            raise UnsafeHost(cause, hint="Use https, or a tunnel to this machine.")
        object.__setattr__(self, "url", self.url.rstrip("/"))
        check_name("a model", self.model, MAX_NAME, error=Malformed)
        for name in ("timeout_s", "pause_s"):
            if (seconds := check_number(name, getattr(self, name), error=OutOfRange)) <= 0.0:
                raise OutOfRange.of(name, f"{seconds:g}", "be above 0", hint="Give seconds.")
        for name in ("tries", "most_bytes"):
            check_count(name, getattr(self, name), least=1, error=OutOfRange)

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

        Every option gets a letter, and the model is asked for a letter alone, so that the log-probabilities of one
        token decide. Three mistakes give no error: a server that applies its temperature first (the request asks for
        1, which changes nothing), a model that prefers early letters, and a model that is sure of everything.

        The picture is sent to the endpoint: know whose machine that is, and who agreed to it.

        Args:
            picture: Picture of height × width × 3.
            prompt: The question.
            options: 2 to 20 options of one line. They are sent as JSON, so that none can pretend to be a line of ours.
            rules: The system message.
            more: Further fields of the request; None removes one of ours. OpenAI's newer models need
                `{"max_tokens": None, "max_completion_tokens": 1}`.

        Raises:
            HandupError: As `post` does.
            ContractViolation: The model gives no log-probabilities.
            BadAnswer: The model answers with none of the options.
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
        """Return a hash of what is known of the model: its address, its name and the request, but not its weights."""
        known = json.dumps([self.url, self.model, rules, prompt, dict(more or {})], sort_keys=True, default=str)
        return hashlib.sha256(known.encode()).hexdigest()[:16]

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send JSON, again while the server is away or busy, and return the JSON of its answer.

        Args:
            path: Path after the address, such as `/detect`.
            body: The JSON to send.

        Raises:
            MissingExtra: httpx is not installed.
            MissingSetting, Malformed: The key is not in the environment, or not a key.
            ServerUnreachable: The server does not answer in time.
            TooFast, ServerBusy: The server is still busy at the last try.
            TooLarge: The answer is too long.
            ContractViolation: The server answers that it has no log-probabilities.
            ServerRefused: The server refuses the key or the request, or does not answer with JSON.
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
                failed = kind(f"{self._named} is busy (status {status}), tried {self.tries} times", hint="Ask less.")
                pause_s = max(pause_s, _seconds(headers.get("retry-after")))
            if number < self.tries:
                self.wait(min(pause_s, LONGEST_PAUSE_S))
        raise failed

    async def _send(self, httpx: Any, path: str, body: Mapping[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        """Try once. The time limit is for the whole answer, so a server that sends a byte now and then is cut off."""
        headers = {"Accept-Encoding": "identity", **self._authority()}
        async with (
            asyncio.timeout(self.timeout_s),
            httpx.AsyncClient(verify=self._trust(), trust_env=False, timeout=self.timeout_s) as client,
            client.stream("POST", f"{self.url}{path}", json=dict(body), headers=headers) as response,
        ):
            content = b""
            async for piece in response.aiter_raw():  # raw, since a compressed answer could grow without limit
                content += piece
                if len(content) > self.most_bytes:
                    cause = f"{self._named} must send at most {self.most_bytes} bytes, got more"
                    raise TooLarge(cause, hint="Check the address, or raise most_bytes.")
            return int(response.status_code), response.headers, content

    def _authority(self) -> dict[str, str]:
        if not self.key_from:
            return {}
        key = os.environ.get(self.key_from, "")
        if not key:
            cause = f"the environment variable {self.key_from} must hold the key, got nothing"
            raise MissingSetting(cause, hint=f"Set it: export {self.key_from}=…")
        if not key.isascii() or not key.isprintable() or " " in key:
            raise Malformed(f"{self.key_from} must be one line of ASCII without spaces", hint="Copy the key again.")
        return {"Authorization": f"Bearer {key}"}

    def _trust(self) -> ssl.SSLContext | bool:
        if not self.url.startswith("https"):
            return False  # plain HTTP has nothing to verify
        try:
            return ssl.create_default_context(cafile=self.ca_file)
        except OSError as error:
            cause = f"ca_file must be readable, got {self.ca_file} ({error.strerror or error})"
            raise Malformed(cause, hint="Give a file of certificates in PEM form.") from None

    def _read(self, status: int, content: bytes) -> dict[str, Any]:
        if status in {401, 403}:  # without the server's message: some servers quote the key in it
            raise ServerRefused(
                f"{self._named} does not accept the key (status {status})",
                hint=f"Check the key in {self.key_from}." if self.key_from else "Name the key's variable by key_from.",
            )
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            answer = None
        if status >= 300:
            raise self._refusal(status, answer)
        if not isinstance(answer, dict):
            raise ServerRefused(
                f"{self._named} must answer with a JSON object, got something else", hint="Check the address."
            )
        return answer

    def _refusal(self, status: int, answer: object) -> HandupError:
        error = answer.get("error", answer) if isinstance(answer, dict) else ""
        text = str(error.get("message", "")) if isinstance(error, dict) else str(error)
        key = os.environ.get(self.key_from, "") if self.key_from else ""
        text = storable(text.replace(key, "…") if key else text)
        line = " ".join(text.split())[:LONGEST_TEXT]
        if "logprob" in line.lower():
            return ContractViolation(f"{self._named} gives no log-probabilities: {line}", hint=OTHER_MODEL)
        hint = (
            "Check the address, which ends with the version, such as /v1." if status in {404, 405} else "Ask otherwise."
        )
        return ServerRefused(f"{self._named} refuses with status {status}" + (f": {line}" if line else ""), hint=hint)

    def _away(self, why: str) -> ServerUnreachable:
        return ServerUnreachable(
            f"{self._named} does not answer ({why}), tried {self.tries} times",
            hint="Check that it runs, or raise timeout_s.",
        )

    @property
    def _named(self) -> str:
        return f"'{self.model}' at {self.url}"


def lettered(options: Sequence[str]) -> dict[str, str]:
    """Return the options by their letters.

    Raises:
        WrongSize, Malformed: There are not 2 to 20 different options, or one is not a line of text.
    """
    names = [check_name("an option", option, MAX_OPTION, error=Malformed) for option in options]
    if not 2 <= len(set(names)) == len(names) <= len(LETTERS):
        must = f"be 2 to {len(LETTERS)} different ones"
        raise WrongSize.of("options", f"{len(names)}, {len(set(names))} of them different", must, hint="Choose fewer.")
    return dict(zip(LETTERS, names, strict=False))


def first_token(answer: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return the likeliest first tokens of an answer and their log-probabilities.

    Raises:
        ContractViolation: The model or its server does not give them.
    """
    try:
        listed = answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        tokens = [(str(entry["token"]), float(entry["logprob"])) for entry in listed]
    except (KeyError, IndexError, TypeError, ValueError):
        tokens = []
    if not tokens or any(math.isnan(number) or number > 1e-6 for _, number in tokens):
        raise ContractViolation("an answer must have log-probabilities of its first token, got none", hint=OTHER_MODEL)
    return [(token, min(number, 0.0)) for token, number in tokens]


def probabilities(tokens: Sequence[tuple[str, float]], options: Mapping[str, str]) -> Output:
    """Return a score for each option; the scores add up to 1.

    Tokens of the same letter (`B`, ` B`, `b`) count together. An option whose letter is not among the tokens gets an
    even share of the remaining probability, but no more than the least likely token of the list, which it would
    otherwise have displaced.

    Args:
        tokens: Tokens with log-probabilities, as `first_token` returns them.
        options: Options by letter.

    Raises:
        BadAnswer: Most of the probability lies on tokens that are none of the options.
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
            f"the model must answer with an option, got {shown(likeliest)} (options have {100 * mass:.0f} %)",
            hint="Use a model that follows instructions and does not think before its answer.",
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
        valid = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        valid = False
    if not valid or not url.isascii() or not url.isprintable() or set(url) & set(" ?#"):
        raise Malformed("url must be the address of a server", hint="Give one such as http://127.0.0.1:8000/v1.")
    return parts


def _is_local(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _seconds(retry_after: str | None) -> float:
    try:
        return max(0.0, float(retry_after or 0.0))
    except ValueError:  # a date
        return 0.0
