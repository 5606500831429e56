"""A real HTTP server on loopback that speaks the OpenAI way, and misbehaves where a test says so."""

from __future__ import annotations

import json
import math
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[["Handler", dict[str, Any]], None]
PATHS = ("/v1/chat/completions", "/v1/detect")
OPTION = re.compile(r'^([A-Z])\) "(.*)"$', re.M)


def options_of(body: Mapping[str, Any]) -> dict[str, str]:
    """The options of a request by their letters."""
    text = body["messages"][1]["content"][0]["text"]
    return {letter: json.loads(f'"{option}"') for letter, option in OPTION.findall(text)}


def picture_of(body: Mapping[str, Any]) -> str:
    """The picture of a request, as a data URL."""
    return str(body["messages"][1]["content"][1]["image_url"]["url"])


def completion(tokens: Mapping[str, float]) -> dict[str, Any]:
    """An answer whose first token has these probabilities, as OpenAI's API gives it."""
    ranked = sorted(tokens.items(), key=lambda each: -each[1])
    top = [{"token": token, "logprob": math.log(share), "bytes": list(token.encode())} for token, share in ranked]
    content = [{**top[0], "top_logprobs": top}]
    message = {"role": "assistant", "content": ranked[0][0]}
    choice = {"index": 0, "message": message, "logprobs": {"content": content}, "finish_reason": "length"}
    return {"id": "chatcmpl-1", "object": "chat.completion", "model": "toy", "choices": [choice]}


@dataclass
class Toy:
    """The server: where it is, what it was asked, and what it answers next; the last reply is given from then on."""

    url: str
    replies: list[Reply]
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def next(self) -> Reply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


class Handler(BaseHTTPRequestHandler):
    """One request."""

    toy: Toy

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.toy.asked.append(body)
        self.toy.headers.append({name.lower(): value for name, value in self.headers.items()})
        reply = self.toy.next() if self.path in PATHS else say(404, {"error": {"message": "no such path"}})
        with suppress(ConnectionError):  # whoever asked has gone
            reply(self, body)

    def send(self, status: int, content: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def say(status: int, said: object, **headers: str) -> Reply:
    """Answer with a status and JSON, or bytes as they are."""
    content = said if isinstance(said, bytes) else json.dumps(said).encode()
    return lambda handler, body: handler.send(status, content, **headers)


def likes(shares: Mapping[str, float], **others: float) -> Reply:
    """Answer with the letters of these options and their probabilities, and with other tokens."""

    def reply(handler: Handler, body: dict[str, Any]) -> None:
        letters = {option: letter for letter, option in options_of(body).items()}
        tokens = {letters[option]: share for option, share in shares.items()}
        handler.send(200, json.dumps(completion({**tokens, **others})).encode())

    return reply


def drips(handler: Handler, body: dict[str, Any]) -> None:
    """Send headers and then one byte now and then, until the server is closed or nobody listens."""
    handler.send_response(200)
    handler.end_headers()
    while not handler.toy.over.wait(0.02):
        handler.wfile.write(b" ")


def drips_headers(handler: Handler, body: dict[str, Any]) -> None:
    """Never come to the end of the headers."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not handler.toy.over.wait(0.02):
        handler.wfile.write(b"a")


def hangs(handler: Handler, body: dict[str, Any]) -> None:
    """Say nothing at all."""
    handler.toy.over.wait(30)


def cuts(handler: Handler, body: dict[str, Any]) -> None:
    """Promise more than is sent, and hang up."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')


@contextmanager
def serving(*replies: Reply) -> Iterator[Toy]:
    """A server on a free port of this machine, closed at the end."""
    handler = type("OwnHandler", (Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    toy = Toy(f"http://127.0.0.1:{server.server_address[1]}/v1", list(replies))
    handler.toy = toy  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield toy
    finally:
        toy.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
