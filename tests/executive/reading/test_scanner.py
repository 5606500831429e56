"""The scanners of YAML: libyaml's, and ruamel.yaml's own for what that refuses and where it is missing."""

from __future__ import annotations

from importlib import import_module

import pytest
from ruamel.yaml import YAML, main
from ruamel.yaml.error import YAMLError

from handup.executive.reader import parse_database, scan_recipes
from handup.lab.bench.executive import recipe_text
from tests.executive.reading.test_recipes import SPEC

TEXTS = {
    "the specification": SPEC,
    "many steps": recipe_text(5, 20),
    "a key twice": "format: 1\nt: {steps: [], steps: []}\n",
    "aliases": "format: 1\nt: &a {steps: []}\nu: *a\n",
    "too deep": "format: 1\nt: " + "[" * 99,
    "two documents": "format: 1\nt: {steps: []}\n---\nu: 1\n",
    "a bracket left open": "format: 1\nt: {steps: [\n",
    "a tab": "format: 1\nt:\n\tsteps: []\n",
    "no character": 'format: 1\nt: {about: "\\U99999999", steps: []}\n',
    "another YAML": "%YAML 1.9\n---\nformat: 1\n",
}


def test_libyaml_scans() -> None:
    assert YAML(typ="safe").Parser is import_module("_ruamel_yaml").CParser


@pytest.mark.parametrize("name", TEXTS)
def test_without_it_the_same_is_read_and_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fast, found = scan_recipes({"r": TEXTS[name]})
    monkeypatch.setattr(main, "CParser", None)
    slow, also = scan_recipes({"r": TEXTS[name]})
    assert slow == fast
    assert also == found


def test_what_libyaml_refuses_is_read_all_the_same() -> None:
    text = "format: 1\na: {ask: Which?, from: 22:00}\n"
    with pytest.raises(YAMLError):
        YAML(typ="safe").load(text)
    assert parse_database(text) == {"a": {"ask": "Which?", "from": "22:00"}}
