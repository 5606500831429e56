"""Numbers about the server, in the text format of OpenMetrics."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from handup.desk.events import Answered, Asked, NoticeEnded, NoticeOutcome, Stopped
from handup.journal import Entry

HOUR_S = 3600.0
MOST_ASKS = 100_000
LATENCIES_S = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0)
"""Upper ends in seconds of the classes of the histogram of answer times."""
MEDIA_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"


@dataclass
class Metrics:
    """Counts since the server started. Use it in the event loop only."""

    answers: int = 0
    asks: int = 0
    stops: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    notices: Counter[tuple[str, NoticeOutcome]] = field(default_factory=Counter)
    latest_notices: dict[str, NoticeOutcome] = field(default_factory=dict)
    """Outcome of the latest notice on each way."""
    _asked_s: deque[float] = field(default_factory=lambda: deque(maxlen=MOST_ASKS))
    _buckets: list[int] = field(default_factory=lambda: [0] * (len(LATENCIES_S) + 1))
    _latency_s: float = 0.0

    def take(self, entries: Iterable[Entry]) -> None:
        """Count new entries of the journal, by whichever process."""
        for entry in entries:
            event = entry.event
            if isinstance(event, Asked):
                self.asks += 1
                self._asked_s.append(entry.at_s)
            elif isinstance(event, Stopped):
                self.stops += 1
            elif isinstance(event, NoticeEnded):
                self.notices[event.way, event.outcome] += 1
                self.latest_notices[event.way] = event.outcome
            elif isinstance(event, Answered):
                self.answers += 1
                if event.latency_s is not None:
                    self._buckets[bisect_left(LATENCIES_S, event.latency_s)] += 1
                    self._latency_s += event.latency_s

    @property
    def notices_fail(self) -> bool | None:
        """True where the latest notice on some way did not go out as it should; None where there was none."""
        outcomes = self.latest_notices.values()
        return any(outcome is not NoticeOutcome.SENT for outcome in outcomes) if outcomes else None

    def text(self, now_s: float, *, open_questions: int, sockets: int, robots_alive: int, stopped: bool) -> str:
        """Return the counts and the given present values as text."""
        while self._asked_s and self._asked_s[0] <= now_s - HOUR_S:
            self._asked_s.popleft()
        lines = [
            *_metric("gauge", "handup_questions_open", "Questions that wait for an answer.", open_questions),
            *_metric("gauge", "handup_asks_last_hour", "Questions asked within the last hour.", len(self._asked_s)),
            *_metric("gauge", "handup_sockets", "Open WebSockets.", sockets),
            *_metric("gauge", "handup_robots_alive", "Robots that were heard of just now.", robots_alive),
            *_metric("gauge", "handup_stopped", "1 while everything is stopped.", int(stopped)),
            *_metric("counter", "handup_asks", "Questions asked.", self.asks),
            *_metric("counter", "handup_answers", "Answers that count.", self.answers),
            *_metric("counter", "handup_stops", "Stops.", self.stops),
            "# TYPE handup_refused counter",
            "# HELP handup_refused Requests that were refused, by the code of the error.",
            *(f'handup_refused_total{{code="{code}"}} {count}' for code, count in sorted(self.refused.items())),
            "# TYPE handup_notices counter",
            "# HELP handup_notices Attempts to tell a person outside the page, by way and outcome.",
            *(
                f'handup_notices_total{{way="{way}",outcome="{outcome}"}} {count}'
                for (way, outcome), count in sorted(self.notices.items())
            ),
            *self._histogram(),
            "# EOF",
        ]
        return "\n".join(lines) + "\n"

    def _histogram(self) -> Iterable[str]:
        name = "handup_answer_latency_seconds"
        yield f"# TYPE {name} histogram"
        yield f"# UNIT {name} seconds"
        yield f"# HELP {name} Time from when a question was put to a person to their answer."
        total = 0
        for end_s, count in zip((*LATENCIES_S, None), self._buckets, strict=True):
            total += count
            yield f'{name}_bucket{{le="{"+Inf" if end_s is None else end_s}"}} {total}'
        yield f"{name}_count {total}"
        yield f"{name}_sum {self._latency_s:.6f}"


def _metric(kind: str, name: str, help_: str, value: float) -> list[str]:
    ending = "_total" if kind == "counter" else ""
    return [f"# TYPE {name} {kind}", f"# HELP {name} {help_}", f"{name}{ending} {value}"]
