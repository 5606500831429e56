"""Write the page's types from the server's OpenAPI document, or check that they are up to date.

Run `make wire` after a change to questions, answers, panels or frames. `make page` runs it with --check.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from handup.server.app import described

Schema = dict[str, Any]
FILE = Path(__file__).parent.parent / "web" / "src" / "wire.ts"
ROOTS = ("FromPerson", "ToPerson", "KnownPeople", "PersonSetup", "PresenceAnswer")
"""What the page sends and gets; types that neither holds are left out."""
HEAD = "// Written by `make wire` from the server's OpenAPI document. Change the Python classes, not this file.\n"
STALE = "web/src/wire.ts does not fit the server's OpenAPI document. Run: make wire"
PLAIN = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}
WIDTH = 120
LONGEST_TUPLE = 10
"""A longer array of fixed length is written as a plain one."""


def page_types() -> str:
    """Return the text of the file."""
    schemas: dict[str, Schema] = described("0").openapi()["components"]["schemas"]
    wanted = list(ROOTS)
    for name in wanted:  # grows while it is read
        wanted += dict.fromkeys(other for other in _named_by(schemas[name]) if other not in wanted)
    return "\n".join([HEAD, *(_declared(name, schemas[name]) for name in sorted(wanted))])


def _named_by(schema: Schema) -> list[str]:
    return re.findall(r'"\$ref": "[^"]*/(\w+)"', json.dumps(schema))


def _declared(name: str, schema: Schema) -> str:
    about, fields = _documented(schema)
    if "properties" not in schema:
        return f"{_comment(about, '')}{_fitted(f'export type {name} =', _parts(schema))}"
    lines = [f"{_comment(about, '')}export interface {name} {{\n"]
    for field, of in schema["properties"].items():
        there = field in schema.get("required", ()) or (of.get("const") and of["type"] == "string")  # a tag
        lines.append(_comment(of.get("description") or fields.get(field, ""), "  "))
        lines.append(_fitted(f"  {field}{'' if there else '?'}:", _parts(of)))
    return "".join([*lines, "}\n"])


def _documented(schema: Schema) -> tuple[str, dict[str, str]]:
    """Split a docstring into its first paragraph and what it says of each field."""
    about, _, rest = schema.get("description", "").partition("\n\n")
    args = re.search(r"Args:\n((?:    .*\n?)+)", rest)
    found = re.findall(r"^    (\w+): (.*(?:\n        .*)*)", args[1], re.M) if args else []
    return about, dict(found)


def _comment(text: str, indent: str) -> str:
    return f"{indent}/** {' '.join(text.split())} */\n" if text else ""


def _fitted(before: str, parts: list[str]) -> str:
    """Write a union on one line where it fits, else with a line for each part, as the formatter of the page does."""
    line = f"{before} {' | '.join(parts)};"
    indent = " " * (len(before) - len(before.lstrip()) + 2)
    lines = "".join(f"\n{indent}| {part}" for part in parts)
    return f"{line}\n" if len(line) <= WIDTH or len(parts) == 1 else f"{before}{lines};\n"


def _parts(schema: Schema) -> list[str]:
    """Return the parts of the union that a schema allows; null comes last."""
    if "$ref" in schema:
        return [schema["$ref"].rpartition("/")[2]]
    if "const" in schema or "enum" in schema:
        return [json.dumps(value) for value in schema.get("enum") or [schema["const"]]]
    branches = schema.get("anyOf") or schema.get("oneOf")
    if branches:
        parts = list(dict.fromkeys(part for branch in branches for part in _parts(branch)))
        return sorted(parts, key=lambda part: part == "null")
    if schema.get("type") == "array":
        return [_array(schema)]
    if schema.get("type") == "object":
        return ["Record<string, unknown>"]
    return [PLAIN[schema["type"]] if "type" in schema else "unknown"]


def _array(schema: Schema) -> str:
    least, most = schema.get("minItems"), schema.get("maxItems")
    if "prefixItems" in schema:
        return f"[{', '.join(' | '.join(_parts(item)) for item in schema['prefixItems'])}]"
    item = " | ".join(_parts(schema["items"]))
    if least == most and most is not None and most <= LONGEST_TUPLE:
        return f"[{', '.join([item] * most)}]"
    return f"({item})[]" if " | " in item else f"{item}[]"


def main() -> None:
    """Write the file; with --check, fail where it is out of date."""
    text = page_types()
    if "--check" not in sys.argv[1:]:
        FILE.write_text(text, encoding="utf-8")
    elif not FILE.exists() or FILE.read_text(encoding="utf-8") != text:
        sys.exit(STALE)


if __name__ == "__main__":
    main()
