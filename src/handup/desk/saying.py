"""Values of answers in words for a person: what the robot guesses, and what an answer was taken for."""

from __future__ import annotations

from handup.core import Box, Point, Question, Resolution, ResumeHint, Value

RESUMING: dict[ResumeHint, str] = {
    ResumeHint.NONE: "as the robot sees fit",
    ResumeHint.CONTINUE: "go on from where it stopped",
    ResumeHint.RETRY: "do the same step again",
    ResumeHint.NEXT: "go on with the next step",
    ResumeHint.PREVIOUS: "go back one step",
}
"""What each way to resume means."""


def printable(text: str) -> str:
    """A text that cannot move the cursor, change colours or turn the direction of writing on a person's screen."""
    return "".join(each if each.isprintable() or each == "\n" else " " if each.isspace() else "\ufffd" for each in text)


def one_line(text: str) -> str:
    """A text in one line, printable."""
    return " ".join(printable(text).split())


def percent(share: float) -> str:
    """A share of the picture, as a person says it."""
    return f"{100.0 * share:.3g}%"


def in_words(question: Question, value: Value) -> str:
    """What a value says, in one line."""
    if isinstance(value, bool):
        two = question.choices or ("yes", "no")
        return two[0] if value else two[1]
    if isinstance(value, float):
        return one_line(f"{value:.10g} {question.unit}")
    if isinstance(value, Box):
        across = f"{percent(value.left)} to {percent(value.right)} across"
        return f"{across}, {percent(value.top)} to {percent(value.bottom)} down"
    if isinstance(value, Resolution):
        resume = "" if value.resume is ResumeHint.NONE else f", then {RESUMING[value.resume]}"
        return f"{one_line(value.action)}{resume}"
    if isinstance(value, tuple):
        names = question.marks or tuple(f"point {number + 1}" for number in range(len(value)))
        return "; ".join(f"{one_line(name)} at {_place(each)}" for name, each in zip(names, value, strict=True))
    return one_line(value)


def _place(point: Point) -> str:
    return f"{percent(point.x)} across, {percent(point.y)} down"
