"""Options of a command as the fields of one dataclass, and names with values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from handup.cli.options import PageOptions, first_named, pairs_of, taking
from handup.core import BadSetting


@dataclass(frozen=True, kw_only=True)
class Call(PageOptions):
    """Options of the command of these tests."""

    what: Annotated[str, typer.Argument(help="Thing to take.")]
    often: Annotated[int, typer.Option(help="Number of times.")] = 1


@pytest.fixture
def calls() -> list[tuple[Call, str]]:
    return []


@pytest.fixture
def app(calls: list[tuple[Call, str]]) -> typer.Typer:
    app = typer.Typer(rich_markup_mode=None, add_completion=False)

    @app.command()
    @taking(Call)
    def take(context: typer.Context, call: Call) -> None:
        """Take something."""
        calls.append((call, first_named(context, "often")))

    return app


def test_a_command_gets_its_options_as_one_object(app: typer.Typer, calls: list[tuple[Call, str]]) -> None:
    assert CliRunner().invoke(app, ["cup", "--often", "3", "--no-wait"]).exit_code == 0
    assert calls == [(Call(what="cup", often=3, wait=False), "--often")]


def test_an_option_of_the_page_is_named_as_the_help_has_it(app: typer.Typer, calls: list[tuple[Call, str]]) -> None:
    assert CliRunner().invoke(app, ["cup", "--no-wait"]).exit_code == 0
    assert CliRunner().invoke(app, ["cup"]).exit_code == 0
    assert [named for _, named in calls] == ["--wait/--no-wait", ""]


def test_what_has_no_default_must_be_given(app: typer.Typer) -> None:
    assert CliRunner().invoke(app, []).exit_code == 2


def test_the_help_has_its_own_options_before_those_of_the_page(app: typer.Typer) -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    assert "Take something." in shown
    assert shown.index("--often") < shown.index("--port") < shown.index("--linger")


def test_names_and_values_stand_around_the_first_equals_sign() -> None:
    assert dict(pairs_of([" plate = noodles", "note=a=b"], "NAME=VALUE", hint="Give one.")) == {
        "plate": "noodles",
        "note": "a=b",
    }
    with pytest.raises(BadSetting, match=r"--set must be NAME=VALUE, got 'plate'. Give one."):
        list(pairs_of(["plate"], "NAME=VALUE", hint="Give one."))
