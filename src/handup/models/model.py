"""Somebody's model in the place of a module: what it gives is checked, put in order, and refused with what to give."""

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
"""Rounded probabilities add up to 1 no better than this."""
RAISED = (
    *(HandupError, ArithmeticError, AssertionError, AttributeError, LookupError, OSError, RuntimeError, TypeError),
    ValueError,
)
"""What a model may raise in a check and is told of."""


@dataclass(frozen=True)
class Output:
    """What a model says for a module.

    A raw score is no probability: `Module.calibrated` makes a confidence of `score`, or of all `scores`.

    Args:
        values: What it holds possible, the best first; none where it has nothing to say.
        scores: From 0 to 1, one for each.
    """

    values: tuple[Value, ...]
    scores: tuple[float, ...]

    @property
    def value(self) -> Value | None:
        """The best one; None where there is none."""
        return self.values[0] if self.values else None

    @property
    def score(self) -> float:
        """That of the best one; 0 where there is none."""
        return self.scores[0] if self.scores else 0.0


@dataclass(frozen=True, kw_only=True)
class Model:
    """Somebody's model in the place of a module: a function, or a method of one of the classes beside this.

    It gives what an answer to the module's question could say. To a `choice` that is a mapping of options to scores
    from 0 to 1; those left out get 0. To any other question it is pairs of a value and a score, also none. An `Output`
    does for both. Whatever it gives is checked at each call, so a wrong shape is an error that names the model, and
    never a wrong motion. What its own code raises goes up.

    Args:
        call: Called with whatever the model is given.
        question: That of its module.
        name: What it is called in messages; the function's own name where it is empty.
        adds_up: Whether the scores of options are probabilities that add up to 1.
        expected: The hint of messages; what the question needs where it is empty.
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
        """Ask the model.

        Raises:
            ContractViolation: What it gives is no answer to the question.
        """
        return self.read(self.call(*inputs, **settings))

    def read(self, answer: object) -> Output:
        """Read what the model gave.

        Raises:
            ContractViolation: It is no answer to the question.
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
        """Read a list of at most so many entries, or an array.

        Raises:
            ContractViolation: It is none.
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
        """Refuse what the model gave.

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
    """One breach of the contract of models.

    Args:
        where: Which model.
        what: What is wrong, in one sentence.
        hint: What to do.
    """

    where: str
    what: str
    hint: str

    def __str__(self) -> str:
        return f"{self.where} {self.what}. {self.hint}"


@dataclass
class Inspection:
    """Calls models, and keeps every breach of their contract, once."""

    violations: list[Violation] = field(default_factory=list)

    def told(self, model: Model, read: Callable[[object], T], *inputs: object, **settings: object) -> T | None:
        """Call a model and read what it gives; None where that is a breach. Arrays among the inputs stay as they were.

        Args:
            model: Which.
            read: Reads what it gives, and raises ContractViolation where it is wrong.
            inputs: For the call.
            settings: For the call, by name.
        """
        before = [(entry, entry.copy()) for entry in inputs if isinstance(entry, np.ndarray)]
        try:
            return read(model.call(*inputs, **settings))
        except ContractViolation as error:
            self.add(model.name, error.cause.removeprefix(f"{model.name} "), error.hint)
        except RAISED as error:
            told = ", ".join(map(_shown, inputs))
            self.add(model.name, f"raises {type(error).__name__} ({error}) when given {told}", "Let it answer.")
        finally:
            for array, kept in before:
                if array.tobytes() != kept.tobytes():
                    self.add(model.name, f"changes {_shown(array)}", "Copy it before you write to it.")
                    array[...] = kept
        return None

    def add(self, where: str, what: str, hint: str) -> None:
        """Keep a breach, unless it is known."""
        violation = Violation(where, what, hint)
        if violation not in self.violations:
            self.violations.append(violation)

    def end(self, subject: str) -> None:
        """Raise one error that names every breach.

        Raises:
            ContractViolation: There was one.
        """
        if self.violations:
            told = " ".join(f"({number}) {each}" for number, each in enumerate(self.violations, start=1))
            raise ContractViolation(f"{subject}: {told.removesuffix('.')}", hint="Correct these, and check again.")


def check_model(model: Model, *inputs: object, **settings: object) -> None:
    """Run a model through the contract, on inputs that it will see the like of. Calls it twice.

    Raises:
        ContractViolation: Naming every breach: it raises, writes on what it is given, gives what is no answer to its
            question, or says two things of one input.
    """
    inspection = Inspection()
    first, again = (inspection.told(model, model.read, *inputs, **settings) for _ in range(2))
    if first is not None and again is not None and first != again:
        inspection.add(model.name, "says two things of one input", "Use no chance: switch dropout off, fix the seed.")
    inspection.end(f"{model.name} breaks the contract of models")


def _shown(entry: object) -> str:
    if isinstance(entry, np.ndarray):
        return "the picture" if entry.ndim == 3 else f"an array of shape {entry.shape}"
    return str(entry)
