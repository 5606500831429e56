"""Plain data against other writers: what ruamel.yaml and json write is read as what it was."""

from __future__ import annotations

import io
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from handup.core.yaml_document import UNREADABLE
from handup.executive.reader import parse_database

texts = st.text(max_size=30).filter(lambda text: not UNREADABLE.search(text))
keys = texts.filter(lambda text: text.isprintable() and text not in {"format", "<<"})
plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**18), 10**18),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
    st.sampled_from(
        ["1", "1.5", "true", "null", "~", "", "yes", "0x1F", "1e3", ".5", "- a", "a: b", "# no", "&a", "*a"]
    ),
)
data = st.recursive(
    plain, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)), max_leaves=12
)


@given(st.dictionaries(keys, data, max_size=4))
def test_what_ruamel_writes_is_read(record: dict[str, Any]) -> None:
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = False
    writer.representer.ignore_aliases = lambda _: True
    stream = io.StringIO()
    writer.dump({"format": 1, **record}, stream)
    assert parse_database(stream.getvalue()) == record


@given(st.dictionaries(keys, data, max_size=4))
def test_json_is_read_as_what_it_is(record: dict[str, Any]) -> None:
    assert parse_database(json.dumps({"format": 1, **record}, ensure_ascii=False)) == record
