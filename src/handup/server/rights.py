"""Who may do what: one table, and nothing that is not in it."""

from __future__ import annotations

from collections.abc import Mapping

from handup.server.events import PEOPLE, AccessRole

R, A, C, O, D = (  # noqa: E741 - the columns of the table
    AccessRole.ROBOT,
    AccessRole.RESIDENT,
    AccessRole.CAREGIVER,
    AccessRole.OPERATOR,
    AccessRole.DEVELOPER,
)
Roles = frozenset[AccessRole]
EVERYBODY = None
"""Also without a token."""
PAIRED: Roles = frozenset(AccessRole)
ROBOTS: Roles = frozenset({R})
ANSWER: Roles = frozenset({A, C, O})
STAFF: Roles = frozenset({C, O, D})
"""Who sees all questions, with all names."""
LIVE = "/api/v1/live"

RIGHTS: Mapping[tuple[str, str], Roles | None] = {
    ("GET", "/api/v1/health"): EVERYBODY,
    ("GET", "/api/v1/openapi.json"): EVERYBODY,
    ("GET", "/api/v1/metrics"): frozenset({O, D}),
    ("POST", "/api/v1/pair"): EVERYBODY,
    ("POST", "/api/v1/leave"): PAIRED,
    ("GET", "/api/v1/me"): PAIRED,
    ("GET", "/api/v1/proof"): EVERYBODY,
    ("GET", "/api/v1/questions"): PEOPLE,
    ("GET", "/api/v1/questions/{id:path}"): PAIRED,
    ("POST", "/api/v1/questions"): ROBOTS,
    ("GET", "/api/v1/wait"): ROBOTS,
    ("POST", "/api/v1/withdraw"): ROBOTS,
    ("POST", "/api/v1/replies"): ANSWER,
    ("POST", "/api/v1/claim"): ANSWER,
    ("POST", "/api/v1/release"): ANSWER,
    ("POST", "/api/v1/stop"): PAIRED,
    ("POST", "/api/v1/enable"): ANSWER,
    ("PUT", "/api/v1/robots/{robot}/state"): ROBOTS,
    ("GET", "/api/v1/robots"): PEOPLE,
    ("PUT", "/api/v1/pictures/{name:path}"): ROBOTS,
    ("GET", "/api/v1/pictures/{name:path}"): PEOPLE,
    ("GET", "/api/v1/drafts/{id:path}"): PEOPLE,
    ("PUT", "/api/v1/drafts/{id:path}"): PEOPLE,
    ("DELETE", "/api/v1/drafts/{id:path}"): PEOPLE,
    ("GET", LIVE): PAIRED,
}
"""For each way in: who may use it. What is not here is for nobody."""
UNLIMITED = frozenset({("POST", "/api/v1/stop"), ("GET", "/api/v1/health")})
"""What is never refused for coming too often."""
