"""The live socket, as far as it is the same for those who wait and those who await: how to connect, what to send."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.typing import Subprotocol

from handup.client.address import Address
from handup.client.calls import refusal
from handup.client.views import strange
from handup.core import HandupError

BEAT_S = 0.25
"""So often both sides say that they are there."""
SILENT_S = 3.0
"""A socket on which nothing is heard for so long is dead, whatever TCP believes."""
OPEN_S = 3.0
"""So long a connection may take to be made."""
MOST_FRAME = 8 * 2**20
"""A frame of the server may be so large: the first one holds every question that waits."""
FAILS = (OSError, WebSocketException, TimeoutError, EOFError)
"""How a connection fails. It is made again then."""
REFUSED = (401, 403)


def how(address: Address) -> dict[str, Any]:
    """What both kinds of sockets want to know. No proxy is used: a server is on this machine or in the house."""
    protocols = [Subprotocol("handup")]
    if address.token:
        protocols.append(Subprotocol(f"bearer.{address.token}"))
    return {
        "uri": address.live,
        "subprotocols": protocols,
        "open_timeout": OPEN_S,
        "close_timeout": 0.2,
        "ping_interval": None,  # the beats are our own
        "max_size": MOST_FRAME,
        "proxy": None,
        "ssl": address.trust(),
        "compression": None,
    }


def beat(number: int) -> str:
    """That we are there. The server repeats the number, so that we know how old what we hear can be."""
    return json.dumps({"type": "beat", "n": number})


def frame(kind: str, /, **said: object) -> str:
    """A frame to send."""
    return json.dumps({"type": kind, **said})


def read(text: str | bytes) -> Mapping[str, Any]:
    """A frame that came.

    Raises:
        ServerRefused: It is no frame.
    """
    try:
        found = json.loads(text)
    except ValueError:
        raise strange("a frame") from None
    if not isinstance(found, Mapping):
        raise strange("a frame")
    return found


def refused(error: BaseException) -> HandupError | None:
    """Why a server did not let us in, where trying again will not help by itself."""
    if not isinstance(error, InvalidStatus) or error.response.status_code not in REFUSED:
        return None
    try:
        body = json.loads(error.response.body or b"{}")
    except ValueError:
        body = {}
    return refusal(error.response.status_code, body)


def why(error: BaseException) -> str:
    """How a connection failed, in a few words."""
    if isinstance(error, TimeoutError):
        return "nothing was heard for too long"
    return str(error) or type(error).__name__
