"""`Model`: another author's model as a module, with a check of every output and errors that say what to return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NoReturn, TypeVar

import numpy as np

from handup.core import BadAnswer, BadSetting, ContractViolation, HandupError, Question, Value, check_value
from handup.core.checks import check_share, shown

T = TypeVar("T")
MOST_VALUES = 256
ADD_UP_WITHIN = 1e-3
"""Largest error of a sum of rounded probabilities."""
RAISED = (
    *(HandupError, ArithmeticError, AssertionError, AttributeError, LookupError, OSError, RuntimeError, TypeError),
    ValueError,
)
"""Exceptions of a model that a check reports as violations; all others are passed on."""


@dataclass(frozen=True)
class Output:
    """Output of a model for a module.

    A raw score is not a probability: `Module.calibrated` makes a confidence of `score`, or of all `scores`.

    Args:
        values: Possible values, the best first; empty where the model found nothing.
        scores: Score of each value, from 0 to 1.
    """

    values: tuple[Value, ...]
    scores: tuple[float, ...]

    @property
    def value(self) -> Value | None:
        """The best value; None where there is none."""
        return self.values[0] if self.values else None

    @property
    def score(self) -> float:
        """Score of the best value; 0 where there is none."""
        return self.scores[0] if self.scores else 0.0


@dataclass(frozen=True, kw_only=True)
class Model:
    """Another author's model as a module: a function, or a method of one of the classes in this room.

    It returns possible answers to the module's question. For a `choice` they are a mapping of options to scores from 0
    to 1, where options left out get 0. For any other question they are pairs of a value and a score, possibly none. An
    `Output` is allowed for both. Every output is checked, so a wrong shape is an error that names the model, and never
    a wrong motion. Exceptions of the model's own code are passed on.

    Args:
        call: The function, called with the arguments of each call.
        question: The question of its module.
        name: Name in messages; the function's own name where it is empty.
        adds_up: True if the scores of options are probabilities that add up to 1.
        expected: Hint of messages; by default what the question needs.
    """

    call: Callable[..., object]
    question: Question
    name: str = ""
    adds_up: bool = False
    expected: str = ""

    def __post_init__(self) -> None:
        shape, of_options = self.question.rule.shape, "Give a mapping of options to scores from 0 to 1; others get 0."
        own = of_options if shape.closed else f"Give pairs of {shape.noun} and a score from 0 to 1."
        name = self.name or getattr(self.call, "__qualname__", type(self.call).__name__).rpartition("<locals>.")[2]
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "expected", self.expected or own)

    def __call__(self, *inputs: object, **settings: object) -> Output:
        """Call the model, and return its checked output.

        Raises:
            ContractViolation: The output is no answer to the question.
        """
        return self.read(self.call(*inputs, **settings))

    def read(self, answer: object) -> Output:
        """Return the output for a value that the model returned.

        Raises:
            ContractViolation: The value is no answer to the question.
        """
        of_options = self.question.rule.shape.closed
        if isinstance(answer, Output):
            if len(answer.values) != len(answer.scores):
                self.refuse(f"gives {len(answer.values)} values and {len(answer.scores)} scores")
            together = zip(answer.values, answer.scores, strict=True)
            answer = dict(together) if of_options else together
        pairs = self._options(answer) if of_options else [self._pair(pair) for pair in self.listed(answer, MOST_VALUES)]
        pairs.sort(key=lambda pair: -pair[1])
        return Output(tuple(value for value, _ in pairs), tuple(score for _, score in pairs))

    def listed(self, answer: object, most: int) -> list[Any]:
        """Return a list or an array as a list of at most `most` entries.

        Raises:
            ContractViolation: It is not a list, or longer.
        """
        if isinstance(answer, np.ndarray):
            answer = answer.tolist()
        if isinstance(answer, (str, bytes, Mapping)) or not isinstance(answer, Iterable):
            self.refuse(f"gives {shown(answer)}")
        entries = list(islice(answer, most + 1))
        if len(entries) > most:
            self.refuse(f"gives more than {most}")
        return entries

    def refuse(self, what: str) -> NoReturn:
        """Refuse a value that the model returned.

        Raises:
            ContractViolation: Always.
        """
        raise ContractViolation(f"{self.name} {what}", hint=self.expected)

    def _options(self, answer: object) -> list[tuple[Value, float]]:
        options = self.question.options
        if not isinstance(answer, Mapping):
            self.refuse(f"gives {shown(answer)}")
        if not answer:
            self.refuse("gives no scores")
        for option in answer:
            if not isinstance(option, str) or option not in options:
                self.refuse(f"gives a score for {shown(option)}, which is none of: {', '.join(options)}")
        scores = {option: self._share(f"the score of '{option}'", answer.get(option, 0.0)) for option in options}
        if self.adds_up and abs((total := sum(scores.values())) - 1.0) > ADD_UP_WITHIN:
            self.refuse(f"gives probabilities that add up to {total:.4g}")
        return list(scores.items())

    def _pair(self, pair: object) -> tuple[Value, float]:
        shape = self.question.rule.shape
        noun = shape.noun
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            self.refuse(f"gives {shown(pair)} for {noun} and its score")
        value, score = pair
        value = value.tolist() if isinstance(value, np.ndarray) else value
        if oddity := shape.oddity(value):
            self.refuse(f"gives {oddity}")
        try:
            value = check_value(self.question, value)
        except BadAnswer as error:
            self.refuse(f"gives {noun} that is none: {error.cause}")
        return value, self._share("a score", score)

    def _share(self, what: str, score: object) -> float:
        try:
            return check_share(what, score, error=BadSetting)
        except BadSetting as error:
            self.refuse(f"is wrong: {error.cause}")


@dataclass(frozen=True)
class Violation:
    """Breach of the contract of models.

    Args:
        where: Name of the model.
        what: The mistake, in one sentence.
        hint: The next step.
    """

    where: str
    what: str
    hint: str

    def __str__(self) -> str:
        return f"{self.where} {self.what}. {self.hint}"


@dataclass
class Inspection:
    """Check that calls models and collects every breach of their contract, once."""

    violations: list[Violation] = field(default_factory=list)

    def told(self, model: Model, read: Callable[[object], T], *inputs: object, **settings: object) -> T | None:
        """Call a model and return what `read` makes of its output, or None where that is a breach.

        Args:
            model: The model.
            read: Function that reads the output, and raises ContractViolation where it is wrong.
            inputs: Arguments of the call.
            settings: Keyword arguments of the call.
        """
        # A model that writes on its inputs would spoil all later checks: compare, report, and restore them.
        before = [(entry, entry.copy()) for entry in inputs if isinstance(entry, np.ndarray)]
        try:
            return read(model.call(*inputs, **settings))
        except ContractViolation as error:
            self.add(model.name, error.cause.removeprefix(f"{model.name} "), error.hint)
        except RAISED as error:
            arguments = ", ".join(map(_shown, inputs))
            self.add(model.name, f"raises {type(error).__name__} ({error}) when given {arguments}", "Let it answer.")
        finally:
            for array, kept in before:
                if array.tobytes() != kept.tobytes():
                    self.add(model.name, f"changes {_shown(array)}", "Copy it before you write to it.")
                    array[...] = kept
        return None

    def add(self, where: str, what: str, hint: str) -> None:
        """Add a breach, unless it is known."""
        violation = Violation(where, what, hint)
        if violation not in self.violations:
            self.violations.append(violation)

    def end(self, subject: str) -> None:
        """Raise one error that names every breach.

        Raises:
            ContractViolation: There was a breach.
        """
        if self.violations:
            listed = " ".join(f"({number}) {violation}" for number, violation in enumerate(self.violations, start=1))
            raise ContractViolation(f"{subject}: {listed.removesuffix('.')}", hint="Correct these, and check again.")


def check_model(model: Model, *inputs: object, **settings: object) -> None:
    """Check a model against the contract, on inputs like those of its use. It is called twice.

    Raises:
        ContractViolation: It raises an exception, writes on its inputs, returns no answer to its question, or returns
            two different outputs for one input. The cause names every breach.
    """
    inspection = Inspection()
    first, again = (inspection.told(model, model.read, *inputs, **settings) for _ in range(2))
    if first is not None and again is not None and first != again:
        hint = "Use no randomness: switch dropout off, fix the seed."
        inspection.add(model.name, "gives two different outputs for one input", hint)
    inspection.end(f"{model.name} breaks the contract of models")


def _shown(entry: object) -> str:
    if isinstance(entry, np.ndarray):
        return "the picture" if entry.ndim == 3 else f"an array of shape {entry.shape}"
    return str(entry)
