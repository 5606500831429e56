"""Claims as data: a YAML file beside a study.

```yaml
constants: {pair: graph+workload-aware, never: never+query-then-execute}
claims:
  - name: success over never
    source: section 8.1
    text: The paper's pair has a higher task success than never asking.
    bars: [{measure: bites, arm: $pair, than: $never}]
    notes: {holds: It asks where it is unsure.}
```

A field of a bar that is a list stands for one bar for each value, all combinations in their order. `for: {day: [usual,
hard]}` in a claim stands for one claim for each value, `{day}` in its texts and `$day` as a whole value for the value
itself. A note may be a text for its verdict, or texts by value of the first `for`. An entry with `claims` is a group:
these claims share its other fields, and all of them are made for the first value of its `for`, then for the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from ruamel.yaml.error import YAMLError

from handup.core import Malformed
from handup.core.files import shipped_data
from handup.lab.engine.claims import Bar, Claim, Note, Verdict, Where

CONDITIONS = ("where", "elsewhere")


def read_claims(beside: str, name: str, group: str = "claims", **constants: Any) -> tuple[Claim, ...]:
    """Return the claims of a file.

    Args:
        beside: The `__file__` of a module.
        name: Name of the file in that module's folder.
        group: Name of a list, for a file with claims of several studies.
        constants: Values that `$name` stands for, besides those of the file.

    Raises:
        BadSetting: The file cannot be read, or a claim has an unknown field.
    """
    try:
        record = shipped_data(beside, name)
        known = {**constants, **record.get("constants", {})}
        return tuple(claim for entry in record[group] for claim in _claims(entry, known))
    except (YAMLError, KeyError, TypeError, ValueError) as error:
        raise Malformed(f"{name} holds no claims: {error}", hint="See handup.lab.engine.claim_file.") from error


def _claims(entry: Mapping[str, Any], constants: Mapping[str, Any]) -> Iterator[Claim]:
    loops = _filled(entry.get("for", {}), constants)
    fields = {name: value for name, value in entry.items() if name not in ("for", "bars", "notes", "claims")}
    for values in product(*loops.values()):
        here = {**constants, **dict(zip(loops, values, strict=True))}
        if "claims" in entry:
            yield from (claim for inner in entry["claims"] for claim in _claims({**fields, **inner}, here))
            continue
        bars = tuple(bar for group in entry.get("bars", ()) for bar in _bars(_filled(group, here)))
        notes = _notes(_filled(entry.get("notes", {}), here), str(values[0]) if values else "")
        yield Claim(**_filled(fields, here), bars=bars, notes=notes)


def _bars(entry: Mapping[str, Any]) -> Iterator[Bar]:
    plain = {name: value for name, value in entry.items() if name not in CONDITIONS}
    places = {name: _places(entry[name]) for name in CONDITIONS if name in entry}
    lists = {**{name: value if isinstance(value, list) else [value] for name, value in plain.items()}, **places}
    for values in product(*lists.values()):
        yield Bar(**dict(zip(lists, values, strict=True)))


def _places(conditions: Any) -> list[Where]:
    """Return groups of conditions: one, or several if a list is given."""
    listed = conditions if isinstance(conditions, list) else [conditions]
    return [tuple((name, tuple(v) if isinstance(v, list) else v) for name, v in group.items()) for group in listed]


def _notes(entry: Mapping[str, Any], place: str) -> tuple[Note, ...]:
    texts = {Verdict(verdict): text for verdict, text in entry.items()}
    chosen = {verdict: text.get(place, "") if isinstance(text, Mapping) else text for verdict, text in texts.items()}
    return tuple(Note(verdict, text) for verdict, text in chosen.items() if text)


def _filled(value: Any, known: Mapping[str, Any]) -> Any:
    """Return a value with `$name` and `{name}` replaced."""
    if isinstance(value, str):
        if value.startswith("$"):
            return _filled(known[value[1:]], known)
        return value.format_map(known) if "{" in value else value
    if isinstance(value, Mapping):
        return {name: _filled(inner, known) for name, inner in value.items()}
    return [_filled(inner, known) for inner in value] if isinstance(value, list) else value
