"""The built page: its first load is small, panels come when they are needed, and nothing in it points elsewhere."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

from tests.page.site import ROOT, STATIC

MOST_BYTES = 80 * 1024
SPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml", "http://www.w3.org/1998/Math/MathML"}


def first_load() -> set[Path]:
    """Everything that a browser fetches before the page shows anything: no file that only an `import()` names."""
    page = STATIC / "index.html"
    assert page.exists(), "the page is not built; run: tools/build-page"
    text = page.read_text(encoding="utf-8")
    files, found = {page}, [STATIC / name.lstrip("/") for name in re.findall(r'(?:src|href)="([^"]+)"', text)]
    while found:
        file = found.pop()
        files.add(file)
        if file.suffix == ".js":
            imported = re.findall(r"""\b(?:from|import)\s*["'](\./[^"']+)["']""", file.read_text(encoding="utf-8"))
            found += [other for name in imported if (other := file.parent / name) not in files]
    return files


def test_the_first_load_is_small() -> None:
    assert sum(len(gzip.compress(file.read_bytes())) for file in first_load()) <= MOST_BYTES


def test_views_of_panels_are_no_part_of_the_first_load() -> None:
    built = {file.stem.partition("-")[0] for file in STATIC.rglob("*.js")}
    first = {file.stem.partition("-")[0] for file in first_load()}
    views = {"Picture", "Scene", "Steering", "Steps", "Chain", "Decision", "Beliefs", "Timeline", "Numbers", "Items"}
    assert views <= built - first


def test_every_chunk_is_served_for_ever_under_a_name_of_its_content() -> None:
    for file in STATIC.rglob("*.js"):
        assert file.parent == STATIC / "assets"
        assert re.search(r"-[\w-]{8}$", file.stem), file.name


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
