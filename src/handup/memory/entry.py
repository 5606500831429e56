"""What a memory gives out: a correction as it is remembered and how far it is believed, and one that is recalled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from handup.core import BadSetting
from handup.core.checks import MAX_ID, MAX_NAME, MAX_OPTION, check_count, check_share, check_text
from handup.memory.index import Encoder

PRIOR_RIGHT = 1.8
PRIOR_WRONG = 0.2
"""What a person says is right with 0.9, and that is worth two observations (*assumed*: the spec's usual person)."""


@dataclass(frozen=True)
class Trust:
    """A Beta distribution over "this correction is right".

    One that nobody confirmed falls from 0.9 to 0.6 by one contradiction, to 0.45 by two.

    Args:
        right: What spoke for it, with what it began with.
        wrong: What spoke against it, likewise.
    """

    right: float = PRIOR_RIGHT
    wrong: float = PRIOR_WRONG

    @property
    def value(self) -> float:
        """The probability that it is right."""
        return self.right / (self.right + self.wrong)

    def confirmed(self, weight: float = 1.0) -> Trust:
        """After something spoke for it."""
        return replace(self, right=self.right + weight)

    def contradicted(self, weight: float = 1.0) -> Trust:
        """After something spoke against it."""
        return replace(self, wrong=self.wrong + weight)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """When a memory is used, and when it is let go.

    Args:
        threshold: From this similarity on a correction is reused. Choose it on pairs of inputs of your own encoder;
            down to 0.8 a search of 100,000 stays within its 5 ms whatever they look like.
        same: From this similarity on two inputs count as the same, so that a person's newest word about it holds.
        drop_below: With less trust than this a memory is dropped. By default one contradiction is enough for one that
            nobody confirmed, if its weight is 0.77 or more: a less certain failure, or an answer about something less
            alike, is not.
        most: A module remembers so many; beyond that the least trusted goes, of these the oldest.

    Raises:
        BadSetting: A number outside its range, or `same` below `threshold`.
    """

    threshold: float = 0.9
    same: float = 0.98
    drop_below: float = 0.65
    most: int = 100_000

    def __post_init__(self) -> None:
        for name in ("threshold", "same", "drop_below"):
            check_share(name, getattr(self, name), error=BadSetting)
        check_count("most", self.most, least=1, error=BadSetting)
        if self.threshold <= 0.0 or self.same < self.threshold:
            told = f"threshold is {self.threshold:g}, same is {self.same:g}"
            raise BadSetting(told, hint="Use 0 < threshold ≤ same ≤ 1.")

    def weight(self, similarity: float) -> float:
        """What an answer about an input as similar as this says of a memory: 0 at the threshold, 1 from `same` on."""
        if similarity >= self.same:
            return 1.0
        return max(0.0, (similarity - self.threshold) / (self.same - self.threshold))


class Status(StrEnum):
    """Where a memory stands. What left `kept` never comes back."""

    KEPT = "kept"
    DROPPED = "dropped"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, kw_only=True)
class Source:
    """Which input a correction is about.

    Args:
        question: The id of the question that was answered. The same question teaches a module once, however often it
            is told. It stays in the journal for ever: name nobody.
        run: The run it came from; stays, too.
        picture: The name of the picture. It is erased with the people whose it is.

    Raises:
        BadSetting: One of them is no text, or too long.
    """

    question: str = ""
    run: str = ""
    picture: str = ""

    def __post_init__(self) -> None:
        check_text("a question's id", self.question, MAX_ID, error=BadSetting)
        check_text("a run", self.run, MAX_NAME, error=BadSetting)
        check_text("a picture's name", self.picture, MAX_OPTION, error=BadSetting)


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """A correction, with where it comes from.

    Args:
        id: Its number: that of its entry in the journal.
        module: Which module it corrects.
        label: What a person said.
        by: Who.
        whose: Everybody whose it is; erasing any of them erases it.
        at_s: When it was remembered, by the journal's clock.
        source: Which input.
        encoder: Which encoder made its vector.
        trust: How far it is believed.
        status: Whether it is still used.
    """

    id: int
    module: str
    label: str
    by: str
    whose: tuple[str, ...]
    at_s: float
    source: Source
    encoder: Encoder
    trust: Trust = field(default_factory=Trust)
    status: Status = Status.KEPT

    @property
    def kept(self) -> bool:
        """Whether it is still used."""
        return self.status is Status.KEPT


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """A correction that is reused.

    Args:
        memory: Which one.
        similarity: How similar its input is to the present one: the cosine, at most 1.
        probabilities: The paper's C.3: the label has the similarity, the other candidates share the rest.
    """

    memory: Remembered
    similarity: float
    probabilities: Mapping[str, float]

    @property
    def label(self) -> str:
        """What was said then."""
        return self.memory.label

    @property
    def reason(self) -> str:
        """Why, in words, without the name of anybody."""
        return f"a person said '{self.label}' of something {100 * self.similarity:.0f} % alike"


def reused(label: str, similarity: float, candidates: Sequence[str]) -> dict[str, float]:
    """The label gets its similarity as probability; the others share the rest evenly (the paper's appendix C.3).

    Args:
        label: What a person said of the similar input.
        similarity: How similar, 0 to 1.
        candidates: What is possible now, the label among them. Where nothing else is, it gets all.

    Raises:
        BadSetting: The label is no candidate, a candidate stands twice, or the similarity is outside 0 to 1.
    """
    check_share("a similarity", similarity, error=BadSetting)
    names = checked_candidates(candidates)
    if label not in names:
        raise BadSetting(f"'{label}' is not possible now", hint="Reuse a label that is among the candidates.")
    if len(names) == 1:
        return {label: 1.0}
    rest = (1.0 - similarity) / (len(names) - 1)
    return {name: similarity if name == label else rest for name in names}


def checked_candidates(candidates: Sequence[str]) -> tuple[str, ...]:
    """The candidates.

    Raises:
        BadSetting: They are no list of different texts.
    """
    names = () if isinstance(candidates, str) else tuple(candidates)
    if not names or len(set(names)) != len(names) or not all(isinstance(each, str) for each in names):
        hint = "Give every label that is possible now."
        raise BadSetting("the candidates are no list of different labels", hint=hint)
    return names
