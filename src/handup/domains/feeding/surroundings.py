"""What is in the picture besides food: table, plate, lamp, and clutter that is no food."""

from __future__ import annotations

from typing import Any

import numpy as np

from handup.domains.feeding.gl import mujoco
from handup.domains.feeding.looks import Look
from handup.domains.feeding.shapes import plate_mesh
from handup.domains.feeding.textures import wood

RIM_PARTS = 18


def add_surroundings(
    spec: Any, look: Look, random: np.random.Generator, *, flat_m: float, rim_m: float, rim_height_m: float,
    table_z_m: float,
) -> None:  # fmt: skip
    """Table, plate and lamp. The plate's flat top is at z = 0."""
    module = mujoco()
    kinds = module.mjtGeom
    add_lamp(spec, look)
    picture = wood(random)
    image = spec.add_texture(name="table", type=module.mjtTexture.mjTEXTURE_2D, width=128, height=128, nchannel=3)
    image.data = picture.tobytes()
    cloth = spec.add_material(name="table", specular=0.05, shininess=0.1, texrepeat=[5, 5], texuniform=True)
    cloth.textures[int(module.mjtTextureRole.mjTEXROLE_RGB)] = "table"
    spec.worldbody.add_geom(
        name="table", type=kinds.mjGEOM_PLANE, size=[3, 3, 0.1], pos=[0, 0, table_z_m], material="table",
        rgba=[*look.table, 1.0], contype=1, conaffinity=1,
    )  # fmt: skip
    mesh = plate_mesh(flat_m, rim_m, rim_height_m)
    made = spec.add_mesh(name="plate", inertia=module.mjtMeshInertia.mjMESH_INERTIA_SHELL)
    made.uservert, made.userface = mesh.vertices.ravel().tolist(), mesh.faces.ravel().tolist()
    spec.add_material(name="china", specular=0.35, shininess=0.6, rgba=[*look.plate, 1.0])
    spec.worldbody.add_geom(
        name="plate", type=kinds.mjGEOM_MESH, meshname="plate", material="china", contype=0, conaffinity=0
    )
    touch = {"contype": 1, "conaffinity": 1, "group": 3, "rgba": [0, 0, 0, 0], "friction": [0.8, 0.003, 0.001]}
    spec.worldbody.add_geom(type=kinds.mjGEOM_CYLINDER, size=[rim_m, 0.02, 0], pos=[0, 0, -0.02], **touch)
    for turn in np.linspace(0.0, 2.0 * np.pi, RIM_PARTS, endpoint=False):
        middle = (flat_m + rim_m) / 2 + 0.004
        spec.worldbody.add_geom(
            type=kinds.mjGEOM_BOX, size=[0.018, np.pi * rim_m / RIM_PARTS, 0.004],
            pos=[middle * np.cos(turn), middle * np.sin(turn), rim_height_m / 2 - 0.004],
            quat=_tilted(float(turn), float(np.arctan2(rim_height_m, rim_m - flat_m))), **touch,
        )  # fmt: skip


def _tilted(turn: float, tilt: float) -> list[float]:
    """The quaternion of a part of the rim: outwards along x, tilted up by so much."""
    module = mujoco()
    quat = np.zeros(4)
    module.mju_euler2Quat(quat, np.array([turn, -tilt, 0.0]), "zyx")
    return [float(each) for each in quat]


def lamp_place(look: Look) -> tuple[list[float], list[float]]:
    """Where the lamp stands and the direction in which it shines."""
    azimuth, elevation = np.radians(look.azimuth_deg), np.radians(look.elevation_deg)
    towards = np.array([np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation)])
    return [float(each) for each in 0.9 * towards], [float(each) for each in -towards]


def add_lamp(spec: Any, look: Look) -> None:
    """One lamp with shadows, and light from everywhere."""
    place, direction = lamp_place(look)
    spec.worldbody.add_light(
        name="lamp", type=mujoco().mjtLightType.mjLIGHT_DIRECTIONAL, pos=place, dir=direction,
        diffuse=list(look.light), specular=[0.45 * each for each in look.light], castshadow=True,
    )  # fmt: skip
    spec.visual.headlight.active = 1
    spec.visual.headlight.ambient = [look.ambient * each / max(look.light) for each in look.light]
    spec.visual.headlight.diffuse = [0.12, 0.12, 0.12]
    spec.visual.headlight.specular = [0.0, 0.0, 0.0]


def add_clutter(spec: Any, look: Look, random: np.random.Generator, *, flat_m: float, table_z_m: float) -> None:
    """Things that are no food: a napkin, a knife, a glass; sauce and herbs on the plate. Never in the fork's way."""
    kinds = mujoco().mjtGeom
    seen = {"contype": 0, "conaffinity": 0}
    for index in range(look.clutter):
        kind = ("napkin", "knife", "glass", "sauce", "herbs", "sauce", "herbs")[index % 7]
        if kind == "napkin":
            x, y = random.choice([-1.0, 1.0]) * 0.165, random.uniform(-0.06, 0.06)
            rgba = [*random.uniform(0.45, 0.9, 3), 1.0]
            spec.worldbody.add_geom(
                type=kinds.mjGEOM_BOX, size=[0.028, 0.075, 0.002], pos=[x, y, table_z_m + 0.002], rgba=rgba, **seen
            )
        elif kind == "knife":
            x = random.choice([-1.0, 1.0]) * 0.150
            size, at = [0.005, 0.07, 0.001], [x, 0.0, table_z_m + 0.006]
            spec.worldbody.add_geom(type=kinds.mjGEOM_BOX, size=size, pos=at, rgba=[0.6, 0.6, 0.63, 1.0], **seen)
        elif kind == "glass":
            x, y = random.choice([-1.0, 1.0]) * 0.175, random.choice([-1.0, 1.0]) * 0.115
            spec.worldbody.add_geom(
                type=kinds.mjGEOM_CYLINDER, size=[0.032, 0.012, 0], pos=[x, y, table_z_m + 0.012],
                rgba=[*random.uniform(0.3, 0.9, 3), 1.0], **seen,
            )  # fmt: skip
        else:
            _spots(spec, random, kind, flat_m)


def _spots(spec: Any, random: np.random.Generator, kind: str, flat_m: float) -> None:
    ellipsoid = mujoco().mjtGeom.mjGEOM_ELLIPSOID
    sauce = [*random.uniform([0.35, 0.10, 0.02], [0.75, 0.45, 0.12]), 1.0]
    for _ in range(3 if kind == "sauce" else 7):
        radius, angle = flat_m * np.sqrt(random.uniform(0.0, 1.0)), random.uniform(0.0, 2 * np.pi)
        at = [radius * np.cos(angle), radius * np.sin(angle), 0.0]
        if kind == "sauce":
            size, rgba = [*random.uniform(0.005, 0.014, 2), 0.0007], sauce
        else:
            size, rgba = [*random.uniform(0.0012, 0.0028, 2), 0.0006], [0.22, 0.42, 0.12, 1.0]
        spec.worldbody.add_geom(type=ellipsoid, size=size, pos=at, rgba=rgba, contype=0, conaffinity=0)
