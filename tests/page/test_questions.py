"""Every kind of question, answered by mouse and by keys alone: the desk's journal holds the right value."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handup.cli.page import TOUR
from handup.core import Box, Question, QuestionKind, Resolution, ResumeHint, Value
from handup.desk import Status
from handup.domains.feeding.questions import about
from tests.deadlines import QUESTION_S
from tests.page.site import Site

BY_MOUSE: dict[str, tuple[tuple[str, ...], Value]] = {
    "choice": (("option-1",), "cherry tomato"),
    "guess": (("guess-other", "option-2"), "strawberry"),
    "yes-no": (("option-1",), False),
    "permission": (("option-0",), True),
    "number": (("guess-other", "number-plus-more", "number-minus"), 29.0),
    "text": (("option-1",), "lunch"),
    "diagnosis": (("guess-other", "option-0"), "it is too soft"),
    "action": (
        ("guess-other", "option-1", "resume-2"),
        Resolution(action="push the plate back", resume=ResumeHint.NEXT),
    ),
    "physical": (("option-1",), False),
    "box": (("guess-yes",), Box(left=0.608, top=0.56, right=0.705, bottom=0.667)),
    "points": (("guess-yes",), TOUR["points"].guess or ()),
}
BY_KEYS: dict[str, tuple[tuple[str, ...], Value]] = {
    "choice": (("3",), "lettuce"),
    "guess": (("1",), "cherry tomato"),
    "yes-no": (("1",), True),
    "permission": (("2",), False),
    "number": (("2", "1"), 20.0),
    "text": (("Tab", "Tab", "Tab", "Tab", "s", "o", "u", "p", "Enter"), "soup"),
    "diagnosis": (("2", "4", "s", "l", "i", "p", "Enter"), "slip"),
    "action": (("2", "3", "4"), Resolution(action="rest", resume=ResumeHint.PREVIOUS)),
    "physical": (("1",), True),
    "box": (("1",), TOUR["box"].guess or 0.0),
    "points": (("1",), TOUR["points"].guess or 0.0),
}


def test_the_tour_has_every_kind() -> None:
    assert {each.kind for each in TOUR.values()} == set(QuestionKind)
    assert set(BY_MOUSE) == set(BY_KEYS) == set(TOUR)


def test_by_mouse(site: Site) -> None:
    with site.open() as look:
        for step, (presses, value) in BY_MOUSE.items():
            asked = site.ask(step)
            look.question(asked)
            look.press(*presses)
            look.says("send", "Send")
            look.press("send")
            told = site.told(asked.id)
            assert told.status is Status.ANSWERED, step
            assert told.answer is not None
            assert told.answer.value == value, step
            look.says("notice", "your answer counts")
            look.sees("waiting")


def test_by_keys(site: Site) -> None:
    with site.open() as look:
        for step, (keys, value) in BY_KEYS.items():
            asked = site.ask(step)
            look.question(asked)
            look.keys(*keys)
            look.sees("send")
            assert look.page.evaluate("document.activeElement.dataset.testid") == "send", step
            look.keys("Enter")
            told = site.told(asked.id)
            assert told.answer is not None
            assert told.answer.value == value, step
            look.sees("waiting")


def test_a_number_is_typed(site: Site) -> None:
    with site.open() as look:
        asked = site.ask("number")
        look.press("guess-other")
        look.of("number-input").fill("500")
        look.sees_not("send")
        look.of("number-input").fill("7,5")
        look.press("send")
        told = site.told(asked.id)
        assert told.answer is not None
        assert told.answer.value == 7.5


def test_whoever_does_not_see_the_food_is_told_what_to_do(site: Site) -> None:
    tour = TOUR["box"]
    asked = replace(about("box", {"food": "chicken"}, ("chicken",)), image=tour.image, guess=tour.guess, sure=0.3)
    with site.open() as look:
        look.question(site.ask(asked))
        look.says("question", "If there is none on the plate, box what I should take instead.")
        look.press("guess-other")
        look.says("question", "If there is none on the plate")


@pytest.mark.parametrize(
    ("reply", "status"),
    [("not-now", Status.DEFERRED), ("someone-else", Status.OPEN), ("let-robot-try", Status.DELEGATED)],
)
def test_the_replies_that_are_always_there(site: Site, reply: str, status: Status) -> None:
    with site.open() as look:
        asked = site.ask("guess")
        look.press(reply)
        known = site.desk.record(asked.id)
        assert known is not None
        assert known.status is Status.OPEN, "nothing goes out before it is sent"
        look.press("send")
        look.sees("notice")
        record = site.desk.record(asked.id)
        assert record is not None
        assert record.status is status
        if reply == "someone-else":
            assert record.turn == "ben"


def test_what_was_put_off_can_be_answered_all_the_same(site: Site) -> None:
    with site.open() as look:
        asked = site.ask("yes-no")
        look.press("not-now", "send", "answer-now", "option-0", "send")
        told = site.desk.wait(asked.id, 5)
        look.says("notice", "your answer counts")
        told = site.desk.record(asked.id)
        assert told is not None
        assert told.answer is not None


def test_undo_takes_a_choice_back_and_sends_nothing(site: Site) -> None:
    with site.open() as look:
        asked = site.ask("choice")
        look.press("option-0", "undo")
        look.sees_not("send")
        look.press("option-1")
        look.keys("Escape")
        look.sees_not("send")
        record = site.desk.record(asked.id)
        assert record is not None
        assert record.status is Status.OPEN


def test_the_screen_says_what_a_question_says(site: Site) -> None:
    with site.open() as look:
        site.ask("guess")
        for words in (
            "I was looking for the next bite",
            "I have not seen it from this side before",
            "I think: cherry tomato — fairly sure.",
            "I pierce it from above.",
        ):
            look.says("question", words)
        look.press("guess-other")
        for words in ("I push the fork under it.", "my guess"):
            look.says("question", words)


def test_no_guess_talks_somebody_into_a_permission(site: Site) -> None:
    asked = Question("May I?", QuestionKind.PERMISSION, guess=True, sure=0.99)
    with site.open() as look:
        look.question(site.ask(asked))
        text = look.of("question").inner_text()
        assert "I think" not in text
        assert "my guess" not in text


def test_a_held_key_does_not_choose_and_send(site: Site) -> None:
    with site.open() as look:
        asked = site.ask("yes-no")
        look.of("option-0").focus()
        for _ in range(5):
            look.page.keyboard.down("Enter")
        look.page.keyboard.up("Enter")
        look.sees("send")
        record = site.desk.record(asked.id)
        assert record is not None
        assert record.status is Status.OPEN


def test_a_question_is_there_soon_after_a_robot_asks(site: Site) -> None:
    with site.open() as look:
        look.sees("waiting")
        took = []
        for number in range(5):
            body = {"question": TOUR["yes-no"].to_json(), "run": "soon", "step": "step", "attempt": number + 1}
            look.page.evaluate(WATCH)
            at_ms = look.page.evaluate("Date.now()")
            asked = site.robot.post("/questions", json=body).raise_for_status().json()
            look.page.locator(f'[data-question="{asked["id"]}"]').wait_for()
            took.append(look.page.evaluate("window.seenMs") - at_ms)
            site.robot.post("/withdraw", json={"id": asked["id"], "why": "seen"}).raise_for_status()
            look.sees("waiting")
        assert min(took) <= 1000 * QUESTION_S, took  # the best of five: other tests may keep this machine busy


WATCH = """() => {
    const seen = () => document.querySelector('[data-question]');
    const observer = new MutationObserver(() => { if (seen()) { window.seenMs = Date.now(); observer.disconnect(); } });
    observer.observe(document.body, { childList: true, subtree: true });
}"""
