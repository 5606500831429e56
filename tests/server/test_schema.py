"""The whole API against its own description: whatever is sent, no 5xx, and every answer is as described."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from handup.server import RunningServer, ServerSettings, start
from handup.server.permissions import RIGHTS
from tests.server.houses import CHOICE, PEOPLE, PNG, ROOMY

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
SETTINGS = settings(max_examples=8, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
ALLOWED = {(method, path.replace(":path", "")): roles for (method, path), roles in RIGHTS.items()}
NOTHING_TO_GET_WRONG = ("/health", "/metrics", "/leave", "/me", "/enable", "/robots")
"""What takes nothing that could be wrong."""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    store = tmp_path_factory.mktemp("house") / "house.db"
    with start(ServerSettings(store=str(store), port=0, people=PEOPLE, bounds=ROOMY)) as made:
        yield made


@pytest.fixture(scope="module")
def tokens(running: RunningServer) -> dict[str, str | None]:
    robot = running.robot_token("plate")
    requests.post(
        f"{running.url}/api/v1/questions",
        json={"question": CHOICE, "run": "meal", "step": "food"},
        headers={"Authorization": f"Bearer {robot}"},
        timeout=10,
    )
    requests.put(
        f"{running.url}/api/v1/pictures/live/plate",
        data=PNG,
        headers={"Authorization": f"Bearer {robot}"},
        timeout=10,
    )
    resident, developer = running.token("ana"), running.token("dev", "developer")
    return {"nobody": None, "robot": robot, "resident": resident, "developer": developer}


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    with requests.Session() as made:
        made.cookies.set_policy(_no_cookies())
        yield made


def _no_cookies() -> Any:
    from http.cookiejar import DefaultCookiePolicy

    return DefaultCookiePolicy(allowed_domains=[])


@pytest.mark.parametrize("mode", GenerationMode)
@pytest.mark.parametrize("role", ["nobody", "robot", "resident", "developer"])
def test_whatever_is_sent(
    role: str,
    mode: GenerationMode,
    running: RunningServer,
    tokens: dict[str, str | None],
    session: requests.Session,
) -> None:
    token = tokens[role]
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    def send(case: Any) -> None:
        if case.path.endswith("/wait"):
            case.query = {**(case.query or {}), "timeout_s": 0}
        case.headers.pop("Authorization", None)
        case.cookies.clear()
        case.call_and_validate(base_url=running.url, session=session, headers=headers, checks=CHECKS, timeout=20)

    tried = 0
    for result in schemathesis.openapi.from_dict(running.app.openapi()).get_all_operations():
        operation = cast(Any, result).ok()
        allowed = ALLOWED[operation.method.upper(), operation.path]
        if operation.path.endswith("/leave") or (allowed is not None and role not in allowed):
            continue  # leaving ends the token; what is not allowed is tried elsewhere
        if mode is GenerationMode.NEGATIVE and operation.path.endswith(NOTHING_TO_GET_WRONG):
            continue

        @SETTINGS
        @given(case=operation.as_strategy(generation_mode=mode))
        def try_it(case: Any) -> None:
            send(case)

        try_it()
        tried += 1
    assert tried > 0


def test_every_way_in_is_described(running: RunningServer) -> None:
    described = running.app.openapi()["paths"]
    found = {(method.upper(), path) for path, methods in described.items() for method in methods}
    plain = {(method, path.replace(":path", "")) for method, path in RIGHTS}
    assert found == {each for each in plain if not each[1].endswith(("/live", "/openapi.json"))}
    for path, methods in described.items():
        for method, operation in methods.items():
            assert operation["tags"], (method, path)
            assert operation["responses"]["422"]["content"]["application/json"]["schema"]["$ref"].endswith(
                "ErrorAnswer"
            )
