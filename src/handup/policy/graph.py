"""The module graph: the modules of a policy, their inputs and gates, and the condition of its success."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadPolicy, Calibrator, HandupError, Question, RawScore, UnknownModule, calibrator_from_json
from handup.policy.circuit import Circuit, CircuitBuilder, Diagram, Gate

MAX_MODULES = 100_000
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")
RESERVED = frozenset({"all", "any"})
TOKEN = re.compile(rf"\s*(?:({NAME.pattern})|(.))")
MAX_DEPTH = 100
EXPRESSION_HINT = "Write for example: all(food, any(camera, haptics), skill)."


@dataclass(frozen=True)
class Module:
    """A part of a policy that can be wrong by itself and can be asked about.

    Its output is right when its gate over its inputs is satisfied and it works itself; it works with probability
    `confidence`. A module without inputs takes the robot's state, which is always right.

    Args:
        name: Letters, digits, `_`, `.` and `-`; unique within a policy.
        confidence: Calibrated probability that the module itself is right, given right inputs.
        query_cost: Cost to a person of one question about it, at least 0. The default is the mean that the core
            paper measured.
        inputs: Names of the modules whose output it takes.
        gate: `and` if it needs all of them to be right, `or` if one right input is enough.
        question: The question to put to a person about it.
        calibrator: The calibrator that turns its raw scores into confidences, where it gives raw scores.
    """

    name: str
    confidence: float
    query_cost: float = 0.32
    inputs: tuple[str, ...] = ()
    gate: Gate = Gate.AND
    question: Question | None = None
    calibrator: Calibrator | None = None

    def __post_init__(self) -> None:
        self._tidy()
        if not NAME.fullmatch(self.name) or self.name in RESERVED:
            hint = "Start with a letter, go on with letters, digits, '_', '.', '-'; not 'all' or 'any'."
            raise BadPolicy(f"{self.name!r} is no module name", hint=hint)
        if not 0.0 <= self.confidence <= 1.0:
            cause = f"confidence of '{self.name}' must lie between 0 and 1, got {self.confidence:g}"
            raise BadPolicy(cause, hint="Give a probability.")
        if not 0.0 <= self.query_cost < float("inf"):
            cause = f"query_cost of '{self.name}' must be finite and at least 0, got {self.query_cost:g}"
            raise BadPolicy(cause, hint="Give what a question costs, such as 0.3.")
        if len(set(self.inputs)) != len(self.inputs):
            raise BadPolicy(f"'{self.name}' names an input twice", hint="List each input once.")

    def calibrated(self, raw: RawScore) -> float:
        """Return the confidence that a raw score stands for: a score, the scores of all options, or a variance.

        Raises:
            BadPolicy: The module has no calibrator, or the score is outside what that takes.
        """
        if self.calibrator is None:
            raise BadPolicy(f"'{self.name}' has no calibrator", hint="Give it one, or pass confidences, not scores.")
        try:
            return self.calibrator.probability(raw)
        except HandupError as error:
            raise BadPolicy(f"score of '{self.name}': {error.cause}", hint=error.hint) from None

    def _tidy(self) -> None:
        """Bring other spellings of a field into its type: a word for a gate, a name for inputs, text for a question."""
        inputs: object = self.inputs
        question: object = self.question
        if self.gate not in tuple(Gate):
            raise BadPolicy(f"gate of '{self.name}' must be 'and' or 'or', got {self.gate!r}", hint="Use one of them.")
        tidy = {
            "confidence": self._number("confidence", self.confidence),
            "query_cost": self._number("query_cost", self.query_cost),
            "inputs": (inputs,) if isinstance(inputs, str) else tuple(self.inputs),
            "gate": Gate(self.gate),
            "question": Question(question) if isinstance(question, str) else question,
        }
        for name, value in tidy.items():
            object.__setattr__(self, name, value)

    def _number(self, what: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, Real):
            raise BadPolicy(f"{what} of '{self.name}' must be a number, got {value!r}", hint="Give a number.")
        return float(value)


class ModuleGraph:
    """A robot policy as the deciding code sees it. Immutable.

    Modules stand in topological order (Kahn's, by order of insertion), and every array over modules is
    in that order. "Upstream" means earlier in it.

    Args:
        modules: In any order. Exactly one may feed no other: it gives the action.
        success: Instead of inputs and gates, an expression over module names such as
            `all(food, any(camera, haptics), skill)`. The modules then stand in the order in which it names them.

    Raises:
        BadPolicy: There is a cycle, an unknown input, two modules of one name, two final modules, none at all.
    """

    def __init__(self, modules: Iterable[Module], *, success: str | None = None) -> None:
        unordered = tuple(modules)
        by_name = _by_name(unordered)
        if success is None:
            self.modules = _topological(unordered, by_name)
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
        """Return a policy in which each module feeds the next, in this order; their own `inputs` are replaced."""
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
        """Return the position of a module in topological order.

        Raises:
            UnknownModule: The policy has no module of that name.
        """
        try:
            return self._index[name]
        except KeyError:
            raise UnknownModule(f"the policy has no module '{name}'", hint=f"It has: {listed(self.names)}.") from None

    def calibrated(self, raw: Mapping[str, RawScore]) -> dict[str, float]:
        """Return confidences of raw scores, by the modules' calibrators, for `Session.forwarded`.

        Args:
            raw: Raw scores of some of the modules, by name.

        Raises:
            UnknownModule, BadPolicy: A name or a score is wrong, or a module has no calibrator.
        """
        return {name: self.modules[self.index(name)].calibrated(score) for name, score in raw.items()}

    @cached_property
    def diagram(self) -> Diagram | None:
        """Success as a decision diagram, or None where it grows too wide to be exact."""
        return Diagram.of(self.circuit)

    def to_json(self) -> dict[str, Any]:
        """Return a plain record; `from_json` reads it back."""
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
        """Return the graph that `to_json` wrote."""
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
            return builder.add(part.gate, [add(inner) for inner in part.parts])

        return builder.finish(add(expression))


def listed(names: Sequence[str], most: int = 12) -> str:
    """Return names for a message, cut where there are many."""
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
        cause = f"a policy must have at most {MAX_MODULES} modules, got {len(modules)}"
        raise BadPolicy(cause, hint="Leave some out.", about=("modules",))
    by_name: dict[str, Module] = {}
    for module in modules:
        if module.name in by_name:
            hint = "Give each module its own name."
            raise BadPolicy(f"two modules are called '{module.name}'", hint=hint, about=("modules", module.name))
        by_name[module.name] = module
    return by_name


def _topological(modules: Sequence[Module], by_name: Mapping[str, Module]) -> tuple[Module, ...]:
    """Return modules in topological order by Kahn's algorithm: a module is ready once all its inputs are placed."""
    consumers: dict[str, list[Module]] = {name: [] for name in by_name}
    for module in modules:
        for name in module.inputs:
            if name not in by_name:
                about, hint = ("modules", module.name, "inputs", name), f"Known: {listed(tuple(by_name))}."
                raise BadPolicy(f"'{module.name}' takes '{name}', which is no module", hint=hint, about=about)
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
        cause = f"the inputs form a cycle: {' takes '.join(shown)}"
        raise BadPolicy(cause, hint="Remove one of these inputs.", about=("modules", cycle[0], "inputs"))
    return tuple(order)


def _cycle(by_name: Mapping[str, Module], missing: Mapping[str, int]) -> list[str]:
    """Return names of which each takes the next and the last takes the first."""
    name = next(name for name, count in missing.items() if count)
    walk: dict[str, None] = {}
    # A module that could not be placed has an input that could not: following those must come back to a name.
    while name not in walk:
        walk[name] = None
        name = next(source for source in by_name[name].inputs if missing[source])
    names = list(walk)
    return names[names.index(name) :]


def _check_one_final(modules: Sequence[Module]) -> None:
    fed = {name for module in modules for name in module.inputs}
    finals = [module.name for module in modules if module.name not in fed]
    if len(finals) > 1:
        about, hint = ("modules", finals[0]), "One module gives the action: let it take the others as inputs."
        raise BadPolicy(f"{len(finals)} modules feed no other: {listed(finals)}", hint=hint, about=about)


def _in_expression_order(expression: Combination, by_name: Mapping[str, Module]) -> tuple[Module, ...]:
    order = dict.fromkeys(expression.names())
    for name in order:
        if name not in by_name:
            cause = f"the success expression names '{name}', which is no module"
            raise BadPolicy(cause, hint=f"Known: {listed(tuple(by_name))}.", about=("success",))
    unnamed = [name for name in by_name if name not in order]
    if unnamed:
        hint = "Name every module in it, or remove them."
        raise BadPolicy(f"the success expression leaves out {listed(unnamed)}", hint=hint, about=("success",))
    gated = [name for name in order if by_name[name].gate is Gate.OR]
    wired = [name for name in order if by_name[name].inputs]
    for what, key, names in (("a gate", "gate", gated), ("inputs", "inputs", wired)):
        if names:
            cause, about = f"'{names[0]}' has {what} and stands in a success expression", ("modules", names[0], key)
            raise BadPolicy(cause, hint="Use inputs and gates, or 'success'.", about=about)
    return tuple(by_name[name] for name in order)


@dataclass(frozen=True)
class Combination:
    """`all(…)` or `any(…)` over module names and further combinations."""

    gate: Gate
    parts: tuple[Combination | str, ...]

    def names(self) -> Iterator[str]:
        """Yield every module name in reading order, as often as it stands there."""
        for part in self.parts:
            if isinstance(part, str):
                yield part
            else:
                yield from part.names()


def parse_expression(text: str) -> Combination:
    """Read a success expression such as `all(food, any(camera, haptics), skill)`.

    Raises:
        BadPolicy: The text is no such expression; the message names the column at which reading stopped.
    """
    tokens = [(match.group(1) or match.group(2), match.start(1 if match.group(1) else 2)) for match in _tokens(text)]
    position = 0

    def fail(what: str) -> BadPolicy:
        column = tokens[position][1] + 1 if position < len(tokens) else len(text) + 1
        return BadPolicy(f"success expression: {what} at column {column}", hint=EXPRESSION_HINT)

    def take(expected: str) -> bool:
        nonlocal position
        if position < len(tokens) and tokens[position][0] == expected:
            position += 1
            return True
        return False

    def term(depth: int) -> Combination | str:
        nonlocal position
        if depth > MAX_DEPTH:
            raise fail(f"more than {MAX_DEPTH} levels")
        if position >= len(tokens) or not NAME.fullmatch(tokens[position][0]):
            raise fail("a name, all(…) or any(…) is missing")
        name = tokens[position][0]
        position += 1
        if name not in RESERVED:
            return name
        if not take("("):
            raise fail(f"'(' is missing after '{name}'")
        parts = [term(depth + 1)]
        while take(","):
            parts.append(term(depth + 1))
        if not take(")"):
            raise fail("',' or ')' is missing")
        return Combination(Gate.AND if name == "all" else Gate.OR, tuple(parts))

    result = term(0)
    if position < len(tokens):
        raise fail(f"{tokens[position][0]!r} is not expected")
    return Combination(Gate.AND, (result,)) if isinstance(result, str) else result


def _tokens(text: str) -> Iterator[re.Match[str]]:
    return (match for match in TOKEN.finditer(text.rstrip()))
