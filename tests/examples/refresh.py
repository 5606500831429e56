"""Writes what the docs' blocks print now into the docs. Read the difference before you keep it.

Run it with `python -m tests.examples.refresh [PAGE …]` in the root of the repository.
"""

import sys

from tests.examples.pages import DOCS, PAGES, Block, blocks, plain, run_handup, run_python


def printed_by(found: list[Block]) -> list[tuple[Block, str]]:
    """What each block prints."""
    python = [block for block in found if block.language == "python"]
    printed = list(zip(python, run_python(python), strict=True))
    shown = [block for block in found if block.commands and block.output is not None]
    return printed + [(block, "".join(run_handup(each) for each in block.commands)) for block in shown]


def refresh(page: str) -> int:
    """Rewrite a page; returns how many outputs changed."""
    path = DOCS / page
    text = path.read_text(encoding="utf-8")
    changes = [
        (block.place, output)
        for block, output in printed_by(list(blocks(page)))
        if block.place is not None and plain(output) != plain(block.output or "")
    ]
    for (start, end), output in sorted(changes, reverse=True):
        stripped = "\n".join(line.rstrip() for line in output.strip("\n").splitlines())
        text = f"{text[:start]}{stripped}\n{text[end:]}"
    path.write_text(text, encoding="utf-8")
    return len(changes)


if __name__ == "__main__":
    for name in sys.argv[1:] or PAGES:
        sys.stdout.write(f"{name}: {refresh(name)} changed\n")
