"""Questions to a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any

from handup.core.checks import (
    MAX_MARKS,
    MAX_OPTION,
    MAX_OPTIONS,
    MAX_PEOPLE,
    MAX_PROMPT,
    check_fields,
)
from handup.core.errors import BadAnswer, BadSetting, ConflictingSettings, MissingSetting, OutOfRange, WrongSize
from handup.core.fields import Many, Name, Number, OneOf, Share, Text, check_rules
from handup.core.kinds import RULES, Kind, KindRule, QuestionKind, Value, check_value, value_to_json
from handup.core.value import Joining

SCHEMA = 2
"""Schema number of a question in JSON. The bare wording is schema 1 and carries no number."""
WORDING = ("prompt", "kind", "options")
"""The fields of the bare wording, always written."""

Texts = Annotated[tuple[str, ...], Many(Text(MAX_OPTION), MAX_OPTIONS)]
"""Texts about the options of a question, in their order."""
SURENESS = ((0.95, "almost sure"), (0.8, "fairly sure"), (0.6, "not quite sure"), (0.4, "not sure"))
"""Least probability of each wording, the largest first; below the last, it is `GUESSING`."""
GUESSING = "only guessing"


@dataclass(frozen=True)
class Question:
    """A question in the words of the person who will read it.

    A module of a policy holds the bare wording. What is put to a person also says what the robot was doing, why it
    asks, its own guess and the effect of each option; `check_ready` refuses a question that lacks something.

    Args:
        prompt: The sentence to show or say.
        kind: A `QuestionKind`, or a kind added with `add_kind`: it says what an answer looks like.
        options: Texts to choose from; for `text` and `diagnosis`, suggestions. Other kinds make no use of them.
        doing: Sentence about what the robot was doing.
        why: Sentence about why it asks.
        guess: Its own guess: a value that the question allows, or the JSON of one.
        sure: Probability that its guess is right, 0 to 1.
        effects: Effect of each option, in the order of `choices`.
        pictures: One picture for each option, by name.
        image: The picture that the question is about, by name.
        support: Help for answering: known facts, a recommendation.
        low: Smallest number that is an answer, for `number`.
        high: Largest number that is an answer.
        unit: Unit of the number.
        marks: Names of the points that are asked for, in order.
        joined: Mark drawn between two points, a `Joining`; a line where it is None.
        to: Names of the people to ask, in order; the desk chooses where it is empty.
        deadline_s: Time in seconds after which an answer comes too late; never where it is None.

    Raises:
        BadSetting: It lacks what its kind needs, or has what does not belong to it.
    """

    prompt: Annotated[str, Text(MAX_PROMPT, filled=True)]
    kind: Annotated[str, Kind()] = QuestionKind.TEXT
    options: Texts = ()
    doing: Annotated[str, Text(MAX_PROMPT)] = ""
    why: Annotated[str, Text(MAX_PROMPT)] = ""
    guess: Value | None = None
    sure: Annotated[float, Share()] | None = None
    effects: Texts = ()
    pictures: Texts = ()
    image: Annotated[str, Text(MAX_OPTION, filled=True)] | None = None
    support: Annotated[str, Text(MAX_PROMPT)] = ""
    low: Annotated[float, Number()] | None = None
    high: Annotated[float, Number()] | None = None
    unit: Annotated[str, Text(MAX_OPTION)] = ""
    marks: Annotated[tuple[str, ...], Many(Name(), MAX_MARKS, unique=True)] = ()
    joined: Annotated[str, OneOf(Joining)] | None = None
    to: Annotated[tuple[str, ...], Many(Name(person=True), MAX_PEOPLE, unique=True)] = ()
    deadline_s: Annotated[float, Number()] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.prompt, str) and not self.prompt.strip():
            raise MissingSetting("a question has no words", hint="Give it a prompt that a person can answer.")
        check_rules(self, "a question", BadSetting)
        if self.low is not None and self.high is not None and self.low > self.high:
            hint = "Exchange the two."
            raise OutOfRange.of("low", f"{self.low:g}", f"be at most high ({self.high:g})", hint=hint)
        self._check_kind()
        if self.guess is not None:
            try:
                object.__setattr__(self, "guess", check_value(self, self.guess))
            except BadAnswer as error:
                raise BadSetting(f"a question's own guess is wrong: {error.cause}", hint=error.hint) from None

    @property
    def rule(self) -> KindRule:
        """Rule of its kind."""
        return RULES[self.kind]

    @property
    def choices(self) -> tuple[str, ...]:
        """Choices in words: the options, or the two fixed ones of a yes-or-no kind."""
        return self.rule.two or (self.options if self.rule.chosen else ())

    @property
    def sureness(self) -> str:
        """The robot's certainty of its guess, in plain words; empty where it is unknown."""
        if self.sure is None or self.guess is None:
            return ""
        sure = self.sure
        return next((words for least, words in SURENESS if sure >= least), GUESSING)

    def check_ready(self) -> None:
        """Check that the question can be put to a person; a module's bare wording may lack these fields.

        Raises:
            BadSetting: A box or points without an image, points without names, or options that cannot be told apart.
        """
        if self.rule.on_image and not self.image:
            raise MissingSetting(f"a {self.kind} question has no image", hint="Name the picture that it is about.")
        if "marks" in self.rule.own and not self.marks:
            raise MissingSetting("a question for points names none", hint="Say under marks which points are asked for.")
        # A page shows several spaces as one: two options that differ only in spaces look the same.
        texts = [" ".join(choice.split()) for choice in self.choices]
        if len(set(texts)) != len(texts) or not all(texts):
            raise ConflictingSettings("options are empty or look the same", hint="Give each option words of its own.")

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back. The bare wording is schema 1, anything more schema 2."""
        record: dict[str, Any] = {"prompt": self.prompt, "kind": str(self.kind), "options": list(self.options)}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name not in WORDING and value != field.default:
                plain = list(value) if isinstance(value, tuple) and field.name != "guess" else value
                record[field.name] = value_to_json(value) if field.name == "guess" else plain
        return record if len(record) == len(WORDING) else {"schema": SCHEMA, **record}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Question:
        """Return the question that `to_json` wrote.

        Raises:
            BadSetting: It is no question.
            BadRecord: It is of a newer schema.
        """
        names = [field.name for field in fields(cls)]
        needed = ("prompt", "kind")
        return cls(**check_fields("a question", record, names, needed=needed, newest=SCHEMA, error=BadSetting))

    def _check_kind(self) -> None:
        if len(self.options) < self.rule.least_options:
            raise MissingSetting(f"a {self.kind} has fewer than two options", hint="List at least two under options.")
        for kind, rule in RULES.items():
            for name in rule.own:
                if name not in self.rule.own and getattr(self, name) not in ((), "", None):
                    cause = f"{name} does not belong to a {self.kind} question"
                    raise ConflictingSettings(cause, hint=f"Use kind '{kind}'.")
        for name in ("effects", "pictures"):
            count = len(getattr(self, name))
            if count not in (0, len(self.choices)):
                raise WrongSize(
                    f"a question has {count} {name} for {len(self.choices)} choices", hint="Give one for each, or none."
                )
