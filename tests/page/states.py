"""Every state of the page that a resident can be in, and how to get there: for sizes, contrast and screenshots."""

from __future__ import annotations

from collections.abc import Callable

from handup.cli.page import TOUR
from tests.page.site import Look, Site

State = Callable[[Site, Look], None]


def _asked(step: str) -> State:
    def reach(site: Site, look: Look) -> None:
        look.question(site.ask(step))

    return reach


def _chosen(step: str, *presses: str) -> State:
    def reach(site: Site, look: Look) -> None:
        look.question(site.ask(step))
        look.press(*presses)

    return reach


def _waiting(site: Site, look: Look) -> None:
    look.sees("waiting")


def _watching(site: Site, look: Look) -> None:
    site.show_robot(title="Bite 1 of 2")
    look.sees("robot")


def _put_off(site: Site, look: Look) -> None:
    look.question(site.ask("yes-no"))
    look.press("not-now", "send")
    look.sees("answer-now")


def _stopped(site: Site, look: Look) -> None:
    site.desk.stop("ben", "I heard a noise")
    look.sees("stopped")


def _enabling(site: Site, look: Look) -> None:
    _stopped(site, look)
    look.press("enable")


def _settings(site: Site, look: Look) -> None:
    look.press("settings")


def _busy(site: Site, look: Look) -> None:
    look.press("busy")
    look.sees("busy-card")


def _people(site: Site, look: Look) -> None:
    look.press("settings", "people")
    look.sees("change-0")


def _person(site: Site, look: Look) -> None:
    _people(site, look)
    look.press("change-0", "set-quiet-true")
    look.sees("set-from-later")


STATES: dict[str, State] = {
    "waiting": _waiting,
    **{step: _asked(step) for step in TOUR},
    "choice-chosen": _chosen("choice", "option-0"),
    "guess-other": _chosen("guess", "guess-other"),
    "box-other": _chosen("box", "guess-other"),
    "points-other": _chosen("points", "guess-other"),
    "number-other": _chosen("number", "guess-other", "number-plus"),
    "diagnosis-words": _chosen("diagnosis", "guess-other", "option-other"),
    "action-resume": _chosen("action", "guess-other", "option-0", "resume-0"),
    "reply-chosen": _chosen("guess", "let-robot-try"),
    "help": _chosen("choice", "help"),
    "settings": _settings,
    "busy": _busy,
    "people": _people,
    "person": _person,
    "put-off": _put_off,
    "stopped": _stopped,
    "enabling": _enabling,
    "watching": _watching,  # the last: this robot is shown until the test is over
}
