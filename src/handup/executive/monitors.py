"""Monitors: small objects that look on beside the task, say what they see, and raise faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from handup.executive.beliefs import CONTRADICTION, Assertion, Beliefs, BeliefSource
from handup.executive.events import Believed, Raised
from handup.executive.machine.program import RecoveryRule


@dataclass(frozen=True, kw_only=True)
class Sees:
    """Statement of a monitor that something is true."""

    key: str
    value: Any
    probability: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Fault that a monitor raises, to interrupt what is under way.

    Args:
        code: Code of what it saw.
        why: Explanation, one sentence.
        fields: Further details for a recovery or a person.
    """

    code: str
    why: str = ""
    fields: dict[str, Any] = field(default_factory=dict)


class Monitor(Protocol):
    """Observer beside the task. `look` is called often, between the turns of an action, and never blocks.

    A class attribute `codes` tells the validator which faults it raises.
    """

    @property
    def name(self) -> str:
        """Name of the monitor: the leaf of the failures that it raises."""
        ...

    def look(self, now_s: float) -> Iterable[Sees | Fault]:
        """Return what it sees now. Say what holds each time, for as long as it holds.

        Of what it sees, only news is kept. A fault counts at each look, but not while a recovery for the same code of
        this monitor is under way. No fault is kept for later: one that is reported only once is lost if it cannot be
        heard at that moment.
        """
        ...


@dataclass(frozen=True)
class Watch:
    """A monitor for one belief.

    Args:
        name: The belief's key, and the monitor's name.
        see: Function that returns the belief at a time; None for nothing.
        probability: Probability that it is right.
    """

    name: str
    see: Callable[[float], Any]
    probability: float = 1.0

    def look(self, now_s: float) -> Iterable[Sees | Fault]:
        """Return the belief."""
        seen = self.see(now_s)
        return () if seen is None else (Sees(key=self.name, value=seen, probability=self.probability),)


class Lookout:
    """All monitors of a run: turns what they see into events, and only what is news.

    If a rule is for a contradiction, that is watched for, too: once script and monitor disagree on its key, a fault
    called `contradiction` is raised, until a failure told of it. Several contradictions take turns.

    Args:
        monitors: The monitors.
    """

    def __init__(self, monitors: Sequence[Monitor]) -> None:
        self._monitors = tuple(monitors)

    def __bool__(self) -> bool:
        return bool(self._monitors)

    def look(self, now_s: float, beliefs: Beliefs) -> Iterator[Believed | Raised]:
        """Yield the news of the monitors. Each belief must have been told before the next event is asked for."""
        for monitor in self._monitors:
            for seen in monitor.look(now_s):
                if isinstance(seen, Fault):
                    yield Raised(
                        monitor=monitor.name, code=seen.code, why=seen.why, fields=dict(seen.fields), at_s=now_s
                    )
                elif _is_news(seen, beliefs):
                    sure, source = seen.probability, BeliefSource.MONITOR
                    statement = Assertion(key=seen.key, value=seen.value, source=source, probability=sure, at_s=now_s)
                    yield Believed(assertion=statement)

    def contradiction(self, now_s: float, beliefs: Beliefs, rules: Iterable[RecoveryRule]) -> Raised | None:
        """Return the first contradiction, by key, that some rule is for and of which no failure has told."""
        unheard = beliefs.unheard
        watched = {rule.recovery.when.contradiction for rule in rules} if unheard else set()
        key = min((key for key in unheard if key in watched), default=None)
        if key is None:
            return None
        script, monitor = beliefs.by(key, BeliefSource.SCRIPT), beliefs.by(key, BeliefSource.MONITOR)
        assert script is not None
        assert monitor is not None
        return Raised(
            monitor=CONTRADICTION,
            code=CONTRADICTION,
            why=f"The script holds {key} to be {script.value!r}, and the monitor sees {monitor.value!r}.",
            fields={"key": key, "script": script.value, "monitor": monitor.value},
            at_s=now_s,
        )


def _is_news(seen: Sees, beliefs: Beliefs) -> bool:
    """Return whether it was not said before, or the script has said something else since."""
    before, script = beliefs.by(seen.key, BeliefSource.MONITOR), beliefs.by(seen.key, BeliefSource.SCRIPT)
    if before is None or before.value != seen.value or before.probability != seen.probability:
        return True
    return script is not None and script.at_s > before.at_s and script.value != seen.value
