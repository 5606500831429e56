"""A person who answers whatever is open, in a thread of her own."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from handup.client import Client
from handup.core import Value
from tests.client.servers import Server


class Ana:
    """Answers by what each step's answer is; what is not there she leaves."""

    def __init__(self, server: Server, values: Mapping[str, Value]) -> None:
        self.asked: list[str] = []
        self._client = Client(server.url, server.tokens["ana"], patience_s=60)
        self._values = values
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._answers)

    def __enter__(self) -> Ana:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(30)
        self._client.close()

    def _answers(self) -> None:
        while not self._over.wait(0.1):
            for each in self._client.waiting():
                if each.step in self._values and self._client.answer(each.id, self._values[each.step]).accepted:
                    self.asked.append(each.id)
