"""Beliefs: what the script, monitors and people hold to be true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from handup.core import check_probability

CONTRADICTION = "contradiction"
"""Name and code of the fault that a contradiction raises."""


class BeliefSource(StrEnum):
    """Source of an assertion."""

    SCRIPT = "script"
    """The recipe, by what its actions report."""
    MONITOR = "monitor"
    """A monitor beside the task."""
    PERSON = "person"


@dataclass(frozen=True, kw_only=True)
class Assertion:
    """One thing that somebody holds to be true.

    Args:
        key: Subject, such as `robot_at`.
        value: Plain data.
        source: Source of the assertion.
        probability: Probability that it is true, from 0 to 1.
        at_s: Time since which it holds.

    Raises:
        BadSetting: The probability does not lie between 0 and 1.
    """

    key: str
    value: Any
    source: BeliefSource = BeliefSource.SCRIPT
    probability: float = 1.0
    at_s: float = 0.0

    def __post_init__(self) -> None:
        check_probability(f"probability of the belief '{self.key}'", self.probability)
        object.__setattr__(self, "source", BeliefSource(self.source))


class Beliefs:
    """Beliefs by key, with the latest word of each source.

    What counts is what was said last, whoever said it. Script and monitor *contradict* each other where the monitor
    looked at the time of the script's last word or later, and saw something else: a word of the script that no monitor
    has had the time to look at is not contradicted.

    A contradiction is *heard* once a failure told of it. It is a new one after the script's next word, or after the
    monitor has agreed in between.
    """

    def __init__(self) -> None:
        self._said: dict[str, dict[BeliefSource, Assertion]] = {}
        self._now: dict[str, Any] = {}
        self._heard: dict[str, Assertion] = {}
        self.values: Mapping[str, Any] = self._now
        """Present values by key, read-only; they change as things are said."""

    def say(self, assertion: Assertion) -> None:
        """Take in what somebody holds to be true."""
        self._said.setdefault(assertion.key, {})[assertion.source] = assertion
        self._now[assertion.key] = assertion.value
        if assertion.key in self._heard and not self._disagree(assertion.key):
            del self._heard[assertion.key]

    def hear(self, key: str) -> None:
        """Mark the contradiction on a key as told by a failure, so that it is not raised again."""
        script = self.by(key, BeliefSource.SCRIPT)
        if script is not None:
            self._heard[key] = script

    def by(self, key: str, source: BeliefSource) -> Assertion | None:
        """Return what one source said last about a key."""
        return self._said.get(key, {}).get(source)

    def contradicts(self, key: str) -> bool:
        """Return whether script and monitor disagree."""
        script, monitor = self.by(key, BeliefSource.SCRIPT), self.by(key, BeliefSource.MONITOR)
        return script is not None and monitor is not None and monitor.at_s >= script.at_s and self._disagree(key)

    def _disagree(self, key: str) -> bool:
        script, monitor = self.by(key, BeliefSource.SCRIPT), self.by(key, BeliefSource.MONITOR)
        return script is not None and monitor is not None and monitor.value != script.value

    @property
    def contradictions(self) -> tuple[str, ...]:
        """Keys on which script and monitor disagree."""
        return tuple(key for key in self._said if self.contradicts(key))

    @property
    def unheard(self) -> tuple[str, ...]:
        """Keys on which they disagree, and of which no failure has told."""
        return tuple(
            key for key in self.contradictions if self._heard.get(key) is not self.by(key, BeliefSource.SCRIPT)
        )

    @property
    def assertions(self) -> tuple[Assertion, ...]:
        """All assertions, the latest of each source, in the order in which keys came up."""
        return tuple(assertion for latest in self._said.values() for assertion in latest.values())
