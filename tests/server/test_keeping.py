"""What is kept: pictures on disk, drafts in memory, numbers; and what a restart or damage leaves of it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from handup.core import BadRequest, NotForYou, Person, StoreUnavailable, TooLarge
from handup.desk.events import NOTICES, NoticeEnded, NoticeOutcome
from handup.journal import Journal
from handup.server import Bounds, ServerSettings, create_app
from handup.server.pictures import Pictures, media_type
from tests.deadlines import soon
from tests.server.houses import PNG, ROOMY, House, house
from tests.server.openmetrics import parsed

JPEG = b"\xff\xd8\xff\xe0" + b"1" * 60
WEBP = b"RIFF\x00\x00\x00\x00WEBP" + b"2" * 60


# -- pictures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("data", "kind"), [(PNG, "image/png"), (JPEG, "image/jpeg"), (WEBP, "image/webp")])
def test_a_picture_comes_back_as_it_was_sent(home: House, data: bytes, kind: str) -> None:
    assert home.call("PUT", "/pictures/live/plate", "robot", content=data).status_code == 204
    got = home.call("GET", "/pictures/live/plate?seq=17", "resident")
    assert (got.content, got.headers["content-type"]) == (data, kind)
    assert got.headers["cache-control"].startswith("private")
    again = home.call("GET", "/pictures/live/plate", "resident", headers={"If-None-Match": got.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("name", ["..%2f..%2fetc%2fpasswd", "%00", "a" * 2000, "ü/ß", "live/../../x", "%ff"])
def test_a_name_is_only_a_name(home: House, name: str, tmp_path: Path) -> None:
    path = f"/pictures/x/{name}"
    assert home.call("PUT", path, "robot", content=PNG).status_code in {204, 404, 405}
    assert home.call("GET", path, "resident").status_code in {200, 404}
    folder = tmp_path / "house.db.pictures"
    outside = {each for each in tmp_path.rglob("*") if each.is_file() and folder not in each.parents}
    assert all(each.name.startswith("house.db") or each.name.startswith(".house.db") for each in outside)


@pytest.mark.parametrize("data", [b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"GIF89a", b"<html>", b"\xff\xd8"])
def test_what_is_no_picture_is_refused(shared: House, data: bytes) -> None:
    refused = shared.call("PUT", "/pictures/live/plate", "robot", content=data)
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "HU507")


def test_a_picture_of_two_mebibytes_is_taken_and_no_larger_one(shared: House) -> None:
    most = Bounds().picture
    assert shared.call("PUT", "/pictures/large", "robot", content=PNG.ljust(most, b"0")).status_code == 204
    assert shared.call("PUT", "/pictures/large", "robot", content=PNG.ljust(most + 1, b"0")).status_code == 413


def test_the_oldest_pictures_go_but_none_that_a_question_needs(tmp_path: Path) -> None:
    pictures = Pictures(tmp_path / "pictures", Bounds(pictures=3), lambda: {"0"})
    for number in range(6):
        pictures.put(str(number), PNG, "plate")
        time.sleep(0.01)
    kept = [number for number in range(6) if _there(pictures, str(number))]
    assert kept == [0, 4, 5]
    again = Pictures(tmp_path / "pictures", Bounds(pictures=3), lambda: {"0", "4", "5"})
    assert _there(again, "5"), "they are there after a restart"
    with pytest.raises(TooLarge):
        again.put("another", PNG, "plate")


def test_pictures_have_a_size_together(tmp_path: Path) -> None:
    pictures = Pictures(tmp_path / "pictures", Bounds(pictures_bytes=3 * len(PNG)), set)
    for number in range(5):
        pictures.put(str(number), PNG, "plate")
        time.sleep(0.01)
    assert [number for number in range(5) if _there(pictures, str(number))] == [2, 3, 4]


def test_a_picture_is_its_robots_for_as_long_as_it_is_kept(tmp_path: Path) -> None:
    pictures = Pictures(tmp_path / "pictures", Bounds(pictures=2), set)
    pictures.put("live", PNG, "plate")
    pictures.put("live", JPEG, "plate")
    beside = Pictures(tmp_path / "pictures", Bounds(pictures=2), set)
    for each in (pictures, beside, Pictures(tmp_path / "pictures", Bounds(pictures=2), set)):
        with pytest.raises(NotForYou):
            each.put("live", PNG, "cup")
        assert each.get("live").data == JPEG
    for name in ("a", "b"):
        time.sleep(0.01)
        pictures.put(name, PNG, "cup")
    pictures.put("live", PNG, "cup")
    assert len(list((tmp_path / "pictures").iterdir())) == 4, "two pictures, and whose they are"
    (tmp_path / "pictures" / "left.owner").write_text("plate")
    Pictures(tmp_path / "pictures", Bounds(), set)
    assert not (tmp_path / "pictures" / "left.owner").exists()


def test_another_robots_picture_is_not_overwritten(home: House) -> None:
    assert home.call("PUT", "/pictures/live/plate", "robot", content=PNG).status_code == 204
    other = {"Authorization": f"Bearer {home.service.access.robot_token('cup').token}"}
    refused = home.client.put("/api/v1/pictures/live/plate", content=JPEG, headers=other)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "HU502")
    assert home.call("GET", "/pictures/live/plate", "resident").content == PNG


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "pictures").write_text("no folder")
    with pytest.raises(StoreUnavailable):
        Pictures(tmp_path / "pictures", Bounds(), set).put("a", PNG, "plate")


def test_a_picture_is_told_by_how_it_begins() -> None:
    with pytest.raises(BadRequest):
        media_type(b"RIFF0000WAVE")


def _there(pictures: Pictures, name: str) -> bool:
    from handup.core import NothingThere

    try:
        return bool(pictures.get(name))
    except NothingThere:
        return False


# -- drafts -----------------------------------------------------------------------------------------------------------


def test_a_half_made_answer_is_its_persons_and_goes_with_the_question(home: House) -> None:
    id_ = home.ask()
    draft: dict[str, Any] = {"value": {"left": 0.1}, "at_s": 5.0}
    assert home.call("GET", f"/drafts/{id_}", "resident").json() == {"value": None, "at_s": None}
    assert home.call("PUT", f"/drafts/{id_}", "resident", json=draft).status_code == 204
    assert home.call("GET", f"/drafts/{id_}", "resident").json() == draft
    assert home.call("GET", f"/drafts/{id_}", "caregiver").json()["value"] is None
    assert home.call("DELETE", f"/drafts/{id_}", "resident").status_code == 204
    assert home.call("GET", f"/drafts/{id_}", "resident").json()["value"] is None
    with home.live("resident") as ana:
        ana.send("draft", id=id_, value="half", at_s=6.0)
        ana.send("nothing")
        ana.next("error")
        assert home.call("GET", f"/drafts/{id_}", "resident").json() == {"value": "half", "at_s": 6.0}
        home.answer(id_)
        ana.next("question", lambda frame: frame["record"]["status"] == "answered")
    assert home.call("GET", f"/drafts/{id_}", "resident").status_code == 404
    assert home.service.drafts.get("ana", id_) is None


def test_drafts_are_for_the_audience_of_a_question(home: House) -> None:
    id_ = home.ask(to=["cem"])
    assert home.call("PUT", f"/drafts/{id_}", "resident", json={"value": 1}).status_code == 404
    assert home.call("PUT", "/drafts/no/such/1", "resident", json={"value": 1}).status_code == 404


@pytest.mark.parametrize("value", ["NaN", "Infinity", '"\\ud800"', '{"\\udfff": 1}'])
def test_a_draft_that_cannot_come_back_is_refused(shared: House, value: str) -> None:
    id_ = shared.ask("drafts")
    content = f'{{"value": {value}}}'
    headers = {"content-type": "application/json"}
    assert shared.call("PUT", f"/drafts/{id_}", "resident", content=content, headers=headers).status_code == 422


# -- numbers ----------------------------------------------------------------------------------------------------------


def test_metrics_are_openmetrics_and_count(home: House) -> None:
    first = home.ask("first")
    home.ask("second")
    home.answer(first)
    home.call("GET", "/me", None)
    with home.live("robot") as robot:
        robot.next("hello")
        home.call("POST", "/stop", "operator")
        robot.next("stopped")
        until = time.monotonic() + 5.0
        while (found := parsed(home.call("GET", "/metrics", "developer").text))["handup_stops_total"] < 1:
            assert time.monotonic() < until
            time.sleep(0.02)
    assert home.call("GET", "/metrics", "developer").headers["content-type"].startswith("application/openmetrics-text")
    assert found["handup_asks_total"] == found["handup_asks_last_hour"] == 2
    assert found["handup_answers_total"] == found["handup_answer_latency_seconds_count"] == 1
    assert found['handup_answer_latency_seconds_bucket{le="+Inf"}'] == 1
    assert found["handup_questions_open"] == 0, "the stop took the other one back"
    assert (found["handup_sockets"], found["handup_robots_alive"], found["handup_stopped"]) == (1, 1, 1)
    assert found['handup_refused_total{code="HU501"}'] == 1


def test_notices_that_fail_are_seen_in_health_and_metrics(home: House) -> None:
    health: dict[str, Any] = {}

    def ends(outcome: NoticeOutcome) -> None:
        ended = NoticeEnded(begun=1, way="ntfy", outcome=outcome, why="")
        home.service.journal.append(ended, run=NOTICES, key="meal/food/1")
        failing = "ok" if outcome is NoticeOutcome.SENT else "failing"
        soon(lambda: health.update(home.call("GET", "/health", None).json()) or health["notices"] == failing)

    assert home.call("GET", "/health", None).json()["notices"] is None
    ends(NoticeOutcome.FAILED)
    assert health["status"] == "ok", "robots and people go on as before"
    ends(NoticeOutcome.SENT)
    ends(NoticeOutcome.UNSURE)
    found = parsed(home.call("GET", "/metrics", "developer").text)
    assert found['handup_notices_total{way="ntfy",outcome="failed"}'] == 1
    assert found['handup_notices_total{way="ntfy",outcome="sent"}'] == 1


# -- restart ----------------------------------------------------------------------------------------------------------


def check_restart(store: str, pictures: Path) -> None:
    with house(store, pictures=pictures) as before:
        id_ = before.ask()
        before.call("PUT", "/pictures/plate", "robot", content=PNG)
        tokens = {role: before.token(role) for role in ("robot", "resident")}
    with house(store, pictures=pictures) as after:
        after.tokens.update(tokens)
        waiting = after.call("GET", "/questions", "resident").json()["questions"]
        assert [each["id"] for each in waiting] == [id_]
        assert after.call("GET", "/pictures/plate", "resident").content == PNG
        assert after.answer(id_)["status"] == "accepted"
        after.call("POST", "/stop", "resident", json={"why": "hot"})
    with house(store, pictures=pictures) as last:
        last.tokens.update(tokens)
        assert last.call("GET", "/health", None).json()["status"] == "stopped"
        with last.live("robot") as robot:
            stopped = robot.next("hello")["stopped"]
        assert (stopped["by"], stopped["why"]) == ("ana", "hot")
        assert abs(stopped["at_s"] - time.time()) < 60.0
        assert last.call("GET", f"/questions/{id_}", "robot").json()["answer"]["value"] == "plum"


def test_a_restart_keeps_tokens_questions_pictures_and_the_stop(tmp_path: Path) -> None:
    check_restart(str(tmp_path / "house.db"), tmp_path / "pictures")


def test_the_same_on_postgresql(database: str, tmp_path: Path) -> None:
    check_restart(database, tmp_path / "pictures")


def test_two_servers_on_one_store_behave_as_one(tmp_path: Path) -> None:
    with house(tmp_path / "house.db") as one, house(tmp_path / "house.db") as two:
        two.tokens.update({role: one.token(role) for role in ("robot", "resident")})
        with two.live("resident") as ana, one.live("robot") as robot:
            id_ = one.ask()
            robot.send("watch", id=id_)
            assert ana.next("question")["record"]["id"] == id_
            ana.send("reply", question=id_, kind="answer", value="pear", token="1")
            found = robot.next("record", lambda frame: frame["record"]["status"] == "answered")
            assert found["record"]["answer"]["value"] == "pear"
            ana.send("stop")
            assert robot.next("stopped")["stopped"]["by"] == "ana"


# -- damage -----------------------------------------------------------------------------------------------------------


def test_a_damaged_store_is_told_and_nothing_goes_on(tmp_path: Path) -> None:
    store = tmp_path / "house.db"
    with Journal.open(store), store.open("ab"):
        pass
    store.write_bytes(os.urandom(8192))
    with house(store) as home:
        assert home.call("GET", "/health", None).json()["status"] == "damaged"
        page = home.client.get("/")
        assert page.status_code in {200, 404}
        assert home.client.get("/api/v1/openapi.json").status_code == 200
        for method, path in (("GET", "/me"), ("GET", "/questions"), ("POST", "/pair"), ("POST", "/enable")):
            refused = home.client.request(method, f"/api/v1{path}", json={"code": "a"})
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "HU401")
        assert home.client.post("/api/v1/stop").json()["error"]["code"] == "HU501"


def test_damage_that_is_found_while_it_runs_stops_everything(home: House) -> None:
    from handup.core import DamagedJournal

    with home.live("robot") as robot, home.live("resident") as ana:
        robot.next("hello")
        home.service._found_damage(DamagedJournal("bits are gone", hint="Repair it."))
        assert "bits are gone" in robot.next("stopped")["stopped"]["why"]
        ana.send("reply", question="a/b/1", kind="answer", value="plum", token="1")
        assert ana.next("error")["error"]["code"] == "HU401"
        ana.send("stop")
    assert home.call("GET", "/health", None).json()["status"] == "damaged"
    assert home.call("GET", "/me", "resident").status_code == 503


def test_a_store_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable):
        create_app(tmp_path / "no" / "folder.db")


def test_a_journal_that_is_given_stays_open(tmp_path: Path) -> None:
    from tests.server.houses import URL, TestClient

    with Journal.open(tmp_path / "house.db") as journal:
        settings = ServerSettings(bounds=ROOMY)
        with TestClient(create_app(journal, people=[Person(name="ana")], settings=settings), base_url=URL) as client:
            assert client.get("/api/v1/health").status_code == 200
        assert journal.head().seq > 0
