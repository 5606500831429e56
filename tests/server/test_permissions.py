"""Deny by default: every way in, for every role and for nobody, from the app's own routes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest
from fastapi import FastAPI
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute

from handup.server.permissions import PAIRED as ROLES
from handup.server.permissions import RIGHTS
from tests.server.houses import CHOICE, LIVE, PNG, House, WebSocketDenialResponse

R, A, C, B, O, D = "robot", "resident", "caregiver", "bystander", "operator", "developer"  # noqa: E741
EVERYBODY = {None, R, A, C, B, O, D}
PAIRED = EVERYBODY - {None}
PEOPLE = PAIRED - {R}
STATE = {"robot": "plate", "phase": "resting", "at_s": 0.0}

MATRIX: dict[tuple[str, str], tuple[set[str | None], dict[str, Any]]] = {
    ("GET", "/health"): (EVERYBODY, {}),
    ("GET", "/openapi.json"): (EVERYBODY, {}),
    ("GET", "/metrics"): ({O, D}, {}),
    ("POST", "/pair"): (EVERYBODY, {"json": {"code": "AAAA-AAAA"}}),
    ("POST", "/leave"): (PAIRED, {}),
    ("GET", "/me"): (PAIRED, {}),
    ("GET", "/proof"): (EVERYBODY, {"params": {"id": "nobody", "nonce": "0123456789abcdef"}}),
    ("GET", "/questions"): (PEOPLE, {}),
    ("GET", "/questions/meal/food/1"): (PAIRED, {}),
    ("POST", "/questions"): ({R}, {"json": {"question": CHOICE, "run": "meal", "step": "food"}}),
    ("GET", "/wait"): ({R}, {"params": {"id": "meal/food/1", "timeout_s": 0}}),
    ("POST", "/withdraw"): ({R}, {"json": {"id": "meal/food/1"}}),
    ("POST", "/hand-on"): ({R}, {"json": {"id": "meal/food/1", "to": "ben"}}),
    ("POST", "/replies"): ({A, C, B, O}, {"json": {"question": "meal/food/1", "kind": "not-now", "token": "t"}}),
    ("POST", "/claim"): ({A, C, B, O}, {"json": {"id": "meal/food/1"}}),
    ("POST", "/release"): ({A, C, B, O}, {"json": {"id": "meal/food/1"}}),
    ("GET", "/people"): (PEOPLE, {}),
    ("PUT", "/people/ana"): ({A, C}, {"json": {"abilities": ["see"], "limits": {"at_once": 50}, "channels": []}}),
    ("POST", "/presence"): ({A, C, B, O}, {"json": {"busy": False}}),
    ("POST", "/stop"): (PAIRED, {}),
    ("POST", "/enable"): ({A, C, O}, {}),
    ("PUT", "/robots/plate/state"): ({R}, {"json": STATE}),
    ("GET", "/robots"): (PEOPLE, {}),
    ("PUT", "/pictures/live/plate"): ({R}, {"content": PNG, "headers": {"content-type": "image/png"}}),
    ("GET", "/pictures/live/plate"): (PEOPLE, {}),
    ("GET", "/drafts/meal/food/1"): (PEOPLE, {}),
    ("PUT", "/drafts/meal/food/1"): (PEOPLE, {"json": {"value": 1}}),
    ("DELETE", "/drafts/meal/food/1"): (PEOPLE, {}),
}
"""Who may do what, written a second time and by hand: a change of the server's own table has to be made here too."""


def ways(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Every way into an app: method and address as it is declared."""
    for route in app.routes:
        yield from _ways(route)


def _ways(route: BaseRoute) -> Iterator[tuple[str, str]]:
    if isinstance(route, WebSocketRoute):
        yield "GET", route.path
    elif isinstance(route, Route):
        yield from ((method, route.path) for method in sorted((route.methods or set()) - {"HEAD"}))
    elif not isinstance(route, Mount):
        for each in getattr(route, "routes", None) or cast(Any, route).original_router.routes:
            yield from _ways(each)


def test_every_way_in_stands_in_the_table_and_nothing_else_does(shared: House) -> None:
    found = {way for way in ways(shared.app) if way[1] != "/"}
    assert found == set(RIGHTS)


def test_every_way_in_is_tried_here(shared: House) -> None:
    def shape(path: str) -> str:
        for given, declared in (
            *(("meal/food/1", "{id:path}"), ("live/plate", "{name:path}"), ("/plate/", "/{robot}/")),
            ("people/ana", "people/{name:path}"),
        ):
            path = path.replace(given, declared)
        return f"/api/v1{path}"

    assert {(method, shape(path)) for method, path in MATRIX} == {each for each in RIGHTS if "live" not in each[1][-4:]}


@pytest.mark.parametrize("role", [None, *sorted(ROLES)])
@pytest.mark.parametrize("way", MATRIX, ids=" ".join)
def test_roles_and_ways(shared: House, way: tuple[str, str], role: str | None) -> None:
    allowed, more = MATRIX[way]
    if way[1] == "/leave" and role is not None:
        shared.tokens.pop(role, None)  # it ends with this
    called = shared.call(*way, role, **more)
    if way[1] == "/leave" and role is not None:
        shared.tokens.pop(role)
    if role is None and role not in allowed:
        assert (called.status_code, called.json()["error"]["code"]) == (401, "HU501")
    elif role not in allowed:
        assert (called.status_code, called.json()["error"]["code"]) == (403, "HU502")
    else:
        assert called.status_code < 500
        assert not any(f'{{"error":{{"code":"{code}"' in called.text for code in ("HU501", "HU502"))


@pytest.mark.parametrize("role", sorted(ROLES))
def test_every_role_may_listen(shared: House, role: str) -> None:
    with shared.live(role) as live:
        assert live.next("hello")["me"]["role"] == role


def test_nobody_may_not_listen(shared: House) -> None:
    with pytest.raises(WebSocketDenialResponse) as refused, shared.client.websocket_connect(LIVE):
        pass
    assert refused.value.status_code == 401


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v1/questions/", "/api/v2/health", "/docs", "/nothing.js"])
def test_there_is_nothing_else(shared: House, path: str) -> None:
    called = shared.client.get(path, headers=shared.headers("developer"))
    assert (called.status_code, called.json()["error"]["code"]) == (404, "HU508")


def test_a_method_that_is_not_there_is_refused(shared: House) -> None:
    called = shared.call("PATCH", "/questions", "developer")
    assert (called.status_code, called.json()["error"]["code"]) == (405, "HU507")


def test_metrics_may_be_opened_to_this_machine_only(shared: House) -> None:
    assert shared.call("GET", "/metrics", None).status_code == 401
