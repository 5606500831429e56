"""Compiled steps of the noodles: what `noodle_physics.advance` does, number by number, in loops for numba.

Import it only where numba is installed. No fast mathematics: sums are taken in the order in which the twin takes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from handup.domains.plate.noodle_physics import (
    FULL,
    HURRY,
    MOVED,
    PARALLEL,
    STEPS,
    STRETCH,
    TINY,
    NoodleNumbers,
    NoodleWork,
)
from handup.domains.plate.primitives import Floats, Mask

Function = TypeVar("Function", bound=Callable[..., Any])
Ints = NDArray[np.int64]
CAUTION = 1e-9
"""Distance by which a pair must be further apart before it is left out without a look."""
LONGEST = 1.05
"""Length of a link that is stretched as far as can be."""


def _compiled(function: Function) -> Function:
    return cast("Function", njit(cache=True, error_model="numpy")(function))


@_compiled
def _closest(p: Floats, a: int, b: int) -> tuple[float, float]:
    """Return where on the segments a, a + 1 and b, b + 1 they are closest, each from 0 to 1."""
    ux, uy, uz = p[a + 1, 0] - p[a, 0], p[a + 1, 1] - p[a, 1], p[a + 1, 2] - p[a, 2]
    vx, vy, vz = p[b + 1, 0] - p[b, 0], p[b + 1, 1] - p[b, 1], p[b + 1, 2] - p[b, 2]
    rx, ry, rz = p[a, 0] - p[b, 0], p[a, 1] - p[b, 1], p[a, 2] - p[b, 2]
    uu = ux * ux + uy * uy + uz * uz
    vv = vx * vx + vy * vy + vz * vz
    uv = ux * vx + uy * vy + uz * vz
    ur = ux * rx + uy * ry + uz * rz
    vr = vx * rx + vy * ry + vz * rz
    spread = uu * vv - uv * uv
    s = 0.5
    if spread > PARALLEL * uu * vv:
        s = min(max((uv * vr - ur * vv) / spread, 0.0), 1.0)
    t = (uv * s + vr) / vv
    if t < 0.0:
        t = 0.0
        s = min(max(-ur / uu, 0.0), 1.0)
    elif t > 1.0:
        t = 1.0
        s = min(max((uv - ur) / uu, 0.0), 1.0)
    return s, t


@_compiled
def _between(p: Floats, a: int, b: int, s: float, t: float) -> tuple[float, float, float]:
    """Return the way from the place t on segment b to the place s on segment a."""
    x = ((1.0 - s) * p[a, 0] + s * p[a + 1, 0]) - ((1.0 - t) * p[b, 0] + t * p[b + 1, 0])
    y = ((1.0 - s) * p[a, 1] + s * p[a + 1, 1]) - ((1.0 - t) * p[b, 1] + t * p[b + 1, 1])
    z = ((1.0 - s) * p[a, 2] + s * p[a + 1, 2]) - ((1.0 - t) * p[b, 2] + t * p[b + 1, 2])
    return x, y, z


@_compiled
def _candidates(
    work: NoodleWork, middle: Floats, cells: Ints, start: Ints, order: Ints, i: int, found: Ints, across: float
) -> int:
    """Write in order the later segments whose middles are close to that of segment i; return how many they are."""
    links, side = work.size - 1, int(math.sqrt(len(start) - 1.0) + 0.5)
    row, column = cells[i] // side, cells[i] % side
    left, right = max(column - 1, 0), min(column + 1, side - 1)
    strand = i // links
    awake = work.awake[strand]
    n = 0
    for at_row in range(max(row - 1, 0), min(row + 2, side)):
        for k in range(start[at_row * side + left], start[at_row * side + right + 1]):
            j = order[k]
            if j <= i:
                continue
            x, y, z = middle[i, 0] - middle[j, 0], middle[i, 1] - middle[j, 1], middle[i, 2] - middle[j, 2]
            if x * x + y * y + z * z >= across * across:
                continue
            other = j // links
            if not (awake or work.awake[other]) or (strand == other and j - i < 2):
                continue
            at = n
            while at > 0 and found[at - 1] > j:
                found[at] = found[at - 1]
                at -= 1
            found[at] = j
            n += 1
    return n


@_compiled
def _find_pairs(work: NoodleWork, numbers: NoodleNumbers) -> None:
    """List the segments that may touch soon, by a grid, and when each pair has to be looked at."""
    p, pairs, size = work.points, work.pairs, work.size
    links = size - 1
    count = len(work.awake) * links
    near = 2.0 * numbers.radius + numbers.reach + numbers.skin
    across = numbers.length + near
    side = int(2.0 * numbers.world / across) + 1
    middle, cells, order = np.empty((count, 3)), np.empty(count, np.int64), np.empty(count, np.int64)
    start = np.zeros(side * side + 1, np.int64)
    for i in range(count):
        a = i // links * size + i % links
        for axis in range(3):
            middle[i, axis] = 0.5 * (p[a, axis] + p[a + 1, axis])
        column = min(max(int((middle[i, 0] + numbers.world) / across), 0), side - 1)
        row = min(max(int((middle[i, 1] + numbers.world) / across), 0), side - 1)
        cells[i] = row * side + column
        start[cells[i] + 1] += 1
    for k in range(side * side):
        start[k + 1] += start[k]
    filled = start.copy()
    for i in range(count):
        order[filled[cells[i]]] = i
        filled[cells[i]] += 1
    found = np.empty(count, np.int64)
    total = 0
    for i in range(count):
        a = i // links * size + i % links
        for k in range(_candidates(work, middle, cells, start, order, i, found, across)):
            j = found[k]
            if total < len(pairs):
                pairs[total, 0], pairs[total, 1] = a, j // links * size + j % links
                x, y, z = middle[i, 0] - middle[j, 0], middle[i, 1] - middle[j, 1], middle[i, 2] - middle[j, 2]
                work.due[total] = math.sqrt(x * x + y * y + z * z) - LONGEST * numbers.length - near + numbers.skin
            total += 1
    if total > len(pairs):
        work.gauges[FULL] = 1.0
    work.listed[0] = min(total, len(pairs))
    work.gauges[MOVED] = 0.0
    work.travel[:] = 0.0


@_compiled
def _touching(work: NoodleWork, numbers: NoodleNumbers, ends: Ints, where: Floats, side: Floats, stirred: Mask) -> int:
    """Write the contacts of strands in this step; return how many there are.

    Pairs that were far apart are not looked at before their strands have gone as far.
    """
    p = work.points
    near = 2.0 * numbers.radius + numbers.reach
    stir = numbers.stir * numbers.stir
    n = 0
    for k in range(work.listed[0]):
        a, b = work.pairs[k, 0], work.pairs[k, 1]
        first, second = work.owner[a], work.owner[b]
        gone = work.travel[first] + work.travel[second]
        if gone < work.due[k] or not (work.awake[first] or work.awake[second]):
            continue
        s, t = _closest(p, a, b)
        x, y, z = _between(p, a, b, s, t)
        square = x * x + y * y + z * z
        distance = math.sqrt(square) + TINY
        work.due[k] = gone + distance - near - CAUTION
        if square >= near * near:
            continue
        ends[n, 0], ends[n, 1] = a, b
        where[n, 0], where[n, 1] = s, t
        side[n, 0], side[n, 1], side[n, 2] = x / distance, y / distance, z / distance
        n += 1
        if distance < 2.0 * numbers.radius + numbers.touch:
            if work.awake[first] and not work.awake[second] and work.speed[first] > stir:
                stirred[second] = True
            if work.awake[second] and not work.awake[first] and work.speed[second] > stir:
                stirred[first] = True
    return n


@_compiled
def _beyond(p: Floats, a: int, low: Floats, high: Floats, box: int, gap: float) -> bool:
    """Return whether the segment a, a + 1 is further than a gap from a box."""
    apart = False
    for axis in range(3):
        bottom, top = min(p[a, axis], p[a + 1, axis]), max(p[a, axis], p[a + 1, axis])
        apart = apart or bottom - high[box, axis] > gap or low[box, axis] - top > gap
    return apart


@_compiled
def _touched(
    work: NoodleWork, numbers: NoodleNumbers, n: int, ends: Ints, where: Floats, side: Floats, stirred: Mask
) -> int:
    """Write the contacts of tools behind the first n; return how many there are with these."""
    p, size = work.points, work.size
    links, strands = size - 1, len(work.awake)
    thick = numbers.radius + work.tool_radius
    near = thick + numbers.reach
    tools = work.sides.shape[1]
    # The last box is around all tools: most segments are far from each of them.
    low, high = np.full((tools + 1, 3), math.inf), np.full((tools + 1, 3), -math.inf)
    for i in range(2 * tools):
        for axis in range(3):
            at = p[strands * size + i, axis]
            low[i // 2, axis], high[i // 2, axis] = min(low[i // 2, axis], at), max(high[i // 2, axis], at)
            low[tools, axis], high[tools, axis] = min(low[tools, axis], at), max(high[tools, axis], at)
    for i in range(strands * links):
        a = i // links * size + i % links
        far = _beyond(p, a, low, high, tools, near + CAUTION)
        for tool in range(tools):
            b = strands * size + 2 * tool
            square = near * near
            if not far and not _beyond(p, a, low, high, tool, near + CAUTION):
                s, t = _closest(p, a, b)
                x, y, z = _between(p, a, b, s, t)
                square = x * x + y * y + z * z
            if square >= near * near:
                work.sides[i, tool, 0], work.sides[i, tool, 1], work.sides[i, tool, 2] = 0.0, 0.0, 0.0
                continue
            distance = math.sqrt(square) + TINY
            x, y, z = x / distance, y / distance, z / distance
            old = x * work.sides[i, tool, 0] + y * work.sides[i, tool, 1] + z * work.sides[i, tool, 2]
            if old < 0.0 and distance < thick:
                x, y, z = -x, -y, -z
            work.sides[i, tool, 0], work.sides[i, tool, 1], work.sides[i, tool, 2] = x, y, z
            ends[n, 0], ends[n, 1] = a, b
            where[n, 0], where[n, 1] = s, t
            side[n, 0], side[n, 1], side[n, 2] = x, y, z
            n += 1
            if not work.awake[i // links]:
                stirred[i // links] = True
    return n


@_compiled
def _separate(
    work: NoodleWork, numbers: NoodleNumbers, ends: Ints, where: Floats, side: Floats, push: Floats,
    thick: float, friction: float, heavy: float,
) -> None:  # fmt: skip
    """Push apart what overlaps, all contacts at once, and hold what rubs."""
    p, old, size = work.points, work.before, work.size
    strands = len(work.awake)
    points = strands * size
    for i in range(points):
        push[i, 0], push[i, 1], push[i, 2], push[i, 3] = 0.0, 0.0, 0.0, 0.0
    for k in range(len(ends)):
        a, b, s, t = ends[k, 0], ends[k, 1], where[k, 0], where[k, 1]
        x, y, z = _between(p, a, b, s, t)
        distance = math.sqrt(x * x + y * y + z * z) + TINY
        x, y, z = x / distance, y / distance, z / distance
        depth = thick - distance
        if x * side[k, 0] + y * side[k, 1] + z * side[k, 2] < 0.0:
            x, y, z = -x, -y, -z
            depth = thick + distance
        if depth <= 0.0:
            continue
        depth = min(depth, numbers.most_push)
        of_a = 1.0 if work.awake[work.owner[a]] else 0.0
        of_b = 1.0 if b < points and work.awake[work.owner[min(b, points - 1)]] else 0.0
        weights = of_a * ((1.0 - s) * (1.0 - s) + s * s) + of_b * ((1.0 - t) * (1.0 - t) + t * t)
        if weights <= 0.0:
            continue
        dx, dy, dz = _between(p, a, b, s, t)
        ox, oy, oz = _between(old, a, b, s, t)
        dx, dy, dz = dx - ox, dy - oy, dz - oz
        along = dx * x + dy * y + dz * z
        dx, dy, dz = dx - along * x, dy - along * y, dz - along * z
        slid = math.sqrt(dx * dx + dy * dy + dz * dz) + TINY
        held = min(friction * depth / slid, 1.0)
        x = (depth * x - held * dx) / weights
        y = (depth * y - held * dy) / weights
        z = (depth * z - held * dz) / weights
        for end in range(4):
            i = (a, a + 1, b, b + 1)[end]
            if i >= points:
                continue
            part = (1.0 - s, s, 1.0 - t, t)[end]
            factor = (of_a * part, of_a * part, -(of_b * part), -(of_b * part))[end]
            push[i, 0] += factor * x
            push[i, 1] += factor * y
            push[i, 2] += factor * z
            push[i, 3] += part
    for i in range(points):
        if heavy > 0.0:
            work.weight[i] = 1.0 / (1.0 + heavy * min(push[i, 3], 1.0))
        if push[i, 3] > 0.0:
            share = max(push[i, 3], 1.0)
            p[i, 0] += push[i, 0] / share
            p[i, 1] += push[i, 1] / share
            p[i, 2] += push[i, 2] / share


@_compiled
def _even(p: Floats, weight: Floats, start: int, size: int, length: float, rows: Floats) -> None:
    """Bring the links of one strand to their length, all of them at once, as far as they do not turn.

    Args:
        p: Points.
        weight: Ease with which each point follows.
        start: First point of the strand.
        size: Points of the strand.
        length: Length of a link.
        rows: Room for eleven rows as long as the strand, with as much room before and behind.
    """
    links = size - 1
    inside, behind = slice(size, size + links), slice(size - 1, size + links - 1)
    ux, uy, uz, pull = rows[0, inside], rows[1, inside], rows[2, inside], rows[3, inside]
    beside, middle, right, one = rows[4, behind], rows[5, inside], rows[6, inside], rows[7, inside]
    for i in range(links):
        a = start + i
        x, y, z = p[a + 1, 0] - p[a, 0], p[a + 1, 1] - p[a, 1], p[a + 1, 2] - p[a, 2]
        long = math.sqrt(x * x + y * y + z * z) + TINY
        inverse = 1.0 / long
        ux[i], uy[i], uz[i] = x * inverse, y * inverse, z * inverse
        right[i] = long - length
        middle[i] = weight[a] + weight[a + 1]
    for i in range(1, links):
        beside[i] = -(weight[start + i] * (ux[i] * ux[i - 1] + uy[i] * uy[i - 1] + uz[i] * uz[i - 1]))
    beside[0], rows[4, size + links - 1] = 0.0, 0.0
    stride, now, then = 1, 4, 8
    while stride < links:
        behind, ahead = slice(size - stride, size - stride + links), slice(size + stride, size + stride + links)
        middle, right, one = rows[now + 1, inside], rows[now + 2, inside], rows[7, inside]
        for i in range(links):
            one[i] = 1.0 / middle[i]
        beside_behind, right_behind, one_behind = rows[now, behind], rows[now + 2, behind], rows[7, behind]
        beside, right_ahead, one_ahead = rows[now, inside], rows[now + 2, ahead], rows[7, ahead]
        beside_ahead = rows[now, ahead]
        new_beside, new_middle, new_right = rows[then, inside], rows[then + 1, inside], rows[then + 2, inside]
        for i in range(links):
            below, above = beside_behind[i] * one_behind[i], beside[i] * one_ahead[i]
            new_middle[i] = middle[i] - beside_behind[i] * below - beside[i] * above
            new_right[i] = right[i] - right_behind[i] * below - right_ahead[i] * above
            new_beside[i] = -(beside_ahead[i] * above)
        stride, now, then = 2 * stride, then, now
    middle, right = rows[now + 1, inside], rows[now + 2, inside]
    for i in range(links):
        pull[i] = right[i] / middle[i]
    for i in range(links):
        x, y, z = pull[i] * ux[i], pull[i] * uy[i], pull[i] * uz[i]
        ux[i], uy[i], uz[i] = x, y, z
    for i in range(size):
        ease, k = weight[start + i], size + i
        p[start + i, 0] += ease * (rows[0, k] - rows[0, k - 1])
        p[start + i, 1] += ease * (rows[1, k] - rows[1, k - 1])
        p[start + i, 2] += ease * (rows[2, k] - rows[2, k - 1])


@_compiled
def _straighten(p: Floats, start: int, size: int, stiffness: float) -> None:
    """Draw each point a little towards the middle of its neighbours, every third at once."""
    for colour in range(3):
        for i in range(start + 1 + colour, start + size - 1, 3):
            for axis in range(3):
                change = stiffness * (p[i, axis] - 0.5 * (p[i - 1, axis] + p[i + 1, axis]))
                p[i, axis] -= change
                p[i - 1, axis] += 0.5 * change
                p[i + 1, axis] += 0.5 * change


@_compiled
def _stretch(p: Floats, start: int, size: int, length: float) -> float:
    worst = 0.0
    for i in range(start, start + size - 1):
        x, y, z = p[i + 1, 0] - p[i, 0], p[i + 1, 1] - p[i, 1], p[i + 1, 2] - p[i, 2]
        worst = max(worst, abs(math.sqrt(x * x + y * y + z * z) / length - 1.0))
    return worst


@_compiled
def _bear(work: NoodleWork, numbers: NoodleNumbers) -> None:
    """Keep the points on top of plate, rim and table, and hold what rubs."""
    p, old = work.points, work.before
    for i in range(len(work.awake) * work.size):
        if not work.awake[work.owner[i]]:
            continue
        r = math.sqrt(p[i, 0] * p[i, 0] + p[i, 1] * p[i, 1]) + TINY
        nx, ny, nz = 0.0, 0.0, 1.0
        height = p[i, 2]
        if r > numbers.rim:
            height = p[i, 2] - numbers.table
        else:
            slope = p[i, 2] * numbers.rim_cos - (r - numbers.flat) * numbers.rim_sin
            if slope < height:
                height = slope
                nx, ny, nz = -numbers.rim_sin * p[i, 0] / r, -numbers.rim_sin * p[i, 1] / r, numbers.rim_cos
        depth = numbers.radius - height
        if depth <= 0.0:
            continue
        dx, dy, dz = p[i, 0] - old[i, 0], p[i, 1] - old[i, 1], p[i, 2] - old[i, 2]
        along = dx * nx + dy * ny + dz * nz
        dx, dy, dz = dx - along * nx, dy - along * ny, dz - along * nz
        slid = math.sqrt(dx * dx + dy * dy + dz * dz) + TINY
        held = min(numbers.plate_friction * depth / slid, 1.0)
        p[i, 0] += depth * nx - held * dx
        p[i, 1] += depth * ny - held * dy
        p[i, 2] += depth * nz - held * dz


@_compiled
def _rest(work: NoodleWork, numbers: NoodleNumbers) -> None:
    """Take the speeds from what moved, and put to sleep what did not."""
    p, old, size = work.points, work.before, work.size
    farthest = 0.0
    for k in range(len(work.awake)):
        farthest = max(farthest, work.travel[k])
        if not work.awake[k]:
            continue
        fastest = 0.0
        lowest = p[k * size, 2]
        for i in range(k * size, k * size + size):
            x, y, z = p[i, 0] - old[i, 0], p[i, 1] - old[i, 1], p[i, 2] - old[i, 2]
            square = x * x + y * y + z * z
            fastest = max(fastest, square)
            lowest = min(lowest, p[i, 2])
            kept = numbers.damping * min(numbers.most_step / (math.sqrt(square) + TINY), 1.0) / numbers.step
            work.velocity[i, 0], work.velocity[i, 1], work.velocity[i, 2] = x * kept, y * kept, z * kept
        work.speed[k] = fastest
        work.travel[k] += math.sqrt(fastest)
        farthest = max(farthest, work.travel[k])
        work.lifted[k] = work.lifted[k] or lowest > numbers.clear
        work.still[k] = work.still[k] + 1 if fastest < numbers.sleep * numbers.sleep else 0
        if work.still[k] >= numbers.sleep_steps:
            work.awake[k] = False
            work.speed[k] = 0.0
            for i in range(k * size, k * size + size):
                work.velocity[i, 0], work.velocity[i, 1], work.velocity[i, 2] = 0.0, 0.0, 0.0
    work.gauges[MOVED] = max(work.gauges[MOVED], 2.0 * farthest)


@_compiled
def _set_out(work: NoodleWork, numbers: NoodleNumbers, stirred: Mask, tools: Floats) -> None:
    """Wake what was stirred, move points by speed and weight, and tools to their next place."""
    p = work.points
    points = len(work.velocity)
    for k in range(len(work.awake)):
        if stirred[k]:
            work.awake[k] = True
            work.still[k] = 0
            work.gauges[MOVED] = HURRY
    work.before[:] = p
    for i in range(points):
        if work.awake[work.owner[i]]:
            p[i, 0] += work.velocity[i, 0] * numbers.step
            p[i, 1] += work.velocity[i, 1] * numbers.step
            p[i, 2] += (work.velocity[i, 2] - numbers.gravity * numbers.step) * numbers.step
    p[points:] = tools


@_compiled
def _tighten(work: NoodleWork, numbers: NoodleNumbers, rows: Floats) -> None:
    """Repair lengths, and nothing else, until no link is stretched too much."""
    p, size = work.points, work.size
    for strand in range(len(work.awake)):
        if not work.awake[strand]:
            continue
        stretch = _stretch(p, strand * size, size, numbers.length)
        passes = 0
        while stretch > numbers.stretch and passes < numbers.passes:
            _even(p, work.weight, strand * size, size, numbers.length, rows)
            stretch = _stretch(p, strand * size, size, numbers.length)
            passes += 1
        work.gauges[STRETCH] = max(work.gauges[STRETCH], stretch)


@_compiled
def advance(work: NoodleWork, numbers: NoodleNumbers, path: Floats) -> None:
    """Go one step for each row of the path."""
    p, size = work.points, work.size
    strands = len(work.awake)
    most = len(work.pairs) + strands * size * work.sides.shape[1]
    ends, where, side = np.empty((most, 2), np.int64), np.empty((most, 2)), np.empty((most, 3))
    push = np.empty((strands * size, 4))
    # Rows beyond the ends of a strand stay as they are: links that do nothing.
    rows = np.zeros((11, 3 * size))
    rows[5], rows[7], rows[9] = 1.0, 1.0, 1.0
    thick, tool_thick = 2.0 * numbers.radius, numbers.radius + work.tool_radius
    for k in range(len(path)):
        if work.gauges[MOVED] >= numbers.skin:
            _find_pairs(work, numbers)
        stirred = np.zeros(strands, np.bool_)
        rub = _touching(work, numbers, ends, where, side, stirred)
        hold = _touched(work, numbers, rub, ends, where, side, stirred)
        _set_out(work, numbers, stirred, path[k])
        for _ in range(numbers.sweeps):
            for strand in range(strands):
                if work.awake[strand]:
                    _straighten(p, strand * size, size, numbers.stiffness)
                    _even(p, work.weight, strand * size, size, numbers.length, rows)
            _separate(work, numbers, ends[:rub], where, side, push, thick, numbers.friction, 0.0)
            _separate(
                work, numbers, ends[rub:hold], where[rub:], side[rub:], push, tool_thick,
                numbers.tool_friction, numbers.heavy,
            )  # fmt: skip
            _bear(work, numbers)
        _tighten(work, numbers, rows)
        _rest(work, numbers)
        work.gauges[STEPS] += 1.0
