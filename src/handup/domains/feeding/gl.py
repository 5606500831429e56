"""MuJoCo and its pictures without a display: imported late, with one clear line if something is missing."""

from __future__ import annotations

import atexit
import contextlib
import ctypes.util
import importlib
import logging
import os
import threading
import weakref
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import MissingExtra, NoPictures

PACKAGES = "libegl1 libegl-mesa0 libgl1-mesa-dri libopengl0"
LOG = logging.getLogger(__name__)
BUFFER = (640, 480)
"""The largest picture: width and height in px."""
_LOCK = threading.RLock()
"""One thread draws at a time: there is one context, and a context is one thread's at a time."""
_OPEN: weakref.WeakSet[Renderer] = weakref.WeakSet()
_LEFT: list[Any] = []
"""Graphics memory of renderers that nobody closed; given back with the next picture, or at the end."""


@cache
def mujoco() -> Any:
    """Return MuJoCo, set to draw without a display: by EGL, or by OSMesa if only that is installed.

    Raises:
        MissingExtra: It is not installed.
        NoPictures: It refuses `MUJOCO_GL`, or a library is missing.
    """
    if not os.environ.get("MUJOCO_GL"):
        only_osmesa = ctypes.util.find_library("EGL") is None and ctypes.util.find_library("OSMesa") is not None
        os.environ["MUJOCO_GL"] = "osmesa" if only_osmesa else "egl"
    try:
        module = importlib.import_module("mujoco")
    except ModuleNotFoundError as error:
        raise MissingExtra.of("sim", "the simulated plate") from error
    except (AttributeError, ImportError, OSError, RuntimeError) as error:
        raise _no_pictures(error) from error
    # By itself MuJoCo writes warnings to MUJOCO_LOG.TXT, in whichever folder the program runs. Worlds look at
    # `data.warning` and roll back.
    module.set_mju_user_warning(LOG.info)
    return module


@cache
def _context() -> Any:
    """Return the one OpenGL context for all worlds of this process; only the thread inside `_drawing` may use it."""
    module = mujoco()
    try:
        if module.GLContext.__module__.endswith("glfw"):  # by MUJOCO_GL, or imported before we set that
            raise NoPictures("MuJoCo would draw into a window", hint="Set MUJOCO_GL=egl before mujoco is imported.")
        context = module.GLContext(*BUFFER)
        with context.as_current():
            pass
    except _failures() as error:
        raise _no_pictures(error) from error
    atexit.register(_give_back)  # registered after MuJoCo's own handler, so it runs first
    return context


@contextlib.contextmanager
def _drawing() -> Iterator[None]:
    """Let this thread draw, and no other; afterwards it has no context, so that any thread may be next."""
    with _LOCK, _context().as_current():
        while _LEFT:
            _LEFT.pop().free()
        yield


def _give_back() -> None:
    """Free the graphics memory of renderers, then the context, at the end of the program."""
    for eye in list(_OPEN):
        eye.close()
    with _drawing():
        pass
    _context().free()
    _context.cache_clear()


def _failures() -> tuple[type[Exception], ...]:
    """Return what MuJoCo and PyOpenGL raise if something is missing or refused."""
    known: list[type[Exception]] = [AttributeError, ImportError, OSError, RuntimeError, TypeError]
    with contextlib.suppress(AttributeError, ImportError, OSError):
        known.append(importlib.import_module("OpenGL.error").Error)
    with contextlib.suppress(AttributeError):
        known.append(mujoco().FatalError)
    return tuple(known)


def _no_pictures(error: BaseException) -> NoPictures:
    chosen = os.environ.get("MUJOCO_GL", "")
    hint = f"On Debian run: apt-get install {PACKAGES}."
    if chosen.lower().strip() not in {"egl", "osmesa"}:
        hint = f"Unset MUJOCO_GL, which is '{chosen}', or set it to egl or osmesa."
    elif "glfw" in str(error):  # the default of MuJoCo, imported with MUJOCO_GL unset
        hint = "Set MUJOCO_GL=egl before mujoco is imported."
    return NoPictures(f"pictures cannot be drawn here ({' '.join(str(error).split())})", hint=hint)


class Renderer:
    """Renderer of what the cameras of one model see.

    Build one per model and `close` it: it holds textures on the graphics side. Any thread may use it; they take turns.

    Args:
        model: A compiled MuJoCo model.

    Raises:
        NoPictures: OpenGL is missing.
    """

    def __init__(self, model: Any) -> None:
        module = mujoco()
        self._model = model
        try:
            with _drawing():
                self._drawing = module.MjrContext(model, module.mjtFontScale.mjFONTSCALE_100.value)
                module.mjr_setBuffer(module.mjtFramebuffer.mjFB_OFFSCREEN.value, self._drawing)
        except module.FatalError as error:
            raise _no_pictures(error) from error
        self._drawing.readDepthMap = module.mjtDepthMap.mjDEPTH_ZEROFAR
        # A renderer that nobody closes leaves its memory to the next thread that draws: this one may have no context.
        self._forgotten = weakref.finalize(self, _LEFT.append, self._drawing)
        self._forgotten.atexit = False
        _OPEN.add(self)
        self._scene = module.MjvScene(model=model, maxgeom=400 + model.ngeom)
        self._option = module.MjvOption()
        self._flags = (int(module.mjtRndFlag.mjRND_SEGMENT), int(module.mjtRndFlag.mjRND_IDCOLOR))
        self._shadow = int(module.mjtRndFlag.mjRND_SHADOW)

    def rgb(self, data: Any, camera: int, size: tuple[int, int], *, depth: bool = False) -> Any:
        """Return the picture, height × width × 3; with `depth` also the distance of each pixel in m."""
        colours = np.empty((size[1], size[0], 3), np.uint8)
        far = np.empty((size[1], size[0]), np.float32) if depth else None
        with _drawing():
            self._aim(data, camera, plain=False)
            self._read(colours, far, size)
        return (colours[::-1], self._metres(far)[::-1]) if far is not None else colours[::-1]

    def labels(self, data: Any, camera: int, size: tuple[int, int]) -> NDArray[np.int32]:
        """Return the geom that is seen at each pixel, or -1."""
        colours = np.empty((size[1], size[0], 3), np.uint8)
        is_geom = int(mujoco().mjtObj.mjOBJ_GEOM)
        with _drawing():
            self._aim(data, camera, plain=True)
            self._read(colours, None, size)
            geoms = np.full(self._scene.ngeom + 1, -1, np.int32)
            for geom in self._scene.geoms[: self._scene.ngeom]:
                if geom.segid >= 0 and int(geom.objtype) == is_geom:
                    geoms[geom.segid + 1] = geom.objid
        # Each geom was drawn in a colour that is its number plus one, the lowest byte in red.
        numbers = colours[::-1].astype(np.int32) @ np.array([1, 256, 65536], np.int32)
        seen: NDArray[np.int32] = geoms[np.minimum(numbers, len(geoms) - 1)]
        return seen

    def upload_heap(self, field: int) -> None:
        """Copy the present heights of a height field to the graphics side, to be drawn from now on."""
        with _drawing():
            mujoco().mjr_uploadHField(self._model, self._drawing, field)

    def close(self) -> None:
        """Free the graphics memory. Safe to call twice."""
        if self._forgotten.detach():
            with _drawing():
                self._drawing.free()
            self._drawing = None

    def _aim(self, data: Any, camera: int, *, plain: bool) -> None:
        module = mujoco()
        view = module.MjvCamera()
        view.type, view.fixedcamid = module.mjtCamera.mjCAMERA_FIXED, camera
        module.mjv_updateScene(
            self._model, data, self._option, None, view, module.mjtCatBit.mjCAT_ALL.value, self._scene
        )
        for flag in self._flags:
            self._scene.flags[flag] = plain
        self._scene.flags[self._shadow] = not plain

    def _read(self, colours: NDArray[np.uint8], far: NDArray[np.float32] | None, size: tuple[int, int]) -> None:
        module = mujoco()
        area = module.MjrRect(0, 0, *size)
        module.mjr_setBuffer(module.mjtFramebuffer.mjFB_OFFSCREEN.value, self._drawing)
        module.mjr_render(area, self._scene, self._drawing)
        module.mjr_readPixels(colours, far, area, self._drawing)

    def _metres(self, buffer: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return distances along the camera's axis from a reversed depth buffer."""
        extent = self._model.stat.extent
        near, far = self._model.vis.map.znear * extent, self._model.vis.map.zfar * extent
        return np.asarray(near * far / (near + buffer.astype(np.float64) * (far - near)), np.float32)
