"""The built page: small, and nothing in it points elsewhere."""

from __future__ import annotations

import gzip
import json
import re

from tests.page.site import ROOT, STATIC

MOST_BYTES = 80 * 1024
SPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml", "http://www.w3.org/1998/Math/MathML"}


def test_the_first_load_is_small() -> None:
    files = [each for each in STATIC.rglob("*") if each.is_file()]
    assert files, "the page is not built; run: tools/build-page"
    assert sum(len(gzip.compress(each.read_bytes())) for each in files) <= MOST_BYTES


def test_nothing_in_it_points_elsewhere() -> None:
    for each in STATIC.rglob("*"):
        if each.suffix in {".html", ".js", ".css", ".svg"}:
            found = set(
                re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}[^\"'`\s)]*", each.read_text(encoding="utf-8"))
            )
            assert found <= SPACES, each.name


def test_nothing_stands_inline() -> None:
    text = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)[^>]*>|<style|\son[a-z]+=|\sstyle=", text)


def test_versions_are_exact() -> None:
    package = json.loads((ROOT / "web" / "package.json").read_text(encoding="utf-8"))
    versions = {**package["dependencies"], **package["devDependencies"]}
    assert [name for name, each in versions.items() if not re.fullmatch(r"\d+\.\d+\.\d+", each)] == []
