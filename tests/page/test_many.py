"""More questions wait than the greeting of the server holds: none of them is lost, nor what was begun on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from handup.client import Client
from handup.core import Limits, Person, Question, QuestionKind
from handup.server import Bounds, RunningServer, ServerSettings, start

GREETED, ASKED = 2, 5


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    ana = Person(name="ana", limits=Limits(at_once=2 * ASKED))
    settings = ServerSettings(store=str(tmp_path / "many.db"), port=0, people=(ana,), bounds=Bounds(greeted=GREETED))
    with start(settings) as made:
        yield made


@pytest.fixture
def robot(server: RunningServer) -> Iterator[Client]:
    with Client(server.url, server.robot_token("plate")) as made:
        yield made


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(reduced_motion="reduce") as context:
        yield context.new_page()


def ask(robot: Client, number: int) -> str:
    return robot.ask(Question(f"What is number {number}?", QuestionKind.TEXT), run="many", step=f"q{number}").id


def shown(page: Page, id_: str) -> None:
    page.locator(f'[data-question="{id_}"]').wait_for()


def test_all_of_them_are_answered_in_their_order(server: RunningServer, robot: Client, page: Page) -> None:
    asked = [ask(robot, each) for each in range(ASKED)]
    page.goto(server.link(server.code("ana")))
    expect(page.get_by_test_id("question")).to_contain_text(f"{ASKED - 1} more questions wait.")
    for number, each in enumerate(asked):
        shown(page, each)
        page.get_by_test_id("text").fill(str(number))
        page.get_by_test_id("send").click()
        told = robot.wait(each, timeout_s=10.0)
        assert told is not None
        assert told.answer is not None
        assert told.answer.value == str(number)
    expect(page.get_by_test_id("waiting")).to_be_visible()


def test_what_was_begun_on_one_beyond_the_greeting_stays(server: RunningServer, robot: Client, page: Page) -> None:
    asked = [ask(robot, each) for each in range(ASKED)]
    page.goto(server.link(server.code("ana")))
    expect(page.get_by_test_id("question")).to_contain_text(f"{ASKED - 1} more questions wait.")
    for each in asked[:-1]:
        robot.withdraw(each, "enough")
    shown(page, asked[-1])
    page.get_by_test_id("text").fill("half a wo")
    fresh = [robot.ask(Question("Why?", QuestionKind.TEXT), run="more", step=f"q{each}").id for each in range(ASKED)]
    page.goto("about:blank")
    page.goto(server.url)
    expect(page.get_by_test_id("question")).to_contain_text(f"{ASKED} more questions wait.")
    for each in [asked[-1], *fresh]:
        shown(page, each)
        expect(page.get_by_test_id("text")).to_have_value("half a wo" if each == asked[-1] else "")
        robot.withdraw(each, "enough")


def test_what_ends_while_the_others_are_fetched_does_not_come_back(
    server: RunningServer, robot: Client, page: Page
) -> None:
    asked = [ask(robot, each) for each in range(ASKED)]
    held: list[Route] = []

    def hold(route: Route) -> None:
        """The answer is made now, and arrives late."""
        answer = route.fetch()
        robot.withdraw(asked[-1], "I know it now")
        held.append(route)
        page.wait_for_timeout(500)  # the socket has told it by then
        route.fulfill(response=answer)

    page.route("**/api/v1/questions", hold)
    page.goto(server.link(server.code("ana")))
    expect(page.get_by_test_id("question")).to_contain_text(f"{ASKED - 2} more questions wait.")
    assert len(held) == 1


def test_it_is_tried_again_where_it_fails(server: RunningServer, robot: Client, page: Page) -> None:
    for each in range(ASKED):
        ask(robot, each)
    tries: list[str] = []

    def fail_twice(route: Route) -> None:
        tries.append(route.request.url)
        if len(tries) <= 2:
            route.fulfill(status=503, body="")
        else:
            route.continue_()

    page.route("**/api/v1/questions", fail_twice)
    page.goto(server.link(server.code("ana")))
    expect(page.get_by_test_id("question")).to_contain_text(f"{ASKED - 1} more questions wait.")
    assert len(tries) == 3
