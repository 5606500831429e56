"""Monitors: small objects that look on beside the task. They say what they see, or raise a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from handup.executive.beliefs import CONTRADICTION, Assertion, Beliefs, Source
from handup.executive.events import Believed, Raised
from handup.executive.machine.program import Rule


@dataclass(frozen=True, kw_only=True)
class Sees:
    """A monitor holds something to be true."""

    key: str
    value: Any
    probability: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A monitor interrupts what is under way.

    Args:
        code: The word for what it saw.
        why: One sentence.
        fields: What else a recovery or a person may want to know.
    """

    code: str
    why: str = ""
    fields: dict[str, Any] = field(default_factory=dict)


class Monitor(Protocol):
    """Looks on beside the task. `look` is called often, between the turns of an action, and never blocks.

    A class attribute `codes` tells the validator which faults it raises.
    """

    @property
    def name(self) -> str:
        """Its name: the leaf of the failures that it raises."""
        ...

    def look(self, now_s: float) -> Iterable[Sees | Fault]:
        """What it sees now. Say what holds each time, for as long as it holds.

        Of what it sees, only what is news is kept. A fault is heard at each look, but not while a recovery is under
        way for the same code of this monitor. None is kept for later: one that is said only once is lost where it
        cannot be heard in that moment.
        """
        ...


@dataclass(frozen=True)
class Watch:
    """A monitor for one belief.

    Args:
        name: The belief's key, and the monitor's name.
        see: What it is now, at a time.
        probability: How reliable that is.
    """

    name: str
    see: Callable[[float], Any]
    probability: float = 1.0

    def look(self, now_s: float) -> Iterable[Sees | Fault]:
        """Say what it is."""
        return (Sees(key=self.name, value=self.see(now_s), probability=self.probability),)


class Lookout:
    """All monitors of a run: turns what they see into events, and only what is news.

    Where a rule is for a contradiction, it is watched for, too: once script and monitor disagree on its key, there is
    a fault called `contradiction`, until one was told. Of several, each has its turn.

    Args:
        monitors: Them.
    """

    def __init__(self, monitors: Sequence[Monitor]) -> None:
        self._monitors = tuple(monitors)

    def __bool__(self) -> bool:
        return bool(self._monitors)

    def look(self, now_s: float, beliefs: Beliefs) -> Iterator[Believed | Raised]:
        """What monitors have for news now. Each belief must have been told before the next event is asked for."""
        for monitor in self._monitors:
            for seen in monitor.look(now_s):
                if isinstance(seen, Fault):
                    yield Raised(
                        monitor=monitor.name, code=seen.code, why=seen.why, fields=dict(seen.fields), at_s=now_s
                    )
                elif _is_news(seen, beliefs):
                    sure, source = seen.probability, Source.MONITOR
                    said = Assertion(key=seen.key, value=seen.value, source=source, probability=sure, at_s=now_s)
                    yield Believed(assertion=said)

    def contradiction(self, now_s: float, beliefs: Beliefs, rules: Iterable[Rule]) -> Raised | None:
        """The first contradiction, by key, that some rule is for and of which no failure has told."""
        unheard = beliefs.unheard
        watched = {rule.recovery.when.contradiction for rule in rules} if unheard else set()
        key = min((each for each in unheard if each in watched), default=None)
        if key is None:
            return None
        script, monitor = beliefs.by(key, Source.SCRIPT), beliefs.by(key, Source.MONITOR)
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
    """Whether it was not said before, or the script has said something else since."""
    said, script = beliefs.by(seen.key, Source.MONITOR), beliefs.by(seen.key, Source.SCRIPT)
    if said is None or said.value != seen.value or said.probability != seen.probability:
        return True
    return script is not None and script.at_s > said.at_s and script.value != seen.value
