"""Writes the golden entries of notices in their present format: `python -m tests.adapters.notify.make_golden`.

Golden files are kept for ever: one that is there is never written over. For a new format, raise VERSION and keep the
old files and their test.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from handup.adapters.notify.notifier import NotTold, PerhapsTold
from handup.adapters.notify.notify_file import PersonNotices
from handup.core import Person
from tests.adapters.notify.test_notify_service import NIGHT_S, Home
from tests.desk.desks import SetClock, says

VERSION = 1
FOLDER = Path(__file__).parent / "golden"


def main() -> None:
    """Write the file unless it is there: a notice that fails, goes out and is repeated, and one of an erased person."""
    path = FOLDER / f"told-v{VERSION}.jsonl"
    if path.exists():
        sys.exit(f"{path.name} is there and is never written over; raise VERSION for a new format.")
    wanted = PersonNotices(addresses={"note": "a"}, every_s=60.0, most=1)
    with TemporaryDirectory() as folder:
        people = (Person(name="ana"), Person(name="ben"))
        home = Home(Path(folder) / "home.db", SetClock(NIGHT_S), *people, ana=wanted, ben=wanted)
        home.way.fails = [NotTold("the server answered 500")]
        record = home.ask()
        home.look()
        home.look(2.0)
        home.look(60.0)
        home.desk.reply(says("someone-else", record, "ana"))
        home.way.fails = [PerhapsTold("the server ended the connection")]
        home.look()
        home.journal.erase("ana")
        lines = [
            json.dumps({"seq": row.seq, "at_s": row.at_s, "kind": row.kind, "version": row.version, "body": body})
            for row, body in home.journal.bodies()
            if row.kind.startswith("told.")
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        home.close()


if __name__ == "__main__":
    main()
