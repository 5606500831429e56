"""A small TCP proxy between a robot and its server: it can swallow what it gets, hold it up, or cut everything."""

from __future__ import annotations

import asyncio
import threading
from types import TracebackType
from typing import Self


class Proxy:
    """Passes bytes on in both ways, in a thread of its own.

    Attributes:
        swallow: While it is true, bytes are thrown away: a half-open connection.
        swallow_there: The same for bytes on their way to the server only.
        passed_there: Number of reads that were passed on to the server, about one for each of the robot's frames.
    """

    def __init__(self, to: int, port: int) -> None:
        self._to = to
        self.port = port
        self.swallow = self.swallow_there = False
        self.passed_there = 0
        self._loop = asyncio.new_event_loop()
        self._open = asyncio.Event()
        self._over = asyncio.Event()
        self._writers: set[asyncio.StreamWriter] = set()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def pass_on(self) -> None:
        self.swallow = self.swallow_there = False
        self._loop.call_soon_threadsafe(self._open.set)

    def hold_back(self) -> None:
        self._loop.call_soon_threadsafe(self._open.clear)

    def cut(self) -> None:
        """Drop every connection; new ones are taken."""
        self._loop.call_soon_threadsafe(self._abort)

    def _abort(self) -> None:
        for each in self._writers:
            each.transport.abort()

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(10)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._open.set()
        server = await asyncio.start_server(self._take, "127.0.0.1", self.port)
        self._ready.set()
        await self._over.wait()
        server.close()
        self._abort()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, there_writer}
        await asyncio.gather(self._pump(reader, there_writer, there=True), self._pump(there_reader, writer))
        self._writers -= {writer, there_writer}

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, there: bool = False) -> None:
        try:
            while data := await reader.read(65536):
                await self._open.wait()
                if not (self.swallow or (there and self.swallow_there)):
                    writer.write(data)
                    await writer.drain()
                    self.passed_there += there
        except OSError:
            pass
        writer.transport.abort()
