"""Simulated person at the stick: one attempt, decided step by step from what they see.

A person goes to a place (`GO`), turns the hand there (`TURN`) and closes in (`IN`). They look at the hand as it is, so
a robot that has already done a part of it saves them that part, and one that works against them costs them time.
"""

from __future__ import annotations

import math
from collections import deque
from enum import StrEnum

from handup.domains.reaching import steering_habits
from handup.domains.reaching.drawn_person import SteeringPerson, Wish
from handup.domains.reaching.scenes import CONTROL_HZ, STICK_M_S, STICK_RAD_S, Scene
from handup.domains.reaching.steering_habits import SteeringHabit
from handup.intent.pose import STILL, Pose, Quaternion, Vector, conjugate, logarithm, product, rotated

DECIDE_EVERY = max(1, round(steering_habits.DECIDE_S * CONTROL_HZ))
LOOK_BACK = max(1, round(steering_habits.LOOK_BACK_S * CONTROL_HZ))
AHEAD: Vector = (1.0, 0.0, 0.0)


class Mode(StrEnum):
    """Modes of the stick: it moves the hand or turns it, never both."""

    TRANSLATE = "translate"
    ROTATE = "rotate"


class SteeringPhase(StrEnum):
    """Phases of a person's plan."""

    GO = "go"
    TURN = "turn"
    IN = "in"


class Steering:
    """A person at the stick during one attempt.

    Args:
        person: The person.
        wish: The grasp that they want.
        scene: The scene.
    """

    def __init__(self, person: SteeringPerson, wish: Wish, scene: Scene) -> None:
        self.mode = Mode.TRANSLATE
        self.mode_changes = 0
        self.closed = False
        """True once they have closed the hand, which ends the attempt."""
        self._person = person
        self._accepted = wish.accepted
        self._target = wish.pose
        self._phase = SteeringPhase.TURN if person.strategy is SteeringHabit.ROTATE_FIRST else SteeringPhase.GO
        self._stop = _stop(person, wish, scene)
        self._seen: deque[tuple[Vector, Quaternion]] = deque(maxlen=person.delay + 1)
        self._want: Vector = STILL
        self._switching = 0
        self._seems_near = 0
        self._retreat = 0
        self._harder = 0.0
        self._last: tuple[Mode, float, Vector, Quaternion] | None = None

    def stick(self, step: int, position: Vector, rotation: Quaternion) -> Vector:
        """Return the push of the stick along its three axes at a control step, each from -1 to 1."""
        person = self._person
        self._seen.append((position, rotation))
        if step % DECIDE_EVERY == 0:
            # The oldest view in the queue: the person reacts to what they saw `delay` steps ago.
            self._decide(step, *self._seen[0])
        if self._switching:
            self._switching -= 1
            if not self._switching:
                self.mode = Mode.ROTATE if self.mode is Mode.TRANSLATE else Mode.TRANSLATE
                self.mode_changes += 1
            return STILL
        slip = person.slipping[step]
        if slip is not None:
            return _felt(slip)
        if self._want == STILL or person.pausing[step]:
            return STILL
        x, y, z = self._want
        a, b, c = person.trembling[step]
        return _felt((x + person.noise * a, y + person.noise * b, z + person.noise * c))

    def waited(self, position: Vector, rotation: Quaternion) -> None:
        """Forget old views, since the hand stood still for a while: nothing that is seen is late now."""
        self._seen.clear()
        self._seen.append((position, rotation))
        self._last = None

    def _decide(self, step: int, position: Vector, rotation: Quaternion) -> None:
        """Decide on the next push, from what was seen a moment ago."""
        way, turn = self._errors(self._target, position, rotation)
        distance, angle = math.hypot(*way), math.hypot(*turn)
        if self._phase is SteeringPhase.IN:
            way, turn, distance, angle = self._adopt(way, turn, distance, angle, position, rotation)
        if distance <= steering_habits.CLOSE_M and angle <= steering_habits.CLOSE_RAD:
            self._seems_near += DECIDE_EVERY
            self.closed = self._seems_near >= steering_habits.CLOSE_S * CONTROL_HZ
            self._want = STILL
            return
        self._seems_near = 0
        if self._switching:
            return
        if self._retreat > 0:
            self._retreat -= DECIDE_EVERY
            self._push(Mode.TRANSLATE, self._back(rotation), 1.0)
            return
        self._phase = self._next(position, distance, angle)
        if self._phase is SteeringPhase.TURN:
            mode, error, size = Mode.ROTATE, turn, max(steering_habits.FINE, angle / steering_habits.SLOW_RAD)
        else:
            error = self._aim(way, position, rotation)
            mode, size = Mode.TRANSLATE, max(steering_habits.FINE, math.hypot(*error) / steering_habits.SLOW_M)
        if step % LOOK_BACK == 0:
            self._look_back(mode, math.hypot(*error), position, rotation)
        self._push(mode, error, max(min(size, self._person.cruise), self._harder))

    def _errors(self, pose: Pose, position: Vector, rotation: Quaternion) -> tuple[Vector, Vector]:
        """Return the way and turn that seem to be missing to a pose."""
        (x, y, z), (a, b, c), (d, e, f) = pose.position, position, self._person.misplaced
        u, v, w = logarithm(product(pose.rotation, conjugate(rotation)))
        g, h, i = self._person.misturned
        return (x - a + d, y - b + e, z - c + f), (u + g, v + h, w + i)

    def _adopt(
        self, way: Vector, turn: Vector, distance: float, angle: float, position: Vector, rotation: Quaternion
    ) -> tuple[Vector, Vector, float, float]:
        """Take another pose that would do as well, where it is clearly nearer by now or the hand is in it already."""
        least = distance + steering_habits.RAD_AS_M * angle - steering_habits.ADOPT_M
        for pose in self._accepted:
            if pose is not self._target and math.dist(pose.position, position) < max(
                least, 2.0 * steering_habits.CLOSE_M
            ):
                a, b = self._errors(pose, position, rotation)
                far, askew = math.hypot(*a), math.hypot(*b)
                there = far <= steering_habits.CLOSE_M and askew <= steering_habits.CLOSE_RAD
                if there or far + steering_habits.RAD_AS_M * askew < least:
                    self._target = pose
                    return a, b, far, askew
        return way, turn, distance, angle

    def _next(self, position: Vector, distance: float, angle: float) -> SteeringPhase:
        if self._phase is SteeringPhase.GO:
            there = math.dist(position, self._stop) <= steering_habits.ARRIVED_M
            if not there and distance > self._person.standoff_m:
                return SteeringPhase.GO
            return SteeringPhase.TURN if angle > steering_habits.TURN_RAD else SteeringPhase.IN
        if self._phase is SteeringPhase.TURN:
            return SteeringPhase.TURN if angle > steering_habits.TURNED_RAD else SteeringPhase.IN
        limit = steering_habits.CLOSE_RAD if distance < steering_habits.NEAR_M else steering_habits.UPSET_RAD
        return SteeringPhase.TURN if angle > limit else SteeringPhase.IN

    def _aim(self, way: Vector, position: Vector, rotation: Quaternion) -> Vector:
        """Return the way to go: to the place to stop at, or into the grasp along its straight way in."""
        if self._phase is SteeringPhase.GO:
            x, y, z = (goal - place for goal, place in zip(self._stop, position, strict=True))
        else:
            a, b, c = rotated(self._target.rotation, AHEAD)
            depth = way[0] * a + way[1] * b + way[2] * c
            # The further beside the axis of the grasp, the further back the point aimed at: a funnel into the grasp.
            beside = math.dist(way, (a * depth, b * depth, c * depth))
            back = min(
                steering_habits.PREGRASP_M, max(0.0, beside - steering_habits.CLOSE_M / 2.0) * steering_habits.FUNNEL
            )
            x, y, z = way[0] - a * back, way[1] - b * back, way[2] - c * back
        if math.hypot(x, y) > steering_habits.KEEP_HEIGHT_M:
            z = max(z, 0.0)
        return (x, y, z)

    def _look_back(self, mode: Mode, error: float, position: Vector, rotation: Quaternion) -> None:
        """Push harder where pushing brought nothing; go back where even that does not move the hand."""
        last, self._last = self._last, (mode, error, position, rotation)
        if last is None or last[0] is not mode or self.mode is not mode:
            self._harder = 0.0
            return
        gained = last[1] - error
        enough = steering_habits.PROGRESS_M if mode is Mode.TRANSLATE else steering_habits.PROGRESS_RAD
        self._harder = max(
            0.0, min(1.0, self._harder + (steering_habits.HARDER if gained < enough else -steering_habits.HARDER))
        )
        turned = math.hypot(*logarithm(product(rotation, conjugate(last[3]))))
        moved = math.dist(position, last[2]) + steering_habits.RAD_AS_M * turned
        if self._harder >= 1.0 and moved < steering_habits.STUCK_M:
            self._retreat = round(steering_habits.RETREAT_S * CONTROL_HZ)
            self._harder = 0.0

    def _back(self, rotation: Quaternion) -> Vector:
        x, y, z = rotated(rotation, AHEAD)
        return (-x, -y, 1.0 - z)

    def _push(self, mode: Mode, error: Vector, size: float) -> None:
        """Push along an error in a mode; where the mode is another one, change it first."""
        if mode is not self.mode:
            self._switching, self._want = self._person.switch, STILL
            return
        least = steering_habits.CROSS_TALK * max(abs(part) for part in error)
        x, y, z = (part if abs(part) >= least else 0.0 for part in error)
        share = size / (math.hypot(x, y, z) or 1.0)
        self._want = (x * share, y * share, z * share)


def velocity(mode: Mode, pushed: Vector) -> tuple[Vector, Vector]:
    """Return the velocity that a push commands in a mode: m/s and rad/s, one of the two zero."""
    full = STICK_M_S if mode is Mode.TRANSLATE else STICK_RAD_S
    x, y, z = (max(-1.0, min(1.0, deflection)) * full for deflection in pushed)
    return ((x, y, z), STILL) if mode is Mode.TRANSLATE else (STILL, (x, y, z))


def _felt(pushed: Vector) -> Vector:
    """Return the part of a push that comes through: nothing within the dead band, no axis beyond its stop."""
    x, y, z = (0.0 if abs(part) < steering_habits.DEAD_BAND else max(-1.0, min(1.0, part)) for part in pushed)
    return (x, y, z)


def _stop(person: SteeringPerson, wish: Wish, scene: Scene) -> Vector:
    """Return the place where a person stops to turn the hand."""
    x, y, z = wish.pose.position
    if person.strategy is SteeringHabit.STOP_OVER:
        top = scene.thing(wish.goal.split("/")[0]).top
        return (x, y + person.aside_m, max(z, top) + person.standoff_m)
    return (x - person.standoff_m, y + person.aside_m, max(z, steering_habits.STOP_HEIGHT_M))
