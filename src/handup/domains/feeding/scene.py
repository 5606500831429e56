"""The plate as a MuJoCo model: table, plate, pieces, heaps, a fork on an arm, three cameras and a lamp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.domains.feeding.foods import Food
from handup.domains.feeding.gl import BUFFER, mujoco
from handup.domains.feeding.heap import CELLS, Heap
from handup.domains.feeding.looks import Look, Rgb
from handup.domains.feeding.shapes import Mesh, item_mesh
from handup.domains.feeding.surroundings import add_clutter, add_surroundings
from handup.domains.feeding.textures import texture

FLAT_M, RIM_M, RIM_HEIGHT_M = 0.088, 0.120, 0.014
TABLE_Z_M = -0.007
SINK_M, HEAP_TOP_M = 0.002, 0.06
TINES, TINE_GAP_M, TINE_LENGTH_M = 4, 0.005, 0.036
BLADE_HALF_WIDTH_M = 0.012
SHOW_M = (0.30, 0.0, 0.17)
"""Where the fork waits and where it shows what it has: outside the overhead picture."""
LARDER_M = 1.5
"""Eaten pieces lie this far away."""
CAMERA_Z_M, CAMERA_FOV_DEG = 0.56, 28.5
STEP_S = 0.002
TOUCH_TINES, TOUCH_BLADE = 4, 8
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Laid:
    """A piece before it is simulated: what, how large, where."""

    food: Food
    half_m: Floats
    at_m: tuple[float, float, float]
    yaw: float
    colour: Rgb


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A piece in the model, with MuJoCo's numbers for it."""

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
    """A heap in the model."""

    heap: Heap
    field: int
    seen: int
    material: int
    colour: Rgb


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A compiled plate."""

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


def build(
    laid: Sequence[Laid],
    heaps: Sequence[tuple[Heap, Rgb]],
    look: Look,
    random: np.random.Generator,
    *,
    table: np.random.Generator,
) -> Scene:
    """Compile a plate with these pieces and heaps; the grain of the table has chance of its own."""
    module = mujoco()
    spec = module.MjSpec()
    _settings(spec, module)
    add_surroundings(spec, look, table, flat_m=FLAT_M, rim_m=RIM_M, rim_height_m=RIM_HEIGHT_M, table_z_m=TABLE_Z_M)
    add_clutter(spec, look, random, flat_m=FLAT_M, table_z_m=TABLE_Z_M)
    _cameras(spec, look)
    _fork(spec, module)
    for name in dict.fromkeys(each.food.name for each in laid):
        pattern = next(each.food.texture for each in laid if each.food.name == name)
        _material(spec, f"food {name}", texture(pattern, random), shine=0.6 if pattern == "shine" else 0.15)
    for index, each in enumerate(laid):
        _piece(spec, module, index, each, random)
    for index, (heap, colour) in enumerate(heaps):
        _mound(spec, module, index, heap, colour, random)
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


def _cameras(spec: Any, look: Look) -> None:
    dx, dy, dz = look.camera_m
    tilt_x, tilt_y, roll = (float(np.radians(each)) for each in look.camera_deg)
    tilt_x -= dy / CAMERA_Z_M  # wherever it hangs, it was aimed at the plate
    tilt_y += dx / CAMERA_Z_M
    spec.worldbody.add_camera(
        name="overhead", pos=[dx, dy, CAMERA_Z_M + dz], fovy=CAMERA_FOV_DEG,
        quat=_turned((tilt_x, tilt_y, roll)),
    )  # fmt: skip
    _looking(spec, "beside", (-0.12, -0.40, 0.32), (0.02, 0.0, 0.025), 30.0)
    _looking(spec, "inspect", (SHOW_M[0], -0.17, SHOW_M[2] + 0.07), (SHOW_M[0], 0.0, SHOW_M[2] + 0.010), 21.0)


def _looking(spec: Any, name: str, eye: tuple[float, ...], at: tuple[float, ...], fovy: float) -> None:
    back = np.subtract(eye, at) / np.linalg.norm(np.subtract(eye, at))
    right = np.cross([0.0, 0.0, 1.0], back)
    right /= np.linalg.norm(right)
    quat = np.zeros(4)
    mujoco().mju_mat2Quat(quat, np.stack([right, np.cross(back, right), back], axis=1).ravel())
    spec.worldbody.add_camera(name=name, pos=list(eye), fovy=fovy, quat=quat.tolist())


def _fork(spec: Any, module: Any) -> None:
    """Tips of the tines at the origin, tines up along z, their row along x, the hollow side towards -y."""
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


def _material(spec: Any, name: str, picture: NDArray[np.uint8], *, shine: float) -> None:
    module = mujoco()
    rows, columns, channels = picture.shape
    image = spec.add_texture(
        name=name, type=module.mjtTexture.mjTEXTURE_2D, width=columns, height=rows, nchannel=channels
    )
    image.data = picture.tobytes()
    material = spec.add_material(name=name, specular=shine, shininess=0.4 + 0.4 * shine, reflectance=0.0)
    material.textures[int(module.mjtTextureRole.mjTEXROLE_RGB)] = name


def add_mesh(spec: Any, name: str, mesh: Mesh) -> None:
    """A mesh that is only seen, never touched."""
    module = mujoco()
    made = spec.add_mesh(name=name, inertia=module.mjtMeshInertia.mjMESH_INERTIA_SHELL)
    made.uservert = mesh.vertices.ravel().tolist()
    made.userface = mesh.faces.ravel().tolist()
    made.usertexcoord = mesh.texcoords.ravel().tolist()


def _piece(spec: Any, module: Any, index: int, laid: Laid, random: np.random.Generator) -> None:
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
    add_mesh(spec, f"piece {index}", item_mesh(food.shape, half, random))
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


def _scene(model: Any, laid: Sequence[Laid], heaps: Sequence[tuple[Heap, Rgb]], module: Any) -> Scene:
    def number(kind: str, name: str) -> int:
        return int(module.mj_name2id(model, getattr(module.mjtObj, f"mjOBJ_{kind}").value, name))

    pieces = []
    for index, each in enumerate(laid):
        name = f"piece {index}"
        joint = number("JOINT", name)
        pieces.append(
            Piece(
                food=each.food, half_m=each.half_m, body=number("BODY", name), touch=number("GEOM", f"touch {index}"),
                seen=number("GEOM", f"seen {index}"), weld=number("EQUALITY", name),
                qpos=int(model.jnt_qposadr[joint]), dof=int(model.jnt_dofadr[joint]),
            )
        )  # fmt: skip
    mounds = [
        Mound(heap=heap, field=number("HFIELD", f"heap {index}"), seen=number("GEOM", f"heap {index}"), colour=colour,
              material=number("MATERIAL", f"heap {index}"))
        for index, (heap, colour) in enumerate(heaps)
    ]  # fmt: skip
    joint = number("JOINT", "fork")
    scene = Scene(
        model=model, data=module.MjData(model), pieces=tuple(pieces), mounds=tuple(mounds),
        fork=number("BODY", "fork"), fork_qpos=int(model.jnt_qposadr[joint]), fork_dof=int(model.jnt_dofadr[joint]),
        tines=tuple(number("GEOM", f"tine {each}") for each in range(TINES)),
        blade=number("GEOM", "blade"), load=number("GEOM", "load"), overhead=number("CAMERA", "overhead"),
        beside=number("CAMERA", "beside"), inspect=number("CAMERA", "inspect"),
    )  # fmt: skip
    model.geom_contype[scene.blade] = 0  # only while scooping; compiled with it, or collisions would not know it
    for mound in mounds:
        scene.show_heap(mound)
    return scene


def _turned(angles: tuple[float, float, float]) -> list[float]:
    """A quaternion from small turns about x, y and z, in this order."""
    module = mujoco()
    quat = np.zeros(4)
    module.mju_euler2Quat(quat, np.array(angles), "xyz")
    return [float(each) for each in quat]
