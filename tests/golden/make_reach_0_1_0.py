"""Made `store-0.1.0/reach.tar.xz` with handup 0.1.0, and is kept to say how. Never run it again.

Somebody drives a hand at the page: one question is answered, the next one is open when robot and server are killed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.cli.reaching import Reaching, Stick
from tests.golden.make_store_0_1_0 import FOLDER, packed

REACH = ("--method", "entropy", "--limit", "3600", "--json")


def half_an_attempt(folder: Path, kept: Path) -> dict[str, object]:
    """Push until the hand asks, say no, push until it asks again, and pull the plug; what was to be seen."""
    with Reaching(folder, *REACH) as reaching, Stick(reaching) as stick:
        stick.push = (1.0, 0.0, 0.0)
        [first] = reaching.until(reaching.client.waiting)
        reaching.client.answer(first.id, False)
        stick.push = (0.0, 1.0, 0.0)
        [second] = reaching.until(lambda: [each for each in reaching.client.waiting() if each.id != first.id])
        reaching.until(lambda: reaching.state()["phase"] == "asking")
        time.sleep(1.0)
        seen = reaching.state()["reach"]
        reaching.crash()
        shutil.copytree(reaching.store.parent, kept / reaching.store.parent.name)
    return {"asked": [first.id, second.id], "hand": seen["hand"], "seconds": seen["seconds"]}


def main() -> None:
    """Write the archive, and what is known of it."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "drive").mkdir()
        known = {"arguments": list(REACH), **half_an_attempt(folder / "drive", folder / "kept")}
        (FOLDER / "reach.tar.xz").write_bytes(packed(folder / "kept"))
        (FOLDER / "reach.json").write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if subprocess.check_output([sys.executable, "-m", "handup", "--version"], text=True).split()[-1] != "0.1.0":
        sys.exit("This store is one of handup 0.1.0; other code cannot make it.")
    main()
