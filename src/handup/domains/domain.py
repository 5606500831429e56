"""The contract of a domain: a robot with its world and its work, for `handup run --world NAME`, the page and resuming.

A domain is found by name in the entry points `handup.domains` of every installed package. It has either a task of its
own or a world in which recipes run. The studies of a domain are elsewhere; it only names them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import TypeAdapter, ValidationError

from handup.core import (
    Announced,
    ContractViolation,
    HandupError,
    Malformed,
    Person,
    Question,
    ServerBusy,
    ServerUnreachable,
    StoreUnavailable,
    UnknownName,
    Value,
)
from handup.core.checks import suggestion
from handup.core.stick import Stick
from handup.desk import Channel, Desk, Simulated, SkippingClock
from handup.journal import Journal

if TYPE_CHECKING:
    from handup.domains.stage import Simulation


LOOK_S = 0.02
"""Seconds of real time between two looks at the link while the robot waits."""
JOURNAL_S = 0.1
"""Seconds between two looks at the journal, which knows stops that did not come by the link."""
LATCH_S = 1.0
"""Seconds after which the robot itself writes a stop that only the link brought."""
TRY_AGAIN_S = 0.3
"""Seconds between two tries to put a picture on the server."""
AWAY = (ServerUnreachable, ServerBusy, StoreUnavailable)
"""Errors that pass by themselves: a picture is then put again."""
_log = logging.getLogger("handup.domains")
STOP_SEEN = "The robot was told by its link to stop."


class Halted(Exception):
    """Somebody stopped a motion on its way. The robot stays where it is, with what it holds.

    Args:
        seconds: Time of the motion at which it stopped, counted from its beginning.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Link(Protocol):
    """A robot's link to its server, such as `handup.RobotLink`."""

    @property
    def alive(self) -> bool:
        """True while the server was heard within the last second and says that the robot may move."""
        ...

    @property
    def stopped(self) -> bool:
        """True while a stop holds, as far as the link knows."""
        ...

    @property
    def stick(self) -> Stick | None:
        """Latest push of somebody who steers; None where nobody did."""
        ...

    def state(self, state: Mapping[str, Any], /) -> object:
        """Show people what the robot is doing. Only the latest counts; never raises."""
        ...

    def picture(self, name: str, picture: bytes, /) -> object:
        """Show a picture that changes all the time. Only the latest counts; never raises."""
        ...


@dataclass
class Guard:
    """Guard of motions. Call `begin`, then the guard itself again and again as the motion goes on.

    While a robot moves it calls its guard every few milliseconds, and waits until the call returns. So the guard holds
    the robot by not returning yet, and stops it by raising `Halted`.

    Args:
        place: Workplace of the robot. Without a link nobody looks on, and the robot may always move.
    """

    place: Workplace
    _since: int = field(default=0, init=False)
    """Number of the journal's last entry when the motion began: a later stop ends it, lifted or not."""
    _origin: float = field(default=0.0, init=False)
    """Real time at which the motion began, moved on by the time for which the robot held."""
    _looked: float = field(default=float("-inf"), init=False)
    """Real time of the last look into the journal."""
    _in_journal: bool = field(default=False, init=False)
    """Result of that look: whether there is a stop."""

    def __post_init__(self) -> None:
        self._since = self.place.journal.head().seq

    def begin(self) -> None:
        """Begin a motion now; a stop that comes from now on ends it."""
        self._since = self.place.journal.head().seq
        self._origin, self._looked = self.place.clock(), float("-inf")

    def __call__(self, seconds: float) -> None:
        """Let the motion go on as soon as it may.

        Args:
            seconds: Simulated time since it began.

        Raises:
            Halted: Somebody said stop.
        """
        self._wait(seconds / (self.place.speed or 1.0), seconds)

    def pause(self, real_s: float) -> None:
        """Wait before or between motions. Time in which the robot holds does not count.

        Raises:
            Halted: Somebody said stop.
        """
        self._origin = self.place.clock()
        self._wait(real_s, 0.0)

    @property
    def stopped(self) -> bool:
        """True while a stop holds, by the link or in the journal. A stop of the link alone is written first."""
        if self._says_stop():
            self._latch()
            return True
        if self.place.clock() >= self._looked + JOURNAL_S:
            self._looked = self.place.clock()
            self._in_journal = self._is_written()
        return self._in_journal and self.place.desk.stopped

    def _wait(self, real_s: float, seconds: float) -> None:
        """Wait until some real time has passed since the motion began, `seconds` of its own time."""
        self._heed(seconds)
        while (left_s := self._origin + real_s - self.place.clock()) > 0.0:
            self.place.sleep(min(left_s, LOOK_S))
            self._heed(seconds)

    def _heed(self, seconds: float) -> None:
        self._refuse_stopped(seconds)
        if self._may_move():
            return
        began = self.place.clock()
        self.place.holds(True)
        while not self._may_move():
            self._refuse_stopped(seconds)
            self.place.sleep(LOOK_S)
        self._origin += self.place.clock() - began  # so that the motion goes on from here, and does not catch up
        self.place.holds(False)

    def _refuse_stopped(self, seconds: float) -> None:
        self.place.check()
        if self.stopped or self._in_journal:
            raise Halted(seconds)

    def _says_stop(self) -> bool:
        return self.place.link is not None and bool(self.place.link.stopped)

    def _may_move(self) -> bool:
        return self.place.link is None or self.place.link.alive

    def _is_written(self) -> bool:
        return self.place.desk.stopped or self.place.desk.stopped_since(self._since)

    def _latch(self) -> None:
        """Wait until the stop is in the journal, or else write it: it must hold after a restart."""
        until = self.place.clock() + LATCH_S
        while self._says_stop() and not self._is_written():
            if self.place.clock() >= until:
                self.place.desk.stop(self.place.person, STOP_SEEN)
                return
            self.place.sleep(LOOK_S)


NOBODY, SIMULATED, TERMINAL, PAGE = "nobody", "simulated", "terminal", "page"
PEOPLE = (NOBODY, SIMULATED, TERMINAL, PAGE)
"""Kinds of people whom a robot may ask."""
ENABLED_S = 0.25
"""Seconds between two looks whether a stop was lifted."""
STOPPED = "stopped; nothing moves until somebody lets it go on"


class Task(Protocol):
    """Work of one robot, begun or resumed by `Domain.task`. Whoever drives it calls `step` until it returns None.

    Everything that must survive a crash is in the journal before a step ends, and before it asks. So a task that is
    made anew on the same journal, for the same run, goes on where the last one was.
    """

    @property
    def interruptible(self) -> bool:
        """True if a signal may end the next step at any point, for example while a person types; else only after it."""
        ...

    def step(self) -> float | None:
        """Do the next part of the work.

        Returns:
            Seconds of the robot's time until the next step is due; None once the work is over.
        """
        ...

    def hold(self, held: bool) -> None:
        """Take note that the robot begins to hold still (True), or goes on (False)."""
        ...

    def view(self) -> Mapping[str, Any]:
        """Return what people see now: `phase`, `title`, `doing`, `why` and `panels`, as in `panels.RobotState`."""
        ...

    def result(self) -> Mapping[str, Any]:
        """Return the result so far as plain data, with a sentence under `in_words`."""
        ...

    def close(self) -> None:
        """Close files. The work does not end: it may go on later. Safe to call twice."""
        ...


@dataclass
class Workplace:
    """The place where a task works: its journal, people, and whether it may move.

    Args:
        journal: Where the run is kept.
        run: Name of the run.
        people: Kind of the people who are asked, one of `PEOPLE`.
        person: Their name.
        robot: Name of the robot.
        link: The link to the page; None where nobody looks on.
        keep: Function that puts the picture of a question on the server; raises a `HandupError` if it cannot.
        channels: Further channels to people, such as a terminal.
        speed: Speed of a simulated robot; 1 is real time, None as fast as it can.
        check: Function that is called while the robot waits; it raises an error if the program is to end.
        clock: Real time in seconds, for tests.
        sleep: Waits for seconds of real time, for tests.

    Attributes:
        holds: Called with True when the robot begins to hold, with False when it goes on.
    """

    journal: Journal
    run: str
    people: str = NOBODY
    person: str = "you"
    robot: str = "robot"
    link: Link | None = None
    keep: Callable[[str, bytes], object] = lambda name, picture: None
    channels: Sequence[Channel] = ()
    speed: float | None = 1.0
    check: Callable[[], object] = lambda: None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep
    holds: Callable[[bool], object] = field(default_factory=lambda: lambda held: None, init=False)
    _desk: Desk | None = field(default=None, init=False)

    def sit_down(self, *people: Person, channels: Sequence[Channel] = (), desk: Desk | None = None) -> Desk:
        """Open the desk at which the robot asks, once.

        Args:
            people: People who may be asked.
            channels: Ways to them beside those of the place.
            desk: One that is open already.
        """
        if self._desk is None:
            self._desk = desk or Desk(self.journal, people, channels=[*self.channels, *channels])
        return self._desk

    def simulated(self, truth: Callable[[Question], Value], random: Any, **how: Any) -> Sequence[Channel]:
        """Return a channel to somebody simulated who knows the truth, where people here are simulated; else none."""
        return [Simulated(truth, random=random, **how)] if self.people == SIMULATED else []

    @property
    def desk(self) -> Desk:
        """The desk. If `sit_down` was not called, it is opened here without people, so that a stop is heard."""
        return self.sit_down()

    @cached_property
    def guard(self) -> Guard:
        """Guard of the robot's motions."""
        return Guard(self)

    @property
    def stopped(self) -> bool:
        """True while somebody's stop holds."""
        return self.guard.stopped

    def wait(self, seconds: float) -> None:
        """Let seconds of the robot's time pass, or less if a stop comes. Time without a link does not count."""
        if isinstance(self.journal.clock, SkippingClock):
            self.journal.clock.advance(seconds)
        elif self.speed is not None:
            try:
                self.guard.pause(seconds / self.speed)
            except Halted:
                self.holds(False)

    def await_enabled(self) -> None:
        """Wait while somebody's stop holds."""
        while self.guard.stopped:
            self.check()
            self.desk.watch(ENABLED_S)

    def show(self, state: Mapping[str, Any]) -> None:
        """Show people what the robot is at, where somebody looks on."""
        if self.link is not None:
            self.link.state({"robot": self.robot, **state})

    def put_picture(self, name: str, picture: bytes, *, waits: Callable[[str], object] = lambda why: None) -> bool:
        """Put the picture of a question on the server before the question; where it is refused, do without it.

        Args:
            name: Name of the picture.
            picture: The file.
            waits: Function that is called once, with the reason, if the server is away; this then tries again.

        Returns:
            True if it had to wait.
        """
        waited = False
        while not self.desk.stopped:
            try:
                self.keep(name, picture)
                break
            except AWAY as error:
                if not waited:
                    _log.warning("the picture of a question cannot be put on the server yet: %s", error)
                    waits(f"{error.cause}.")
                waited = True
                self.sleep(TRY_AGAIN_S)
            except HandupError as error:
                _log.warning("a question is asked without its picture: %s", error)
                break
        return waited

    def close(self) -> None:
        """Close the desk."""
        if self._desk is not None:
            self._desk.close()
            self._desk = None


@dataclass(frozen=True)
class NoOptions:
    """The order of a domain without options."""


@dataclass(frozen=True, kw_only=True)
class Domain:
    """A robot with its world and its work.

    Args:
        name: Its name in commands.
        about: What the robot does there, in one sentence.
        robot: Name of the robot on the page.
        order: Frozen dataclass with the options of its work, all with defaults: plain values that go to JSON and back.
        task: Function that begins or resumes its work at a workplace; None if its work is a recipe.
        world: Its world, for recipes; None if its work is a task.
        people: Kinds of people that its robot can ask, the default first.
        speed: Default speed of its robot at the page; 1 is real time.
        studies: Names of the studies about it.

    Raises:
        ContractViolation: It has neither a task nor a world, or both; or its order is no dataclass, or lacks a default.
    """

    name: str
    about: str
    robot: str = "robot"
    order: type[Any] = NoOptions
    task: Callable[[Any, Workplace], Task] | None = None
    world: Simulation | None = None
    people: Sequence[str] = PEOPLE
    speed: float = 1.0
    studies: Sequence[str] = ()

    def __post_init__(self) -> None:
        if (self.task is None) == (self.world is None):
            raise ContractViolation(
                f"domain '{self.name}' has {'neither a task nor' if self.task is None else 'both a task and'} a world",
                hint="Give it one of them: a task of its own, or a world in which recipes run.",
            )
        if not is_dataclass(self.order):
            raise ContractViolation(f"the order of domain '{self.name}' is no dataclass", hint="Make it a frozen one.")
        for option in fields(self.order):
            if option.default is MISSING and option.default_factory is MISSING:
                cause = f"the option '{option.name}' of domain '{self.name}' has no default"
                raise ContractViolation(cause, hint="Give it one, so that the robot runs without options.")

    def options_of(self, order: Any) -> dict[str, Any]:
        """Return an order as plain data; `order_of` reads it back."""
        return TypeAdapter(self.order).dump_python(order, mode="json")  # type: ignore[no-any-return]

    def order_of(self, given: Mapping[str, Any]) -> Any:
        """Return an order from named options; texts are read as what the option is, such as a number.

        Raises:
            UnknownName: There is no such option.
            Malformed: A value cannot be read as its option.
        """
        names = [option.name for option in fields(self.order)]
        for name in given:
            if name not in names:
                known = f"Known: {', '.join(names)}." if names else "It has none."
                hint = f"{suggestion(name, names)} {known}"
                raise UnknownName(f"'{name}' is no option of {self.name}", hint=hint)
        try:
            return TypeAdapter(self.order).validate_python(dict(given))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise Malformed(
                f"the option {where} of {self.name} is '{given.get(where)}': {first['msg']}", hint="Give another value."
            ) from None


DOMAINS = Announced("world", "handup.domains", Domain)
"""All domains by name."""
