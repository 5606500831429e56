"""Distance of a recommendation to flipping: move one number until another method is better beyond the interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from scipy.special import expit, logit

from handup.core import NotSolvable
from handup.lab.advise import SMALL, Advice, MethodKind, Progress, Setting, kind_of, paired
from handup.lab.episodes import Episodes
from handup.policy import ModuleGraph


class Knob(StrEnum):
    """Number of a setting that is moved while everything else stays."""

    QUERY_COST = "query_cost"
    """All questions' costs, by a common factor; 1 now."""
    W = "w"
    EXPERT = "expert"
    CONFIDENCE = "confidence"
    """All confidences, by a common amount on the scale of log-odds; 0 now. Those of 0 and 1 stay."""


@dataclass(frozen=True)
class KnobScale:
    """Range in which a knob is moved, and scale on which its steps are even."""

    least: float
    most: float
    bend: Callable[[float], float] = float
    unbend: Callable[[float], float] = float


SCALES = {
    Knob.QUERY_COST: KnobScale(0.1, 10.0, math.log, math.exp),
    Knob.W: KnobScale(0.05, 0.95, logit, expit),
    Knob.EXPERT: KnobScale(0.5, 1.0),
    Knob.CONFIDENCE: KnobScale(-2.0, 2.0),
}


@dataclass(frozen=True, kw_only=True)
class Effort:
    """Effort of the search for flips.

    Args:
        episodes: Number of episodes at each value.
        steps: Number of values to try on each side, evenly.
        halvings: Number of halvings of the last step, once a flip is found.
        decisions: Most different decisions of a method at a value; the search ends before a value that needs more.
    """

    episodes: int
    steps: int
    halvings: int
    decisions: int

    @classmethod
    def for_graph(cls, graph: ModuleGraph, episodes: int) -> Effort:
        """Return an effort that fits a command at a terminal: large policies take long to plan for."""
        if len(graph) <= SMALL:
            return cls(episodes=min(episodes, 400), steps=5, halvings=6, decisions=300)
        return cls(episodes=min(episodes, 24), steps=2, halvings=3, decisions=60)


@dataclass(frozen=True, kw_only=True)
class Flip:
    """Values at which another method takes over when one number is moved.

    Args:
        now: The value now.
        below: The nearest value below at which another is better beyond its interval; None: not within the range.
        below_by: That other method.
        above: The same above.
        above_by: That other method.
        range: What was searched; it ends early where a method would need too many decisions.
    """

    now: float
    below: float | None
    below_by: str | None
    above: float | None
    above_by: str | None
    range: tuple[float, float]

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {**asdict(self), "range": list(self.range)}


Flips = dict[Knob, Flip]


def moved(place: Setting, knob: Knob, value: float) -> Setting:
    """Return a setting with one number changed."""
    if knob is Knob.W:
        return replace(place, w=value)
    if knob is Knob.EXPERT:
        return replace(place, expert=value)
    graph = place.graph
    if knob is Knob.QUERY_COST:
        changed = [replace(module, query_cost=module.query_cost * value) for module in graph.modules]
    else:
        chances = expit(logit(graph.confidences) + value).tolist()
        changed = [replace(module, confidence=chance) for module, chance in zip(graph.modules, chances, strict=True)]
    return replace(place, graph=ModuleGraph(changed, success=graph.success))


@dataclass
class Search:
    """Looks for flips and keeps what was simulated on the way.

    Args:
        advice: What was found at the place itself.
        effort: How hard to look.
    """

    advice: Advice
    effort: Effort
    lived: dict[tuple[Knob, float, int], dict[str, Episodes]] = field(default_factory=dict)

    def flips(self, method: str, rivals: Sequence[str], progress: Progress | None = None) -> Flips:
        """Return the values at which one of the rivals takes over from a method, for each knob."""
        place, found = self.advice.place, dict[Knob, Flip]()
        now = {Knob.QUERY_COST: 1.0, Knob.W: place.w, Knob.EXPERT: place.expert, Knob.CONFIDENCE: 0.0}
        for number, (knob, value) in enumerate(now.items(), start=1):
            least, most = SCALES[knob].least, SCALES[knob].most
            low, by_low = self._walk(knob, value, least, method, rivals) if least < value else (value, None)
            high, by_high = self._walk(knob, value, most, method, rivals) if most > value else (value, None)
            below, above = low if by_low else None, high if by_high else None
            found[knob] = Flip(
                now=value, below=below, below_by=by_low, above=above, above_by=by_high, range=(low, high)
            )
            if progress is not None:
                progress(number / len(now))
        return found

    def better(self, knob: Knob, value: float, method: str, rivals: Sequence[str]) -> str | None:
        """Return the best rival that is better at a value, beyond the interval, and again in fresh episodes.

        Raises:
            NotSolvable: The method or a rival would need too many decisions there.
        """
        first = self._better(knob, value, method, rivals, self.advice.seed)
        again = self._better(knob, value, method, first, self.advice.seed + 1) if first else []
        return again[0] if again else None

    def _better(self, knob: Knob, value: float, method: str, rivals: Sequence[str], seed: int) -> list[str]:
        lived = self._live(knob, value, [method, *rivals], seed)
        gaps = {rival: paired(lived[rival], lived[method]) for rival in rivals if rival != method}
        return sorted((rival for rival, gap in gaps.items() if gap.ci[1] < 0.0), key=lambda rival: gaps[rival].mean)

    def _walk(self, knob: Knob, now: float, end: float, method: str, rivals: Sequence[str]) -> tuple[float, str | None]:
        """Step from now to an end of the scale; where somebody takes over, halve the last step.

        Returns:
            The value and who takes over there, or how far was searched and None.
        """
        scale, steps = SCALES[knob], self.effort.steps
        start, stop = scale.bend(now), scale.bend(end)
        if not math.isfinite(start):  # w of 0 or 1 has no place on its scale
            start = scale.bend(scale.most if start > 0.0 else scale.least)
        inside, outside, by = start, start, None
        try:
            for step in range(1, steps + 1):
                outside = start + (stop - start) * step / steps
                by = self.better(knob, scale.unbend(outside), method, rivals)
                if by is not None:
                    break
                inside = outside
            for _ in range(self.effort.halvings if by is not None else 0):
                middle = (inside + outside) / 2.0
                other = self.better(knob, scale.unbend(middle), method, rivals)
                inside, outside, by = (middle, outside, by) if other is None else (inside, middle, other)
        except NotSolvable:
            if by is None:
                return now if inside == start else scale.unbend(inside), None
            return scale.unbend(outside), by
        return scale.unbend(outside) if by is not None else end, by

    def _live(self, knob: Knob, value: float, methods: Sequence[str], seed: int) -> dict[str, Episodes]:
        found = self.lived.setdefault((knob, value, seed), {})
        missing = [name for name in methods if name not in found]
        if missing:
            place = moved(self.advice.place, knob, value)
            found.update(place.live(missing, self.effort.episodes, seed, decisions=self.effort.decisions))
        if any(name not in found for name in methods):
            raise NotSolvable("a method needs too many decisions", hint="Search less far.")
        return found


@dataclass(frozen=True, kw_only=True)
class Nearness:
    """Distance of an advice to flipping.

    Args:
        effort: How hard was looked.
        recommended: For the recommended method, among all contenders.
        best_pair: For the best of the paper's pairs, among the pairs.
    """

    effort: Effort
    recommended: Flips
    best_pair: Flips


def nearness(advice: Advice, *, effort: Effort | None = None, progress: Progress | None = None) -> Nearness:
    """Look for the nearest flips of an advice.

    Args:
        advice: What was recommended.
        effort: How hard to look; by the size of the policy where not given.
        progress: Told the share that is done.
    """
    chosen = effort or Effort.for_graph(advice.place.graph, advice.episodes)
    search = Search(advice, chosen)
    rivals = advice.contenders
    pairs = [name for name in rivals if kind_of(name) is MethodKind.PAIR]

    def part(first: float, share: float) -> Progress | None:
        return None if progress is None else lambda done: progress(first + share * done)

    recommended = search.flips(advice.recommended.method, rivals, part(0.0, 0.8))
    best_pair = search.flips(advice.best_pair_method, pairs, part(0.8, 0.2))
    return Nearness(effort=chosen, recommended=recommended, best_pair=best_pair)
