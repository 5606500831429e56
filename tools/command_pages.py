"""Write the tables of docs/commands.md from the help texts of the commands: python -m tools.command_pages.

The page has a region for each command, between two comments. What stands outside the regions is written by hand:
what a command prints, and the records that `--json` gives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from handup.cli.main import command_of
from handup.cli.options import COMMANDS

FILE = Path(__file__).parent.parent / "docs" / "commands.md"
REGION = re.compile(r"<!-- help of: ([\w -]+) -->\n.*?<!-- end of help -->\n", re.DOTALL)
EXAMPLE = "Example: "


def commands() -> dict[str, Any]:
    """Return all commands that do something by themselves, by full name, in the order of the help."""
    found: dict[str, Any] = {}
    for name in COMMANDS:
        command = command_of(name)
        verbs = getattr(command, "commands", {})
        if command.params or not verbs:
            found[name] = command
        found |= {f"{name} {verb}": leaf for verb, leaf in verbs.items()}
    return found


def region_of(name: str, command: Any) -> str:
    """Return the region of one command: what it does, an example, its options and its exit codes."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in (command.epilog or "").split("\n\n")]
    examples = [words.removeprefix(EXAMPLE) for words in paragraphs if words.startswith(EXAMPLE)]
    lines = [f"<!-- help of: {name} -->", " ".join((command.help or "").split()), ""]
    lines += ["```sh", *examples, "```", ""]
    rows = list(_rows(command))
    if rows:
        lines += ["| Option | Default | Meaning |", "|---|---|---|", *rows, ""]
    for words in paragraphs:
        if not words.startswith(EXAMPLE):
            lines += [_escaped(words), ""]
    return "\n".join([*lines[:-1], "<!-- end of help -->\n"])


def _rows(command: Any) -> Iterator[str]:
    for parameter in command.params:
        if parameter.name == "help":
            continue
        names = [*parameter.opts, *parameter.secondary_opts]
        is_option = parameter.param_type_name == "option"
        metavar = parameter.metavar or ("" if is_option else names[0].upper())
        shown = f"{', '.join(names)} {metavar}".strip() if is_option else metavar
        meaning = _escaped(" ".join((parameter.help or "").split()))
        yield f"| `{shown}` | {_default(parameter)} | {meaning} |"


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    value = parameter.default
    if value in (None, (), [], "") or callable(value) or isinstance(value, bool):
        return "on" if value is True else ""
    return f"`{getattr(value, 'value', value)}`"


def _escaped(words: str) -> str:
    return words.replace("|", "\\|").replace("<", "&lt;")


def page(text: str) -> str:
    """Return the page with all its regions made anew.

    Raises:
        ValueError: A command has no region, or a region no command.
    """
    known = commands()
    named = REGION.findall(text)
    if sorted(named) != sorted(known):
        raise ValueError(f"regions and commands differ: {sorted(set(named) ^ set(known))}")
    return REGION.sub(lambda match: region_of(match[1], known[match[1]]), text)


if __name__ == "__main__":
    FILE.write_text(page(FILE.read_text(encoding="utf-8")), encoding="utf-8")
