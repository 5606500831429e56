"""The world of a feeding robot: a plate, a camera, a fork. Build it, look, act, look whether it worked, go on.

Same seed, same meal: everything that chance decides comes from the seed and from how many skills were executed, so a
meal that is saved and loaded goes on as if nothing had happened.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from handup.core import BadRecord, BadSetting
from handup.domains.feeding.arm import Fork, Load, Unstable, show_load, touchable, wait
from handup.domains.feeding.camera import FORK_PX, SCOOP_Z_M, Item, Overhead, Seen, compare, no_food
from handup.domains.feeding.film import Film
from handup.domains.feeding.foods import Plate
from handup.domains.feeding.foods import plate as plate_of
from handup.domains.feeding.gl import BUFFER, Eye, mujoco
from handup.domains.feeding.looks import EASY, LOOKS, Looks, exposed, looks_of
from handup.domains.feeding.scene import LARDER_M, RIM_M, STEP_S, Scene, serve
from handup.domains.feeding.skills import Execution, Params, Skill
from handup.domains.guard import Halted

SETTLE_STEPS = 400
FEWEST_PIXELS = 40
"""What shows fewer is not named in `truth`."""
BITE_ML = 8.0
"""What counts as one bite of a heap in `left`."""
SCHEMA, KIND = 1, "feeding-world"
KEPT: Mapping[str, type | tuple[type, ...]] = {
    "executions": int,
    "unstable": int,
    "state": Sequence,
    "heaps": Sequence,
    "eaten": Sequence,
    "load": Mapping,
    "welds": Sequence,
    "of_heap": Sequence,
    "flat": bool,
}
OF: Mapping[str, type] = {"plate": str, "pieces": Mapping, "seed": int, "looks": str}
NUMBERS = ("state", "heaps", "eaten", "load", "welds")
"""What a saved plate holds, what it says of the world that it is of, and which of it are numbers."""
GIVE = "Give all of what World.save returned, unchanged."
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
        for what, number in (("seed", seed), ("kitchen", 0 if kitchen is None else kitchen)):
            if not isinstance(number, int | np.integer) or number < 0:
                raise BadSetting(f"{what} is {number}", hint="Give a whole number from 0 on.")
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
        return np.array(self._eye_of().rgb(self._scene.data, number, size))

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

    def looks_successful(self) -> Seen:
        """What the success detector thinks about the fork, from its camera. It can be wrong."""
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
        _check(record)
        kind = mujoco().mjtState.mjSTATE_INTEGRATION.value
        if record["of"] != self._of():
            raise BadRecord("this plate was saved from another world", hint="Build it as that one was built.")
        _check_fits(record, self._scene, mujoco().mj_stateSize(self._scene.model, kind))
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
        _check(record)
        of = record["of"]
        if looks is None and of["looks"] not in LOOKS:
            raise BadRecord(f"a plate with the looks '{of['looks']}'", hint="Give the looks that it was built with.")
        kitchen = of.get("kitchen")
        if kitchen is not None and (not isinstance(kitchen, int) or kitchen < 0):
            raise BadRecord(f"a saved plate of the kitchen '{kitchen}'", hint=GIVE)
        try:
            plate = Plate(of["plate"], {food: (int(low), int(high)) for food, (low, high) in of["pieces"].items()})
        except (BadSetting, TypeError, ValueError) as error:
            raise BadRecord(f"a saved plate that cannot be: {getattr(error, 'cause', error)}", hint=GIVE) from None
        world = cls(plate, seed=of["seed"], looks=looks or LOOKS[of["looks"]], size=size, kitchen=kitchen)
        world.load(record)
        return world

    def _of(self) -> dict[str, Any]:
        """What a record is of: how its world was built. One in no kitchen looks as it did before there were any."""
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

    def _eye_of(self) -> Eye:
        if self._eye is None:
            self._eye = Eye(self._scene.model)
        return self._eye

    def _fork_picture(self, data: Any, random: np.random.Generator) -> NDArray[np.uint8]:
        colours = self._eye_of().rgb(data, self._scene.inspect, FORK_PX)
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


def _check(record: Mapping[str, Any]) -> None:
    """Refuse what is no whole record of this schema.

    Raises:
        BadRecord: It is of another schema, or damaged.
    """
    if not isinstance(record, Mapping) or record.get("kind") != KIND or record.get("schema") != SCHEMA:
        raise BadRecord("this is no saved plate of this version", hint="Give what World.save returned.")
    of = record.get("of")
    gone = [name for name, kind in KEPT.items() if not isinstance(record.get(name), kind)]
    gone += [name for name, kind in OF.items() if not isinstance(of, Mapping) or not isinstance(of.get(name), kind)]
    if gone:
        raise BadRecord(f"a saved plate without its {', '.join(gone)}", hint=GIVE)
    odd = [name for name in NUMBERS if not all(map(_is_number, _leaves(record[name])))]
    if odd or record["executions"] < 0 or record["unstable"] < 0:
        raise BadRecord(f"a saved plate with damaged numbers in {', '.join(odd) or 'its counts'}", hint=GIVE)


def _check_fits(record: Mapping[str, Any], scene: Scene, state: int) -> None:
    """Refuse a record whose parts are not of a scene's sizes, before anything of it is taken over.

    Args:
        record: One that `_check` let pass.
        scene: What it is to be taken over into.
        state: How many numbers the state of its physics has.

    Raises:
        BadRecord: One is not.
    """
    heaps, weld = [each.heap.heights_m.size for each in scene.mounds], scene.model.eq_data.shape[1]
    of_heap, load, known = record["of_heap"], record["load"], {str(number) for number in range(len(scene.pieces))}
    fitting = {
        "state": len(record["state"]) == state,
        "heaps": [_length(each) for each in record["heaps"]] == heaps,
        "eaten": {str(each) for each in record["eaten"]} <= known,
        "load": set(load) <= known,
        "welds": [_length(each) for each in record["welds"]] == [weld] * len(load),
        "of_heap": len(of_heap) == 3
        and (of_heap[0] is None or of_heap[0] in range(len(heaps)))
        and all(map(_is_number, of_heap[1:])),
    }
    odd = [name for name, fits in fitting.items() if not fits]
    if odd:
        raise BadRecord(f"a saved plate whose {', '.join(odd)} cannot be of this plate", hint=GIVE)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, Sequence) and not isinstance(value, str):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _length(value: Any) -> int:
    return len(value) if isinstance(value, Sequence) else -1
