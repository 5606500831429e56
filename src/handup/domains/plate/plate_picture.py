"""Pictures of a plate from above, drawn from the state of its engine: for people, small and fast, without OpenGL."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from handup.domains.feeding.scene import FLAT_M, RIM_M
from handup.domains.plate.clearing_world import PlateEngine
from handup.domains.plate.low_level import SIDE_M, pixels_of
from handup.domains.plate.primitives import Aim, Floats, PlateFood, PlatePrimitive
from handup.models.pictures import Picture, pillow

SIZE = (480, 360)
"""Width and height of a picture in px: the plate on the left, and on the right the robot's own view of it."""
SHOWN_M = 0.275
"""Side of the square that is drawn: the plate, and room for a tool behind it."""
CAMERA_M = 0.7
"""Height of the eye. What is lifted looks larger, and further from the middle."""
FINE = 2
"""Pixels that are drawn for each of the picture's, in each direction."""
SHADOW = (0.30, -0.45)
"""Way of a shadow for each metre of height."""
STRAND_M = 0.0031
"""Thickness of a strand."""
TABLE, DISH, RIM, SHADE = (121, 104, 89), (245, 243, 238), (214, 210, 203), (0, 0, 0, 60)
BEAN, BEAN_EDGE, GLOSS = (176, 44, 52), (96, 16, 26), (233, 140, 140)
NOODLE, NOODLE_EDGE = (240, 205, 116), (166, 120, 44)
STEEL, STEEL_EDGE, TOOL, TOOL_EDGE = (198, 204, 210), (92, 98, 106), (58, 122, 134), (24, 60, 68)
DENSE, FAR, WORDS = (16, 140, 60), (30, 100, 230), (250, 248, 244)
EYE_PX = 104
"""Side of the robot's own view."""
RING_M = 0.021
"""Radius of the ring around the densest place: about a bite."""


def plate_picture(engine: PlateEngine, aim: Aim | None = None, plan: PlatePrimitive | None = None) -> Picture:
    """Return a picture of a plate and of the tools over it.

    A green ring is where the food is densest, a blue ring around the food that is furthest from the rest.

    Args:
        engine: The plate.
        aim: Places to mark; none where it is None.
        plan: What the robot is about to do there: an arrow shows a push. None where that is open.
    """
    image_of, pen_of = pillow()
    wide, high = (FINE * side for side in SIZE)
    image = image_of.new("RGB", (wide, high), TABLE)
    pen = pen_of.Draw(image, "RGBA")
    _draw_dish(pen, engine.food)
    shapes = engine.shapes()
    _shade(pen, (*shapes.pieces, *shapes.tools))
    for bed in shapes.beds:
        pen.polygon(_flat(bed), fill=STEEL, outline=STEEL_EDGE, width=FINE)
    _draw_strands(pen, shapes.strands)
    for piece in sorted(shapes.pieces, key=lambda outline: float(outline[0, 2])):
        pen.polygon(_flat(piece), fill=BEAN, outline=BEAN_EDGE, width=FINE)
        middle = piece.mean(axis=0)
        pen.polygon(_flat(middle + 0.35 * (piece - middle) + (-0.0015, 0.002, 0.0)), fill=GLOSS)
    steel = engine.food is PlateFood.NOODLES
    for tool in shapes.tools:
        pen.polygon(_flat(tool), fill=STEEL if steel else TOOL, outline=STEEL_EDGE if steel else TOOL_EDGE, width=FINE)
    if aim is not None:
        _mark(pen, aim, plan)
    _draw_view(image_of, image, pen, engine)
    return np.asarray(image.resize(SIZE, image_of.Resampling.BOX))


def _flat(places: Floats) -> list[tuple[float, float]]:
    """Return where places are seen, in fine pixels."""
    nearer = CAMERA_M / (CAMERA_M - np.atleast_2d(places)[:, 2])
    scale, half = FINE * SIZE[1] / SHOWN_M, FINE * SIZE[1] / 2.0
    columns, rows = half + scale * nearer * places[:, 0], half - scale * nearer * places[:, 1]
    return [(float(column), float(row)) for column, row in zip(columns, rows, strict=True)]


def _on_table(place_m: tuple[float, float], around_m: float) -> list[tuple[float, float]]:
    """Return the corners of a square around a place."""
    x, y = place_m
    return _flat(np.array([(x - around_m, y + around_m, 0.0), (x + around_m, y - around_m, 0.0)]))


def _draw_dish(pen: Any, food: PlateFood) -> None:
    if food is PlateFood.NOODLES:
        for radius, colour in ((RIM_M, RIM), (RIM_M - 0.002, DISH), (FLAT_M, RIM), (FLAT_M - 0.001, DISH)):
            pen.ellipse(_on_table((0.0, 0.0), radius), fill=colour)
        return
    pen.rounded_rectangle(_on_table((0.0, 0.0), SIDE_M / 2.0), radius=FINE * 8, fill=RIM)
    pen.rectangle(_on_table((0.0, 0.0), SIDE_M / 2.0 - 0.007), fill=DISH)


def _shade(pen: Any, outlines: Iterable[Floats]) -> None:
    """Draw where outlines keep the light from the plate."""
    for outline in outlines:
        cast = outline + outline[:, 2:] * (*SHADOW, -1.0)
        pen.polygon(_flat(cast), fill=SHADE)


def _draw_strands(pen: Any, strands: Floats) -> None:
    """Draw strands link by link, the lowest first, so that what lies above hides what lies below."""
    if not len(strands):
        return
    scale = FINE * SIZE[1] / SHOWN_M
    inner, outer = round(STRAND_M * scale) - FINE, round(STRAND_M * scale) + FINE
    for strand in strands:
        cast = strand + strand[:, 2:] * (*SHADOW, -1.0)
        pen.line(_flat(cast), fill=(170, 160, 140), width=inner, joint="curve")
    count, points, _ = strands.shape
    flat = np.array(_flat(strands.reshape(-1, 3))).reshape(count, points, 2)
    # Pieces of three links overlap by one, so that no seam shows.
    parts = [(strand, first) for strand in range(count) for first in range(0, points - 1, 2)]
    parts.sort(key=lambda part: float(strands[part[0], part[1] : part[1] + 3, 2].mean()))
    for strand, first in parts:
        line = [(float(x), float(y)) for x, y in flat[strand, first : first + 3]]
        longer = [(float(x), float(y)) for x, y in flat[strand, max(first - 1, 0) : first + 4]]
        pen.line(line, fill=NOODLE_EDGE, width=outer, joint="curve")
        pen.line(longer, fill=NOODLE, width=inner, joint="curve")


def _mark(pen: Any, aim: Aim, plan: PlatePrimitive | None) -> None:
    """Draw a ring around each of the two places, and an arrow for a push."""
    width = 3 * FINE
    (dense, far) = (np.array([*place, 0.0]) for place in (aim.dense_m, aim.far_m))
    if plan is not PlatePrimitive.ACQUIRE:
        pen.ellipse(_on_table(aim.far_m, 0.6 * RING_M), outline=FAR, width=width)
        length = float(np.hypot(*(dense - far)[:2]))
        if plan is PlatePrimitive.GROUP and length > 2.0 * RING_M:
            unit = (dense - far) / length
            start, tip = far + 0.6 * RING_M * unit, dense - RING_M * unit
            aside = np.array([-unit[1], unit[0], 0.0])
            back = tip - 0.012 * unit
            pen.line(_flat(np.stack((start, back))), fill=FAR, width=width)
            pen.polygon(_flat(np.stack((tip, back + 0.007 * aside, back - 0.007 * aside))), fill=FAR)
    pen.ellipse(_on_table(aim.dense_m, RING_M), outline=DENSE, width=width)


def _draw_view(image_of: Any, image: Any, pen: Any, engine: PlateEngine) -> None:
    """Draw what the robot knows, on the right: the mask of the food, how much is left, and what the rings mean."""
    left, top, side = SIZE[1] + (SIZE[0] - SIZE[1] - EYE_PX) // 2, 28, EYE_PX
    mask = pixels_of(engine.footprint(), 2 * side).astype(np.uint8) * 255
    image.paste(image_of.fromarray(mask).resize((FINE * side, FINE * side)), (FINE * left, FINE * top))

    def write(words: str, row: int, column: int = 0) -> None:
        pen.text((FINE * (left + column), FINE * row), words, fill=WORDS, font_size=FINE * 14)

    write("I see", top - 18)
    share, bar = engine.left(), top + side + 40
    write(f"left: {share:.0%}", bar - 18)
    pen.rectangle((FINE * left, FINE * bar, FINE * (left + side), FINE * (bar + 12)), fill=(70, 60, 52))
    full = NOODLE if engine.food is PlateFood.NOODLES else BEAN
    pen.rectangle((FINE * left, FINE * bar, FINE * (left + math.ceil(share * side)), FINE * (bar + 12)), fill=full)
    for row, (colour, words) in enumerate(((DENSE, "most food"), (FAR, "furthest"))):
        line = bar + 36 + 26 * row
        pen.ellipse((FINE * left, FINE * line, FINE * (left + 16), FINE * (line + 16)), fill=colour, outline=WORDS)
        write(words, line, 24)
