"""Physics of the noodles: position-based dynamics of strands, in NumPy, and the choice of the compiled twin.

A step moves each point by its speed and its weight, then repairs in sweeps what that broke: lengths of links, overlaps
of strands, overlaps with tools, and the ground; last come lengths alone. What is repaired at once does not depend on
its order: links by colour, contacts by the sum of their pushes. Therefore loops and arrays give the same numbers.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from handup.core import MissingExtra
from handup.domains.plate.primitives import Floats

TINY = 1e-12
"""Added to lengths before one divides by them."""
PARALLEL = 1e-9
"""Squared sine of the angle up to which two segments count as parallel."""
HURRY = 1.0
"""Way after which new pairs are looked for in any case."""
MOVED, STRETCH, STEPS, FULL = 0, 1, 2, 3
"""Gauges: the way that strands may have come nearer, the largest stretch, the number of steps, more pairs than room."""


class NoodleNumbers(NamedTuple):
    """Constants of the physics in metres and seconds, as both twins read them; `NoodlePhysics` explains them."""

    length: float
    radius: float
    stiffness: float
    step: float
    sweeps: int
    stretch: float
    passes: int
    gravity: float
    friction: float
    plate_friction: float
    tool_friction: float
    heavy: float
    damping: float
    most_step: float
    most_push: float
    sleep: float
    sleep_steps: int
    stir: float
    touch: float
    reach: float
    skin: float
    clear: float
    flat: float
    rim: float
    rim_sin: float
    rim_cos: float
    table: float
    world: float


class NoodleWork(NamedTuple):
    """Strands and tools in motion. Points come strand by strand; behind them two for each tool, its ends.

    Args:
        points: Where they are.
        before: Where they were one step before.
        velocity: Of the strands' points.
        weight: Ease with which each point follows its neighbours: less where a tool holds it.
        size: Points of a strand.
        owner: Strand of each of the strands' points.
        tool_radius: Half the thickness of the tools.
        awake: Strands that move.
        still: Steps for which each strand has been still.
        speed: Square of the longest way of a strand's points in the last step.
        travel: Way of each strand since pairs were looked for.
        lifted: Strands that hung clear of the plate at some time.
        pairs: First points of the segments that may touch soon.
        listed: Number of these pairs.
        due: Way of its strands after which each has to be looked at again; only the loops save that time.
        sides: Direction from each tool to each segment close to it, else 0: it tells if one has gone through the other.
        gauges: Numbers to look at; see `MOVED`.
    """

    points: Floats
    before: Floats
    velocity: Floats
    weight: Floats
    size: int
    owner: NDArray[np.int64]
    tool_radius: float
    awake: NDArray[np.bool_]
    still: NDArray[np.int64]
    speed: Floats
    travel: Floats
    lifted: NDArray[np.bool_]
    pairs: NDArray[np.int64]
    listed: NDArray[np.int64]
    due: Floats
    sides: Floats
    gauges: Floats

    @classmethod
    def of(cls, strands: Floats, tools: Floats, tool_radius: float, room: int) -> NoodleWork:
        """Return strands at rest and wide awake.

        Args:
            strands: Points, n × size × 3.
            tools: First place of the ends of the tools, two rows each.
            tool_radius: Half the thickness of the tools.
            room: Pairs of each segment for which there is room.
        """
        count, size, _ = strands.shape
        points = np.concatenate((strands.reshape(-1, 3), tools))
        return cls(
            points=points,
            before=points.copy(),
            velocity=np.zeros((count * size, 3)),
            weight=np.ones(count * size),
            size=size,
            owner=np.repeat(np.arange(count), size),
            tool_radius=tool_radius,
            awake=np.ones(count, np.bool_),
            still=np.zeros(count, np.int64),
            speed=np.zeros(count),
            travel=np.zeros(count),
            lifted=np.zeros(count, np.bool_),
            pairs=np.zeros((room * count * (size - 1), 2), np.int64),
            listed=np.zeros(1, np.int64),
            due=np.zeros(room * count * (size - 1)),
            sides=np.zeros((count * (size - 1), len(tools) // 2, 3)),
            gauges=np.array([HURRY, 0.0, 0.0, 0.0]),
        )

    @property
    def strands(self) -> Floats:
        """The strands, n × size × 3."""
        return self.points[: len(self.velocity)].reshape(-1, self.size, 3)


Advance = Callable[[NoodleWork, NoodleNumbers, Floats], None]
"""Function that goes one step for each row of a path, which holds the places of the tools' ends."""


def has_compiler() -> bool:
    """Return whether the extra `fast` is installed."""
    return find_spec("numba") is not None


def stepper(*, compiled: bool | None = None) -> Advance:
    """Return the function that advances noodles.

    Args:
        compiled: Whether it is the compiled one; by default, if it can be.

    Raises:
        MissingExtra: It is to be compiled, and numba is not there.
    """
    if compiled is None:
        compiled = has_compiler()
    if not compiled:
        return advance
    if not has_compiler():
        raise MissingExtra.of("fast", "compiled physics of noodles")
    made: Advance = importlib.import_module("handup.domains.plate.noodle_kernels").advance
    return made


class _Contacts(NamedTuple):
    """Places at which segments touch or soon will."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    s: Floats
    t: Floats
    side: Floats


def advance(work: NoodleWork, numbers: NoodleNumbers, path: Floats) -> None:
    """Go one step for each row of the path."""
    points = len(work.velocity)
    p = work.points
    for row in path:
        if work.gauges[MOVED] >= numbers.skin:
            _find_pairs(work, numbers)
        strands, tools = _touching(work, numbers)
        work.before[:] = p
        awake = np.repeat(work.awake, work.size)
        drift = work.velocity[awake]
        drift[:, 2] -= numbers.gravity * numbers.step
        p[:points][awake] += drift * numbers.step
        p[points:] = row
        which = np.flatnonzero(work.awake)
        for _ in range(numbers.sweeps):
            _straighten(work.strands, which, numbers.stiffness)
            _even(work.strands, work.weight, which, numbers.length)
            _separate(work, numbers, strands, 2.0 * numbers.radius, numbers.friction)
            _separate(work, numbers, tools, numbers.radius + work.tool_radius, numbers.tool_friction, numbers.heavy)
            _bear(work, numbers, awake)
        _tighten(work, numbers, which)
        _rest(work, numbers, which)
        work.gauges[STEPS] += 1.0


def _dot(u: Floats, v: Floats) -> Floats:
    product: Floats = u[..., 0] * v[..., 0] + u[..., 1] * v[..., 1] + u[..., 2] * v[..., 2]
    return product


def _closest(p: Floats, a: NDArray[np.int64], b: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return where on the segments a, a + 1 and b, b + 1 they are closest, each from 0 to 1."""
    u, v, r = p[a + 1] - p[a], p[b + 1] - p[b], p[a] - p[b]
    uu, vv, uv, ur, vr = _dot(u, u), _dot(v, v), _dot(u, v), _dot(u, r), _dot(v, r)
    spread = uu * vv - uv * uv
    apart = spread > PARALLEL * uu * vv
    s = np.where(apart, np.clip((uv * vr - ur * vv) / np.where(apart, spread, 1.0), 0.0, 1.0), 0.5)
    t = (uv * s + vr) / vv
    s = np.where(t < 0.0, np.clip(-ur / uu, 0.0, 1.0), np.where(t > 1.0, np.clip((uv - ur) / uu, 0.0, 1.0), s))
    return s, np.clip(t, 0.0, 1.0)


def _between(p: Floats, a: NDArray[np.int64], b: NDArray[np.int64], s: Floats, t: Floats) -> Floats:
    """Return the way from the place t on segment b to the place s on segment a."""
    s, t = s[:, None], t[:, None]
    return ((1.0 - s) * p[a] + s * p[a + 1]) - ((1.0 - t) * p[b] + t * p[b + 1])


def _firsts(work: NoodleWork) -> NDArray[np.int64]:
    """Return the first points of all segments of strands."""
    return np.delete(np.arange(len(work.velocity)), slice(work.size - 1, None, work.size))


def _find_pairs(work: NoodleWork, numbers: NoodleNumbers) -> None:
    """List the segments that may touch soon."""
    p, firsts = work.points, _firsts(work)
    near = 2.0 * numbers.radius + numbers.reach + numbers.skin
    middle = 0.5 * (p[firsts] + p[firsts + 1])
    between = middle[:, None] - middle[None]
    of = firsts // work.size
    close = _dot(between, between) < (numbers.length + near) ** 2
    close &= work.awake[of][:, None] | work.awake[of][None]
    close &= (of[:, None] != of[None]) | (firsts[None] - firsts[:, None] >= 2)
    i, j = np.nonzero(np.triu(close, 1))
    a, b = firsts[i], firsts[j]
    way = _between(p, a, b, *_closest(p, a, b))
    soon = _dot(way, way) < near * near
    pairs = np.stack((a[soon], b[soon]), axis=1)
    work.gauges[FULL] = max(float(work.gauges[FULL]), float(len(pairs) > len(work.pairs)))
    pairs = pairs[: len(work.pairs)]
    work.pairs[: len(pairs)], work.listed[0], work.gauges[MOVED] = pairs, len(pairs), 0.0
    work.travel[:] = 0.0


def _touching(work: NoodleWork, numbers: NoodleNumbers) -> tuple[_Contacts, _Contacts]:
    """Return the contacts of this step: of strands, and of strands with tools."""
    p, size, count = work.points, work.size, len(work.awake)
    stirred = np.zeros(count, np.bool_)
    a, b = work.pairs[: work.listed[0]].T
    s, t = _closest(p, a, b)
    way = _between(p, a, b, s, t)
    near = 2.0 * numbers.radius + numbers.reach
    soon = (_dot(way, way) < near * near) & (work.awake[a // size] | work.awake[b // size])
    a, b, s, t, way = a[soon], b[soon], s[soon], t[soon], way[soon]
    distance = np.sqrt(_dot(way, way)) + TINY
    strands = _Contacts(a, b, s, t, way / distance[:, None])
    first, second = a // size, b // size
    touch, quick = distance < 2.0 * numbers.radius + numbers.touch, work.speed > numbers.stir * numbers.stir
    stirred[second[touch & work.awake[first] & ~work.awake[second] & quick[first]]] = True
    stirred[first[touch & work.awake[second] & ~work.awake[first] & quick[second]]] = True

    tools = work.sides.shape[1]
    a = np.repeat(_firsts(work), tools)
    b = np.tile(count * size + 2 * np.arange(tools), len(a) // max(tools, 1))
    thick = numbers.radius + work.tool_radius
    near = thick + numbers.reach
    s, t = _closest(p, a, b)
    way = _between(p, a, b, s, t)
    distance = np.sqrt(_dot(way, way)) + TINY
    soon = _dot(way, way) < near * near
    sides = work.sides.reshape(-1, 3)
    side = way / distance[:, None]
    side[(_dot(side, sides) < 0.0) & (distance < thick)] *= -1.0
    sides[:] = np.where(soon[:, None], side, 0.0)
    stirred[a[soon] // size] |= ~work.awake[a[soon] // size]
    work.awake[stirred], work.still[stirred] = True, 0
    if stirred.any():
        work.gauges[MOVED] = HURRY
    return strands, _Contacts(a[soon], b[soon], s[soon], t[soon], side[soon])


def _separate(
    work: NoodleWork, numbers: NoodleNumbers, contacts: _Contacts, thick: float, friction: float, heavy: float = 0.0
) -> None:
    """Push apart what overlaps, all contacts at once, and hold what rubs."""
    p, points = work.points, len(work.velocity)
    a, b, s, t, side = contacts
    way = _between(p, a, b, s, t)
    distance = np.sqrt(_dot(way, way)) + TINY
    normal = way / distance[:, None]
    through = _dot(normal, side) < 0.0
    normal[through] *= -1.0
    depth = np.where(through, thick + distance, thick - distance)
    awake = np.concatenate((np.repeat(work.awake, work.size), np.zeros(len(p) - points, np.bool_))).astype(np.float64)
    weights = awake[a] * ((1.0 - s) * (1.0 - s) + s * s) + awake[b] * ((1.0 - t) * (1.0 - t) + t * t)
    felt = (depth > 0.0) & (weights > 0.0)
    a, b, s, t, normal, weights = a[felt], b[felt], s[felt], t[felt], normal[felt], weights[felt]
    depth = np.minimum(depth[felt], numbers.most_push)
    slip = way[felt] - _between(work.before, a, b, s, t)
    slip = slip - _dot(slip, normal)[:, None] * normal
    held = np.minimum(friction * depth / (np.sqrt(_dot(slip, slip)) + TINY), 1.0)
    change = (depth[:, None] * normal - held[:, None] * slip) / weights[:, None]
    part = np.stack((1.0 - s, s, 1.0 - t, t), axis=1)
    factor = np.stack((awake[a], awake[a], -awake[b], -awake[b]), axis=1) * part
    # Counting adds one after the other, as the loops of the twin do.
    index = np.stack((a, a + 1, b, b + 1), axis=1).ravel()
    share = np.bincount(index, part.ravel(), len(p))[:points]
    if heavy > 0.0:
        work.weight[:] = 1.0 / (1.0 + heavy * np.minimum(share, 1.0))
    hit = np.flatnonzero(share > 0.0)
    most = np.maximum(share[hit], 1.0)
    for axis in range(3):
        pushed = np.bincount(index, (factor * change[:, axis, None]).ravel(), len(p))
        p[hit, axis] += pushed[hit] / most


def _even(strands: Floats, weight: Floats, which: NDArray[np.int64], length: float) -> None:
    """Bring the links of strands to their length, all of them at once, as far as they do not turn.

    Pulls of neighbouring links act on one point, so the pulls are the solution of a tridiagonal system. It is solved by
    cyclic reduction, in which each round is the same sum for all links.
    """
    now, ease = strands[which], weight.reshape(strands.shape[:2])[which]
    way = now[:, 1:] - now[:, :-1]
    long = np.sqrt(_dot(way, way)) + TINY
    unit = way * (1.0 / long)[..., None]
    links = long.shape[1]
    wide = (len(now), 3 * links)
    inside = slice(links, 2 * links)
    beside, right, middle = np.zeros(wide), np.zeros(wide), np.ones(wide)
    middle[:, inside], right[:, inside] = ease[:, :-1] + ease[:, 1:], long - length
    beside[:, links : 2 * links - 1] = -(ease[:, 1:-1] * _dot(unit[:, 1:], unit[:, :-1]))
    stride = 1
    while stride < links:
        behind, ahead = slice(links - stride, 2 * links - stride), slice(links + stride, 2 * links + stride)
        one = 1.0 / middle
        below, above = beside[:, behind] * one[:, behind], beside[:, inside] * one[:, ahead]
        new_middle = middle[:, inside] - beside[:, behind] * below - beside[:, inside] * above
        new_right = right[:, inside] - right[:, behind] * below - right[:, ahead] * above
        new_beside = -(beside[:, ahead] * above)
        middle[:, inside], right[:, inside], beside[:, inside] = new_middle, new_right, new_beside
        stride *= 2
    pull = (right[:, inside] / middle[:, inside])[..., None] * unit
    none = np.zeros((len(now), 1, 3))
    strands[which] = now + ease[..., None] * (
        np.concatenate((pull, none), axis=1) - np.concatenate((none, pull), axis=1)
    )


def _straighten(strands: Floats, which: NDArray[np.int64], stiffness: float) -> None:
    """Draw each point a little towards the middle of its neighbours, every third at once."""
    for colour in range(3):
        last = strands.shape[1] - 1
        middle = strands[which, 1 + colour : last : 3]
        before, after = strands[which, colour : last - 1 : 3], strands[which, 2 + colour :: 3]
        change = stiffness * (middle - 0.5 * (before + after))
        strands[which, 1 + colour : last : 3] = middle - change
        strands[which, colour : last - 1 : 3] = before + 0.5 * change
        strands[which, 2 + colour :: 3] = after + 0.5 * change


def _stretch(strands: Floats, length: float) -> Floats:
    """Return the largest stretch of each strand, as a share."""
    way = strands[:, 1:] - strands[:, :-1]
    worst: Floats = np.abs(np.sqrt(_dot(way, way)) / length - 1.0).max(axis=1)
    return worst


def _tighten(work: NoodleWork, numbers: NoodleNumbers, which: NDArray[np.int64]) -> None:
    """Repair lengths, and nothing else, until no link is stretched too much."""
    stretch = _stretch(work.strands[which], numbers.length)
    for _ in range(numbers.passes):
        long = stretch > numbers.stretch
        if not long.any():
            break
        _even(work.strands, work.weight, which[long], numbers.length)
        stretch[long] = _stretch(work.strands[which[long]], numbers.length)
    work.gauges[STRETCH] = max(float(work.gauges[STRETCH]), float(stretch.max(initial=0.0)))


def _bear(work: NoodleWork, numbers: NoodleNumbers, awake: NDArray[np.bool_]) -> None:
    """Keep the points on top of plate, rim and table, and hold what rubs."""
    which = np.flatnonzero(awake)
    p, old = work.points[which], work.before[which]
    r = np.sqrt(p[:, 0] * p[:, 0] + p[:, 1] * p[:, 1]) + TINY
    slope = p[:, 2] * numbers.rim_cos - (r - numbers.flat) * numbers.rim_sin
    outside = r > numbers.rim
    tilted = ~outside & (slope < p[:, 2])
    height = np.where(outside, p[:, 2] - numbers.table, np.where(tilted, slope, p[:, 2]))
    inward = (-numbers.rim_sin * p[:, 0] / r, -numbers.rim_sin * p[:, 1] / r, np.full_like(r, numbers.rim_cos))
    normal = np.where(tilted[:, None], np.stack(inward, axis=1), (0.0, 0.0, 1.0))
    depth = numbers.radius - height
    on = depth > 0.0
    p, old, normal, depth = p[on], old[on], normal[on], depth[on]
    slip = p - old
    slip = slip - _dot(slip, normal)[:, None] * normal
    held = np.minimum(numbers.plate_friction * depth / (np.sqrt(_dot(slip, slip)) + TINY), 1.0)
    work.points[which[on]] = p + (depth[:, None] * normal - held[:, None] * slip)


def _rest(work: NoodleWork, numbers: NoodleNumbers, which: NDArray[np.int64]) -> None:
    """Take the speeds from what moved, and put to sleep what did not."""
    shape = (-1, work.size, 3)
    points = len(work.velocity)
    now = work.strands[which]
    way = now - work.before[:points].reshape(shape)[which]
    square = _dot(way, way)
    kept = numbers.damping * np.minimum(numbers.most_step / (np.sqrt(square) + TINY), 1.0) / numbers.step
    velocity = work.velocity.reshape(shape)
    velocity[which] = way * kept[..., None]
    fastest = square.max(axis=1)
    work.speed[which] = fastest
    work.lifted[which] |= now[..., 2].min(axis=1) > numbers.clear
    work.still[which] = np.where(fastest < numbers.sleep * numbers.sleep, work.still[which] + 1, 0)
    tired = which[work.still[which] >= numbers.sleep_steps]
    work.awake[tired], work.speed[tired], velocity[tired] = False, 0.0, 0.0
    work.travel[which] += np.sqrt(fastest)
    work.gauges[MOVED] = max(float(work.gauges[MOVED]), 2.0 * float(work.travel.max(initial=0.0)))
