"""The protocol of module selectors (*what* to ask about), and its contract as a check that any author can run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handup.core import Costs, Registry
from handup.core.contract import Contract
from handup.policy import Belief, Gate, Module, ModuleGraph

TIE = 1e-12
"""Largest difference of two values that count as equal; of equals the upstream module wins."""
COPY = "Copy arrays before you write to them."
STATELESS = "Keep no state, draw nothing."
REASON = "Say in one sentence why."


@dataclass(frozen=True)
class Situation:
    """Input of a selector or querying algorithm.

    Args:
        belief: The belief about the policy.
        costs: Costs of questions and time now.
        open: Mask of the modules that may be selected: not answered, and free to be asked about now.
    """

    belief: Belief
    costs: Costs
    open: NDArray[np.bool_]

    @cached_property
    def gain(self) -> NDArray[np.float64]:
        """Rise in each module's confidence that an answer would bring: c_e - c."""
        return self.costs.expert - self.belief.confidences

    def name(self, module: int) -> str:
        """Return the name of a module."""
        return self.belief.graph.names[module]


@dataclass(frozen=True)
class Selection:
    """A selector's choice.

    Args:
        module: Position of the module to ask about; None: ask nothing.
        reason: One sentence for a person.
        values: The rule's value of asking about each module (lower is better), nan where it has none.
        nothing: Its value of asking nothing, where it weighs that.
    """

    module: int | None
    reason: str
    values: NDArray[np.float64]
    nothing: float | None = None


class Selector(Protocol):
    """Chooses a module. Implementations are frozen dataclasses whose fields are their settings."""

    @property
    def name(self) -> str:
        """Name of the selector on the command line; a `ClassVar[str]` in most."""
        ...

    def select(self, situation: Situation) -> Selection:
        """Return the open module to ask about, or none. Pure: the same situation gives the same selection."""
        ...


SELECTORS: Registry[Selector] = Registry("selector", "handup.selectors")


def first_best(values: NDArray[np.float64], among: NDArray[np.bool_]) -> int | None:
    """Return the upstream-most position of the smallest values; None when there is nothing to choose from."""
    masked = np.where(among, values, np.inf)
    best = int(masked.argmin()) if len(masked) else 0
    if not among[best]:  # every value to choose from is infinite, as the masked ones are
        best_open = np.flatnonzero(among)
        return int(best_open[0]) if len(best_open) else None
    return int((masked <= masked[best] + TIE).argmax())


def only(values: NDArray[np.float64], among: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the values of the open modules, nan elsewhere."""
    return np.where(among, values, np.nan)


def questions(count: int) -> str:
    """Return a number of questions in words."""
    return "1 question" if count == 1 else f"{count} questions"


def none_left(situation: Situation) -> Selection:
    """Return the selection for a situation without open modules."""
    return Selection(None, "Every module has been asked about or may not be now.", np.full(len(situation.open), np.nan))


def example_beliefs() -> Iterator[tuple[str, Belief]]:
    """Yield named beliefs of all sorts: one module and many, chains and gates, before, during and after questions."""
    confidences = (0.9, 0.2, 1.0, 0.0, 0.6)
    chain = ModuleGraph.chain(Module(f"m{i}", c, 0.1 * (i + 1)) for i, c in enumerate(confidences))
    gates = ModuleGraph(
        [
            Module("camera", 0.7, 0.2),
            Module("haptics", 0.4, 0.5),
            Module("fusion", 0.9, 0.1, ("camera", "haptics"), Gate.OR),
            Module("grasp", 0.3, 0.3, ("fusion", "camera")),
        ]
    )
    single = ModuleGraph([Module("only", 0.5)])
    for name, graph in (("one module", single), ("a chain", chain), ("gates with shared inputs", gates)):
        belief = Belief.of(graph)
        yield f"{name}, nothing known", belief
        yield f"{name}, after a failure", belief.after_execution(False)
        last = len(graph) - 1
        answered = belief.after_execution(False).after_answer(last, changed=False, expert=0.9)
        yield f"{name}, after a failure and an answer", answered
        yield f"{name}, with a module that may not be asked about", belief.blocked(0, np.inf)
        everything = belief
        for module in range(len(graph)):
            everything = everything.after_answer(module, changed=True, expert=0.9)
        yield f"{name}, all answered", everything
    yield "two hundred modules", Belief.of(ModuleGraph.chain(Module(f"m{i}", 0.9) for i in range(200)))


def example_situations() -> Iterator[tuple[str, Situation]]:
    """Yield a named situation for each example belief and a few weights and experts."""
    for name, belief in example_beliefs():
        for w, expert in ((0.5, 1.0), (0.1, 0.8), (1.0, 1.0), (0.0, 0.6)):
            costs = Costs.of(belief.graph.query_costs, expert=expert, w=w)
            yield f"{name}, w = {w:g}, expert {expert:g}", Situation(belief, costs, ~belief.answered & belief.free(0.0))


def contents(belief: Belief, costs: Costs, *more: NDArray[np.bool_]) -> tuple[bytes, ...]:
    """Return the contents of all arrays that an author's code could write to, to be compared afterwards."""
    arrays = (belief.confidences, belief.answered, belief.blocked_until_s, costs.query, costs.expert, costs.ask_time)
    return tuple(array.tobytes() for array in (*arrays, *more))


def check_selector(selector: Selector, *, most_modules: int | None = None) -> None:
    """Run a selector through the contract that handup's own keep.

    Args:
        selector: An instance, with the settings it will be used with.
        most_modules: Largest policy that the selector takes on; larger examples are left out.

    Raises:
        ContractViolation: The selector breaks the contract; the message names the situation and the fault.
    """
    contract = Contract(f"selector {type(selector).__name__}")
    contract.is_named(selector)
    for name, situation in example_situations():
        if most_modules is not None and len(situation.open) > most_modules:
            continue
        case = contract.on(f"with {name}")
        before = contents(situation.belief, situation.costs, situation.open)
        selection = selector.select(situation)
        unchanged = contents(situation.belief, situation.costs, situation.open) == before
        case.keeps(unchanged, "changes what it was given", COPY)
        _check_selection(case, situation, selection)
        again = selector.select(situation)
        case.keeps(again.module == selection.module, "chooses differently the second time", STATELESS)


def _check_selection(case: Contract, situation: Situation, selection: Selection) -> None:
    case.keeps(isinstance(selection, Selection), f"returns {type(selection).__name__}", "Return a Selection.")
    module, modules = selection.module, len(situation.open)
    if module is not None:
        position = isinstance(module, int) and 0 <= module < modules
        case.keeps(position, f"chooses {module!r}", "Choose a position or None.")
        closed = f"chooses '{situation.name(module)}', which is not open"
        case.keeps(situation.open[module], closed, "Choose only where situation.open is true.")
    shape = np.shape(selection.values)
    case.keeps(shape == (modules,), f"gives {shape} values", "Give one per module, nan where none.")
    case.keeps(selection.reason.strip(), "gives no reason", REASON)
