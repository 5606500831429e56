"""What the server is measured against: a bare relay in FastAPI that keeps nothing but a line for each answer.

A robot's question goes to the people it names, an answer is appended to a file and synced, then sent to the robot.
There is no access control, no journal, no limit, no heartbeat, and nothing survives. Run by `benchmarks.desk_load`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, WebSocket, WebSocketDisconnect


class Relay:
    """Sockets by name, and one file."""

    def __init__(self, path: Path) -> None:
        self.sockets: dict[str, WebSocket] = {}
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._disk = ThreadPoolExecutor(1)

    async def take(self, frame: dict[str, Any]) -> None:
        """Pass a frame on; an answer is on the disk first."""
        text = json.dumps(frame)
        if frame["type"] == "answer":
            await asyncio.get_running_loop().run_in_executor(self._disk, self._keep, text)
        for name in frame["to"]:
            if name in self.sockets:
                await self.sockets[name].send_text(text)

    def _keep(self, text: str) -> None:
        os.write(self._file, f"{text}\n".encode())
        os.fdatasync(self._file)


def app_of(path: Path) -> FastAPI:
    """The relay."""
    app, relay = FastAPI(), Relay(path)

    @app.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.websocket("/live/{name}")
    async def live(websocket: WebSocket, name: str) -> None:
        await websocket.accept()
        relay.sockets[name] = websocket
        try:
            while True:
                await relay.take(json.loads(await websocket.receive_text()))
        except WebSocketDisconnect:
            del relay.sockets[name]

    return app


if __name__ == "__main__":
    file, port = sys.argv[1:]
    uvicorn.run(app_of(Path(file)), host="127.0.0.1", port=int(port), log_level="error", ws_ping_interval=None)
