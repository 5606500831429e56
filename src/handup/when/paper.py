"""The core paper's five querying algorithms: each asks about the module that a selector names, or acts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from handup.core import OutOfRange
from handup.what import Selection, Selector, Situation, Topo
from handup.what.base import TIE
from handup.when.base import WHENS, Choice


def _as_selected(selection: Selection, why: str = "") -> Choice:
    """Ask about the selection's module; act where it names none."""
    if selection.module is None:
        return Choice(False, f"Acting: {selection.reason[:1].lower()}{selection.reason[1:]}", selection)
    return Choice(True, f"{selection.reason} {why}".strip(), selection)


@WHENS.register
@dataclass(frozen=True)
class ExecuteFirst:
    """Algorithm that acts first, then asks before each further try.

    It is cheap for the person where the robot is mostly right.
    """

    name: ClassVar[str] = "execute-first"

    def choose(self, situation: Situation, selector: Selector) -> Choice:
        """Ask exactly one question between two executions, none before the first."""
        progress = situation.belief.progress
        if progress.acts == 0:
            return Choice(False, "Acting: it has not been tried yet.")
        if progress.asks_since_act:
            return Choice(False, "Acting: a question was answered since the last try.")
        return _as_selected(selector.select(situation), "The last try failed.")


@WHENS.register
@dataclass(frozen=True)
class QueryForAll:
    """Algorithm that asks about every module once, in the selector's order, or in topological order without one."""

    name: ClassVar[str] = "query-for-all"

    def choose(self, situation: Situation, selector: Selector) -> Choice:
        """Ask while a module is open."""
        if not situation.open.any():
            return Choice(False, "Acting: every module has been asked about or may not be now.")
        selection = selector.select(situation)
        return _as_selected(Topo().select(situation) if selection.module is None else selection)


@WHENS.register
@dataclass(frozen=True)
class QueryThenExecute:
    """Algorithm that asks one question before each try. For policies that are rarely right without help."""

    name: ClassVar[str] = "query-then-execute"

    def choose(self, situation: Situation, selector: Selector) -> Choice:
        """Ask exactly one question before each execution."""
        if situation.belief.progress.asks_since_act:
            return Choice(False, "Acting: a question was answered since the last try.")
        return _as_selected(selector.select(situation))


@WHENS.register
@dataclass(frozen=True)
class UntilConfident:
    """Algorithm that asks, at least once before every try, until r̂ > τ.

    r̂ is the success probability by the forward pass: like all the paper's algorithms this one learns nothing from a
    failed execution.

    Args:
        tau: The success probability above which it acts, from 0 to 1.
    """

    name: ClassVar[str] = "until-confident"
    tau: float = 0.5

    def __post_init__(self) -> None:
        if not 0.0 <= self.tau <= 1.0:
            raise OutOfRange.of("tau", f"{self.tau:g}", "lie between 0 and 1", hint="Give a probability.")

    def choose(self, situation: Situation, selector: Selector) -> Choice:
        """Ask while the forward pass is not confident enough."""
        reliability = situation.belief.forward.reliability
        if situation.belief.progress.asks_since_act and reliability > self.tau + TIE:
            return Choice(False, f"Acting: success has probability {reliability:.3g}, above {self.tau:g}.")
        return _as_selected(selector.select(situation), f"Success has probability {reliability:.3g} without it.")


@WHENS.register
@dataclass(frozen=True)
class WorkloadAware:
    """Algorithm that asks about the selected module, or acts if c_e - c < λ·q.

    Args:
        lambda_: Weight of a question's cost against the confidence it gains, at least 0.
    """

    name: ClassVar[str] = "workload-aware"
    lambda_: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.lambda_ < float("inf"):
            raise OutOfRange.of("lambda", f"{self.lambda_:g}", "be finite and at least 0", hint="Give such a weight.")

    def choose(self, situation: Situation, selector: Selector) -> Choice:
        """Ask while the gain covers the cost."""
        selection = selector.select(situation)
        if selection.module is None:
            return _as_selected(selection)
        gain = float(situation.gain[selection.module])
        price = self.lambda_ * float(situation.costs.query[selection.module])
        if gain < price - TIE:
            name = situation.name(selection.module)
            reason = f"Acting: asking about '{name}' would gain {gain:.3g} for a load of {price:.3g}."
            return Choice(False, reason, selection)
        return _as_selected(selection)
