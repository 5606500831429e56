"""The study of reaching as data: its parts, and what of them one process does at once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from handup.core import BadSetting
from handup.domains.reaching import Method, Rules, Strategy, User, helped_by, scene
from handup.intent import PRESETS, Helper, Paper, Points, helper_of
from handup.intent.command import ALPHA

SCHEMA = 1
LAST_SEED, FIRST_TRYING = 999, 5000
"""The study has seeds up to the first; those from the second on are for trying things out while code is written."""
MOST_SEED = 2**31
MOST_SEEDS = 1000
BLOCK = 20
"""So many seeds are done at once and kept in one file."""
LOOK_AHEADS_S = (0.1, 0.3, 1.0, 2.0)
MIXED = "mixed"
"""All three strategies; where a seed has only one of them, they take turns."""


def of_look_ahead(seconds: float) -> str:
    """What the paper's policy with another T is called."""
    return f"paper, T = {seconds:g} s"


def helper(name: str) -> Helper:
    """The helper of a method of the study.

    Raises:
        UnknownMethod: There is none.
    """
    for seconds in LOOK_AHEADS_S:
        if name == of_look_ahead(seconds):
            return replace(Paper(), name=name, points=Points(look_ahead_s=seconds))
    return helper_of(name)


@dataclass(frozen=True, kw_only=True)
class Part:
    """Trials that belong together. All of its methods have the same people, wishes and noise, by the seed.

    Args:
        name: Short, unique in the study.
        about: In a few words.
        scenes: By name; the paper's tasks of each.
        methods: By name.
        seeds: How many, from …
        quick: … or so few for a first look.
        first_seed: … this on.
        users: Strategies, each with all seeds; or `MIXED` alone, where each seed has one of them in turn.
        alpha: How much of the robot's velocity is added.
    """

    name: str
    about: str
    scenes: tuple[str, ...]
    methods: tuple[str, ...]
    seeds: int
    quick: int
    first_seed: int
    users: tuple[str, ...] = tuple(Strategy)
    alpha: float = ALPHA

    def __post_init__(self) -> None:
        for name in self.methods:
            helper(name)
        for name in self.scenes:
            scene(name)
        if not 1 <= self.seeds <= MOST_SEEDS or self.first_seed + self.seeds > LAST_SEED + 1:
            raise BadSetting(f"the seeds of '{self.name}' reach too far", hint=f"End them at {LAST_SEED}.")


@dataclass(frozen=True, kw_only=True)
class Sitting:
    """The tasks of one scene with one method, for some seeds. A process does it at once; a file keeps it.

    Args:
        study: The study's name.
        part: The part's name.
        scene: Where.
        method: What helps.
        user: A strategy, or `MIXED`.
        alpha: How much of the robot's velocity is added.
        first_seed: Of the first; the next ones follow.
        seeds: How many.
    """

    study: str
    part: str
    scene: str
    method: str
    user: str
    alpha: float
    first_seed: int
    seeds: int

    @property
    def tasks(self) -> tuple[str, ...]:
        """The paper's tasks there."""
        return scene(self.scene).tasks

    @property
    def expected(self) -> int:
        """How many trials."""
        return len(self.tasks) * self.seeds

    @property
    def helped(self) -> Method:
        """What helps."""
        return helped_by(helper(self.method))

    @property
    def rules(self) -> Rules:
        """The terms."""
        return Rules(alpha=self.alpha)

    def user_of(self, seed: int) -> User:
        """What kind of person has a seed."""
        if self.user == MIXED:
            return User(strategy=tuple(Strategy)[seed % len(Strategy)])
        return User(strategy=Strategy(self.user))

    @property
    def config(self) -> str:
        """A short name of everything that decides its rows, but for code."""
        where = {"scene": self.scene, "tasks": self.tasks, "user": self.user, "alpha": self.alpha}
        seeds = {"first_seed": self.first_seed, "seeds": self.seeds}
        record = {"schema": SCHEMA, "part": self.part, "method": repr(helper(self.method)), **where, **seeds}
        return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def label(self) -> str:
        """In words, for errors."""
        seeds = f"seeds {self.first_seed} to {self.first_seed + self.seeds - 1}"
        return f"{self.scene} with '{self.method}' for {self.user} users, {seeds}"

    def to_json(self) -> dict[str, Any]:
        """What its rows begin with."""
        return {
            "config": self.config,
            "study": self.study,
            "part": self.part,
            "scene": self.scene,
            "method": self.method,
            "user": self.user,
            "alpha": self.alpha,
        }


@dataclass(frozen=True, kw_only=True)
class ReachingStudy:
    """A question that trials answer.

    Args:
        name: As in `handup study run NAME`.
        title: One line.
        figure: Where the paper shows it.
        question: One sentence.
        parts: What is run; the first is the one with all scenes, users and methods.
    """

    name: str
    title: str
    figure: str
    question: str
    parts: tuple[Part, ...]

    @property
    def main(self) -> Part:
        """That with all scenes, users and methods."""
        return self.parts[0]

    @property
    def cells(self) -> int:
        """Tasks times users times methods, over all parts."""
        return sum(
            len(scene(name).tasks) * len(part.users) * len(part.methods) for part in self.parts for name in part.scenes
        )

    def part(self, name: str) -> Part:
        """The part of this name.

        Raises:
            BadSetting: There is none.
        """
        for each in self.parts:
            if each.name == name:
                return each
        raise BadSetting(f"'{self.name}' has no part '{name}'", hint="See handup.lab.reaching.studies.")

    def sittings(self, size: Size) -> Iterator[Sitting]:
        """Everything to run, seeds first, so that a stopped run has whole pairs."""
        for part in self.parts:
            first, seeds = size.first_of(part), size.seeds_of(part)
            for start in range(first, first + seeds, BLOCK):
                for name in part.scenes:
                    for user in part.users:
                        for method in part.methods:
                            yield Sitting(
                                study=self.name,
                                part=part.name,
                                scene=name,
                                method=method,
                                user=user,
                                alpha=part.alpha,
                                first_seed=start,
                                seeds=min(BLOCK, first + seeds - start),
                            )


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much of the study.

    Args:
        quick: Whether it is a first look, with few seeds.
        seed: Added to every seed: whoever changes a method takes others than the study's own, which nobody may see
            before; from `FIRST_TRYING` on.

    Raises:
        BadSetting: Some of the seeds would be the study's own, and others not.
    """

    quick: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.seed and not FIRST_TRYING <= self.seed <= MOST_SEED:
            raise BadSetting(
                f"seed is {self.seed}", hint=f"Leave it out, or give {FIRST_TRYING} or more to try something out."
            )

    def seeds_of(self, part: Part) -> int:
        """How many seeds a part has."""
        return part.quick if self.quick else part.seeds

    def first_of(self, part: Part) -> int:
        """The first of them."""
        return part.first_seed + self.seed

    @property
    def options(self) -> str:
        """As on the command line."""
        return f"{' --quick' if self.quick else ''}{f' --seed {self.seed}' if self.seed else ''}"

    def command(self, study: ReachingStudy) -> str:
        """The command that runs it again."""
        return f"handup study run {study.name}{self.options}"


ALL_METHODS = tuple(PRESETS)
