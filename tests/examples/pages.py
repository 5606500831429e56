"""The blocks of the documentation's pages, and how to run them.

In the pages of `docs/`:

- a ```python block is executed, all those of one page in one namespace, in order; a line `--8<-- "file"` stands for
  that file;
- each command in a ```console or ```bash block that begins with `handup ` is run; `handup bench` only when asked for,
  for its time;
- a ```text block titled "output" after one of these is what it prints, at a width of 80.

Everything is run in the root of the repository.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))
ENVIRONMENT = {**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1", "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
HANDUP = (sys.executable, "-c", "from handup.cli.main import run; run()")
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w+)(?P<rest>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```$", re.M | re.S)
SNIPPET = re.compile(r'^--8<-- "(?P<file>[^"]+)"$', re.M)
LONG_NUMBER = re.compile(r"\d+\.\d{10,}")
RUN_BLOCKS = """
import contextlib, io, json, sys
namespace, outputs = {"__name__": "docs"}, []
for number, source in enumerate(json.load(sys.stdin), start=1):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, f"python block {number}", "exec"), namespace)
    outputs.append(printed.getvalue())
print(json.dumps(outputs))
"""


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


def run(*command: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in the root of the repository."""
    return subprocess.run(
        command, cwd=ROOT, env=ENVIRONMENT, input=given, capture_output=True, encoding="utf-8", timeout=300, check=False
    )


def run_python(found: list[Block]) -> list[str]:
    """What each of a page's Python blocks prints."""
    done = run(sys.executable, "-c", RUN_BLOCKS, given=json.dumps([block.text for block in found]))
    assert done.returncode == 0, done.stderr
    outputs: list[str] = json.loads(done.stdout)
    return outputs


def run_handup(arguments: list[str]) -> str:
    """What a command prints. It must exit with 0."""
    done = run(*HANDUP, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def plain(text: str) -> str:
    """A text without spaces at the ends of lines, which editors strip, and without digits that platforms differ in."""
    rounded = LONG_NUMBER.sub(lambda match: f"{float(match[0]):.9g}", text)
    return "\n".join(line.rstrip() for line in rounded.strip("\n").splitlines())
