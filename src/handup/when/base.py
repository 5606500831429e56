"""The protocols of querying algorithms (*when* to ask) and of whole strategies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from handup.core import Costs, Decision, Registry
from handup.policy import Belief
from handup.what import Selection, Selector, Situation


@dataclass(frozen=True)
class Choice:
    """What a querying algorithm chose.

    Args:
        ask: Whether to ask about the selected module rather than act.
        reason: One sentence for a person.
        selection: What the selector said, where it was consulted.
    """

    ask: bool
    reason: str
    selection: Selection | None = None


class When(Protocol):
    """Decides between asking and acting. Implementations are frozen dataclasses whose fields are their settings."""

    @property
    def name(self) -> str:
        """What the algorithm is called on the command line; a `ClassVar[str]` in most."""
        ...

    def choose(self, situation: Situation, selector: Selector) -> Choice:
        """Ask about the selector's module, or act. Pure: everything it may look at is in the situation."""
        ...


class Strategy(Protocol):
    """Decides what a robot does next. Frozen: a strategy keeps no memory of an episode."""

    @property
    def name(self) -> str:
        """How the method is written: `troubleshoot`, or `SELECTOR+WHEN`."""
        ...

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        """Act, ask, wait or yield. Pure: the same belief, costs and time give the same decision."""
        ...

    def parameters(self, costs: Costs) -> dict[str, float]:
        """The strategy's own numbers in force, by the names that people use: `epsilon`, `lambda`, `tau`."""
        ...

    def with_parameter(self, name: str, value: float) -> Strategy:
        """The same strategy with one of its numbers changed."""
        ...


WHENS: Registry[When] = Registry("querying algorithm", "handup.when")


def asked(selection: Selection, why: str = "") -> Choice:
    """Ask about the selection's module."""
    return Choice(True, f"{selection.reason} {why}".strip(), selection)


def nothing_to_ask(selection: Selection) -> Choice:
    """Act because the selector names no module."""
    return Choice(False, f"Acting: {selection.reason[:1].lower()}{selection.reason[1:]}", selection)
