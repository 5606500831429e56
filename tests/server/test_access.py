"""Codes and tokens: single use, expiry, revocation, forgery, replicas, erasure; and who may send from where."""

from __future__ import annotations

from pathlib import Path

import pytest

from handup.core import BadCode, BadSetting, ManualClock, NothingThere, Role
from handup.journal import Journal
from handup.server import Access, Bounds, ServerSettings, create_app
from handup.server.tokens import ALPHABET, new_code
from tests.server.houses import LIVE, URL, House, TestClient, WebSocketDenialResponse, house

RESIDENT = Role.RESIDENT


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1000.0)


@pytest.fixture
def access(tmp_path: Path, clock: ManualClock) -> Access:
    return Access(Journal.open(tmp_path / "access.db", clock=clock))


def test_a_code_is_good_once_however_it_is_typed(access: Access) -> None:
    code, until_s = access.make_code("ana", RESIDENT)
    assert until_s == 1600.0
    paired = access.pair(f" {code.lower().replace('-', ' ')}", "tablet")
    assert access.find(paired.token) == paired.grant
    assert (paired.grant.name, paired.grant.role, paired.grant.device) == ("ana", "resident", "tablet")
    with pytest.raises(BadCode):
        access.pair(code)


def test_a_code_ends(access: Access, clock: ManualClock) -> None:
    code, _ = access.make_code("ana", RESIDENT)
    clock.advance(600.0)
    with pytest.raises(BadCode):
        access.pair(code)


def test_codes_have_letters_that_nobody_mistakes() -> None:
    assert not set("IL1O0") & set(ALPHABET)
    codes = {new_code() for _ in range(200)}
    assert len(codes) == 200
    assert all(set(code) <= {*ALPHABET, "-"} and len(code) == 9 for code in codes)


def test_a_token_ends(access: Access, clock: ManualClock) -> None:
    token = access.pair(access.make_code("ana", RESIDENT, token_s=3600.0)[0]).token
    clock.advance(3599.0)
    assert access.find(token) is not None
    clock.advance(1.0)
    assert access.find(token) is None
    assert access.grants() == ()


def test_a_revoked_token_is_good_no_more_in_any_process(access: Access, tmp_path: Path) -> None:
    token = access.pair(access.make_code("ana", RESIDENT)[0]).token
    other = Access(Journal.open(tmp_path / "access.db", clock=ManualClock(1000.0)))
    grant = other.find(token)
    assert grant is not None
    other.revoke(grant.id)
    assert other.find(token) is None
    access.catch_up()
    assert access.find(token) is None
    with pytest.raises(NothingThere):
        access.revoke(grant.id)


@pytest.mark.parametrize("forged", ["", "x", "Bearer", "0" * 43, "é" * 43, "x" * 100_000, "\ud800"])
def test_a_forged_token_is_nobodys(access: Access, forged: str) -> None:
    access.robot_token("plate")
    assert access.find(forged) is None


def test_no_secret_lies_in_the_store(access: Access, tmp_path: Path) -> None:
    code, _ = access.make_code("ana", RESIDENT)
    token = access.pair(code).token
    robot = access.robot_token("plate").token
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for secret in (code, code.replace("-", ""), token, robot):
        assert secret.encode() not in kept


def test_who_is_erased_is_out(tmp_path: Path) -> None:
    with house(tmp_path / "house.db") as home:
        home.token("resident")
        with home.live("resident") as live:
            live.next("hello")
            home.service.journal.erase("ana")
            assert live.next("bye")["why"] == "You are not paired any more."
        assert home.call("GET", "/me", "resident").status_code == 401
        assert "tablet" not in str(home.service.access.grants())


@pytest.mark.parametrize("robot", ["", " ", "a/b", "a\nb", "x" * 300])
def test_a_robot_has_a_plain_name(access: Access, robot: str) -> None:
    with pytest.raises(BadSetting):
        access.robot_token(robot)


def test_a_robot_has_no_code(access: Access) -> None:
    with pytest.raises(BadSetting, match="got 'robot'"):
        access.make_code("plate", "robot")  # type: ignore[arg-type]


def test_what_another_program_wrote_is_not_passed_over_for_an_entry_of_our_own(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "house.db") as mine, Journal.open(tmp_path / "house.db") as theirs:
        here, there = Access(mine), Access(theirs)
        code, _ = there.make_code("ana", RESIDENT)
        revoked = here.robot_token("plate")
        assert here.pair(code).grant.name == "ana"
        there.revoke(revoked.grant.id)
        here.make_code("ana", RESIDENT)
        assert here.find(revoked.token) is None


# -- over HTTP --------------------------------------------------------------------------------------------------------


def test_pairing_sets_a_cookie_that_no_script_reads(home: House) -> None:
    code, _ = home.service.access.make_code("ana", RESIDENT)
    paired = home.client.post("/api/v1/pair", json={"code": code, "device": "tablet"})
    assert paired.status_code == 200
    assert set(paired.json()) == {"token", "id", "name", "role", "device", "until_s", "store"}
    cookie = paired.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    assert cookie.startswith("handup-8765="), "another server on this host has another one"
    assert home.client.get("/api/v1/me").json()["name"] == "ana", "the cookie alone is enough"
    with home.client.websocket_connect(LIVE) as socket:
        assert '"hello"' in socket.receive_text()
    assert home.client.post("/api/v1/leave").status_code == 204
    home.client.cookies.clear()
    again = home.client.get("/api/v1/me", headers={"Authorization": f"Bearer {paired.json()['token']}"})
    assert again.status_code == 401, "a token that was left is not good again"


def test_a_token_in_the_address_is_no_token(home: House) -> None:
    token = home.token("resident")
    assert home.client.get(f"/api/v1/me?token={token}&handup={token}").status_code == 401
    with pytest.raises(WebSocketDenialResponse), home.client.websocket_connect(f"{LIVE}?token={token}"):
        pass


def test_a_token_that_another_program_made_is_good_at_once(home: House, tmp_path: Path) -> None:
    with Journal.open(tmp_path / "house.db") as journal:
        token = Access(journal).robot_token("arm").token
    answered = home.client.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"})
    assert answered.json()["name"] == "arm"


def test_a_socket_ends_when_another_program_revokes_its_token(home: House, tmp_path: Path) -> None:
    with home.live("robot") as live:
        me = live.next("hello")["me"]
        with Journal.open(tmp_path / "house.db") as journal:
            Access(journal).revoke(me["id"])
        assert live.next("bye")["why"] == "You are not paired any more."


def test_pairing_may_be_tried_a_few_times_only(tmp_path: Path) -> None:
    with house(tmp_path / "house.db") as home:
        tried = [home.client.post("/api/v1/pair", json={"code": "WRONG"}).status_code for _ in range(8)]
        assert tried == [403] * 5 + [429] * 3
        assert home.call("GET", "/me", "resident").status_code == 200, "who is paired already does not suffer"


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8765", "http://127.0.0.1:1", ""])
def test_a_page_of_another_origin_changes_nothing(shared: House, origin: str) -> None:
    refused = shared.call("POST", "/stop", "resident", headers={"Origin": origin})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "HU503")
    assert shared.service.stopped is None
    protocols = ["handup", f"bearer.{shared.token('resident')}"]
    with (
        pytest.raises(WebSocketDenialResponse) as denied,
        shared.client.websocket_connect(LIVE, protocols, headers={"Origin": origin}),
    ):
        pass
    assert denied.value.status_code == 403


def test_the_own_page_may(shared: House) -> None:
    assert shared.call("POST", "/claim", "resident", headers={"Origin": URL}, json={"id": "a"}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8765", "127.0.0.1:1", "127.0.0.1", "", "192.168.0.7:8765", "[", "localhost:x"],
)
def test_another_host_is_refused(shared: House, host: str) -> None:
    refused = shared.call("GET", "/health", None, headers={"Host": host})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "HU503")


@pytest.mark.parametrize("host", ["localhost:8765", "127.0.0.1:8765", "[::1]:8765", "LOCALHOST:8765"])
def test_this_machine_has_several_names(shared: House, host: str) -> None:
    assert shared.call("GET", "/health", None, headers={"Host": host}).status_code == 200


def test_an_origin_may_be_given_for_a_proxy(tmp_path: Path) -> None:
    with house(tmp_path / "house.db", origins=("https://robot.example",)) as home:
        headers = {"Host": "robot.example", "Origin": "https://robot.example"}
        assert home.call("POST", "/claim", "resident", headers=headers, json={"id": "a"}).status_code == 200


def test_too_many_requests_are_refused_but_never_a_stop(tmp_path: Path) -> None:
    with house(tmp_path / "house.db", bounds=Bounds(per_s=0.001, burst=5.0)) as home:
        codes = [home.call("GET", "/me", "resident").status_code for _ in range(8)]
        assert codes == [200] * 5 + [429] * 3
        assert [home.call("POST", "/stop", "resident").status_code for _ in range(5)] == [200] * 5
        assert home.call("GET", "/me", "caregiver").status_code == 200, "others do not suffer"
        with home.live("robot") as robot, home.live("operator") as live:
            robot.next("hello")
            for _ in range(20):
                live.send("beat")
            assert live.next("error")["error"]["code"] == "HU504"
            home.call("POST", "/enable", "caregiver")
            robot.next("stopped", lambda frame: frame["stopped"] is None)
            live.send("stop", why="now")
            assert robot.next("stopped", lambda frame: frame["stopped"])["stopped"]["by"] == "olu"


def test_bodies_are_limited_but_a_stop_is_taken_whatever_it_says(tmp_path: Path) -> None:
    def endless() -> object:
        yield from (b"x" * 10_000 for _ in range(20))

    with house(tmp_path / "house.db") as home:
        large = home.call("POST", "/claim", "resident", content=b"x" * 70_000)
        assert (large.status_code, large.json()["error"]["code"]) == (413, "HU505")
        streamed = home.call("POST", "/claim", "resident", content=endless())
        assert (streamed.status_code, streamed.json()["error"]["code"]) == (413, "HU505")
        for body in (b"x" * 70_000, b"{", b'{"why": 7}', b"\xff"):
            assert home.call("POST", "/stop", "resident", content=body).json()["stopped"] is True
        assert home.call("POST", "/stop", "robot", content=endless()).json()["stopped"] is True


def test_responses_carry_what_keeps_a_browser_safe(shared: House) -> None:
    for path in ("/", "/api/v1/health", "/api/v1/me", "/nothing"):
        headers = shared.client.get(path).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers


@pytest.mark.parametrize(("address", "status"), [("127.0.0.1", 200), ("192.168.0.7", 401)])
def test_metrics_may_be_open_to_this_machine_only(tmp_path: Path, address: str, status: int) -> None:
    app = create_app(tmp_path / "house.db", settings=ServerSettings(open_metrics=True))
    with TestClient(app, base_url=URL, client=(address, 1)) as client:
        assert client.get("/api/v1/metrics").status_code == status
