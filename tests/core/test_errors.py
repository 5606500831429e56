"""Every error says its code, its cause, the next step and its place."""

import pytest

from handup import core
from handup.core import BadPolicy, HandupError, MissingExtra, UnknownModule
from handup.core.installation import install_command

CODES = {
    "BadPolicy": "HU101",
    "UnknownModule": "HU102",
    "BadSetting": "HU103",
    "BadObservation": "HU104",
    "ImpossibleEvidence": "HU105",
    "UnknownMethod": "HU106",
    "NotSolvable": "HU107",
    "IllegalCall": "HU201",
    "BadRecord": "HU202",
    "ContractViolation": "HU203",
    "MissingExtra": "HU301",
}
"""Codes are stable: people search for them. Add; never change."""


@pytest.mark.parametrize(("name", "code"), CODES.items())
def test_codes_are_stable(name: str, code: str) -> None:
    error = getattr(core, name)("it broke", hint="Mend it.")
    assert isinstance(error, HandupError)
    assert str(error) == f"it broke. Mend it. [{code}]"


def test_no_two_errors_share_a_code() -> None:
    codes = [kind.code for kind in HandupError.__subclasses__()]
    assert len(set(codes)) == len(codes)


def test_the_place_is_shown_first() -> None:
    assert str(BadPolicy("it broke", hint="Mend it.", file="a.yaml", line=3)).startswith("a.yaml:3: it broke. ")
    assert str(BadPolicy("it broke", hint="Mend it.", file="a.yaml")).startswith("a.yaml: it broke. ")


def test_an_error_can_be_placed_later() -> None:
    placed = UnknownModule("it broke", hint="Mend it.").at("a.yaml", 3)
    assert isinstance(placed, UnknownModule)
    assert (placed.file, placed.line) == ("a.yaml", 3)


def test_a_place_that_is_known_stays() -> None:
    placed = BadPolicy("it broke", hint="Mend it.", file="inner.yaml", line=1).at("outer.yaml", 9)
    assert (placed.file, placed.line) == ("inner.yaml", 1)


def test_a_missing_extra_names_the_command_that_installs_it() -> None:
    error = MissingExtra.of("lab", "Drawing")
    assert str(error) == f"Drawing needs the extra 'lab'. Run: {install_command('lab')}. [HU301]"


def test_errors_of_the_input_exit_with_2() -> None:
    assert BadPolicy("it broke", hint="Mend it.").exit_code == 2
