"""The contract check of domains, for authors' own tests."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError

from handup.core import ContractViolation, HandupError, ReplyKind
from handup.core.panels import RobotState
from handup.core.stick import Stick
from handup.desk import Callback, SkippingClock
from handup.domains.domain import NOBODY, PAGE, PEOPLE, SIMULATED, Domain, Task, Workplace
from handup.executive.validator import abilities_of
from handup.journal import Journal

RUN = "check-1"


def check_domain(domain: Domain, options: Mapping[str, Any] | None = None, *, most_steps: int = 10_000) -> None:
    """Run a domain through the contract that handup's own keep, on stores that are thrown away.

    A task runs to its end with simulated people where the domain has them, else with nobody, else at a page where
    every question is left to the robot and a stick is pushed; of one that needs a terminal only the terms are checked.
    Then it runs once more and is left after each of its first steps, and made anew.

    Args:
        domain: The domain.
        options: Options of a short run; the defaults where it is None.
        most_steps: Steps after which a task that has not ended is taken to be endless.

    Raises:
        ContractViolation: Naming every breach.
    """
    breaches: list[str] = []
    if not domain.name or not domain.name.isprintable() or " " in domain.name:
        breaches.append(f"its name is {domain.name!r}: give one printable word")
    if not domain.about.endswith("."):
        breaches.append("its `about` is no sentence: end it with a full stop")
    if not domain.people or set(domain.people) - set(PEOPLE):
        breaches.append(f"its people are {tuple(domain.people)}: name some of {', '.join(PEOPLE)}")
    for check in (_check_order, partial(_check_task, options=options or {}, most_steps=most_steps), _check_world):
        try:
            check(domain)
        except (
            HandupError,
            ArithmeticError,
            AssertionError,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
        ) as error:
            breaches.append(str(error))
    if breaches:
        raise ContractViolation(f"domain '{domain.name}' breaks its contract", hint="\n".join(breaches))


def _check_order(domain: Domain) -> None:
    order = domain.order()
    if domain.order_of(json.loads(json.dumps(domain.options_of(order)))) != order:
        raise ValueError("its usual order does not come back from JSON: use plain values")


def _check_task(domain: Domain, options: Mapping[str, Any], most_steps: int) -> None:
    people = next((kind for kind in (SIMULATED, NOBODY, PAGE) if kind in domain.people), None)
    if domain.task is None or people is None:
        return
    with TemporaryDirectory() as folder:
        whole = _result_of(domain, options, Path(folder) / "whole.db", people, most_steps)
        left = Path(folder) / "left.db"
        for steps in (1, 2):  # leaving after each first step must lose nothing
            _result_of(domain, options, left, people, steps, ends=False)
        resumed = _result_of(domain, options, left, people, most_steps)
        again = _result_of(domain, options, left, people, most_steps)
    if resumed != whole:
        raise ValueError(f"a run that was left and resumed comes to {resumed}, another one to {whole}")
    if again != resumed and people != PAGE:  # what a person did there may be forgotten with the end
        raise ValueError(f"a run that is over comes to {again} when it is told again, not {resumed}")


class _Page:
    """A page that shows nothing and pushes the stick forward, and a clock that does not wait."""

    alive, stopped = True, False

    def __init__(self) -> None:
        self._now_s = 0.0

    @property
    def stick(self) -> Stick:
        return Stick(by="you", device="page", mode="translate", push=(1.0, 0.0, 0.0), close=False, heard_s=self._now_s)

    def clock(self) -> float:
        return self._now_s

    def sleep(self, seconds: float) -> None:
        self._now_s += seconds

    def state(self, state: Mapping[str, Any], /) -> None:
        pass

    def picture(self, name: str, picture: bytes, /) -> None:
        pass


def _result_of(
    domain: Domain, options: Mapping[str, Any], store: Path, people: str, most_steps: int, *, ends: bool = True
) -> dict[str, Any]:
    """Run a task on a store that is opened anew, as by a program of its own, and return its result."""
    clock = SkippingClock()
    with Journal.open(store, clock=clock) as journal:
        clock.skip_to(journal.head().at_s)
        page = _Page()
        place = Workplace(journal, RUN, people=people, robot=domain.robot, clock=page.clock, sleep=page.sleep)
        if people == PAGE:
            left = {True: ReplyKind.NOT_NOW, False: ReplyKind.LET_ROBOT_TRY}  # to the robot, where it may answer
            place.link, place.channels = page, [Callback(lambda record: left[bool(record.question.rule.only_people)])]
        assert domain.task is not None
        task = domain.task(domain.order_of(options), place)
        try:
            _step(task, place, most_steps, ends=ends)
            return dict(json.loads(json.dumps(dict(task.result()), allow_nan=False)))
        finally:
            task.close()
            task.close()
            place.close()


def _step(task: Task, place: Workplace, most_steps: int, *, ends: bool) -> None:
    _check_view(task, place)
    for _ in range(most_steps):
        due_s = task.step()
        _check_view(task, place)
        if due_s is None:
            return
        if not (isinstance(due_s, int | float) and 0.0 <= due_s < math.inf):
            raise ValueError(f"a step gives {due_s!r}: return seconds until the next one, or None at the end")
        task.hold(True)
        task.hold(False)
        place.wait(due_s)
    if ends:
        raise ValueError(f"it has not ended after {most_steps} steps")


def _check_view(task: Task, place: Workplace) -> None:
    try:
        RobotState.model_validate({"robot": place.robot, "at_s": 0.0, **task.view()})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"its view is no state of a robot: {where}: {first['msg']}") from None


def _check_world(domain: Domain) -> None:
    if (world := domain.world) is None:
        return
    stage = world.stage()
    try:
        abilities = abilities_of(stage.actions, {monitor.name: monitor for monitor in stage.monitors})
        for asking in (False, True):
            world.sources(asking=asking).checked(abilities)
        json.dumps(stage.result(), allow_nan=False)
    finally:
        stage.close()
    world.endings().scanned  # noqa: B018 - reads the files
    for drill in world.drills():
        if not (drill.part and drill.failure and drill.words.strip()):
            raise ValueError(f"a drill lacks its words: {drill}")
