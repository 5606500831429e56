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

from handup.core import BadRecord, BadSetting
from handup.domains.feeding import detector
from handup.domains.feeding.arm import Unstable, wait
from handup.domains.feeding.camera import SCOOP_Z_M, Item, Overhead
from handup.domains.feeding.film import Film
from handup.domains.feeding.forking import Fork, Load, show_load, touchable
from handup.domains.feeding.gl import BUFFER, Eye, mujoco
from handup.domains.feeding.keeping import KIND, SCHEMA, check, check_fits, kitchen_in, of_world, plate_in
from handup.domains.feeding.laying import check_numbers, serve
from handup.domains.feeding.looks import EASY, LOOKS, Looks, exposed, looks_of
from handup.domains.feeding.plates import Plate
from handup.domains.feeding.plates import plate as plate_of
from handup.domains.feeding.scene import LARDER_M, RIM_M, STEP_S
from handup.domains.feeding.skills import Execution, Params, Skill
from handup.domains.guard import Halted

SETTLE_STEPS = 400
FEWEST_PIXELS = 40
"""What shows fewer is not named in `truth`."""
BITE_ML = 8.0
"""What counts as one bite of a heap in `left`."""
Guard = Callable[[float], object]
"""Called with the simulated seconds of a motion so far. It may wait, and may raise `Halted`."""


@dataclass(frozen=True)
class View:
    """One picture from above.

    Args:
        rgb: Height × width × 3.
        depth: Distance along the camera's axis in m, height × width.
    """

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]


class World:
    """A plate of food in a physics simulation. Needs the extra `sim`. Close it, or use it in a `with` block.

    Args:
        plate: What is served: a plate, or the name of one (`random`: drawn by the seed).
        seed: Everything that chance decides.
        looks: How it may look, or the name of such looks.
        size: Width and height of pictures in px, at most 640 × 480.
        kitchen: The home: lamp, table, china and the colour of each food are this one's at every meal. None: no home.

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
        check_numbers(seed=seed, kitchen=0 if kitchen is None else kitchen)
        if not (16 <= size[0] <= BUFFER[0] and 16 <= size[1] <= BUFFER[1]):
            raise BadSetting(f"a picture of {size[0]} × {size[1]} px", hint="Give at most 640 × 480, at least 16.")
        self.plate = plate_of(plate, seed=seed) if isinstance(plate, str) else plate
        self.seed, self.looks, self.size = int(seed), (looks := looks_of(looks)), size
        self.kitchen = kitchen
        self.look, self._scene = serve(self.plate, looks, seed=self.seed, kitchen=kitchen)
        self._eaten: set[int] = set()
        self._load, self._flat = Load(), False
        self._executions = self._unstable = 0
        self._empty: dict[bool, NDArray[np.uint8]] = {}
        self._eye: Eye | None = None
        self._overhead = Overhead(self._scene, size[0] / size[1])
        wait(self._scene)
        mujoco().mj_step(self._scene.model, self._scene.data, SETTLE_STEPS)
        wait(self._scene)
        self._scene.data.qvel[:] = 0.0
        mujoco().mj_forward(self._scene.model, self._scene.data)

    @property
    def executions(self) -> int:
        """How many skills were executed."""
        return self._executions

    @property
    def carries(self) -> bool:
        """Whether there is anything on the fork."""
        return bool(self._load.pieces) or self._load.heap is not None

    @property
    def unstable(self) -> int:
        """How many of them went wrong in the physics and were rolled back."""
        return self._unstable

    # Seeing

    def view(self) -> View:
        """What the overhead camera sees. Twice the same where nothing happened in between."""
        colours, depth = self._eye_of().rgb(self._scene.data, self._scene.overhead, self.size, depth=True)
        random = self._random(2)
        far = depth + np.float32(0.001) * random.standard_normal(depth.shape, dtype=np.float32)
        return View(exposed(colours, self.look, random), far)

    def glance(self, camera: str, size: tuple[int, int]) -> NDArray[np.uint8]:
        """A picture for people, `overhead`, `beside` or `inspect` (the fork), also during a skill; without noise."""
        self._show_heaps()
        mujoco().mj_kinematics(self._scene.model, self._scene.data)
        number = getattr(self._scene, camera)
        taken: NDArray[np.uint8] = self._eye_of().rgb(self._scene.data, number, size).copy()
        return taken

    def truth(self) -> tuple[Item, ...]:
        """What is on the plate and can be seen, with the best skills and parameters. For labels and oracles only."""
        labels = self.labels()
        found = []
        names = [each.food.name for each in self._scene.pieces] + [each.heap.food.name for each in self._scene.mounds]
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
            found.append(Item(food=name, pixels=len(rows), box=box, best=best, number=number))
        return tuple(found)

    def labels(self) -> NDArray[np.int32]:
        """For each pixel the number of the item that is seen there, or -1; the numbers are those of `truth`."""
        geoms = self._eye_of().labels(self._scene.data, self._scene.overhead, self.size)
        bodies = {each.body: number for number, each in enumerate(self._scene.pieces)}
        heaps = {each.seen: len(bodies) + number for number, each in enumerate(self._scene.mounds)}
        numbers = np.array(
            [heaps.get(geom, bodies.get(int(body), -1)) for geom, body in enumerate(self._scene.model.geom_bodyid)]
            + [-1],
            np.int32,
        )
        return numbers[geoms]

    def looks_successful(self) -> detector.Seen:
        """What the success detector thinks about the fork, from its camera. It can be wrong."""
        if self._flat not in self._empty:
            with detector.no_food(self._scene, flat=self._flat) as before:
                random = np.random.default_rng((self.seed, 4, int(self._flat)))
                self._empty[self._flat] = self._fork_picture(before, random)
        return detector.compare(self._fork_picture(self._scene.data, self._random(5)), self._empty[self._flat])

    # Acting

    def execute(
        self,
        skill: Skill | str,
        params: Params | Sequence[float],
        *,
        film: Film | None = None,
        guard: Guard | None = None,
    ) -> Execution:
        """Carry out a skill. What was on the fork before is wiped off, uneaten but gone.

        Args:
            skill: Which.
            params: Its four numbers, on the picture that `view` gives now.
            film: Takes pictures meanwhile.
            guard: Called with the time that passed, every few ms of it: the arm holds for as long as this takes.

        Raises:
            Halted: The guard raised it. The motion ended there, and counts as an execution.
            BadSetting: No such skill, or no four numbers from 0 to 1.
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
            return Execution(picked=None, unstable=True, seconds=fork.seconds, reason="the physics went wrong")
        except Halted:
            fork.halt()
            self._after(fork, skill)
            raise
        self._after(fork, skill)
        return fork.outcome()

    def nudged(
        self, skill: Skill, params: Params, *, by_m: tuple[float, float] = (0.0, 0.0), turn_rad: float = 0.0
    ) -> Params:
        """These parameters moved and turned on the plate: for measuring what errors cost, and for unsteady hands."""
        first, second = self.on_plate(skill, params)
        middle, half = (first + second) / 2 + np.array(by_m), (second - first) / 2
        cos, sin = np.cos(turn_rad), np.sin(turn_rad)
        turned = np.array([[cos, -sin], [sin, cos]]) @ half
        return self.params(skill, middle - turned, middle + turned)

    def on_plate(self, skill: Skill, params: Params) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where the two points of a skill lie: x and y from the plate's middle, in m."""
        return self._overhead.table(skill, params)

    def params(self, skill: Skill, first_m: NDArray[np.float64], second_m: NDArray[np.float64]) -> Params:
        """The parameters for two points on the plate, in m from its middle; the opposite of `on_plate`."""
        z_m = SCOOP_Z_M if skill is Skill.SCOOP else self._overhead.top_at((first_m + second_m) / 2)
        return self._overhead.params(first_m, second_m, z_m)

    def idle(self, seconds: float) -> None:
        """Let time pass with the fork where it is."""
        mujoco().mj_step(self._scene.model, self._scene.data, max(round(seconds / STEP_S), 1))
        mujoco().mj_forward(self._scene.model, self._scene.data)

    def clear_tool(self) -> None:
        """The bite is eaten, or wiped off: the fork is empty and waits."""
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
        """What is left on the plate of each food, in bites."""
        bites: dict[str, float] = dict.fromkeys(self.plate.pieces, 0.0)
        for number, piece in enumerate(self._scene.pieces):
            bites[piece.food.name] += float(self._is_there(number))
        for mound in self._scene.mounds:
            bites[mound.heap.food.name] += mound.heap.volume_ml / BITE_ML
        return bites

    # Keeping

    def save(self) -> dict[str, Any]:
        """Everything that changes, as a record for JSON; `load` it into a world built with the same arguments."""
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
            "heaps": [each.heap.heights_m.ravel().tolist() for each in self._scene.mounds],
            "eaten": sorted(self._eaten),
            "load": {str(number): bears for number, bears in self._load.pieces.items()},
            "welds": [self._scene.model.eq_data[self._scene.pieces[each].weld].tolist() for each in self._load.pieces],
            "of_heap": [self._load.heap, self._load.ml, self._load.smear],
            "flat": self._flat,
        }

    def load(self, record: Mapping[str, Any]) -> None:
        """Go on from a record that `save` made.

        Raises:
            BadRecord: Of another schema, damaged, or of another plate, seed, looks or kitchen.
        """
        check(record)
        kind = mujoco().mjtState.mjSTATE_INTEGRATION.value
        if record["of"] != self._of():
            raise BadRecord("this plate was saved from another world", hint="Build it as that one was built.")
        check_fits(record, self._scene, mujoco().mj_stateSize(self._scene.model, kind))
        data, state = self._scene.data, np.array(record["state"])
        for mound, heights in zip(self._scene.mounds, record["heaps"], strict=True):
            mound.heap.heights_m = np.array(heights).reshape(mound.heap.heights_m.shape)
            self._scene.show_heap(mound)
        mujoco().mj_resetData(self._scene.model, data)
        mujoco().mj_setState(self._scene.model, data, state, kind)
        self._executions, self._unstable = record["executions"], record["unstable"]
        self._eaten, self._flat = set(record["eaten"]), record["flat"]
        heap, ml, smear = record["of_heap"]
        self._load = Load({int(each): bears for each, bears in record["load"].items()}, heap, ml, smear)
        for number, weld in zip(self._load.pieces, record["welds"], strict=True):
            self._scene.model.eq_data[self._scene.pieces[number].weld] = weld
        touchable(self._scene, self._load)
        show_load(self._scene, self._load, flat=self._flat)
        mujoco().mj_forward(self._scene.model, data)
        mujoco().mj_setState(self._scene.model, data, state, kind)  # the solver's memory, too: exactly as it was
        self._show_heaps()

    @classmethod
    def restored(
        cls, record: Mapping[str, Any], *, looks: Looks | None = None, size: tuple[int, int] = (640, 480)
    ) -> Self:
        """A new world from a record.

        Args:
            record: What `save` returned.
            looks: The looks it was built with, where these are not `EASY` or `HARD`.
            size: Of pictures.

        Raises:
            BadRecord: As for `load`.
        """
        check(record)
        of = record["of"]
        if looks is None and of["looks"] not in LOOKS:
            raise BadRecord(f"a plate with the looks '{of['looks']}'", hint="Give the looks that it was built with.")
        looks, kitchen = looks or LOOKS[of["looks"]], kitchen_in(of)
        world = cls(plate_in(of), seed=of["seed"], looks=looks, size=size, kitchen=kitchen)
        world.load(record)
        return world

    def _of(self) -> dict[str, Any]:
        """What a record belongs to."""
        return of_world(self.plate, seed=self.seed, looks=self.looks.name, kitchen=self.kitchen)

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

    def _eye_of(self) -> Eye:
        if self._eye is None:
            self._eye = Eye(self._scene.model)
        return self._eye

    def _fork_picture(self, data: Any, random: np.random.Generator) -> NDArray[np.uint8]:
        colours = self._eye_of().rgb(data, self._scene.inspect, detector.SIZE)
        bright = float(random.normal(1.0, 0.03))
        return exposed(np.clip(colours * bright, 0, 255).astype(np.uint8), self.look, random)

    def _is_there(self, number: int) -> bool:
        """Whether a piece lies on the plate, or a heap has anything left."""
        if number >= len(self._scene.pieces):
            return self._scene.mounds[number - len(self._scene.pieces)].heap.volume_ml > 3.0
        place = self._scene.data.qpos[self._scene.pieces[number].qpos :][:2]
        return number not in self._eaten and number not in self._load.pieces and float(np.hypot(*place)) < RIM_M

    def _each_stride(self, film: Film | None, guard: Guard | None) -> Callable[[float], None]:
        looks = [film.rolling(self.glance)] if film is not None else []
        both: list[Guard] = [*looks, *([guard] if guard is not None else [])]

        def look(seconds: float) -> None:
            for each in both:
                each(seconds)

        return look

    def _after(self, fork: Fork, skill: Skill) -> None:
        """A skill is over, or was stopped on its way."""
        self._executions += 1
        self._load, self._flat = fork.load, skill is Skill.SCOOP
        self._show_heaps()

    def _settle(self) -> None:
        """Let what was touched come to rest; notice where the physics went wrong."""
        mujoco().mj_step(self._scene.model, self._scene.data, 50)
        data = self._scene.data
        if any(each.number for each in data.warning) or not np.isfinite(data.qpos).all():
            raise Unstable
        mujoco().mj_forward(self._scene.model, data)

    def _show_heaps(self) -> None:
        if self._eye is not None:
            for mound in self._scene.mounds:
                self._eye.upload_heap(mound.field)
