"""The parent: lets robot and devices live, one life after the other or together, until the run has ended."""

from __future__ import annotations

import json
import os
import select
import signal
import sqlite3
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from random import Random
from types import TracebackType
from typing import Any

from handup.journal import Journal
from tests.kill.checks import violations
from tests.kill.lives import JUMP_S, Life, Living, last_look, living
from tests.kill.points import Points
from tests.kill.scenario import Scenario
from tests.kill.shared import Place
from tests.recover.robot import effects

MOST_LIVES = 1500
MOST_IDLE = 12
LONGEST_LIFE_S = 30
OUTSIDE_KILLS = 6
"""So often, where processes run together, one is killed from outside at any moment."""
LOOK_S = 0.004
STEP_S = 1.0
"""Together, the clock moves on by this at each look."""
REFUSED = "another program drives run"
"""What a robot is told whose predecessor was killed while the server was committing for it."""
News = dict[str, Any]
Mutation = Callable[[], None]


@dataclass(kw_only=True)
class Report:
    """What an episode came to.

    Args:
        seed: Which one.
        together: Whether its processes ran at the same time.
        lives: So many processes lived.
        died: The points at which one died.
        outside: So often one was killed from outside.
        outcome: How the run ended.
        replies: So many replies were acknowledged.
        effects: So often the robot did something.
        wrong: Everything that must not be.
        took_s: In real seconds.
        missed: Points that an undisturbed episode meets, and no process died at.
    """

    seed: int
    together: bool
    lives: int = 0
    died: set[str] = field(default_factory=set)
    outside: int = 0
    outcome: str = ""
    replies: int = 0
    effects: int = 0
    wrong: list[str] = field(default_factory=list)
    took_s: float = 0.0
    missed: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {**asdict(self), "died": sorted(self.died)}

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Report:
        """The report that `to_json` wrote."""
        return cls(**{**record, "died": set(record["died"])})


class Ended(Exception):
    """The episode cannot go on; the report says why."""


@dataclass(kw_only=True)
class _Process:
    pid: int
    pipe: int


class Episode:
    """One seed on one store.

    Args:
        scenario: What happens.
        place: Where; a store that is not there yet.
        deadly: Without it nobody dies, and the points are only counted.
        every: Whether all points inside transactions are deadly.
        mutation: Something that is broken in every process: then the checks must find it.
    """

    def __init__(
        self,
        scenario: Scenario,
        place: Place,
        *,
        deadly: bool = True,
        every: bool = True,
        mutation: Mutation | None = None,
    ) -> None:
        self.report = Report(seed=scenario.seed, together=scenario.together)
        self.met: set[str] = set()
        self._scenario, self._place, self._deadly = scenario, place, deadly
        self._side_by_side = False
        self._every, self._mutation = every, mutation
        self._random = Random(f"parent {scenario.seed}")

    def play(self) -> Report:
        """From the making of the store to the checks."""
        began = time.monotonic()
        try:
            if not self._scenario.making:
                self._live("store", _make, deadly=False)
            if self._scenario.together and self._deadly:
                self._side_by_side = True
                self._together()
                self._side_by_side = False
            else:
                self._in_turn()
            for device in self._scenario.devices:
                self._device(device.name)
            looked = self._live("last look", last_look, deadly=False)
            self.report.wrong += looked["wrong"]
            if looked["ended"] != self.report.outcome:
                self.report.wrong.append(f"the run ended as {self.report.outcome}, then as {looked['ended']}")
        except Ended as error:
            self.report.wrong.append(str(error))
        with suppress(sqlite3.DatabaseError):  # a damaged store is put aside; that was told above
            self.report.wrong += violations(self._scenario, self._place)
        sent = [line for device in self._scenario.devices for line in effects(self._place.outbox(device.name))]
        self.report.replies = len({each["token"] for each in sent if each.get("status") == "accepted"})
        self.report.effects = len(effects(self._place.effects))
        self.report.took_s = time.monotonic() - began
        return self.report

    # -- one after the other -----------------------------------------------------------------------------------------

    def _in_turn(self) -> None:
        idle = 0
        while idle < MOST_IDLE:
            news = self._live("robot", idle=idle > 0)
            if "ended" in news:
                self.report.outcome = news["ended"]
                return
            if "waits" in news:
                done = sum(self._device(device.name) for device in self._scenario.devices)
                idle = 0 if done else idle + 1
                self._place.clock.advance(0.0 if done else JUMP_S)
        raise Ended("the robot waits, and nobody has anything to do")

    def _device(self, who: str) -> int:
        """Let a device live until it has done what there is to do; how much that was."""
        tries = 0
        while True:
            news = self._live(who)
            if "done" in news:
                return int(news["done"]) + tries
            tries += 1

    def _live(self, who: str, does: Living | None = None, *, deadly: bool = True, idle: bool = False) -> News:
        process = self._start(who, does, deadly=deadly, idle=idle)
        os.waitpid(process.pid, 0)
        return self._heard(who, process)

    # -- together ----------------------------------------------------------------------------------------------------

    def _together(self) -> None:
        whos = ["robot", *(device.name for device in self._scenario.devices)]
        alive, look = {who: self._start(who) for who in whos}, 0.0
        try:
            while not self.report.outcome:
                select.select([each.pipe for each in alive.values()], [], [], LOOK_S)
                if time.monotonic() >= look:
                    look = time.monotonic() + LOOK_S
                    self._place.clock.advance(STEP_S)
                    self._kill_somebody(alive)
                for who, process in list(alive.items()):
                    if os.waitpid(process.pid, os.WNOHANG) != (0, 0):
                        alive.pop(who)
                        news = self._heard(who, process)
                        self.report.outcome = news.get("ended", self.report.outcome)
                        if "ended" not in news:
                            alive[who] = self._start(who)
        finally:
            self._place.clock.finish()
            for process in alive.values():
                os.kill(process.pid, signal.SIGKILL)
                os.waitpid(process.pid, 0)
                os.close(process.pipe)

    def _kill_somebody(self, alive: dict[str, _Process]) -> None:
        if self.report.outside < OUTSIDE_KILLS and self._random.random() < 0.1:
            os.kill(alive[self._random.choice(sorted(alive))].pid, signal.SIGKILL)
            self.report.outside += 1

    # -- a process ---------------------------------------------------------------------------------------------------

    def _start(self, who: str, does: Living | None = None, *, deadly: bool = True, idle: bool = False) -> _Process:
        self.report.lives += 1
        if self.report.lives > MOST_LIVES:
            raise Ended(f"it is not over after {self.report.lives} lives")
        pipe, end = os.pipe()
        pid = os.fork()
        if pid:
            os.close(end)
            return _Process(pid=pid, pipe=pipe)
        os.close(pipe)
        signal.alarm(LONGEST_LIFE_S)
        deadly = deadly and self._deadly
        points = Points(who, self.report.died, end, seed=self._scenario.seed, deadly=deadly, every=self._every,
                        making=self._scenario.making)  # fmt: skip
        with _ToTheDeath(points):
            if does is None:
                points.listen()
                if self._mutation is not None:
                    self._mutation()
            life = Life(
                scenario=self._scenario, place=self._place, points=points, together=self._side_by_side, idle=idle
            )
            (does or living(who, self._scenario))(life)
        raise AssertionError("nobody comes back")

    def _heard(self, who: str, process: _Process) -> News:
        with open(process.pipe, encoding="utf-8") as pipe:  # noqa: PTH123  a number
            lines = [json.loads(line) for line in pipe.read().splitlines()]
        news: News = {}
        for line in lines:
            news |= line
        self.met |= set(news.get("met", ()))
        if "died" in news:
            self.report.died.add(news["died"])
        if "failed" in news and not (self.report.outside and REFUSED in news["failed"]):
            raise Ended(f"{who} failed: {news['failed']}")
        if not news and not self._side_by_side:
            raise Ended(f"{who} hung")
        return news


class _ToTheDeath:
    """The end of a child's life: it says what went wrong, and never returns to what its parent was doing."""

    def __init__(self, points: Points) -> None:
        self._points = points

    def __enter__(self) -> None:
        return

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            said = "".join(traceback.format_exception(error))
            self._points.tell({"failed": said[-3000:]})
        os._exit(0)


def _make(life: Life) -> None:
    Journal.open(life.place.store, clock=life.place.clock).close()
    life.points.tell({"made": True})
