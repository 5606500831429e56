"""Two stores at one address, one after the other, with the same ids of questions: no answer goes to the wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from handup.client import Client
from handup.core import Person, Question, QuestionKind
from handup.server import RunningServer, ServerSettings, start

STEP_MS, STEPS = 500, 5
"""Steps of the page's clock: what would be sent is sent several times in all of them."""


def serve(store: Path, port: int = 0) -> RunningServer:
    return start(ServerSettings(store=str(store), port=port, people=(Person(name="ana"),)))


def ask(server: RunningServer, prompt: str, *options: str) -> tuple[Client, str]:
    robot = Client(server.url, server.robot_token("plate"))
    return robot, robot.ask(Question(prompt, QuestionKind.CHOICE, options), run="meal-1", step="food").id


def nothing_is_sent(page: Page) -> None:
    """Let time pass on the clock of the page, and see that neither an answer nor a stop goes out."""
    posted: list[str] = []

    def note(request: Request) -> None:
        if request.method == "POST" and request.url.endswith(("/replies", "/stop")):
            posted.append(request.url)

    page.on("request", note)
    for _ in range(STEPS):
        page.clock.run_for(STEP_MS)
        page.evaluate("fetch('/api/v1/health').then(() => null)")  # what was sent before is there when this is
    page.remove_listener("request", note)
    assert posted == []


def test_an_answer_that_was_not_sent_stays_with_its_store(tmp_path: Path, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.clock.install()
    with serve(tmp_path / "one.db") as first:
        robot, asked = ask(first, "What food is this?", "chicken", "tomato")
        robot.close()
        page.goto(first.link(first.code("ana")))
        page.get_by_test_id("option-0").click()
    page.get_by_test_id("send").click()
    expect(page.get_by_test_id("sent")).to_be_visible()
    for reload in (False, True):
        with serve(tmp_path / f"two-{reload}.db", first.port) as second:
            robot, other = ask(second, "Which is to be cut away?", "chicken", "finger")
            assert other == asked
            if reload:
                page.goto("about:blank")
                page.goto(second.link(second.code("ana")))
            else:
                page.get_by_test_id("pair-code").fill(second.code("ana"))
                page.keyboard.press("Enter")
            expect(page.get_by_test_id("question")).to_contain_text("cut away")
            nothing_is_sent(page)
            expect(page.get_by_test_id("send")).to_have_count(0)  # nothing is chosen here
            expect(page.get_by_test_id("sent")).to_have_count(0)
            found = robot.record(other)
            assert found is not None
            assert found.status == "open"
            robot.close()
    page.goto("about:blank")
    with serve(tmp_path / "one.db", first.port) as again:
        page.goto(again.link(again.code("ana")))
        with Client(again.url, again.robot_token("plate")) as robot:
            answered = robot.wait(asked, timeout_s=15.0)
            assert answered is not None
            assert answered.answer is not None
            assert answered.answer.value == "chicken"
    context.close()


def test_what_is_kept_for_other_stores_goes_after_a_month(tmp_path: Path, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    with serve(tmp_path / "one.db") as server:
        page.goto(f"{server.url}/")
        page.evaluate(
            """() => {
                const now = Date.now() / 1000, month = 31 * 86400;
                const draft = (at_s) => JSON.stringify({ value: { other: true, part: null }, at_s });
                localStorage.setItem("handup.draft.else.ana.old", draft(now - month));
                localStorage.setItem("handup.draft.else.ana.new", draft(now));
                const unsent = (token, at_s) => ({
                    reply: { question: "q", kind: "not-now", token }, said: "", by: "ana", store: "else", at_s });
                localStorage.setItem("handup.unsent", JSON.stringify([unsent("a", now - month), unsent("b", now)]));
            }"""
        )
        page.goto("about:blank")
        page.goto(server.link(server.code("ana")))
        expect(page.get_by_test_id("waiting")).to_be_visible()
        drafts = page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('handup.draft.'))")
        assert drafts == ["handup.draft.else.ana.new"]
        robot, _ = ask(server, "What food is this?", "chicken", "tomato")
        robot.close()
        page.get_by_test_id("option-0").click()
        page.get_by_test_id("send").click()
        expect(page.get_by_test_id("notice")).to_contain_text("your answer counts")
        kept = page.evaluate("JSON.parse(localStorage.getItem('handup.unsent')).map((each) => each.reply.token)")
        assert kept == ["b"]
    context.close()


@pytest.mark.parametrize("reload", [False, True])
def test_a_stop_that_did_not_get_through_is_dropped_in_sight_at_another_store(
    tmp_path: Path, browser: Browser, reload: bool
) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.clock.install()
    with serve(tmp_path / "one.db") as first:
        page.goto(first.link(first.code("ana")))
        expect(page.get_by_test_id("waiting")).to_be_visible()
    page.get_by_test_id("stop").click()
    expect(page.get_by_test_id("stop-failing")).to_be_visible()
    with serve(tmp_path / "two.db", first.port) as second, Client(second.url, second.robot_token("plate")) as robot:
        if reload:
            page.goto("about:blank")
            page.goto(second.link(second.code("ana")))
        else:
            page.get_by_test_id("pair-code").fill(second.code("ana"))
            page.keyboard.press("Enter")
        expect(page.get_by_test_id("waiting")).to_be_visible()
        expect(page.get_by_test_id("notice")).to_contain_text("not sent to this robot")
        expect(page.get_by_test_id("stop-failing")).to_have_count(0)
        nothing_is_sent(page)
        assert robot.health()["status"] == "ok"
        page.get_by_test_id("stop").click()  # what is pressed here is for the robot that is here
        expect(page.get_by_test_id("stopped")).to_be_visible()
        assert robot.health()["status"] == "stopped"
    context.close()


def test_a_stop_that_did_not_get_through_reaches_its_own_store_over_a_reload(tmp_path: Path, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    with serve(tmp_path / "one.db") as first:
        page.goto(first.link(first.code("ana")))
        expect(page.get_by_test_id("waiting")).to_be_visible()
    page.get_by_test_id("stop").click()
    expect(page.get_by_test_id("stop-failing")).to_be_visible()
    page.goto("about:blank")
    with serve(tmp_path / "one.db", first.port) as again:
        page.goto(again.url)
        expect(page.get_by_test_id("stopped")).to_be_visible()
        expect(page.get_by_test_id("stop-failing")).to_have_count(0)
    context.close()
