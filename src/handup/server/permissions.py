"""Table of rights: the roles that may send each request. A request that is not in the table is refused."""

from __future__ import annotations

from collections.abc import Mapping

from handup.core import Role
from handup.server.events import ROBOT, AccessRole

Roles = frozenset[AccessRole]
EVERYBODY = None
"""Entry of a request that everybody may send, even without a token."""
ROBOTS: Roles = frozenset({ROBOT})
PEOPLE: Roles = frozenset(Role)
PAIRED = PEOPLE | ROBOTS
ANSWER = PEOPLE - {Role.DEVELOPER}
MOVE = ANSWER - {Role.BYSTANDER}
"""Roles that may steer a robot and let a stopped one go on: not somebody who only happens to be near it."""
SET_UP: Roles = frozenset({Role.RESIDENT, Role.CAREGIVER})
"""Roles that may say what people can do and when they may be asked: a caregiver of everybody, a resident of oneself."""
STAFF: Roles = frozenset({Role.CAREGIVER, Role.OPERATOR, Role.DEVELOPER})
"""Roles that see all questions, with all names."""
LIVE = "/api/v1/live"

RIGHTS: Mapping[tuple[str, str], Roles | None] = {
    ("GET", "/api/v1/health"): EVERYBODY,
    ("GET", "/api/v1/openapi.json"): EVERYBODY,
    ("GET", "/api/v1/metrics"): frozenset({Role.OPERATOR, Role.DEVELOPER}),
    ("POST", "/api/v1/pair"): EVERYBODY,
    ("POST", "/api/v1/leave"): PAIRED,
    ("GET", "/api/v1/me"): PAIRED,
    ("GET", "/api/v1/proof"): EVERYBODY,
    ("GET", "/api/v1/questions"): PEOPLE,
    ("GET", "/api/v1/questions/{id:path}"): PAIRED,
    ("POST", "/api/v1/questions"): ROBOTS,
    ("GET", "/api/v1/wait"): ROBOTS,
    ("POST", "/api/v1/withdraw"): ROBOTS,
    ("POST", "/api/v1/hand-on"): ROBOTS,
    ("POST", "/api/v1/replies"): ANSWER,
    ("POST", "/api/v1/claim"): ANSWER,
    ("POST", "/api/v1/release"): ANSWER,
    ("GET", "/api/v1/people"): PEOPLE,
    ("PUT", "/api/v1/people/{name:path}"): SET_UP,
    ("POST", "/api/v1/presence"): ANSWER,
    ("POST", "/api/v1/stop"): PAIRED,
    ("POST", "/api/v1/enable"): MOVE,
    ("PUT", "/api/v1/robots/{robot}/state"): ROBOTS,
    ("GET", "/api/v1/robots"): PEOPLE,
    ("PUT", "/api/v1/pictures/{name:path}"): ROBOTS,
    ("GET", "/api/v1/pictures/{name:path}"): PEOPLE,
    ("GET", "/api/v1/drafts/{id:path}"): PEOPLE,
    ("PUT", "/api/v1/drafts/{id:path}"): PEOPLE,
    ("DELETE", "/api/v1/drafts/{id:path}"): PEOPLE,
    ("GET", LIVE): PAIRED,
}
"""Roles that may send each request, by method and path. A request that is not listed is for nobody."""
UNLIMITED = frozenset({("POST", "/api/v1/stop"), ("GET", "/api/v1/health")})
"""Requests that are never refused for coming too often."""
