"""A robot for these tests: actions made in a few words, in a world that keeps its effects in a file of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

from handup.executive.action import Call, Done, NotStarted, Outcome, RobotAction, Working

Does = Callable[[Call], Outcome]


def acting(
    name: str,
    does: Does = lambda call: Done(),
    *,
    takes: tuple[str, ...] = (),
    gives: tuple[str, ...] = (),
    codes: tuple[str, ...] = (),
    lasts_s: float = 0.0,
    repeatable: bool = False,
    sense: Callable[[Call], Outcome | NotStarted | None] | None = None,
    stopped: list[str] | None = None,
    **more: Any,
) -> type[RobotAction]:
    """A class of actions that do one thing at the end of their time."""

    def __init__(self: Any) -> None:
        self.call = None

    def start(self: Any, call: Call) -> None:
        self.call = call

    def step(self: Any) -> Generator[Working, None, Outcome]:
        if lasts_s:
            yield Working(lasts_s, name)
        return does(self.call)

    def stop(self: Any) -> None:
        if stopped is not None:
            stopped.append(name)

    body: dict[str, Any] = {
        "__init__": __init__,
        "start": start,
        "step": step,
        "stop": stop,
        "name": name,
        "takes": takes,
        "gives": gives,
        "codes": codes,
        "repeatable": repeatable,
        **more,
    }
    if sense is not None:
        body["sense"] = lambda self, call: sense(call)
    return type(name, (), body)


def after(do: Callable[[Call], object]) -> Does:
    """Do something, and be done."""

    def does(call: Call) -> Outcome:
        do(call)
        return Done()

    return does


def by_name(*actions: type[RobotAction]) -> dict[str, type[RobotAction]]:
    return {each.name: each for each in actions}


class Ground:
    """A world in a file: each effect is one line, which a kill cannot tear apart."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def effects(self) -> list[dict[str, Any]]:
        if not self.path.exists():
            return []
        return [json.loads(line) for line in self.path.read_text().splitlines()]

    def effect(self, name: str, call: Call, **more: Any) -> None:
        with self.path.open("a") as file:
            file.write(json.dumps({"does": name, "number": call.number, "again": call.again, **more}) + "\n")

    def happened(self, number: int) -> Mapping[str, Any] | None:
        return next((each for each in self.effects() if each["number"] == number), None)
