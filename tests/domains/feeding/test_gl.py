"""What is missing is said in one clear line; worlds side by side do not disturb each other."""

import gc
import importlib
import os
import subprocess
import sys
import threading
from typing import Any, NoReturn

import numpy as np
import pytest

from handup.core import MissingExtra, NoPictures
from handup.domains.feeding import HARD, PlateWorld, gl

VIEW = """
from handup.core import NoPictures
from handup.domains.feeding import PlateWorld
try:
    PlateWorld("noodles", seed=1, size=(64, 48)).view()
except NoPictures as error:
    print(error)
"""


def seen_by_another_program(code: str, **settings: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **settings}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)


def test_without_mujoco_the_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(name: str) -> NoReturn:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(importlib, "import_module", gone)
    with pytest.raises(MissingExtra, match=r"\[sim\]"):
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
    with PlateWorld("noodles", seed=5, looks=HARD, size=(64, 48)) as one:
        alone = one.view().rgb
        with PlateWorld("savory salad", seed=5, size=(64, 48)) as two:
            two.view()
            assert np.array_equal(one.view().rgb, alone)


def test_any_thread_may_look_and_they_take_turns() -> None:
    with (
        PlateWorld("noodles", seed=5, size=(64, 48)) as shared,
        PlateWorld("savory salad", seed=5, size=(64, 48)) as other,
    ):
        alone, alone_too = shared.view().rgb, other.view().rgb
        found: list[bool] = []

        def look(seed: int) -> None:
            with PlateWorld("noodles", seed=seed, size=(64, 48)) as own:
                picture = own.view().rgb
                found.append(np.array_equal(shared.view().rgb, alone))
                found.append(np.array_equal(own.view().rgb, picture))

        threads = [threading.Thread(target=look, args=(seed,)) for seed in (5, 6)]
        for each in threads:
            each.start()
        found.append(np.array_equal(other.view().rgb, alone_too))
        for each in threads:
            each.join()
        assert found == [True] * 5


def test_a_world_can_be_closed_by_another_thread_and_used_on() -> None:
    world = PlateWorld("noodles", seed=5, size=(64, 48))
    before = world.view().rgb
    thread = threading.Thread(target=world.close)
    thread.start()
    thread.join()
    world.close()
    assert np.array_equal(world.view().rgb, before)
    world.close()


def test_what_nobody_closed_is_given_back_with_the_next_picture() -> None:
    PlateWorld("noodles", seed=5, size=(64, 48)).view()
    gc.collect()
    assert gl._LEFT
    with PlateWorld("noodles", seed=6, size=(64, 48)) as other:
        other.view()
    assert not gl._LEFT


@pytest.mark.parametrize("chosen", ["glfw", "nonsense", "off"])
def test_a_setting_that_cannot_draw_is_named_in_one_line(chosen: str) -> None:
    done = seen_by_another_program(VIEW, MUJOCO_GL=chosen)
    assert "HU331" in done.stdout and "MUJOCO_GL" in done.stdout
    assert done.stdout.count("\n") == 1 and done.stderr == ""


def test_mujoco_imported_before_is_named_too() -> None:
    done = seen_by_another_program("import mujoco" + VIEW, MUJOCO_GL="")
    assert "Set MUJOCO_GL=egl before mujoco is imported" in done.stdout and done.stdout.count("\n") == 1


def test_a_program_that_closes_nothing_ends_quietly() -> None:
    code = VIEW.replace("PlateWorld(", "kept = PlateWorld(").replace(".view()", "; kept.view()")
    done = seen_by_another_program(code)
    assert (done.stdout, done.stderr) == ("", "")


def test_an_error_of_opengl_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refused:
        @staticmethod
        def GLContext(*size: Any) -> NoReturn:
            raise importlib.import_module("OpenGL.error").GLError(12290, "bad\naccess")

    monkeypatch.setattr(gl, "mujoco", lambda: Refused)
    with pytest.raises(NoPictures) as caught:
        gl._context.__wrapped__()
    assert "\n" not in str(caught.value)
