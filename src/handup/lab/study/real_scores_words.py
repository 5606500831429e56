"""The study `real-scores` in plain sentences: which method is best where, how sure that is, and why."""

from __future__ import annotations

from collections.abc import Iterator

from handup.lab.chains import CALIBRATED, INTERVAL, PLATT, RAW
from handup.lab.clusters import Spread
from handup.lab.study.real_scores import (
    ALWAYS,
    EXPERTS,
    LABEL,
    METRICS,
    MORE_PATIENCE,
    NEVER,
    OURS,
    PAIR,
    PLAIN,
    SIZES,
    USUAL,
    Arm,
    Comparison,
    Place,
    W,
)
from handup.lab.study.studies import TROUBLESHOOT

ASKING = tuple(arm for arm in PLAIN if arm.method != NEVER)
CLEAR, HERE, OPEN = "clear", "clear on these streams only", "within chance"


def told(spread: Spread, digits: int = 3) -> str:
    """A number with its interval over streams and draws."""
    return f"{spread.value:.{digits}f} [{spread.ci[0]:.{digits}f}, {spread.ci[1]:.{digits}f}]"


def sureness(gap: Spread) -> str:
    """How far a difference is from chance."""
    if gap.is_clear:
        return CLEAR
    return HERE if gap.is_clear_here else OPEN


def named(arm: Arm) -> str:
    """A method as HTML."""
    return f"<code>{arm.label}</code>"


def best(found: Comparison, metric: str, place: Place) -> tuple[Arm, Arm]:
    """The best of the five methods and the next; by questions and load only those that ask."""
    arms = ASKING if metric in ("help_rate", "workload") else PLAIN
    first, second, *_ = found.ranked(metric, place, arms)
    return first, second


def reading(found: Comparison) -> list[str]:
    """The result in plain sentences, as HTML."""
    lines = [f"This is <em>{LABEL}</em>: measured scores, but a chain, costs and answers that are assumed."]
    lines += [_one(found, Place(modules)) for modules in SIZES]
    lines.append(_claim(found))
    lines += list(_why(found))
    lines += [_always(found), _confidences(found), _interval(found), _patience(found)]
    return lines


def _one(found: Comparison, place: Place) -> str:
    """Who is best at one place, by every metric."""
    first, second = best(found, "J", place)
    gap = found.difference("J", place, first, second)
    parts = [
        f"<strong>k = {place.modules}</strong>, answers right with {place.expert:g}: the lowest J has {named(first)} "
        f"({told(found.spread('J', place, first))}), ahead of {named(second)} by {told(_turned(gap))}, {sureness(gap)}."
    ]
    for metric, word in (("success", "most often succeeds"), ("help_rate", "asks least"), ("workload", "loads least")):
        arm, _ = best(found, metric, place)
        parts.append(f"{named(arm)} {word} ({told(found.spread(metric, place, arm), 2)}).")
    never = Arm(NEVER)
    parts.append(f"{named(never)} asks nothing and succeeds in {told(found.spread('success', place, never), 2)}.")
    return " ".join(parts)


def _places() -> list[Place]:
    return [Place(modules, expert) for modules in SIZES for expert in EXPERTS]


def _claim(found: Comparison) -> str:
    """Whether the expectation holds: `troubleshoot` with calibrated confidences has the lowest J for small k."""
    lowest = [place for place in _places() if best(found, "J", place)[0] == OURS]
    surely = [place for place in lowest if found.difference("J", place, *best(found, "J", place)).is_clear]
    beaten = [place for place in _places() if place not in lowest]
    clearly = [place for place in beaten if found.difference("J", place, best(found, "J", place)[0], OURS).is_clear]
    text = (
        f"Of the five methods {named(OURS)} has the lowest J at {len(lowest)} of {len(_places())} places (k and how "
        f"often answers are right), clear of chance over streams at {len(surely)}."
    )
    if beaten:
        where = ", ".join(f"k = {each.modules} with {each.expert:g}" for each in beaten)
        text += f" It is not the lowest at {where}; another is lower beyond chance at {len(clearly)} of these."
    return text


def _why(found: Comparison) -> Iterator[str]:
    """Why it is not the lowest, where it is not."""
    for place in _places():
        first, _ = best(found, "J", place)
        if first == OURS:
            continue
        gap = found.difference("J", place, OURS, first)
        promised, kept = found.promised(place.modules, CALIBRATED)
        imagined = Place(place.modules, imagined=True)
        true = found.difference("J", imagined, OURS, first)
        longer = found.difference("J", Place(place.modules, patience=MORE_PATIENCE), OURS, first)
        yield (
            f"Why not at k = {place.modules} with {place.expert:g}: {named(first)} is lower by {told(gap)} "
            f"({sureness(gap)}). Per episode {_spent(found, place, OURS)}; {_spent(found, place, first)}. An episode "
            f"ends after {place.patience * place.modules} steps, so giving up early is cheap, and a question costs "
            f"{W:g} for its step and {W:g} times its load. The calibrated confidences say that acting alone succeeds "
            f"in {promised.value:.3f} of episodes; it does in {kept.value:.3f}. Were they true (simulated, answers "
            f"right with {USUAL:g}), the difference would be {told(true)}; with twice the time it is {told(longer)}."
        )


def _spent(found: Comparison, place: Place, arm: Arm) -> str:
    mean = {metric: float(found.by_draw(metric, place, arm).mean()) for metric in METRICS}
    questions = mean["help_rate"] * place.modules
    return (
        f"{named(arm)} asks {questions:.2f} questions for a load of {mean['workload']:.2f}, acts "
        f"{mean['failed_attempts']:.2f} times in vain and succeeds in {mean['success']:.2f}"
    )


def _always(found: Comparison) -> str:
    """How far asking about everything is from `troubleshoot`."""
    parts = []
    for modules in SIZES:
        gap = found.difference("J", Place(modules), Arm(ALWAYS), OURS)
        share = gap.value / float(found.by_draw("J", Place(modules), Arm(ALWAYS)).mean())
        parts.append(f"{told(gap)} at k = {modules} ({100.0 * share:.0f} % of its J)")
    return (
        f"Asking about everything: {named(Arm(ALWAYS))} has a J above that of {named(OURS)} by "
        f"{', '.join(parts)} (answers right with {USUAL:g})."
    )


def _confidences(found: Comparison) -> str:
    """What calibration changes."""
    chosen = found.chosen()
    total = sum(chosen.values())
    listed = ", ".join(f"<code>{name}</code> {count}" for name, count in sorted(chosen.items(), key=lambda x: -x[1]))
    parts = []
    for said in (RAW, PLATT):
        gaps = [found.difference("J", Place(k), Arm(TROUBLESHOOT, said), OURS) for k in SIZES]
        shown = ", ".join(f"{told(gap)} at k = {k}" for k, gap in zip(SIZES, gaps, strict=True))
        parts.append(f"with {said} scores J changes by {shown}")
    raw, kept = found.promised(1, RAW)
    return (
        f"Calibration: <code>auto</code> chose {listed} in {total} calibrations; <code>identity</code> is the raw "
        f"score. Raw scores say {raw.value:.2f} of a module that is right in {kept.value:.2f}. For "
        f"<code>{TROUBLESHOOT}</code>, {'; '.join(parts)} (answers right with {USUAL:g}; above 0: worse)."
    )


def _interval(found: Comparison) -> str:
    """What the paper's interval confidences do."""
    parts = []
    for method in (TROUBLESHOOT, PAIR):
        gaps = [found.difference("J", Place(k), Arm(method, INTERVAL), Arm(method, CALIBRATED)) for k in SIZES]
        shown = ", ".join(f"{told(gap)} at k = {k}" for k, gap in zip(SIZES, gaps, strict=True))
        parts.append(f"<code>{method}</code> by {shown}")
    said, kept = found.promised(1, INTERVAL)
    return (
        f"The paper's <code>interval</code> confidences say {said.value:.2f} of a module that is right in "
        f"{kept.value:.2f}; they change the J of {'; '.join(parts)} (above 0: worse)."
    )


def _patience(found: Comparison) -> str:
    """What more time changes."""
    parts = []
    for modules in SIZES:
        place = Place(modules, patience=MORE_PATIENCE)
        first, second = best(found, "J", place)
        gap = found.difference("J", place, first, second)
        parts.append(f"{named(first)} at k = {modules} (by {told(_turned(gap))}, {sureness(gap)})")
    return f"With {MORE_PATIENCE} steps per module instead of {Place(1).patience} the lowest J has {', '.join(parts)}."


def _turned(gap: Spread) -> Spread:
    """How far the lower is ahead."""
    return Spread(-gap.value, (-gap.ci[1], -gap.ci[0]), (-gap.ci_draws[1], -gap.ci_draws[0]))
