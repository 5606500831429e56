"""Both clients behind one face, so that each test is one for both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from handup.client import AsyncClient, Change, Client


class Waited:
    """An `AsyncClient` that is waited for."""

    def __init__(self, client: AsyncClient, runner: asyncio.Runner) -> None:
        self._client, self._runner = client, runner

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._client, name)
        return lambda *given, **named: self._runner.run(method(*given, **named))

    def watch(self, *questions: str) -> Iterator[Change]:
        changes = self._client.watch(*questions)
        try:
            while True:
                yield self._runner.run(self._next(changes))
        finally:
            self._runner.run(changes.aclose())

    async def _next(self, changes: AsyncGenerator[Change, None]) -> Change:
        return await anext(changes)


@contextmanager
def client_of(kind: str, url: str, token: str, **settings: Any) -> Iterator[Any]:
    """A client of either kind, closed afterwards."""
    if kind == "waits":
        with Client(url, token, **settings) as client:
            yield client
        return
    with asyncio.Runner() as runner:

        async def made() -> AsyncClient:
            return AsyncClient(url, token, **settings)

        awaited = runner.run(made())
        yield Waited(awaited, runner)
        runner.run(awaited.close())
