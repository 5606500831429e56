"""Settings of an episode: weights, times and limits."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Self

import numpy as np

from handup.core import Malformed, OutOfRange, UnknownName, check_probability, default_horizon, objective_of
from handup.recover.events import Unanswered

NO_LIMIT = 1_000_000
"""More executions than any episode has: no limit."""


class TimeUnit(StrEnum):
    """Units in which an episode counts time."""

    STEPS = "steps"
    """Each question and each execution takes its `ask_time` or `act_time`, 1 by default; waiting takes none."""
    SECONDS = "seconds"
    """By the clock that is passed to `next`."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Weights and limits of an episode. The defaults suit a feeding robot.

    Args:
        w: Weight of the person's load against the robot's time.
        expert: Probability that an answer is right.
        time: Steps or seconds.
        act_time: Duration of an execution.
        ask_time: Duration of a question.
        horizon: Time given to the episode; that of `default_horizon` executions where not given.
        accept_success: An uncertain success counts when its probability, given everything, reaches this.
        not_now_s: Seconds for which a module is not asked about after *not now*.
        someone_else_s: The same after *someone else*: time to find that person.
        expired_s: The same after a question that nobody answered.
        max_questions_per_module: Most questions about one module.
        max_unanswered: Most unanswered questions about one module; then it is not asked about again.
        min_wait_s: Shortest wait.
        max_wait_s: Longest time that an episode may wait in all.
        max_steps_per_module: Most questions and executions per module, whatever the clock says.
        max_executions: Most tries of the robot; then the episode ends.
        ask_again: True if a module may be asked about again while its answer still holds. Give False where the same
            person would only say the same.
        outdated_by_acting: Modules for which an answer holds only until the robot acts. It matters where `ask_again` is
            off; `recover.run` takes them from a policy that `SeesAnew`.
        unseen: For each module, the probability that acting on its mistake looks like a success; 0 for those not named.
            `troubleshoot` weighs it on policies of up to eight modules. The tally knows only what was seen.
        unseen_cost: Cost of such a mistake; that of giving up at once where not given.
        seed: Seed of estimates on policies too tangled to be exact.
    """

    w: float = 0.5
    expert: float = 1.0
    time: TimeUnit = TimeUnit.STEPS
    act_time: float = 1.0
    ask_time: float = 1.0
    horizon: float | None = None
    accept_success: float = 0.5
    not_now_s: float = 120.0
    someone_else_s: float = 30.0
    expired_s: float = 60.0
    max_questions_per_module: int = 5
    max_unanswered: int = 3
    min_wait_s: float = 1.0
    max_wait_s: float = 3600.0
    max_steps_per_module: int = 20
    max_executions: int = NO_LIMIT
    ask_again: bool = True
    outdated_by_acting: Collection[str] = ()
    unseen: Mapping[str, float] = field(default_factory=dict)
    unseen_cost: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name, low, high in (
            ("w", 0.0, 1.0),
            ("expert", 0.0, 1.0),
            ("accept_success", 0.0, 1.0),
            ("not_now_s", 0.0, 1e9),
            ("someone_else_s", 0.0, 1e9),
            ("expired_s", 0.0, 1e9),
            ("min_wait_s", 1e-3, 1e9),
            ("max_wait_s", 0.0, 1e9),
            ("ask_time", 0.0, 1e9),
            ("act_time", 1e-9, 1e9),
            ("max_questions_per_module", 1, 1000),
            ("max_unanswered", 1, 1000),
            ("max_steps_per_module", 2, 1_000_000),
            ("max_executions", 1, NO_LIMIT),
            ("seed", 0, 2**63),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise OutOfRange.of(name, f"{value:g}", f"lie between {low:g} and {high:g}", hint="Change it.")
            if isinstance(low, int) and not isinstance(value, int):
                raise Malformed.of(name, repr(value), "be a whole number", hint="Leave out the fraction.")
        if not isinstance(self.ask_again, bool):
            raise Malformed.of("ask_again", repr(self.ask_again), "be true or false", hint="Write it without quotes.")
        if isinstance(self.outdated_by_acting, str):
            shown = repr(self.outdated_by_acting)
            raise Malformed.of("outdated_by_acting", shown, "be a list of names", hint="Give module names.")
        object.__setattr__(self, "outdated_by_acting", tuple(self.outdated_by_acting))
        for name, chance in self.unseen.items():
            check_probability(f"unseen of '{name}'", chance)
        object.__setattr__(self, "unseen", {str(name): float(chance) for name, chance in self.unseen.items()})
        if self.unseen_cost is not None and not 0.0 <= self.unseen_cost <= 1e15:
            cost = f"{self.unseen_cost:g}"
            raise OutOfRange.of("unseen_cost", cost, "lie between 0 and 1e+15", hint="Give a cost, or leave it out.")
        if self.time not in tuple(TimeUnit):
            raise UnknownName.of("time", repr(self.time), f"be one of {', '.join(TimeUnit)}", hint="Use one of these.")
        object.__setattr__(self, "time", TimeUnit(self.time))
        for name, value in asdict(self).items():
            if isinstance(value, np.floating):
                object.__setattr__(self, name, float(value))
        if self.horizon is not None and not 0.0 < self.horizon <= 1e15:
            shown = f"{self.horizon:g}"
            raise OutOfRange.of("horizon", shown, "be above 0 and at most 1e+15", hint="Give a time, or leave it out.")

    def horizon_of(self, modules: int) -> float:
        """Return the time given to an episode with a policy of so many modules."""
        return default_horizon(modules) * self.act_time if self.horizon is None else self.horizon

    def timed(self, modules: int) -> Settings:
        """Return the settings with the horizon as a number, which a record keeps even if the default changes."""
        return replace(self, horizon=self.horizon_of(modules))

    def mistake_cost(self, modules: int) -> float:
        """Return the cost of a mistake that nobody sees, with a policy of so many modules."""
        return objective_of(self.w, 0.0, self.horizon_of(modules)) if self.unseen_cost is None else self.unseen_cost

    def pause_s(self, why: Unanswered) -> float:
        """Return the time for which a module is not asked about after a question without an answer, in seconds."""
        return {
            Unanswered.NOT_NOW: self.not_now_s,
            Unanswered.SOMEONE_ELSE: self.someone_else_s,
            Unanswered.EXPIRED: self.expired_s,
            Unanswered.LET_ROBOT_TRY: 0.0,
        }[why]

    def to_json(self) -> dict[str, Any]:
        """Return a plain record: keyword arguments for the same settings. Later fields are left out where unused."""
        later = {
            "max_executions": self.max_executions < NO_LIMIT,
            "ask_again": not self.ask_again,
            "outdated_by_acting": bool(self.outdated_by_acting),
            "unseen": bool(self.unseen),
            "unseen_cost": self.unseen_cost is not None,
        }
        return {name: value for name, value in asdict(self).items() if later.get(name, True)}

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Self:
        """Return the settings of a session's record, with the horizon that was the default when it was written."""
        settings = cls(**record["settings"])
        if settings.horizon is None:  # written when two executions for each module were the default
            return replace(settings, horizon=2.0 * len(record["policy"]["modules"]) * settings.act_time)
        return settings
