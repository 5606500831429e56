"""The blocks of the documentation's pages, and how to run them.

In the pages of `docs/`:

- a ```python block is executed, all those of one page in one namespace, in order; a line `--8<-- "file"` stands for
  that file;
- each command in a ```console or ```bash block that begins with `handup ` is run; `handup bench` only when asked for,
  for its time;
- a ```text block titled "output" after one of these is what it prints, at a width of 80.

Everything is run in the root of the repository.
"""

import contextlib
import io
import multiprocessing
import os
import re
import shlex
import subprocess
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from textwrap import dedent

from tests.cli.calls import here as call_handup

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))
ENVIRONMENT = {**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1", "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w+)(?P<rest>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```$", re.M | re.S)
SNIPPET = re.compile(r'^--8<-- "(?P<file>[^"]+)"$', re.M)
LONG_NUMBER = re.compile(r"\d+\.\d{10,}")
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["handup.cli.main", "handup.server", "handup.client", "handup.lab", "scipy.stats"])
"""Where Python blocks run: every page in a process of its own, which has these modules already."""


@dataclass(frozen=True)
class Block:
    """A block that is run.

    Args:
        language: "python", "console" or "bash".
        text: What it says, files put in.
        output: What the page says it prints, where it does.
        place: Where that stands in the page: start and end.
    """

    language: str
    text: str
    output: str | None
    place: tuple[int, int] | None

    @property
    def commands(self) -> list[list[str]]:
        """The arguments of each command that begins with `handup`; a quote may go on over several lines."""
        found, command = [], ""
        for line in self.text.replace("\\\n", " ").splitlines() if self.language != "python" else []:
            command = f"{command}\n{line}" if command else line if line.startswith("handup ") else ""
            if command.count("'") % 2 == 0 and command:
                found.append(shlex.split(command)[1:])
                command = ""
        return found


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page that are run."""
    found = list(FENCE.finditer((DOCS / page).read_text(encoding="utf-8")))
    for match, after in zip(found, [*found[1:], None], strict=False):
        if match["language"] in {"python", "console", "bash"}:
            text = SNIPPET.sub(lambda snippet: (ROOT / snippet["file"]).read_text(encoding="utf-8"), match["text"])
            shown = after is not None and after["language"] == "text" and 'title="output"' in after["rest"]
            output, place = (after["text"], after.span("text")) if after is not None and shown else (None, None)
            yield Block(match["language"], dedent(text), output, place)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the root of the repository."""
    return subprocess.run(
        command,
        cwd=ROOT,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def run_python(found: list[Block]) -> list[str]:
    """What each of a page's Python blocks prints."""
    here, there = PROCESSES.Pipe()
    process = PROCESSES.Process(target=run_blocks, args=([block.text for block in found], there))
    process.start()
    there.close()
    try:
        outputs: list[str] | str = here.recv() if here.poll(300) else "nothing came for five minutes"
    finally:
        process.kill()
        process.join()
        process.close()
        here.close()
    assert not isinstance(outputs, str), outputs
    return outputs


def run_blocks(sources: list[str], there: Connection) -> None:
    """Run blocks in one namespace, in a process of their own, and send what each prints, or the traceback."""
    os.chdir(ROOT)
    os.environ["COLUMNS"] = "80"
    namespace: dict[str, object] = {"__name__": "docs"}
    outputs: list[str] = []
    try:
        for number, source in enumerate(sources, start=1):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(source, f"python block {number}", "exec"), namespace)
            outputs.append(printed.getvalue())
    except BaseException:
        there.send(traceback.format_exc())
        raise
    there.send(outputs)


def run_handup(arguments: list[str]) -> str:
    """What a command prints. It must exit with 0."""
    called = call_handup(*arguments, cwd=ROOT)
    assert called.code == 0, called.err
    return called.out


def plain(text: str) -> str:
    """A text without spaces at the ends of lines, which editors strip, and without digits that platforms differ in."""
    rounded = LONG_NUMBER.sub(lambda match: f"{float(match[0]):.9g}", text)
    return "\n".join(line.rstrip() for line in rounded.strip("\n").splitlines())
