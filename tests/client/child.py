"""A server as a process of its own: `python -m tests.client.child STORE PORT FRONT BOUNDS`."""

import json
import sys

from handup.core import Person
from handup.server import serve
from handup.server.settings import Bounds, ServerSettings

PEOPLE = (Person(name="ana"), Person(name="ben"))

if __name__ == "__main__":
    store, port, front, bounds = sys.argv[1:]
    serve(
        ServerSettings(
            store=store,
            port=int(port),
            people=PEOPLE,
            origins=(f"http://127.0.0.1:{front}",),
            bounds=Bounds(**json.loads(bounds)),
        )
    )
