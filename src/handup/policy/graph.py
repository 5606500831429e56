"""The module graph: which modules a policy has, how they hang together, and when it succeeds."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadPolicy, Question, RawScore, UnknownModule, calibrator_from_json
from handup.policy.circuit import Circuit, CircuitBuilder
from handup.policy.diagram import Diagram
from handup.policy.expression import Combination, parse_expression
from handup.policy.module import Gate, Module

MAX_MODULES = 100_000


class ModuleGraph:
    """A robot policy as the deciding code sees it. Immutable.

    Modules stand in topological order (Kahn's, by order of insertion), and every array that speaks of modules is
    in that order. "Upstream" means earlier in it.

    Args:
        modules: In any order. Exactly one may feed no other: it gives the action.
        success: Instead of inputs and gates, an expression over module names such as
            `all(food, any(camera, haptics), skill)`. The modules then stand in the order in which it names them.

    Raises:
        BadPolicy: On a cycle, an unknown input, two modules of one name, two final modules, none at all.
    """

    def __init__(self, modules: Iterable[Module], *, success: str | None = None) -> None:
        given = tuple(modules)
        by_name = _by_name(given)
        if success is None:
            self.modules = _topological(given, by_name)
            _check_one_final(self.modules)
        else:
            expression = parse_expression(success)
            self.modules = _in_expression_order(expression, by_name)
        self.success = success
        self.names: tuple[str, ...] = tuple(module.name for module in self.modules)
        self._index = {name: position for position, name in enumerate(self.names)}
        self.confidences = _frozen([module.confidence for module in self.modules])
        self.query_costs = _frozen([module.query_cost for module in self.modules])
        self.circuit = self._gates_circuit() if success is None else self._expression_circuit(expression)
        self.is_series = self.circuit.is_series

    @classmethod
    def chain(cls, modules: Iterable[Module]) -> ModuleGraph:
        """A policy in which each module feeds the next, in the given order; their own `inputs` are replaced."""
        linked: list[Module] = []
        for module in modules:
            inputs = (linked[-1].name,) if linked else ()
            linked.append(replace(module, inputs=inputs, gate=Gate.AND))
        return cls(linked)

    def __len__(self) -> int:
        return len(self.modules)

    def __repr__(self) -> str:
        return f"ModuleGraph({', '.join(self.names[:6])}{', …' if len(self) > 6 else ''})"

    def index(self, name: str) -> int:
        """Position of a module in topological order.

        Raises:
            UnknownModule: The policy has no module of that name.
        """
        try:
            return self._index[name]
        except KeyError:
            raise UnknownModule(f"the policy has no module '{name}'", hint=f"It has: {listed(self.names)}.") from None

    def calibrated(self, raw: Mapping[str, RawScore]) -> dict[str, float]:
        """Confidences of raw scores, by the modules' calibrators: what `Session.forwarded` takes.

        Args:
            raw: For some of the modules what they say of their own output.

        Raises:
            UnknownModule, BadPolicy: A name or a score is wrong, or a module has no calibrator.
        """
        return {name: self.modules[self.index(name)].calibrated(score) for name, score in raw.items()}

    @cached_property
    def diagram(self) -> Diagram | None:
        """Success as a decision diagram, or None where it grows too wide to be exact."""
        return Diagram.of(self.circuit)

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        modules = {
            module.name: {
                "confidence": module.confidence,
                "query_cost": module.query_cost,
                "inputs": list(module.inputs),
                "gate": str(module.gate),
                "question": None if module.question is None else module.question.to_json(),
                **({} if module.calibrator is None else {"calibrator": module.calibrator.to_json()}),
            }
            for module in self.modules
        }
        return {"modules": modules, "success": self.success}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> ModuleGraph:
        """The graph that `to_json` wrote."""
        modules = [
            Module(
                name,
                entry["confidence"],
                entry["query_cost"],
                tuple(entry["inputs"]),
                Gate(entry["gate"]),
                None if entry["question"] is None else Question.from_json(entry["question"]),
                calibrator_from_json(entry["calibrator"]) if "calibrator" in entry else None,
            )
            for name, entry in record["modules"].items()
        ]
        return cls(modules, success=record["success"])

    def _gates_circuit(self) -> Circuit:
        builder = CircuitBuilder(len(self))
        outputs: list[int] = []
        for position, module in enumerate(self.modules):
            inputs = [outputs[self._index[name]] for name in module.inputs]
            if module.gate is Gate.OR and inputs:
                inputs = [builder.add(Gate.OR, inputs)]
            outputs.append(builder.add(Gate.AND, [position, *inputs]))
        return builder.finish(outputs[-1])

    def _expression_circuit(self, expression: Combination) -> Circuit:
        builder = CircuitBuilder(len(self))

        def add(part: Combination | str) -> int:
            if isinstance(part, str):
                return self._index[part]
            return builder.add(part.gate, [add(each) for each in part.parts])

        return builder.finish(add(expression))


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names for a message, cut where there are many."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown}, … ({len(names)} in all)"


def _frozen(values: list[float]) -> NDArray[np.float64]:
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def _by_name(modules: Sequence[Module]) -> dict[str, Module]:
    if not modules:
        raise BadPolicy("the policy has no modules", hint="List at least one module.", about=("modules",))
    if len(modules) > MAX_MODULES:
        raise BadPolicy(
            f"the policy has {len(modules)} modules", hint=f"At most {MAX_MODULES} are taken.", about=("modules",)
        )
    by_name: dict[str, Module] = {}
    for module in modules:
        if module.name in by_name:
            raise BadPolicy(
                f"two modules are called '{module.name}'",
                hint="Give each module its own name.",
                about=("modules", module.name),
            )
        by_name[module.name] = module
    return by_name


def _topological(modules: Sequence[Module], by_name: Mapping[str, Module]) -> tuple[Module, ...]:
    consumers: dict[str, list[Module]] = {name: [] for name in by_name}
    for module in modules:
        for name in module.inputs:
            if name not in by_name:
                raise BadPolicy(
                    f"'{module.name}' takes '{name}', which is no module",
                    hint=f"Known: {listed(tuple(by_name))}.",
                    about=("modules", module.name, "inputs", name),
                )
            consumers[name].append(module)
    missing = {module.name: len(module.inputs) for module in modules}
    ready = deque(module for module in modules if not module.inputs)
    order: list[Module] = []
    while ready:
        module = ready.popleft()
        order.append(module)
        for consumer in consumers[module.name]:
            missing[consumer.name] -= 1
            if missing[consumer.name] == 0:
                ready.append(consumer)
    if len(order) < len(modules):
        cycle = _cycle(by_name, missing)
        shown = [*cycle, cycle[0]] if len(cycle) <= 12 else [*cycle[:12], "…", cycle[0]]
        raise BadPolicy(
            f"the inputs form a cycle: {' takes '.join(shown)}",
            hint="Remove one of these inputs.",
            about=("modules", cycle[0], "inputs"),
        )
    return tuple(order)


def _cycle(by_name: Mapping[str, Module], missing: Mapping[str, int]) -> list[str]:
    """Names of which each takes the next and the last takes the first."""
    name = next(name for name, count in missing.items() if count)
    walk: dict[str, None] = {}
    while name not in walk:
        walk[name] = None
        name = next(each for each in by_name[name].inputs if missing[each])
    names = list(walk)
    return names[names.index(name) :]


def _check_one_final(modules: Sequence[Module]) -> None:
    fed = {name for module in modules for name in module.inputs}
    finals = [module.name for module in modules if module.name not in fed]
    if len(finals) > 1:
        raise BadPolicy(
            f"{len(finals)} modules feed no other: {listed(finals)}",
            hint="One module gives the action: let it take the others as inputs.",
            about=("modules", finals[0]),
        )


def _in_expression_order(expression: Combination, by_name: Mapping[str, Module]) -> tuple[Module, ...]:
    order = dict.fromkeys(expression.names())
    for name in order:
        if name not in by_name:
            raise BadPolicy(
                f"the success expression names '{name}', which is no module",
                hint=f"Known: {listed(tuple(by_name))}.",
                about=("success",),
            )
    unnamed = [name for name in by_name if name not in order]
    if unnamed:
        raise BadPolicy(
            f"the success expression leaves out {listed(unnamed)}",
            hint="Name every module in it, or remove them.",
            about=("success",),
        )
    gated = [name for name in order if by_name[name].gate is Gate.OR]
    if gated:
        raise BadPolicy(
            f"'{gated[0]}' has a gate and stands in a success expression",
            hint="Use inputs and gates, or 'success'.",
            about=("modules", gated[0], "gate"),
        )
    wired = [name for name in order if by_name[name].inputs]
    if wired:
        raise BadPolicy(
            f"'{wired[0]}' has inputs and stands in a success expression",
            hint="Use inputs and gates, or 'success'.",
            about=("modules", wired[0], "inputs"),
        )
    return tuple(by_name[name] for name in order)
