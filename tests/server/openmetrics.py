"""A small, strict reader of OpenMetrics text: what it does not know is an error."""

from __future__ import annotations

import re

LABEL = r'[a-z]+="[^"\\\n]*"'
SAMPLE = re.compile(rf"([a-z_]+)(?:\{{({LABEL}(?:,{LABEL})*)\}})? (-?[0-9]+(?:\.[0-9]+)?)")
SUFFIXES = {"gauge": {""}, "counter": {"_total"}, "histogram": {"_bucket", "_count", "_sum"}}


def parsed(text: str) -> dict[str, float]:
    """The samples by name and label, after checks of the format."""
    lines = text.split("\n")
    assert lines[-2:] == ["# EOF", ""]
    kinds: dict[str, str] = {}
    samples: dict[str, float] = {}
    family = ""
    for line in lines[:-2]:
        if line.startswith("# TYPE "):
            family, kind = line.removeprefix("# TYPE ").split(" ")
            assert family not in kinds, "a family stands once"
            kinds[family] = kind
        elif line.startswith("# "):
            word, name, said = line.removeprefix("# ").split(" ", 2)
            assert (word in {"HELP", "UNIT"}, name) == (True, family)
            assert word != "UNIT" or family.endswith(f"_{said}")
        else:
            found = SAMPLE.fullmatch(line)
            assert found is not None, line
            name, labels, number = found.groups()
            assert name.startswith(family)
            assert name.removeprefix(family) in SUFFIXES[kinds[family]]
            key = name if labels is None else f"{name}{{{labels}}}"
            assert key not in samples
            samples[key] = float(number)
    for family, kind in kinds.items():
        if kind == "histogram":
            buckets = [value for key, value in samples.items() if key.startswith(f"{family}_bucket")]
            assert buckets == sorted(buckets)
            assert buckets[-1] == samples[f"{family}_count"]
    return samples
