"""What is missing is said in one clear line; worlds side by side do not disturb each other."""

import importlib
from typing import Any, NoReturn

import numpy as np
import pytest

from handup.core import MissingExtra, NoPictures
from handup.domains.feeding import HARD, World, gl


def test_without_mujoco_the_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(name: str) -> NoReturn:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(importlib, "import_module", gone)
    with pytest.raises(MissingExtra, match=r"handup\[sim\]"):
        gl.mujoco.__wrapped__()


def test_without_opengl_the_debian_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        @staticmethod
        def GLContext(*size: Any) -> NoReturn:
            raise OSError("libEGL.so.1: cannot open shared object file")

    monkeypatch.setattr(gl, "mujoco", lambda: Broken)
    with pytest.raises(NoPictures, match="apt-get install libegl1"):
        gl._context.__wrapped__()


def test_two_worlds_in_one_process_see_what_one_alone_sees() -> None:
    with World("noodles", seed=5, looks=HARD, size=(64, 48)) as one:
        alone = one.view().rgb
        with World("savory salad", seed=5, size=(64, 48)) as two:
            two.view()
            assert np.array_equal(one.view().rgb, alone)
