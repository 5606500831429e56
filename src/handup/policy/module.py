"""One module of a robot policy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from numbers import Real

from handup.core import BadPolicy, Calibrator, HandupError, Question, RawScore

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")
RESERVED = frozenset({"all", "any"})


class Gate(StrEnum):
    """What a module needs of its inputs."""

    AND = "and"
    """Every input right."""
    OR = "or"
    """One input right is enough."""


@dataclass(frozen=True)
class Module:
    """A part of a policy that can be wrong by itself and can be asked about.

    Its output is right when its gate over its inputs is satisfied and it works itself; it works with probability
    `confidence`. A module without inputs takes the robot's state, which is always right.

    Args:
        name: Letters, digits, `_`, `.` and `-`; unique within a policy.
        confidence: Calibrated probability that the module itself is right, given right inputs.
        query_cost: What one question about it costs a person, at least 0. The default is the mean that the core
            paper measured.
        inputs: Names of the modules whose output it takes.
        gate: What it needs of them.
        question: What to ask a person about it.
        calibrator: What turns its raw score into a confidence, where it gives raw scores.
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
            raise BadPolicy(
                f"{self.name!r} is no module name",
                hint="Start with a letter, go on with letters, digits, '_', '.', '-'; not 'all' or 'any'.",
            )
        if not 0.0 <= self.confidence <= 1.0:
            raise BadPolicy(
                f"confidence of '{self.name}' is {self.confidence:g}", hint="Give a probability from 0 to 1."
            )
        if not 0.0 <= self.query_cost < float("inf"):
            raise BadPolicy(f"query_cost of '{self.name}' is {self.query_cost:g}", hint="Give a number of at least 0.")
        if len(set(self.inputs)) != len(self.inputs):
            raise BadPolicy(f"'{self.name}' names an input twice", hint="List each input once.")

    def calibrated(self, raw: RawScore) -> float:
        """The confidence that a raw score stands for: a score, the scores of all options, or a variance.

        Raises:
            BadPolicy: The module has no calibrator, or the score is outside what that takes.
        """
        if self.calibrator is None:
            raise BadPolicy(f"'{self.name}' has no calibrator", hint="Give it one, or pass confidences as they are.")
        try:
            return self.calibrator.probability(raw)
        except HandupError as error:
            raise BadPolicy(f"score of '{self.name}': {error.cause}", hint=error.hint) from None

    def _tidy(self) -> None:
        """Take what means the same: a word for a gate, one name for inputs, a sentence for a question, any number."""
        given: dict[str, object] = {"inputs": self.inputs, "question": self.question}
        inputs = (given["inputs"],) if isinstance(given["inputs"], str) else tuple(self.inputs)
        question = Question(given["question"]) if isinstance(given["question"], str) else self.question
        if self.gate not in tuple(Gate):
            raise BadPolicy(f"gate of '{self.name}' is {self.gate!r}", hint="Use 'and' or 'or'.")
        tidy = {
            "confidence": self._number("confidence", self.confidence),
            "query_cost": self._number("query_cost", self.query_cost),
            "inputs": inputs,
            "gate": Gate(self.gate),
            "question": question,
        }
        for name, value in tidy.items():
            object.__setattr__(self, name, value)

    def _number(self, what: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, Real):
            raise BadPolicy(f"{what} of '{self.name}' is {value!r}", hint="Give a number.")
        return float(value)
