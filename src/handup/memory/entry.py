"""Records of a memory: a correction with its source and trust, and a correction that is recalled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from handup.core import ConflictingSettings, Malformed, OutOfRange, UnknownName, WrongSize
from handup.core.checks import MAX_ID, MAX_NAME, MAX_OPTION, check_count, check_share, check_text, shown
from handup.memory.index import Encoder

PRIOR_RIGHT = 1.8
PRIOR_WRONG = 0.2
"""Prior of a correction: it is right with probability 0.9, worth two observations (*assumed*, as for usual care)."""


@dataclass(frozen=True)
class Trust:
    """Trust in a correction: a Beta distribution over "this correction is right".

    Without confirmation it falls from 0.9 to 0.6 by one contradiction, and to 0.45 by two.

    Args:
        right: Weight of the evidence for it, including the prior.
        wrong: Weight of the evidence against it, including the prior.
    """

    right: float = PRIOR_RIGHT
    wrong: float = PRIOR_WRONG

    @property
    def value(self) -> float:
        """Probability that the correction is right."""
        return self.right / (self.right + self.wrong)

    def confirmed(self, weight: float = 1.0) -> Trust:
        """Return the trust after evidence for it."""
        return replace(self, right=self.right + weight)

    def contradicted(self, weight: float = 1.0) -> Trust:
        """Return the trust after evidence against it."""
        return replace(self, wrong=self.wrong + weight)


@dataclass(frozen=True, kw_only=True)
class MemorySettings:
    """Settings of when a correction is reused, and when it is dropped.

    Args:
        threshold: Least similarity at which a correction is reused. Choose it on pairs of inputs of your own encoder;
            down to 0.8 a search among 100,000 takes at most 5 ms whatever the inputs are.
        same: Least similarity at which two inputs count as the same, so that the newest answer about it holds.
        drop_below: Trust below which a correction is dropped. By default one contradiction of weight 0.77 or more is
            enough, where nobody confirmed it; a less certain failure, or an answer about a less similar input, is not.
        most: Largest number of corrections of a module; beyond it the least trusted is dropped, of equals the oldest.

    Raises:
        OutOfRange: A number is outside its range.
        ConflictingSettings: `same` is below `threshold`.
    """

    threshold: float = 0.9
    same: float = 0.98
    drop_below: float = 0.65
    most: int = 100_000

    def __post_init__(self) -> None:
        for name in ("threshold", "same", "drop_below"):
            check_share(name, getattr(self, name), error=OutOfRange)
        check_count("most", self.most, least=1, error=OutOfRange)
        if self.threshold <= 0.0 or self.same < self.threshold:
            must = f"be above 0 and at most same, {self.same:g}"
            raise ConflictingSettings.of("threshold", f"{self.threshold:g}", must, hint="Change one of the two.")

    def weight(self, similarity: float) -> float:
        """Return the evidence of an answer about an input this similar: 0 at `threshold`, 1 from `same` on."""
        if similarity >= self.same:
            return 1.0
        return max(0.0, (similarity - self.threshold) / (self.same - self.threshold))


class MemoryStatus(StrEnum):
    """State of a correction. One that is no longer `kept` never comes back."""

    KEPT = "kept"
    DROPPED = "dropped"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, kw_only=True)
class Source:
    """Source of a correction: the question, the run and the picture that it is about.

    Args:
        question: Id of the question that was answered. The same question teaches a module once, however often it is
            given. It stays in the journal for ever: it must not name a person.
        run: Id of the run; it stays in the journal for ever, too.
        picture: Name of the picture. It is erased with the people to whom it belongs.

    Raises:
        WrongSize: One of them is not a text, or is too long.
    """

    question: str = ""
    run: str = ""
    picture: str = ""

    def __post_init__(self) -> None:
        check_text("a question's id", self.question, MAX_ID, error=WrongSize)
        check_text("a run", self.run, MAX_NAME, error=WrongSize)
        check_text("a picture's name", self.picture, MAX_OPTION, error=WrongSize)


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """Remembered correction of a module.

    Args:
        id: Its number, which is that of its entry in the journal.
        module: Name of the module that it corrects.
        label: The right label, as a person gave it.
        by: Name of that person.
        whose: Names of all people to whom it belongs; erasing any of them erases it.
        at_s: Time at which it was remembered, in seconds by the journal's clock.
        source: Source of the input.
        encoder: Encoder that made the vector of the input.
        trust: Trust in it.
        status: State of it: still used, or dropped.
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
    status: MemoryStatus = MemoryStatus.KEPT

    @property
    def kept(self) -> bool:
        """True if it is still used."""
        return self.status is MemoryStatus.KEPT


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """Correction that is reused for a similar input.

    Args:
        memory: The correction.
        similarity: Similarity of its input to the present one: the cosine, at most 1.
        probabilities: Probability of each candidate, as `reused` returns them.
    """

    memory: Remembered
    similarity: float
    probabilities: Mapping[str, float]

    @property
    def label(self) -> str:
        """Label that a person gave for the similar input."""
        return self.memory.label

    @property
    def reason(self) -> str:
        """Reason for the label in words, without a person's name."""
        return f"a person said '{self.label}' of something {100 * self.similarity:.0f} % alike"


def reused(label: str, similarity: float, candidates: Sequence[str]) -> dict[str, float]:
    """Return the probabilities of candidates by the paper's appendix C.3.

    The label gets its similarity as probability, and the other candidates share the rest evenly.

    Args:
        label: Label that a person gave for the similar input.
        similarity: Similarity of that input, 0 to 1.
        candidates: Labels that are possible now, `label` among them. If it is the only one, it gets probability 1.

    Raises:
        UnknownName: The label is not among the candidates.
        Malformed: A candidate is given twice, or is not a text.
        OutOfRange: The similarity is outside 0 to 1.
    """
    check_share("a similarity", similarity, error=OutOfRange)
    names = checked_candidates(candidates)
    if label not in names:
        raise UnknownName.of("the label", f"'{label}'", "be a candidate", hint="Reuse a label that is possible now.")
    if len(names) == 1:
        return {label: 1.0}
    rest = (1.0 - similarity) / (len(names) - 1)
    return {name: similarity if name == label else rest for name in names}


def checked_candidates(candidates: Sequence[str]) -> tuple[str, ...]:
    """Return the candidates as a tuple.

    Raises:
        Malformed: They are not a list of different texts.
    """
    names = () if isinstance(candidates, str) else tuple(candidates)
    if not names or len(set(names)) != len(names) or not all(isinstance(name, str) for name in names):
        raise Malformed.of("candidates", shown(candidates), "be a list of different labels", hint="Give each once.")
    return names
