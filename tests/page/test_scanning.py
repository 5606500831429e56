"""One switch, or two: what is marked, what a press does, and what it never does."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from handup.core import Box, Point, Question, QuestionKind
from tests.page.bench import Bench
from tests.page.site import Look, Site

TICK_MS = 1000
REAL_MS = 800
"""The fastest that the page's settings offer."""
FEW = [{"id": f"b{each}", "words": f"Button {each}"} for each in range(3)]
MANY = [{"id": f"b{each}", "words": f"Button {each}", "group": f"Group {each // 4}"} for each in range(8)]
BOX: dict[str, Any] = {"id": "q1", "prompt": "Where is it?", "kind": "box", "options": [], "image": "plate"}
POINTS: dict[str, Any] = {**BOX, "kind": "points", "marks": ["one end", "the other end"]}
FOOTER = [{"id": each, "words": each, "group": "Always there"} for each in ("not-now", "someone-else", "let-robot-try")]
LABEL = "() => document.querySelector('[data-testid=scan-mark]')?.dataset.label ?? null"


class Switch:
    """A person with one switch: looks what is marked, waits, presses."""

    def __init__(self, bench: Bench, **scan: Any) -> None:
        self.bench = bench
        self.presses = 0
        self.scan = {"enabled": True, "intervalMs": TICK_MS, **scan}
        bench.hold_clock()

    def show(self, **plan: Any) -> None:
        self.bench.show(scan=self.scan, **plan)

    @property
    def marked(self) -> str | None:
        return self.bench.page.evaluate(LABEL)  # type: ignore[no-any-return]

    def wait(self, ms: int = TICK_MS) -> None:
        self.bench.run_for(ms)

    def round(self, most: int = 12) -> list[str]:
        """The labels until the first comes again."""
        seen: list[str] = []
        while len(seen) < most:
            assert self.marked is not None
            if seen and self.marked == seen[0]:
                break
            seen.append(self.marked)
            self.wait()
        return seen

    def press(self, key: str = " ", held_ms: int = 50) -> None:
        self.presses += 1
        self.bench.page.keyboard.down(key)
        self.wait(held_ms)
        self.bench.page.keyboard.up(key)
        self.wait(350)

    def until(self, label: str, most: int = 40) -> None:
        for _ in range(most):
            if self.marked == label:
                return
            self.wait()
        raise AssertionError(f"{label} was never marked; at last {self.marked}")

    def choose(self, *labels: str) -> None:
        for each in labels:
            self.until(each)
            self.press()

    def field(self, number: int) -> None:
        self.choose(*field(number))


def field(number: int) -> tuple[str, str]:
    """The labels on the way to a numbered field: its row, then itself."""
    first = 4 * ((number - 1) // 4) + 1
    return f"Fields {first} to {first + 3}", str(number)


@pytest.fixture
def switch(bench: Bench) -> Switch:
    return Switch(bench)


def test_a_few_controls_are_marked_one_by_one_with_stop_first(switch: Switch) -> None:
    switch.show(buttons=FEW)
    assert switch.round() == ["Stop", "Button 0", "Button 1", "Button 2"]
    switch.choose("Button 1")
    assert switch.bench.log == ["b1"]
    assert switch.marked == "Stop"


def test_many_controls_are_marked_group_by_group_and_stop_is_first_inside_too(switch: Switch) -> None:
    switch.show(buttons=MANY)
    assert switch.round() == ["Stop", "Group 0", "Group 1"]
    switch.choose("Group 1")
    assert switch.round() == ["Stop", "Button 4", "Button 5", "Button 6", "Button 7", "Back"]
    switch.choose("Button 6")
    assert switch.bench.log == ["b6"]


def test_a_group_is_left_by_back_or_by_itself(switch: Switch) -> None:
    switch.show(buttons=MANY)
    switch.choose("Group 0", "Back")
    assert switch.round() == ["Stop", "Group 0", "Group 1"]
    switch.choose("Group 0")
    switch.wait(13 * TICK_MS)
    assert set(switch.round()) == {"Stop", "Group 0", "Group 1"}
    assert switch.bench.log == []


def test_stop_acts_when_the_switch_goes_down(switch: Switch) -> None:
    switch.show(buttons=MANY)
    switch.until("Stop")
    switch.bench.page.keyboard.down(" ")
    assert switch.bench.log == ["stop"]


def test_all_else_acts_when_the_switch_comes_up(switch: Switch) -> None:
    switch.show(buttons=FEW)
    switch.until("Button 0")
    switch.bench.page.keyboard.down(" ")
    switch.wait(1500)
    assert switch.bench.log == []
    assert switch.marked == "Button 0", "the mark waits while the switch is down"
    switch.bench.page.keyboard.up(" ")
    assert switch.bench.log == ["b0"]


def test_a_switch_that_is_held_stops_from_anywhere(switch: Switch) -> None:
    switch.show(buttons=FEW)
    switch.until("Button 2")
    switch.press(held_ms=2100)
    assert switch.bench.log == ["stop"]


def test_trembling_is_one_press(switch: Switch) -> None:
    switch.show(buttons=FEW)
    switch.until("Button 0")
    for _ in range(4):
        switch.bench.page.keyboard.press(" ")
        switch.wait(60)
    assert switch.bench.log == ["b0"]


def test_the_time_that_counts_as_trembling_is_a_setting(bench: Bench) -> None:
    switch = Switch(bench, debounceMs=0)
    switch.show(buttons=FEW)
    switch.until("Button 0")
    bench.page.keyboard.press(" ")
    bench.page.keyboard.press(" ")
    assert bench.log == ["b0", "stop"]


CHANGES = {
    "its words": "each => { each.textContent = 'Something else' }",
    "its name": "each => { each.setAttribute('aria-label', 'Something else') }",
    "it is another": "each => { each.replaceWith(each.cloneNode(true)) }",
    "it is gone": "each => { each.remove() }",
    "it is disabled": "each => { each.disabled = true }",
    "it is hidden": "each => { each.style.display = 'none' }",
    "the question": "each => { each.parentElement.dataset.question = 'new' }",
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_under_the_finger_is_not_pressed(switch: Switch, change: str) -> None:
    switch.show(buttons=FEW)
    switch.until("Button 1")
    button = switch.bench.of("b1")
    switch.bench.page.keyboard.down(" ")
    button.evaluate(CHANGES[change])
    switch.bench.page.keyboard.up(" ")
    switch.wait(100)
    assert switch.bench.log == []


def test_just_after_a_new_question_nothing_is_marked_and_a_press_does_nothing(switch: Switch) -> None:
    switch.show(question=BOX, buttons=FOOTER)
    switch.until("Always there")
    switch.show(question={**BOX, "id": "q2"})
    assert switch.marked is None
    switch.press()
    assert switch.bench.log == []
    switch.wait(500)
    assert switch.marked == "Stop"


def test_a_mark_on_stop_stays_there_when_the_question_changes(switch: Switch) -> None:
    switch.show(question=BOX, buttons=FOOTER)
    switch.until("Stop")
    switch.show(question={**BOX, "id": "q2"})
    assert switch.marked == "Stop"
    switch.bench.page.keyboard.down(" ")
    assert switch.bench.log == ["stop"]


def test_a_change_elsewhere_keeps_the_round(switch: Switch) -> None:
    switch.show(buttons=FEW)
    switch.until("Button 1")
    switch.show(buttons=[*FEW, {"id": "more", "words": "More"}])
    assert switch.marked == "Button 1"
    switch.press()
    assert switch.bench.log == ["b1"]


def test_the_mark_is_seen_without_colour(switch: Switch) -> None:
    switch.show(buttons=FEW)
    switch.until("Button 1")
    switch.wait(20)  # until it is drawn
    mark = switch.bench.of("scan-mark")
    assert mark.evaluate("each => parseFloat(getComputedStyle(each).borderTopWidth)") >= 4
    expect(mark).to_contain_text("▶ Button 1")
    expect(switch.bench.of("b1")).to_have_attribute("data-scan-now", "control")
    frame, button = mark.bounding_box(), switch.bench.of("b1").bounding_box()
    assert frame is not None
    assert button is not None
    assert frame["x"] <= button["x"]
    assert frame["y"] <= button["y"]
    assert frame["width"] >= button["width"]


def test_labels_are_spoken_where_that_is_wished(switch: Switch) -> None:
    switch.show(buttons=FEW, spoken=True)
    switch.round()
    assert switch.bench.log == ["says Stop", "says Button 0", "says Button 1", "says Button 2", "says Stop"]


def test_a_press_anywhere_is_the_switch_and_not_a_click(switch: Switch) -> None:
    switch.show(buttons=FEW)
    switch.until("Button 0")
    switch.bench.of("b2").click()
    assert switch.bench.log == ["b0"]
    switch.wait(400)
    switch.bench.of("stop").click()
    assert switch.bench.log == ["b0", "stop"], "but Stop is always Stop"


def test_where_presses_are_no_switch_they_are_clicks(bench: Bench) -> None:
    switch = Switch(bench, pointer=False)
    switch.show(buttons=FEW)
    bench.press("b2")
    assert bench.log == ["b2"]


def test_the_focus_takes_no_part(switch: Switch) -> None:
    switch.show(buttons=FEW, text="")
    switch.bench.of("b2").focus()
    switch.choose("Button 0")
    switch.bench.of("text").focus()
    switch.choose("Button 1")
    assert switch.bench.log == ["b0", "b1"]
    expect(switch.bench.of("text")).to_have_value("")


def test_two_switches_one_moves_and_one_chooses(bench: Bench) -> None:
    switch = Switch(bench, mode="step")
    switch.show(buttons=FEW)
    switch.wait(10 * TICK_MS)
    assert switch.marked == "Stop", "nothing moves by itself"
    for label in ("Button 0", "Button 1"):
        switch.press(" ")
        assert switch.marked == label
    switch.press("Enter")
    assert bench.log == ["b1"]


def test_words_are_written_letter_by_letter(switch: Switch) -> None:
    switch.show(text="chicken|cheese|tomato", buttons=FEW)
    switch.wait()
    switch.press()
    board = switch.bench.of("letters")
    expect(board).to_be_visible()
    switch.choose("a to f", "c", "a to f", "f", "Space, delete, done", "delete", "g to l", "h")
    expect(switch.bench.of("text")).to_have_value("ch")
    expect(switch.bench.of("word-cheese")).to_be_visible()
    expect(switch.bench.of("word-tomato")).to_have_count(0)
    switch.choose("Words", "cheese", "Space, delete, done", "space", "0 to 4", "2", "Space, delete, done", "done")
    expect(switch.bench.of("text")).to_have_value("cheese 2")
    expect(board).to_have_count(0)
    assert "Button 0" in switch.round()


def test_the_letter_board_leaves_stop_in_sight_and_reach(switch: Switch) -> None:
    switch.show(text="", buttons=FEW)
    switch.wait()
    switch.press()
    assert switch.round(20)[0] == "Stop"
    assert "Button 0" not in switch.round(20)
    assert (
        switch.bench.page.evaluate(
            """() => { const stop = document.querySelector('[data-testid=stop]').getBoundingClientRect();
             return document.elementFromPoint(stop.left + 20, stop.top + 20).dataset.testid }"""
        )
        == "stop"
    )
    assert switch.bench.small() == []


BOX_PRESSES = 14
POINTS_PRESSES = 14


def test_a_whole_box_by_one_switch(switch: Switch) -> None:
    switch.show(question=BOX, buttons=FOOTER)
    for number in (6, 2, 7, 7, 7, 7):
        switch.field(number)
    assert switch.bench.value == pytest.approx({"left": 0.347, "top": 0.389, "right": 0.68, "bottom": 0.5}, abs=0.03)
    switch.choose("Your reply", "Send")
    assert switch.bench.log == ["send"]
    assert switch.presses == BOX_PRESSES


@pytest.mark.soak
def test_whole_points_by_one_switch(switch: Switch) -> None:
    switch.show(question=POINTS, buttons=FOOTER)
    for number in (6, 2, 7, 7, 7, 7):
        switch.field(number)
    assert len(switch.bench.value) == 2
    switch.choose("Your reply", "Send")
    assert switch.bench.log == ["send"]
    assert switch.presses == POINTS_PRESSES


def test_a_box_by_one_switch_from_the_guess(switch: Switch) -> None:
    guess = {"left": 0.3, "top": 0.3, "right": 0.45, "bottom": 0.5}
    switch.show(question={**BOX, "guess": guess}, buttons=FOOTER)
    switch.choose("Picture tools", "Start from the robot's guess", "Your reply", "Send")
    assert switch.bench.log == ["send"]
    assert switch.presses == 4


def scanning(look: Look, **settings: Any) -> None:
    """The person has chosen in the settings to scan."""
    look.page.evaluate("part => localStorage.setItem('handup.settings', JSON.stringify(part))", settings)
    look.page.reload()


def choose(look: Look, *labels: str) -> int:
    """Wait for each label and press the switch; how many presses that took."""
    for each in labels:
        look.page.wait_for_function(
            'label => document.querySelector(`[data-label="${label}"]`)', arg=each, timeout=30_000
        )
        look.page.keyboard.press(" ", delay=30)
        look.page.wait_for_timeout(320)
    return len(labels)


@pytest.mark.soak
def test_on_the_real_page_a_box_by_one_switch_reaches_the_desk(site: Site) -> None:
    with site.open() as look:
        scanning(look, scan="auto", scanMs=REAL_MS)
        asked = site.ask(Question("Where is it?", QuestionKind.BOX, image="tour/plate"))
        look.question(asked)
        presses = sum(choose(look, *field(each)) for each in (2, 6, 6, 11, 7, 7))
        presses += choose(look, "Send")  # which stands alone, second in every round
        told = site.told(asked.id)
        assert told.answer is not None
        assert isinstance(told.answer.value, Box)
        assert told.answer.value.left < 0.5 < told.answer.value.right
        assert presses == BOX_PRESSES - 1


def test_on_the_real_page_points_by_two_switches_reach_the_desk(site: Site) -> None:
    with site.open() as look:
        scanning(look, scan="step")
        asked = site.ask(Question("Where?", QuestionKind.POINTS, image="tour/plate", marks=("here", "there")))
        look.question(asked)
        moves = sum(step(look, *field(each)) for each in (6, 6, 6, 7, 7, 7))
        moves += step(look, "Send")
        told = site.told(asked.id)
        assert told.answer is not None
        assert isinstance(told.answer.value, tuple)
        assert [type(each) for each in told.answer.value] == [Point, Point]
        assert moves < 80


def step(look: Look, *labels: str) -> int:
    """Move with one switch until the label is marked, choose with the other; how many moves that took."""
    moves = 0
    for each in labels:
        look.of("scan-mark").wait_for()
        while look.page.evaluate(LABEL) != each:
            look.page.keyboard.press(" ")
            look.page.wait_for_timeout(310)
            moves += 1
            assert moves < 30, f"{each} was never marked"
        look.page.keyboard.press("Enter")
        look.page.wait_for_timeout(320)
    return moves
