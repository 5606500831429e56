"""Things found by name."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from handup.core import BadSetting, ManualClock, Registry, UnknownMethod, settings_of


@dataclass(frozen=True)
class Spoon:
    name: ClassVar[str] = "spoon"
    size: int = 1


@pytest.fixture
def tools() -> Registry[Any]:
    registry: Registry[Any] = Registry("tool", "handup.test-tools")
    registry.register(Spoon)
    return registry


def test_a_thing_is_made_with_those_of_the_settings_that_it_has(tools: Registry[Any]) -> None:
    assert tools.make("spoon", {"size": 3, "colour": "red"}) == Spoon(3)


def test_an_unknown_name_is_answered_with_the_nearest(tools: Registry[Any]) -> None:
    with pytest.raises(UnknownMethod, match=r"no tool is called 'spon'\. Did you mean 'spoon'"):
        tools.make("spon", {})


def test_two_things_of_one_name_are_refused(tools: Registry[Any]) -> None:
    with pytest.raises(BadSetting, match="two tools are called 'spoon'"):
        tools.register(Spoon)


def test_settings_are_the_fields_of_a_dataclass() -> None:
    assert settings_of(Spoon) == settings_of(Spoon()) == ("size",)
    assert settings_of(object()) == ()


def test_a_manual_clock_moves_forward_only() -> None:
    clock = ManualClock(5.0)
    clock.advance(2.5)
    assert clock.now_s() == 7.5
    with pytest.raises(ValueError, match="backwards"):
        clock.advance(-1.0)
