"""Made `store-0.1.0/` with handup 0.1.0, and is kept to say how. Not to be run again: other code writes other stores.

In `handup-meals/`: a meal at the page, killed with its server while a question of the second bite was open; somebody
whom the robot may ask, a device and a robot that were let in, and a question from the shell that nobody answered. In
`run/`: a run of the kitting task, killed on the way. The tokens were made for this and open nothing else.
"""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from handup.core import Role
from handup.journal import Journal
from handup.server import Access
from tests.cli.calls import SRC, shell
from tests.cli.sitting import Sitting
from tests.cli.test_run import process, worlds

FOLDER = Path(__file__).with_name("store-0.1.0")
MEAL = ("--bites", "2", "--method", "topo+query-for-all", "--speed", "20", "--seed", "0", "--json")
RECOVERIES = ("common", "seeing", "moving", "handling", "machine", "last_resort")
RUN = (
    *("kits.yaml", "--database", "database.yaml", *(f"--recoveries={name}.yaml" for name in RECOVERIES)),
    *("--world", "kitting", "--seed", "3", "--people", "nobody", "--json"),
)
"""With copies of the world's own files, because the store keeps their paths."""
TEN_YEARS_S = 3650 * 24 * 3600.0
PEOPLE = "[{name: Ada, role: caregiver, limits: {per_hour: 6}}]\n"
ASK = ("ask", "Which bowl?", "--option", "left", "--option", "right", "--to", "Ada", "--timeout", "0", "--elsewhere")


def half_a_meal(folder: Path, kept: Path) -> dict[str, str]:
    """Eat one bite of two, let people in and ask, and pull the plug; the tokens."""
    with Sitting(folder, *MEAL) as sitting:
        while not any(entry.run.endswith("bite-2") for entry in sitting.entries()):
            assert sitting.reach("asking")
            sitting.answer()
        assert sitting.reach("asking")
        (folder / "people.yaml").write_text(PEOPLE, encoding="utf-8")
        asked = shell(*ASK, "--people", "people.yaml", "--store", str(sitting.store), cwd=folder)
        assert asked.code == 1, asked
        with Journal.open(sitting.store) as journal:
            access = Access(journal)
            code, _ = access.make_code("Ada", Role.CAREGIVER, token_s=TEN_YEARS_S)
            tokens = {"Ada": access.pair(code, "Ada's telephone").token}
            tokens["arm"] = access.robot_token("arm", token_s=TEN_YEARS_S).token
        sitting.kill_robot()
        sitting.kill_server()
        time.sleep(1.0)
        shutil.copytree(sitting.store.parent, kept)
    return tokens


def half_a_run(folder: Path, kept: Path) -> dict[str, object]:
    """Begin a run, and pull the plug; what it comes to where nobody does."""
    folder.mkdir()
    for name in ("recipes/kits", "recipes/database", *(f"recoveries/{name}" for name in RECOVERIES)):
        shutil.copy(SRC / "handup" / "domains" / "kitting" / f"{name}.yaml", folder)
    whole = shell("run", *RUN, "--store", "../whole.db", cwd=folder)
    store = folder / "run.db"
    made = process(folder, *RUN, "--resume", "--store", store.name, "--speed", "400")
    while not worlds(store):
        time.sleep(0.02)
    time.sleep(2.5)
    assert made.poll() is None, "it was killed on the way"
    made.kill()
    made.wait()
    shutil.copytree(folder, kept, ignore=shutil.ignore_patterns("out", "err"))
    record: dict[str, object] = json.loads(whole.out)
    return {name: value for name, value in record.items() if name != "store"}


def packed(folder: Path) -> bytes:
    """The files as an archive without times or owners; SQLite makes its shared memory anew."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:xz") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.name.endswith("-shm"):
                info = tarfile.TarInfo(path.relative_to(folder).as_posix())
                info.size, info.mode = path.stat().st_size, 0o600
                archive.addfile(info, io.BytesIO(path.read_bytes()))
    return file.getvalue()


def main() -> None:
    """Write the folder."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "meal").mkdir()
        tokens = half_a_meal(folder / "meal", folder / "kept" / "handup-meals")
        run = half_a_run(folder / "run", folder / "kept" / "run")
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / "store.tar.xz").write_bytes(packed(folder / "kept"))
        known = {"meal": list(MEAL), "run": list(RUN), "tokens": tokens, "run_ends": run}
        (FOLDER / "known.json").write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if subprocess.check_output([sys.executable, "-m", "handup", "--version"], text=True).split()[-1] != "0.1.0":
        sys.exit("This store is one of handup 0.1.0; other code cannot make it.")
    main()
