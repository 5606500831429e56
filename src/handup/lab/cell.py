"""One cell of a study: a world, a method and how many episodes. Everything that names a result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from handup.core import Malformed, OutOfRange, UnknownMethod, UnknownName, WrongSize
from handup.when import Strategy, strategy

SCHEMA = 1
"""Raised whenever the same settings would give other rows; stored rows of another schema are not used again."""
REPLICA_SELECTORS = ("never", "topo", "confidence", "brute-force", "binary-tree", "graph")
REPLICA_WHENS = ("execute-first", "query-then-execute", "until-confident", "workload-aware", "query-for-all")
MAX_MODULES = 1000
MAX_EPISODES = 100_000_000


class Structure(StrEnum):
    """Structure of a random policy: the way in which its modules depend on each other."""

    AND = "and"
    OR = "or"
    AND_THEN_OR = "and-then-or"
    OR_THEN_AND = "or-then-and"
    CHAIN = "chain"


class WorldKind(StrEnum):
    """World whose rules hold in the simulation."""

    DEFAULT = "default"
    """handup's model: an answer concerns a module's own state and stays valid."""
    REPLICA = "replica"
    """The reference code's behaviour, quirks and all, for comparison only."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Settings of one simulated condition; the defaults are the paper's fixed values.

    Args:
        modules: N. The replica counts the state node too, so N - 1 modules can be asked about.
        structure: Dependence of the modules.
        confidences: Confidence of high and of low modules; a module works with that probability.
        low: How many modules have the low confidence; all, where there are fewer.
        query_cost: Q, the mean cost of a question.
        beta: Costs are drawn from U[(1-β)Q, (1+β)Q] for each module.
        expert: Probability that an answer is right.
        method: `troubleshoot` or `SELECTOR+WHEN`.
        world: Whose rules hold.
        w: Weight of load against time.
        epsilon: ε of graph and hybrid; the method's own where not given. So are τ and λ.
        tau: τ of until-confident.
        lambda_: λ of workload-aware; the key is `lambda`.
        episodes: How many.
        seed: Which ones. Cells that differ in nothing but the method live through the same episodes.
    """

    modules: int = 10
    structure: Structure = Structure.AND
    confidences: tuple[float, float] = (1.0, 0.1)
    low: int = 3
    query_cost: float = 0.32
    beta: float = 0.0
    expert: float = 1.0
    method: str = "graph+workload-aware"
    world: WorldKind = WorldKind.DEFAULT
    w: float = 0.5
    epsilon: float | None = None
    tau: float | None = None
    lambda_: float | None = None
    episodes: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        replica = self.world == WorldKind.REPLICA
        if not isinstance(self.method, str):
            raise Malformed.of("method", repr(self.method), "be a text", hint="Name a method, such as troubleshoot.")
        kinds: dict[str, type[StrEnum]] = {"structure": Structure, "world": WorldKind}
        for name, kind in kinds.items():
            if (value := getattr(self, name)) not in tuple(kind):
                raise UnknownName.of(name, f"'{value}'", f"be a {name}", hint=f"Use one of: {', '.join(kind)}.")
            object.__setattr__(self, name, kind(value))
        check_whole("modules", self.modules, 2 if replica else 1, MAX_MODULES)
        check_whole("low", self.low, 0, max(self.modules, 3))
        check_whole("episodes", self.episodes, 1, MAX_EPISODES)
        check_whole("seed", self.seed, 0, 2**63)
        own = [name for name in ("epsilon", "tau", "lambda_") if getattr(self, name) is not None]
        for name in ("beta", "expert", "w", "query_cost", *own):
            most = 1.0 if name in ("beta", "expert", "w") else 1e9
            object.__setattr__(self, name, _checked(name.rstrip("_"), getattr(self, name), most))
        if not isinstance(self.confidences, tuple | list) or len(self.confidences) != 2:
            raise WrongSize.of(
                "confidences", repr(self.confidences), "be two", hint="Give that of high and that of low modules."
            )
        object.__setattr__(
            self, "confidences", tuple(_checked("a confidence", value, 1.0) for value in self.confidences)
        )
        if replica:
            self._check_replica_method()
        self.strategy  # noqa: B018 - a method that cannot be made is refused here

    @property
    def horizon(self) -> int:
        """Steps given to an episode: 2N as published, also for so few modules that `default_horizon` is longer."""
        return 2 * self.modules

    @cached_property
    def strategy(self) -> Strategy:
        """The method, made with its settings."""
        parameters = {name: getattr(self, name) for name in ("epsilon", "tau", "lambda_")}
        return strategy(self.method, **{name: value for name, value in parameters.items() if value is not None})

    @property
    def askable(self) -> int:
        """Number of modules that can be asked about."""
        return self.modules - 1 if self.world is WorldKind.REPLICA else self.modules

    @property
    def lows(self) -> int:
        """Number of modules with the low confidence, at most all that there are."""
        return min(self.low, self.askable)

    @property
    def config(self) -> str:
        """A short name of all settings, for files and rows."""
        text = json.dumps({"schema": SCHEMA, **self.to_json()}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def with_method(self, method: str) -> Cell:
        """The same episodes, another method."""
        return replace(self, method=method)

    def to_json(self) -> dict[str, Any]:
        """A plain record under the keys of `handup study cell --set`."""
        record = {key: getattr(self, name) for key, name in KEYS.items()}
        record["structure"], record["world"] = str(self.structure), str(self.world)
        record["confidences"] = list(self.confidences)
        return record

    @classmethod
    def from_text(cls, given: Mapping[str, str]) -> Cell:
        """A cell from `KEY=VALUE` texts; keys that are not given keep their default.

        Raises:
            BadSetting: An unknown key, or a value that is none; the message lists the good ones.
        """
        unknown = [key for key in given if key not in KEYS]
        if unknown:
            raise UnknownName(f"there is no setting '{unknown[0]}'", hint=f"Use one of: {', '.join(KEYS)}.")
        return cls(**{KEYS[key]: _read(key, text) for key, text in given.items()})

    def _check_replica_method(self) -> None:
        what, _, when = self.method.partition("+")
        if what not in REPLICA_SELECTORS or when not in REPLICA_WHENS:
            raise UnknownMethod(
                f"the replica knows no method '{self.method}'",
                hint=f"Write SELECTOR+WHEN of {', '.join(REPLICA_SELECTORS)} and {', '.join(REPLICA_WHENS)}.",
            )


KEYS: Mapping[str, str] = {field.name.rstrip("_"): field.name for field in fields(Cell)}
"""The settings' public names and the fields behind them."""


def _read(key: str, text: str) -> Any:
    """Convert a text to a value of the kind of the default."""
    usual, kind = getattr(Cell, KEYS[key]), "a number"
    if isinstance(usual, str):
        return text
    try:
        if isinstance(usual, tuple):
            kind = "two numbers such as 0.9,0.2"
            high, low = map(float, text.split(","))
            return high, low
        if isinstance(usual, int):
            kind = "a whole number"
            return int(text)
        return float(text)
    except ValueError:
        raise Malformed.of(key, f"'{text}'", f"be {kind}", hint=f"Give {kind}.") from None


def _checked(name: str, value: object, most: float) -> float:
    if not isinstance(value, int | float | np.floating) or isinstance(value, bool) or not 0.0 <= value <= most:
        must = f"lie between 0 and {most:g}"
        raise OutOfRange.of(name, repr(value), must, hint=f"Give a number from 0 to {most:g}.")
    return float(value)


def check_whole(name: str, value: object, least: int, most: int) -> None:
    """Refuse everything but whole numbers of a range."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        hint = f"Give a whole number from {least} to {most}."
        raise OutOfRange.of(name, repr(value), f"be a whole number from {least:,} to {most:,}", hint=hint)
