"""The world of a feeding robot: a plate, a camera, a fork. Build it, look, act, look whether it worked, go on.

Same seed, same meal: everything that chance decides comes from the seed and from how many skills were executed, so a
meal that is saved and loaded goes on as if nothing had happened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import FiniteFloat, NonNegativeInt, TypeAdapter, ValidationError

from handup.core import BadRecord, OutOfRange
from handup.domains.domain import Halted
from handup.domains.feeding.arm import Fork, Load, Unstable, show_load, touchable, wait
from handup.domains.feeding.camera import FORK_PX, SCOOP_Z_M, Item, Overhead, Seen, compare, no_food
from handup.domains.feeding.film import Film
from handup.domains.feeding.foods import Plate
from handup.domains.feeding.foods import plate as plate_of
from handup.domains.feeding.gl import BUFFER, Renderer, mujoco
from handup.domains.feeding.looks import EASY, Looks, exposed, looks_of
from handup.domains.feeding.scene import LARDER_M, RIM_M, STEP_S, PlateScene, serve
from handup.domains.feeding.skills import Params, Skill, SkillExecution

SETTLE_STEPS = 400
FEWEST_PIXELS = 40
"""Fewest pixels of a thing that `truth` names, in a picture of 640 × 480 px."""
BITE_ML = 8.0
"""Volume of a heap that counts as one bite in `left`, in ml."""
SCHEMA, KIND = 1, "feeding-world"
GIVE = "Give all of what World.save returned, unchanged."
Guard = Callable[[float], object]
"""Function that is called with the simulated seconds of a motion so far. It may wait, and may raise `Halted`."""


@dataclass(frozen=True)
class PlateView:
    """One picture from above.

    Args:
        rgb: Colours, height × width × 3.
        depth: Distance along the camera's axis in m, height × width.
    """

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]


class PlateWorld:
    """A plate of food in a physics simulation. Needs the extra `sim`. Close it, or use it in a `with` block.

    Args:
        plate: Plate to serve, or its name (`random`: drawn by the seed).
        seed: Source of everything that chance decides.
        looks: Looks of the scene, or their name.
        size: Width and height of pictures in px, at most 640 × 480.
        kitchen: Number of the home, which has its own lamp, table, china and colours of food at every meal. None:
            no home.

    Raises:
        MissingExtra: MuJoCo is not installed.
        NoPictures: OpenGL is missing.
        BadSetting: An unknown plate or looks, a seed or kitchen below 0, or pictures too large.
    """

    def __init__(
        self,
        plate: Plate | str,
        *,
        seed: int,
        looks: Looks | str = EASY,
        size: tuple[int, int] = (640, 480),
        kitchen: int | None = None,
    ) -> None:
        for what, number in (("seed", seed), ("kitchen", 0 if kitchen is None else kitchen)):
            if not isinstance(number, int | np.integer) or number < 0:
                raise OutOfRange.of(what, number, "be a whole number from 0 on", hint="Give such a number.")
        if not (16 <= size[0] <= BUFFER[0] and 16 <= size[1] <= BUFFER[1]):
            must = f"lie between 16 × 16 and {BUFFER[0]} × {BUFFER[1]} px"
            raise OutOfRange.of("the size of a picture", f"{size[0]} × {size[1]} px", must, hint="Give such a size.")
        self.plate = plate_of(plate, seed=seed) if isinstance(plate, str) else plate
        self.seed, self.looks, self.size = int(seed), (looks := looks_of(looks)), size
        self.kitchen = kitchen
        self.look, self._scene = serve(self.plate, looks, seed=self.seed, kitchen=kitchen)
        self._eaten: set[int] = set()
        self._load, self._flat = Load(), False
        self._executions = self._unstable = 0
        self._empty: dict[bool, NDArray[np.uint8]] = {}
        self._eye: Renderer | None = None
        self._overhead = Overhead(self._scene, size[0] / size[1])
        wait(self._scene)
        mujoco().mj_step(self._scene.model, self._scene.data, SETTLE_STEPS)
        wait(self._scene)
        self._scene.data.qvel[:] = 0.0
        mujoco().mj_forward(self._scene.model, self._scene.data)

    @property
    def executions(self) -> int:
        """Number of skills that were executed."""
        return self._executions

    @property
    def carries(self) -> bool:
        """True if there is anything on the fork."""
        return bool(self._load.pieces) or self._load.heap is not None

    @property
    def unstable(self) -> int:
        """Number of executions that went wrong in the physics and were rolled back."""
        return self._unstable

    # Seeing

    def view(self) -> PlateView:
        """Return what the overhead camera sees. It is the same twice if nothing happened in between."""
        colours, depth = self._eye_of().rgb(self._scene.data, self._scene.overhead, self.size, depth=True)
        # Noise depends on seed and number of executions only: the same plate looks the same.
        random = self._random(2)
        far = depth + np.float32(0.001) * random.standard_normal(depth.shape, dtype=np.float32)
        return PlateView(exposed(colours, self.look, random), far)

    def glance(self, camera: str, size: tuple[int, int]) -> NDArray[np.uint8]:
        """Return a picture for people, `overhead`, `beside` or `inspect` (the fork), without noise, in a skill too."""
        self._show_heaps()
        mujoco().mj_kinematics(self._scene.model, self._scene.data)
        number = getattr(self._scene, camera)
        return np.array(self._eye_of().rgb(self._scene.data, number, size))

    def truth(self) -> tuple[Item, ...]:
        """Return what is seen on the plate, with the best skills and parameters. For labels and oracles only."""
        labels = self.labels()
        items = []
        names = [piece.food.name for piece in self._scene.pieces]
        names += [mound.heap.food.name for mound in self._scene.mounds]
        for number, name in enumerate(names):
            rows, columns = np.nonzero(labels == number)
            if len(rows) < FEWEST_PIXELS * self.size[0] * self.size[1] / (640 * 480) or not self._is_there(number):
                continue
            width, height = self.size
            box = (float(columns.min() / width), float(rows.min() / height), float((columns.max() + 1) / width),
                   float((rows.max() + 1) / height))  # fmt: skip
            heap = number - len(self._scene.pieces)
            best = (
                self._overhead.best_for_piece(self._scene.pieces[number])
                if heap < 0
                else self._overhead.best_for_heap(self._scene.mounds[heap].heap)
            )
            items.append(Item(food=name, pixels=len(rows), box=box, best=best, number=number))
        return tuple(items)

    def labels(self) -> NDArray[np.int32]:
        """Return the number of the item that is seen at each pixel, or -1; the numbers are those of `truth`."""
        geoms = self._eye_of().labels(self._scene.data, self._scene.overhead, self.size)
        bodies = {piece.body: number for number, piece in enumerate(self._scene.pieces)}
        heaps = {mound.seen: len(bodies) + number for number, mound in enumerate(self._scene.mounds)}
        numbers = np.array(
            [heaps.get(geom, bodies.get(int(body), -1)) for geom, body in enumerate(self._scene.model.geom_bodyid)]
            + [-1],
            np.int32,
        )
        return numbers[geoms]

    def looks_successful(self) -> Seen:
        """Return the verdict of the success detector about the fork, from its camera. It can be wrong."""
        if self._flat not in self._empty:
            with no_food(self._scene, flat=self._flat) as before:
                random = np.random.default_rng((self.seed, 4, int(self._flat)))
                self._empty[self._flat] = self._fork_picture(before, random)
        return compare(self._fork_picture(self._scene.data, self._random(5)), self._empty[self._flat])

    # Acting

    def execute(
        self,
        skill: Skill | str,
        params: Params | Sequence[float],
        *,
        film: Film | None = None,
        guard: Guard | None = None,
    ) -> SkillExecution:
        """Carry out a skill. What was on the fork before is wiped off, uneaten but gone.

        Args:
            skill: Skill to carry out.
            params: Its four numbers, on the picture that `view` gives now.
            film: Film that takes pictures meanwhile.
            guard: Function that is called with the time that passed, every few ms: the arm holds for as long as
                this takes.

        Raises:
            Halted: The guard raised it. The motion ended there, and counts as an execution.
            BadSetting: There is no such skill, or these are not four numbers from 0 to 1.
        """
        skill, params = Skill.of(skill), Params.of(params)
        self.clear_tool()
        before = self.save()
        first, second = self._overhead.table(skill, params)
        fork = Fork(self._scene, self._random(3), self._each_stride(film, guard))
        try:
            getattr(fork, skill.value)(first, second)
            self._settle()
        except Unstable:
            self.load(before)
            self._executions += 1
            self._unstable += 1
            return SkillExecution(picked=None, unstable=True, seconds=fork.seconds, reason="the physics went wrong")
        except Halted:
            fork.touching(tines=True, blade=False)  # it stays where it is; its next motion begins with its tines
            self._after(fork, skill)
            raise
        self._after(fork, skill)
        return fork.outcome()

    def on_plate(self, skill: Skill, params: Params) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the two points of a skill: x and y from the plate's middle, in m."""
        return self._overhead.table(skill, params)

    def params(self, skill: Skill, first_m: NDArray[np.float64], second_m: NDArray[np.float64]) -> Params:
        """Return the parameters for two points on the plate, in m from its middle; the opposite of `on_plate`."""
        z_m = SCOOP_Z_M if skill is Skill.SCOOP else self._overhead.top_at((first_m + second_m) / 2)
        return self._overhead.params(first_m, second_m, z_m)

    def idle(self, seconds: float) -> None:
        """Let time pass with the fork where it is."""
        mujoco().mj_step(self._scene.model, self._scene.data, max(round(seconds / STEP_S), 1))
        mujoco().mj_forward(self._scene.model, self._scene.data)

    def clear_tool(self) -> None:
        """Empty the fork and let it wait: the bite is eaten, or wiped off."""
        for number in self._load.pieces:
            piece = self._scene.pieces[number]
            self._scene.data.eq_active[piece.weld] = 0
            self._scene.data.qpos[piece.qpos : piece.qpos + 7] = [LARDER_M + 0.08 * number, 0, 0.03, 1, 0, 0, 0]
            self._scene.data.qvel[piece.dof : piece.dof + 6] = 0.0
            self._eaten.add(number)
        self._load, self._flat = Load(), False
        touchable(self._scene, self._load)
        show_load(self._scene, self._load, flat=False)
        wait(self._scene)
        mujoco().mj_forward(self._scene.model, self._scene.data)

    def left(self) -> Mapping[str, float]:
        """Return what is left on the plate of each food, in bites."""
        bites: dict[str, float] = dict.fromkeys(self.plate.pieces, 0.0)
        for number, piece in enumerate(self._scene.pieces):
            bites[piece.food.name] += float(self._is_there(number))
        for mound in self._scene.mounds:
            bites[mound.heap.food.name] += mound.heap.volume_ml / BITE_ML
        return bites

    # Keeping

    def save(self) -> dict[str, Any]:
        """Return all that changes, as a record for JSON; `load` it into a world built with the same arguments."""
        model, data = self._scene.model, self._scene.data
        kind = mujoco().mjtState.mjSTATE_INTEGRATION.value
        state = np.zeros(mujoco().mj_stateSize(model, kind))
        mujoco().mj_getState(model, data, state, kind)
        return {
            "schema": SCHEMA,
            "kind": KIND,
            "of": self._of(),
            "executions": self._executions,
            "unstable": self._unstable,
            "state": state.tolist(),
            "heaps": [mound.heap.heights_m.ravel().tolist() for mound in self._scene.mounds],
            "eaten": sorted(self._eaten),
            "load": {str(number): bears for number, bears in self._load.pieces.items()},
            "welds": [
                self._scene.model.eq_data[self._scene.pieces[number].weld].tolist() for number in self._load.pieces
            ],
            "of_heap": [self._load.heap, self._load.ml, self._load.smear],
            "flat": self._flat,
        }

    def load(self, record: Mapping[str, Any]) -> None:
        """Go on from a record that `save` made.

        Raises:
            BadRecord: It has another schema, is damaged, or is of another plate, seed, looks or kitchen.
        """
        saved, kind = _read(record), mujoco().mjtState.mjSTATE_INTEGRATION.value
        if record.get("of") != self._of():
            raise BadRecord(
                "the record must be of this world, got one of another", hint="Build it as that one was built."
            )
        _check_fits(saved, self._scene, mujoco().mj_stateSize(self._scene.model, kind))
        data, state = self._scene.data, np.array(saved.state)
        for mound, heights in zip(self._scene.mounds, saved.heaps, strict=True):
            mound.heap.heights_m = np.array(heights).reshape(mound.heap.heights_m.shape)
            self._scene.show_heap(mound)
        mujoco().mj_resetData(self._scene.model, data)
        mujoco().mj_setState(self._scene.model, data, state, kind)
        self._executions, self._unstable = saved.executions, saved.unstable
        self._eaten, self._flat = set(saved.eaten), saved.flat
        self._load = Load(saved.load, *saved.of_heap)
        for number, weld in zip(self._load.pieces, saved.welds, strict=True):
            self._scene.model.eq_data[self._scene.pieces[number].weld] = weld
        touchable(self._scene, self._load)
        show_load(self._scene, self._load, flat=self._flat)
        mujoco().mj_forward(self._scene.model, data)
        mujoco().mj_setState(self._scene.model, data, state, kind)  # the solver's memory, too: exactly as it was
        self._show_heaps()

    def _of(self) -> dict[str, Any]:
        """Return how the world of a record was built. One without a kitchen has no such key."""
        pieces = {food: list(numbers) for food, numbers in self.plate.pieces.items()}
        of = {"plate": self.plate.name, "pieces": pieces, "seed": self.seed, "looks": self.looks.name}
        return of if self.kitchen is None else {**of, "kitchen": self.kitchen}

    def close(self) -> None:
        """Give the graphics memory back. Safe twice."""
        if self._eye is not None:
            self._eye.close()
            self._eye = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Inside

    def _random(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, purpose, self._executions))

    def _eye_of(self) -> Renderer:
        if self._eye is None:
            self._eye = Renderer(self._scene.model)
        return self._eye

    def _fork_picture(self, data: Any, random: np.random.Generator) -> NDArray[np.uint8]:
        colours = self._eye_of().rgb(data, self._scene.inspect, FORK_PX)
        bright = float(random.normal(1.0, 0.03))
        return exposed(np.clip(colours * bright, 0, 255).astype(np.uint8), self.look, random)

    def _is_there(self, number: int) -> bool:
        """Return whether a piece lies on the plate, or a heap has anything left."""
        if number >= len(self._scene.pieces):
            return self._scene.mounds[number - len(self._scene.pieces)].heap.volume_ml > 3.0
        place = self._scene.data.qpos[self._scene.pieces[number].qpos :][:2]
        return number not in self._eaten and number not in self._load.pieces and float(np.hypot(*place)) < RIM_M

    def _each_stride(self, film: Film | None, guard: Guard | None) -> Callable[[float], None]:
        looks = [film.rolling(self.glance)] if film is not None else []
        watchers: list[Guard] = [*looks, *([guard] if guard is not None else [])]

        def look(seconds: float) -> None:
            for watcher in watchers:
                watcher(seconds)

        return look

    def _after(self, fork: Fork, skill: Skill) -> None:
        """Take over what a skill did, to its end or until it was stopped."""
        self._executions += 1
        self._load, self._flat = fork.load, skill is Skill.SCOOP
        self._show_heaps()

    def _settle(self) -> None:
        """Let what was touched come to rest; notice if the physics went wrong."""
        mujoco().mj_step(self._scene.model, self._scene.data, 50)
        data = self._scene.data
        if any(warning.number for warning in data.warning) or not np.isfinite(data.qpos).all():
            raise Unstable
        mujoco().mj_forward(self._scene.model, data)

    def _show_heaps(self) -> None:
        if self._eye is not None:
            for mound in self._scene.mounds:
                self._eye.upload_heap(mound.field)


@dataclass(frozen=True, kw_only=True)
class _Saved:
    """Saved plate, as `PlateWorld.save` returns it."""

    executions: NonNegativeInt
    unstable: NonNegativeInt
    state: list[FiniteFloat]
    heaps: list[list[FiniteFloat]]
    eaten: list[int]
    load: dict[int, FiniteFloat]
    welds: list[list[FiniteFloat]]
    of_heap: tuple[int | None, FiniteFloat, bool]
    flat: bool


SAVED = TypeAdapter(_Saved)


def _read(record: Mapping[str, Any]) -> _Saved:
    """Read a record of this schema.

    Raises:
        BadRecord: It is of another schema, or damaged.
    """
    if not isinstance(record, Mapping) or record.get("kind") != KIND or record.get("schema") != SCHEMA:
        raise BadRecord("this is no saved plate of this version", hint="Give what World.save returned.")
    try:
        return SAVED.validate_python(record)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise BadRecord(f"a saved plate is damaged ({where}: {first['msg']})", hint=GIVE) from None


def _check_fits(saved: _Saved, scene: PlateScene, state: int) -> None:
    """Refuse a record whose parts are not of a scene's sizes, before anything of it is taken over.

    Args:
        saved: The record.
        scene: Scene that is to take it over.
        state: Number of values in the state of its physics.

    Raises:
        BadRecord: A part has another size.
    """
    heaps, weld = [mound.heap.heights_m.size for mound in scene.mounds], scene.model.eq_data.shape[1]
    known, heap = set(range(len(scene.pieces))), saved.of_heap[0]
    fitting = {
        "state": len(saved.state) == state,
        "heaps": [len(heights) for heights in saved.heaps] == heaps,
        "eaten": set(saved.eaten) <= known,
        "load": set(saved.load) <= known,
        "welds": [len(values) for values in saved.welds] == [weld] * len(saved.load),
        "of_heap": heap is None or heap in range(len(heaps)),
    }
    odd = [name for name, fits in fitting.items() if not fits]
    if odd:
        raise BadRecord(f"a saved plate must fit this one, got another {', '.join(odd)}", hint=GIVE)
