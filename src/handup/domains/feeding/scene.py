"""Scene of a meal: the laid table as a MuJoCo model of plate, pieces, heaps, clutter, fork on an arm, cameras, lamp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.domains.feeding.capture import CELLS, Heap
from handup.domains.feeding.foods import Food, Plate, food
from handup.domains.feeding.gl import BUFFER, mujoco
from handup.domains.feeding.looks import DrawnLook, Kitchen, Looks, Rgb
from handup.domains.feeding.shapes import Mesh, item_mesh, plate_mesh, texture, wood

FLAT_M, RIM_M, RIM_HEIGHT_M = 0.088, 0.120, 0.014
RIM_PARTS = 18
TABLE_Z_M = -0.007
SINK_M, HEAP_TOP_M = 0.002, 0.06
TINES, TINE_GAP_M, TINE_LENGTH_M = 4, 0.005, 0.036
BLADE_HALF_WIDTH_M = 0.012
SHOW_M = (0.30, 0.0, 0.17)
"""Place where the fork waits and shows what it has: outside the overhead picture."""
LARDER_M = 1.5
"""Distance at which eaten pieces lie."""
CAMERA_Z_M, CAMERA_FOV_DEG = 0.56, 28.5
STEP_S = 0.002
TOUCH_TINES, TOUCH_BLADE = 4, 8
FEWEST_BITES = 7
"""Fewest pieces or spoonfuls on a plate that was eaten from already."""
TRIES = 60
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ServedPiece:
    """Piece before it is simulated: what, how large, where."""

    food: Food
    half_m: Floats
    at_m: tuple[float, float, float]
    yaw: float
    colour: Rgb


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Piece in the model, with MuJoCo's numbers for it."""

    food: Food
    half_m: Floats
    body: int
    touch: int
    seen: int
    weld: int
    qpos: int
    dof: int


@dataclass(frozen=True, kw_only=True)
class Mound:
    """Heap in the model."""

    heap: Heap
    field: int
    seen: int
    material: int
    colour: Rgb


@dataclass(frozen=True, kw_only=True)
class PlateScene:
    """Compiled plate."""

    model: Any
    data: Any
    pieces: tuple[Piece, ...]
    mounds: tuple[Mound, ...]
    fork: int
    fork_qpos: int
    fork_dof: int
    tines: tuple[int, ...]
    blade: int
    load: int
    overhead: int
    beside: int
    inspect: int

    def show_heap(self, mound: Mound) -> None:
        """Write a heap's heights into the model; an `Eye` must upload them to be seen."""
        heights = mound.heap.heights_m
        start = int(self.model.hfield_adr[mound.field])
        shown = np.where(heights > 0.0, (heights + SINK_M) / HEAP_TOP_M, 0.0)
        self.model.hfield_data[start : start + heights.size] = shown.ravel()


# Laying the table


def serve(plate: Plate, looks: Looks, *, seed: int, kitchen: int | None) -> tuple[DrawnLook, PlateScene]:
    """Lay the table for one meal; return its look, and the scene.

    Args:
        plate: Plate to serve.
        looks: Looks that it may have.
        seed: Source of everything that is this meal's own.
        kitchen: Number of the home whose look it has; None if everything is this meal's own.
    """
    random = np.random.default_rng((seed, 1))
    home = None if kitchen is None else Kitchen(looks, kitchen)
    look = (home or looks).draw(random)
    laid, heaps = lay(plate, home or looks, look, random)
    return look, build(laid, heaps, look, random, table=random if home is None else home.random("table"))


def lay(
    plate: Plate, looks: Looks | Kitchen, look: DrawnLook, random: np.random.Generator
) -> tuple[list[ServedPiece], list[tuple[Heap, Rgb]]]:
    """Lay heaps first, then pieces around them, large before small. What there is no room for is not served."""
    served = plate.served(random)
    heaps: list[tuple[Heap, Rgb]] = []
    taken: list[tuple[float, float, float, float]] = []
    for name in served:
        if food(name).heap:
            heap, radius = _heap(food(name), len(heaps), random)
            _half_eaten(heap, look.eaten, random)
            heaps.append((heap, looks.food_colour(heap.food, random)))
            taken.append((heap.x_m, heap.y_m, radius, 0.0))
    colours = {name: looks.food_colour(food(name), random) for name in served}
    pieces = [name for name, count in served.items() if not food(name).heap for _ in range(count)]
    pieces.sort(key=lambda name: -food(name).size_mm[0][1] * food(name).size_mm[1][1])
    laid = []
    for name in pieces:
        kind = food(name)
        half = np.array([random.uniform(*limits) for limits in kind.size_mm]) / 2000.0
        if kind.shape == "ball":
            half[:] = half.mean()
        spot = _spot(half, kind, taken, random)
        if spot is None:
            continue
        tint = np.clip(np.array(colours[name]) * random.normal(1.0, 0.03), 0.0, 1.0)  # lighter or darker, same hue
        at = (spot[0], spot[1], spot[2] + float(half[2]) + 0.002)
        colour = (float(tint[0]), float(tint[1]), float(tint[2]))
        laid.append(ServedPiece(food=kind, half_m=half, at_m=at, yaw=spot[3], colour=colour))
    keep = max(FEWEST_BITES - 3 * len(heaps), round((1.0 - look.eaten) * len(laid)))
    kept = sorted(random.permutation(len(laid))[:keep]) if keep < len(laid) else range(len(laid))
    return [laid[index] for index in kept], heaps


def _heap(kind: Food, index: int, random: np.random.Generator) -> tuple[Heap, float]:
    """Return a heap and its radius: the first one anywhere around the middle, the second left of it."""
    radius = kind.size_mm[0][1] / 2000.0
    out = max(0.0, min(0.045, FLAT_M + 0.006 - radius))
    angle = random.uniform(0.0, 2.0 * np.pi) if index == 0 else np.pi + random.uniform(-0.3, 0.3)
    return Heap.served(kind, float(out * np.cos(angle)), float(out * np.sin(angle)), random), radius


def _half_eaten(heap: Heap, eaten: float, random: np.random.Generator) -> None:
    """Take the spoonfuls that somebody ate before."""
    goal = (1.0 - eaten) * heap.served_ml
    for _ in range(12):
        if heap.volume_ml <= goal:
            break
        middle, angle = np.array([heap.x_m, heap.y_m]), random.uniform(0.0, 2.0 * np.pi)
        inwards = np.array([np.cos(angle), np.sin(angle)])
        aside = np.array([-inwards[1], inwards[0]]) * random.uniform(-0.4, 0.4) * heap.half_m
        start = middle + aside - heap.half_m * inwards
        _, amounts = heap.swept_ml(start, start + 0.045 * inwards, half_width_m=0.013, floor_m=0.002)
        heap.take(amounts, 9.0)


def _spot(
    half: np.ndarray, kind: Food, taken: list[tuple[float, float, float, float]], random: np.random.Generator
) -> tuple[float, float, float, float] | None:
    """Return a free place: x, y, height to drop from, yaw. Others may lie upon leaves; long pieces take a long room."""
    leaf, long = kind.shape == "leaf", kind.shape == "bean"
    lie_upon = float(half[2]) if leaf else 0.0
    for attempt in range(TRIES):
        radius = (FLAT_M - (0.55 * half[0] if long or leaf else half[0])) * np.sqrt(random.uniform(0.0, 1.0))
        angle, yaw = random.uniform(0.0, 2.0 * np.pi), random.uniform(0.0, np.pi)
        x, y = float(radius * np.cos(angle)), float(radius * np.sin(angle))
        along = np.linspace(-1.0, 1.0, 5) * (half[0] - half[1]) if long else np.zeros(1)
        discs = [
            (x + float(shift * np.cos(yaw)), y + float(shift * np.sin(yaw)),
             float(half[1] * 1.1 if long else half[:2].mean() * (0.72 if leaf else 1.08)), lie_upon)
            for shift in along
        ]  # fmt: skip
        if any(np.hypot(px, py) > FLAT_M + 0.012 for px, py, _, _ in discs):
            continue
        # The more attempts have failed, the closer pieces may lie.
        squeeze = 1.0 - 0.25 * attempt / TRIES
        hit = [placed for placed in taken for disc in discs
               if np.hypot(placed[0] - disc[0], placed[1] - disc[1]) < squeeze * (placed[2] + disc[2])]  # fmt: skip
        if all(placed[3] > 0.0 for placed in hit) and len({placed[:2] for placed in hit}) <= 1:
            taken.extend(discs)
            return x, y, 2.0 * max((placed[3] for placed in hit), default=0.0), yaw
    return None


# The model


def build(
    laid: Sequence[ServedPiece],
    heaps: Sequence[tuple[Heap, Rgb]],
    look: DrawnLook,
    random: np.random.Generator,
    *,
    table: np.random.Generator,
    more: Callable[[Any], None] | None = None,
) -> PlateScene:
    """Compile a plate with these pieces and heaps; the grain of the table has a generator of its own.

    Args:
        laid: Pieces.
        heaps: Heaps and their colours.
        look: Look of all else.
        random: Source of clutter and textures.
        table: Source of the table's grain.
        more: Function that adds to the specification, or takes away from it, before it is compiled.
    """
    module = mujoco()
    spec = module.MjSpec()
    _settings(spec, module)
    _lamp(spec, look)
    _table_and_plate(spec, look, table)
    _clutter(spec, look, random)
    _cameras(spec, look)
    _fork(spec, module)
    for name in dict.fromkeys(piece.food.name for piece in laid):
        pattern = next(piece.food.texture for piece in laid if piece.food.name == name)
        _material(spec, f"food {name}", texture(pattern, random), shine=0.6 if pattern == "shine" else 0.15)
    for index, piece in enumerate(laid):
        _piece(spec, module, index, piece, random)
    for index, (heap, colour) in enumerate(heaps):
        _mound(spec, module, index, heap, colour, random)
    if more is not None:
        more(spec)
    model = spec.compile()
    model.dof_damping[:] = 2e-5
    return _scene(model, laid, heaps, module)


def _settings(spec: Any, module: Any) -> None:
    spec.option.timestep = STEP_S
    spec.option.iterations, spec.option.ls_iterations = 12, 8
    spec.option.cone = module.mjtCone.mjCONE_PYRAMIDAL
    spec.option.disableflags |= int(module.mjtDisableBit.mjDSBL_AUTORESET)
    spec.visual.global_.offwidth, spec.visual.global_.offheight = BUFFER
    spec.visual.quality.offsamples = 0
    spec.visual.quality.shadowsize = 1536
    spec.visual.quality.numslices, spec.visual.quality.numstacks = 14, 8
    spec.visual.map.znear, spec.visual.map.zfar, spec.visual.map.shadowclip = 0.05, 5.0, 0.36
    spec.stat.extent, spec.stat.center = 1.0, [0.0, 0.0, 0.0]


def _lamp(spec: Any, look: DrawnLook) -> None:
    """Add one lamp with shadows, and light from everywhere."""
    azimuth, elevation = np.radians(look.azimuth_deg), np.radians(look.elevation_deg)
    towards = np.array([np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation)])
    spec.worldbody.add_light(
        name="lamp", type=mujoco().mjtLightType.mjLIGHT_DIRECTIONAL, pos=(0.9 * towards).tolist(),
        dir=(-towards).tolist(), diffuse=list(look.light), specular=[0.45 * part for part in look.light],
        castshadow=True,
    )  # fmt: skip
    spec.visual.headlight.active = 1
    spec.visual.headlight.ambient = [look.ambient * part / max(look.light) for part in look.light]
    spec.visual.headlight.diffuse = [0.12, 0.12, 0.12]
    spec.visual.headlight.specular = [0.0, 0.0, 0.0]


def _table_and_plate(spec: Any, look: DrawnLook, random: np.random.Generator) -> None:
    """Add table and plate. The plate's flat top is at z = 0."""
    kinds = mujoco().mjtGeom
    _material(spec, "table", wood(random), shine=0.05, shininess=0.1, texrepeat=[5, 5], texuniform=True)
    spec.worldbody.add_geom(
        name="table", type=kinds.mjGEOM_PLANE, size=[3, 3, 0.1], pos=[0, 0, TABLE_Z_M], material="table",
        rgba=[*look.table, 1.0], contype=1, conaffinity=1,
    )  # fmt: skip
    _mesh(spec, "plate", plate_mesh(FLAT_M, RIM_M, RIM_HEIGHT_M))
    spec.add_material(name="china", specular=0.35, shininess=0.6, rgba=[*look.plate, 1.0])
    spec.worldbody.add_geom(
        name="plate", type=kinds.mjGEOM_MESH, meshname="plate", material="china", contype=0, conaffinity=0
    )
    touch = {"contype": 1, "conaffinity": 1, "group": 3, "rgba": [0, 0, 0, 0], "friction": [0.8, 0.003, 0.001]}
    spec.worldbody.add_geom(type=kinds.mjGEOM_CYLINDER, size=[RIM_M, 0.02, 0], pos=[0, 0, -0.02], **touch)
    middle, tilt = (FLAT_M + RIM_M) / 2 + 0.004, float(np.arctan2(RIM_HEIGHT_M, RIM_M - FLAT_M))
    for turn in np.linspace(0.0, 2.0 * np.pi, RIM_PARTS, endpoint=False):
        spec.worldbody.add_geom(
            type=kinds.mjGEOM_BOX, size=[0.018, np.pi * RIM_M / RIM_PARTS, 0.004],
            pos=[middle * np.cos(turn), middle * np.sin(turn), RIM_HEIGHT_M / 2 - 0.004],
            quat=_turned((float(turn), -tilt, 0.0), "zyx"), **touch,
        )  # fmt: skip


def _clutter(spec: Any, look: DrawnLook, random: np.random.Generator) -> None:
    """Add things that are no food: napkin, knife, glass; sauce and herbs on the plate. Never in the fork's way."""
    kinds = mujoco().mjtGeom
    seen = {"contype": 0, "conaffinity": 0}
    for index in range(look.clutter):
        kind = ("napkin", "knife", "glass", "sauce", "herbs", "sauce", "herbs")[index % 7]
        if kind == "napkin":
            x, y = random.choice([-1.0, 1.0]) * 0.165, random.uniform(-0.06, 0.06)
            rgba = [*random.uniform(0.45, 0.9, 3), 1.0]
            spec.worldbody.add_geom(
                type=kinds.mjGEOM_BOX, size=[0.028, 0.075, 0.002], pos=[x, y, TABLE_Z_M + 0.002], rgba=rgba, **seen
            )
        elif kind == "knife":
            x = random.choice([-1.0, 1.0]) * 0.150
            size, at = [0.005, 0.07, 0.001], [x, 0.0, TABLE_Z_M + 0.006]
            spec.worldbody.add_geom(type=kinds.mjGEOM_BOX, size=size, pos=at, rgba=[0.6, 0.6, 0.63, 1.0], **seen)
        elif kind == "glass":
            x, y = random.choice([-1.0, 1.0]) * 0.175, random.choice([-1.0, 1.0]) * 0.115
            spec.worldbody.add_geom(
                type=kinds.mjGEOM_CYLINDER, size=[0.032, 0.012, 0], pos=[x, y, TABLE_Z_M + 0.012],
                rgba=[*random.uniform(0.3, 0.9, 3), 1.0], **seen,
            )  # fmt: skip
        else:
            _sprinkle(spec, random, kind)


def _sprinkle(spec: Any, random: np.random.Generator, kind: str) -> None:
    ellipsoid = mujoco().mjtGeom.mjGEOM_ELLIPSOID
    sauce = [*random.uniform([0.35, 0.10, 0.02], [0.75, 0.45, 0.12]), 1.0]
    for _ in range(3 if kind == "sauce" else 7):
        radius, angle = FLAT_M * np.sqrt(random.uniform(0.0, 1.0)), random.uniform(0.0, 2 * np.pi)
        at = [radius * np.cos(angle), radius * np.sin(angle), 0.0]
        if kind == "sauce":
            size, rgba = [*random.uniform(0.005, 0.014, 2), 0.0007], sauce
        else:
            size, rgba = [*random.uniform(0.0012, 0.0028, 2), 0.0006], [0.22, 0.42, 0.12, 1.0]
        spec.worldbody.add_geom(type=ellipsoid, size=size, pos=at, rgba=rgba, contype=0, conaffinity=0)


def _cameras(spec: Any, look: DrawnLook) -> None:
    dx, dy, dz = look.camera_m
    tilt_x, tilt_y, roll = (float(np.radians(angle)) for angle in look.camera_deg)
    tilt_x -= dy / CAMERA_Z_M  # wherever it hangs, it was aimed at the plate
    tilt_y += dx / CAMERA_Z_M
    spec.worldbody.add_camera(
        name="overhead", pos=[dx, dy, CAMERA_Z_M + dz], fovy=CAMERA_FOV_DEG,
        quat=_turned((tilt_x, tilt_y, roll), "xyz"),
    )  # fmt: skip
    _looking(spec, "beside", (-0.12, -0.40, 0.32), (0.02, 0.0, 0.025), 30.0)
    _looking(spec, "inspect", (SHOW_M[0], -0.17, SHOW_M[2] + 0.07), (SHOW_M[0], 0.0, SHOW_M[2] + 0.010), 21.0)


def _turned(angles: tuple[float, float, float], order: str) -> list[float]:
    """Return a quaternion from turns about the axes of an order, such as `xyz`."""
    quat = np.zeros(4)
    mujoco().mju_euler2Quat(quat, np.array(angles), order)
    return [float(part) for part in quat]


def _looking(spec: Any, name: str, eye: tuple[float, ...], at: tuple[float, ...], fovy: float) -> None:
    back = np.subtract(eye, at) / np.linalg.norm(np.subtract(eye, at))
    right = np.cross([0.0, 0.0, 1.0], back)
    right /= np.linalg.norm(right)
    quat = np.zeros(4)
    mujoco().mju_mat2Quat(quat, np.stack([right, np.cross(back, right), back], axis=1).ravel())
    spec.worldbody.add_camera(name=name, pos=list(eye), fovy=fovy, quat=quat.tolist())


def _fork(spec: Any, module: Any) -> None:
    """Add the fork: tips of the tines at the origin, tines up along z, their row along x, hollow side towards -y."""
    fork = spec.worldbody.add_body(
        name="fork", pos=list(SHOW_M), gravcomp=1.0, explicitinertial=True, mass=5.0, inertia=[0.05, 0.05, 0.05]
    )
    fork.add_freejoint(name="fork")
    steel = [0.72, 0.73, 0.75, 1.0]
    for index in range(TINES):
        x = (index - (TINES - 1) / 2) * TINE_GAP_M
        fork.add_geom(
            name=f"tine {index}", type=module.mjtGeom.mjGEOM_CAPSULE, size=[0.0009, 0, 0], rgba=steel,
            fromto=[x, 0, 0.0009, x, 0.0006, TINE_LENGTH_M], contype=TOUCH_TINES, conaffinity=0,
            solref=[0.006, 1.0], friction=[0.3, 0.005, 0.0001],
        )  # fmt: skip
    fork.add_geom(
        name="blade", type=module.mjtGeom.mjGEOM_BOX, size=[BLADE_HALF_WIDTH_M, 0.0012, TINE_LENGTH_M / 2], group=3,
        pos=[0, 0, TINE_LENGTH_M / 2], contype=TOUCH_BLADE, conaffinity=0, rgba=[0, 0, 0, 0], solref=[0.006, 1.0],
        friction=[0.3, 0.005, 0.0001],
    )  # fmt: skip
    seen = {"contype": 0, "conaffinity": 0, "rgba": steel}
    box, capsule = module.mjtGeom.mjGEOM_BOX, module.mjtGeom.mjGEOM_CAPSULE
    fork.add_geom(type=box, size=[0.0095, 0.0011, 0.007], pos=[0, 0.0016, TINE_LENGTH_M + 0.005], **seen)
    fork.add_geom(type=capsule, size=[0.0028, 0, 0], fromto=[0, 0.002, TINE_LENGTH_M + 0.012, 0, 0.012, 0.085], **seen)
    fork.add_geom(type=capsule, size=[0.0040, 0, 0], fromto=[0, 0.012, 0.085, 0, 0.016, 0.15], **seen)
    arm = {"contype": 0, "conaffinity": 0}
    grey, teal = [0.32, 0.34, 0.37, 1.0], [0.10, 0.45, 0.45, 1.0]
    fork.add_geom(type=box, size=[0.016, 0.012, 0.018], pos=[0, 0.016, 0.150], rgba=grey, **arm)
    fork.add_geom(type=module.mjtGeom.mjGEOM_CYLINDER, size=[0.022, 0.016, 0], pos=[0, 0.016, 0.184], rgba=teal, **arm)
    fork.add_geom(type=capsule, size=[0.014, 0, 0], fromto=[0, 0.016, 0.20, 0, 0.016, 0.24], rgba=grey, **arm)
    fork.add_geom(
        name="load", type=module.mjtGeom.mjGEOM_ELLIPSOID, size=[0.01, 0.008, 0.012], rgba=[1, 1, 1, 0], **arm
    )


def _material(spec: Any, name: str, picture: NDArray[np.uint8], *, shine: float, **others: Any) -> None:
    module = mujoco()
    rows, columns, channels = picture.shape
    image = spec.add_texture(
        name=name, type=module.mjtTexture.mjTEXTURE_2D, width=columns, height=rows, nchannel=channels
    )
    image.data = picture.tobytes()
    gloss = {"shininess": 0.4 + 0.4 * shine, "reflectance": 0.0, **others}
    material = spec.add_material(name=name, specular=shine, **gloss)
    material.textures[int(module.mjtTextureRole.mjTEXROLE_RGB)] = name


def _mesh(spec: Any, name: str, mesh: Mesh) -> None:
    """Add a mesh that is only seen, never touched."""
    module = mujoco()
    added = spec.add_mesh(name=name, inertia=module.mjtMeshInertia.mjMESH_INERTIA_SHELL)
    added.uservert = mesh.vertices.ravel().tolist()
    added.userface = mesh.faces.ravel().tolist()
    added.usertexcoord = mesh.texcoords.ravel().tolist()


def _piece(spec: Any, module: Any, index: int, laid: ServedPiece, random: np.random.Generator) -> None:
    food, half = laid.food, laid.half_m
    body = spec.worldbody.add_body(
        name=f"piece {index}", pos=list(laid.at_m), quat=[np.cos(laid.yaw / 2), 0, 0, np.sin(laid.yaw / 2)]
    )
    body.add_freejoint(name=f"piece {index}")
    kinds = module.mjtGeom
    kind, size = {
        "chunk": (kinds.mjGEOM_BOX, half * 0.92),
        "leaf": (kinds.mjGEOM_BOX, half * [0.8, 0.8, 0.55]),
        "floret": (kinds.mjGEOM_BOX, half * [0.85, 0.75, 0.6]),
        "ball": (kinds.mjGEOM_SPHERE, np.array([half.mean(), 0, 0])),
        "berry": (kinds.mjGEOM_ELLIPSOID, half * 0.95),
        "disc": (kinds.mjGEOM_CYLINDER, np.array([half[:2].mean(), half[2], 0])),
        "bean": (kinds.mjGEOM_CAPSULE, np.array([half[1], half[0] - half[1], 0])),
    }[food.shape]
    body.add_geom(
        type=kind, size=size.tolist(), density=1000.0 * food.density, rgba=[0, 0, 0, 0], group=3, condim=6 if
        food.shape in {"ball", "berry"} else 3, contype=1, conaffinity=1 | TOUCH_TINES | TOUCH_BLADE,
        friction=[food.friction, 0.003, 0.0012], solref=[0.008, 1.0], name=f"touch {index}",
        quat=[np.sqrt(0.5), 0, np.sqrt(0.5), 0] if food.shape == "bean" else [1, 0, 0, 0],
    )  # fmt: skip
    _mesh(spec, f"piece {index}", item_mesh(food.shape, half, random))
    body.add_geom(
        name=f"seen {index}", type=kinds.mjGEOM_MESH, meshname=f"piece {index}", material=f"food {food.name}",
        rgba=[*laid.colour, 1.0], contype=0, conaffinity=0, mass=0.0,
    )  # fmt: skip
    if food.shape == "berry":
        body.add_geom(
            type=kinds.mjGEOM_ELLIPSOID, size=(half * [0.12, 0.75, 0.75]).tolist(), contype=0, conaffinity=0,
            pos=[-half[0] * 0.86, 0, 0], rgba=[0.30, 0.52, 0.16, 1.0], mass=0.0,
        )  # fmt: skip
    weld = spec.add_equality(
        name=f"piece {index}", type=module.mjtEq.mjEQ_WELD, objtype=module.mjtObj.mjOBJ_BODY, active=False
    )
    weld.name1, weld.name2 = "fork", f"piece {index}"
    weld.solref = [0.006, 1.0]


def _mound(spec: Any, module: Any, index: int, heap: Heap, colour: Rgb, random: np.random.Generator) -> None:
    spec.add_hfield(
        name=f"heap {index}", nrow=CELLS, ncol=CELLS, size=[heap.half_m, heap.half_m, HEAP_TOP_M, 0.001],
        userdata=[0.0] * (CELLS * CELLS),
    )  # fmt: skip
    picture = texture(heap.food.texture, random, grain_deg=float(np.degrees(heap.grain_rad)))
    _material(spec, f"heap {index}", picture, shine=0.1)
    spec.worldbody.add_geom(
        name=f"heap {index}", type=module.mjtGeom.mjGEOM_HFIELD, hfieldname=f"heap {index}",
        pos=[heap.x_m, heap.y_m, -SINK_M], material=f"heap {index}", rgba=[*colour, 1.0], contype=1, conaffinity=1,
        friction=[heap.food.friction, 0.005, 0.001], solref=[0.02, 1.0],
    )  # fmt: skip


def _scene(model: Any, laid: Sequence[ServedPiece], heaps: Sequence[tuple[Heap, Rgb]], module: Any) -> PlateScene:
    pieces = []
    for index, piece in enumerate(laid):
        name = f"piece {index}"
        joint = model.joint(name).id
        pieces.append(
            Piece(
                food=piece.food, half_m=piece.half_m, body=model.body(name).id, touch=model.geom(f"touch {index}").id,
                seen=model.geom(f"seen {index}").id, weld=model.eq(name).id,
                qpos=int(model.jnt_qposadr[joint]), dof=int(model.jnt_dofadr[joint]),
            )
        )  # fmt: skip
    mounds = [
        Mound(heap=heap, field=model.hfield(f"heap {index}").id, seen=model.geom(f"heap {index}").id, colour=colour,
              material=model.mat(f"heap {index}").id)
        for index, (heap, colour) in enumerate(heaps)
    ]  # fmt: skip
    joint = model.joint("fork").id
    scene = PlateScene(
        model=model, data=module.MjData(model), pieces=tuple(pieces), mounds=tuple(mounds),
        fork=model.body("fork").id, fork_qpos=int(model.jnt_qposadr[joint]), fork_dof=int(model.jnt_dofadr[joint]),
        tines=tuple(model.geom(f"tine {tine}").id for tine in range(TINES)),
        blade=model.geom("blade").id, load=model.geom("load").id, overhead=model.cam("overhead").id,
        beside=model.cam("beside").id, inspect=model.cam("inspect").id,
    )  # fmt: skip
    model.geom_contype[scene.blade] = 0  # only while scooping; compiled with it, or collisions would not know it
    for mound in mounds:
        scene.show_heap(mound)
    return scene
