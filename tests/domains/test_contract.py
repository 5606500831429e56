"""The contract of domains: handup's own keep it, an outside one does, and each breach is named."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, make_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from examples import shelf_domain
from examples.shelf_domain import DOMAIN as SHELF
from examples.shelf_domain import Fetching
from handup.core import BadSetting, ContractViolation
from handup.domains import DOMAINS, PAGE, TERMINAL, Domain, Workplace, check_domain
from handup.lab.engine.registry import names as study_names
from tests.outside import install

SHORT: Mapping[str, Mapping[str, Any]] = {
    "feeding": {"bites": 2, "plate": "savory salad"},
    "kitting": {},
    "plate": {"policy": "alternate"},
    "reaching": {},
}


@pytest.mark.parametrize("name", SHORT)
def test_our_own_keep_it(name: str) -> None:
    domain = DOMAINS.get(name)
    check_domain(domain, SHORT[name])
    assert set(domain.studies) <= set(study_names())


@pytest.mark.parametrize("domain", [SHELF, DOMAINS.get("reaching")], ids=lambda domain: domain.name)
def test_a_task_that_has_only_the_page_is_run_there(domain: Domain) -> None:
    options = {"limit_s": 3.0, "method": "entropy", "scene": "U22"} if domain.name == "reaching" else {}
    check_domain(replace(domain, people=(PAGE,)), options)
    with pytest.raises(ContractViolation, match="it has not ended after 1 steps"):
        check_domain(replace(domain, people=(PAGE,)), options, most_steps=1)


def test_all_of_ours_are_checked() -> None:
    assert set(DOMAINS.names()) == set(SHORT)


def test_the_example_keeps_it_in_less_than_150_lines() -> None:
    check_domain(SHELF)
    assert len(Path(shelf_domain.__file__).read_text(encoding="utf-8").splitlines()) < 150


def test_one_of_another_package_is_found_by_its_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Path(shelf_domain.__file__).read_text(encoding="utf-8")
    monkeypatch.syspath_prepend(
        str(install(tmp_path, "shelf_domain", source, "handup.domains", "shelf = shelf_domain:DOMAIN"))
    )
    try:
        assert DOMAINS.names()[-1] == "shelf"
        assert DOMAINS.get("shelf").about == SHELF.about
        with pytest.raises(BadSetting, match=r"there is no world 'shell'\. Did you mean 'shelf'\?"):
            DOMAINS.get("shell")
    finally:
        sys.modules.pop("shelf_domain", None)


# -- breaches ----------------------------------------------------------------------------------------------------------


class Endless(Fetching):
    def step(self) -> float | None:
        return 0.0


class Unseen(Fetching):
    def view(self) -> Mapping[str, Any]:
        return {"phase": "thinking"}


class Forgetful(Fetching):
    """What it fetched is only in this program."""

    def step(self) -> float | None:
        done = len(self.fetched) == 2
        self.fetched.append(not done)
        return None if done else 0.0

    def result(self) -> Mapping[str, Any]:
        return {"fetched": len(self.fetched), "in_words": "", "place": id(self)}


class Negative(Fetching):
    def step(self) -> float | None:
        return -1.0


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (Endless, "it has not ended after 50 steps"),
        (Unseen, "its view is no state of a robot: phase"),
        (Forgetful, "a run that was left and resumed comes to"),
        (Negative, "a step gives -1.0: return seconds until the next one, or None at the end"),
    ],
)
def test_a_task_that_breaks_it_is_told_so(task: type[Fetching], words: str) -> None:
    with pytest.raises(ContractViolation, match="domain 'shelf' breaks its contract") as error:
        check_domain(replace(SHELF, task=task), most_steps=50)
    assert words in error.value.hint


def test_every_breach_of_its_terms_is_told() -> None:
    with pytest.raises(ContractViolation) as error:
        check_domain(replace(SHELF, name="a shelf", about="Cups", people=("dogs",)))
    assert len(error.value.hint.splitlines()) == 3


def test_a_domain_has_a_task_or_a_world() -> None:
    with pytest.raises(ContractViolation, match="neither a task nor a world"):
        Domain(name="nothing", about="Nothing.")


def test_every_option_has_a_default() -> None:
    with pytest.raises(ContractViolation, match="the option 'cups' of domain 'shelf' has no default"):
        replace(SHELF, order=make_dataclass("Cups", [("cups", int)], frozen=True))


def test_options_are_read_as_what_they_are() -> None:
    order = SHELF.order_of({"cups": "2", "seed": 7})
    assert (order.cups, order.seed) == (2, 7)
    with pytest.raises(BadSetting, match="'cup' is no option of shelf") as error:
        SHELF.order_of({"cup": 2})
    assert "Did you mean 'cups'?" in error.value.hint
    with pytest.raises(BadSetting, match="the option cups of shelf is 'many'"):
        SHELF.order_of({"cups": "many"})


@dataclass(frozen=True, kw_only=True)
class Odd:
    """An order that JSON cannot hold."""

    path: Any = frozenset({1})


def test_an_order_comes_back_from_json() -> None:
    domain = replace(SHELF, order=Odd, task=lambda order, place: Fetching(SHELF.order(), place))
    with pytest.raises(ContractViolation) as error:
        check_domain(domain)
    assert "does not come back from JSON" in error.value.hint


def test_people_who_cannot_be_there_are_not_checked() -> None:
    def task(order: Any, place: Workplace) -> Any:
        raise AssertionError("nobody types here")

    check_domain(replace(SHELF, task=task, people=(TERMINAL,)))
