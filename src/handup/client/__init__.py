"""Clients of a server, for robots and programs: requests, the link of a robot, and a desk on another machine."""

from handup.core import MissingExtra

try:
    import httpx as _httpx  # noqa: F401
    import websockets as _websockets  # noqa: F401
except ModuleNotFoundError:
    raise MissingExtra.of("web", "a client of a server") from None

from handup.client.client import AsyncClient, Client
from handup.client.link import RobotLink
from handup.client.remote import RemoteDesk
from handup.client.views import ActiveStop, Change, Changed, Connected, KnownRobot, Lost, Pairing, StopChanged
from handup.core.panels import Unshown

__all__ = [
    "ActiveStop",
    "AsyncClient",
    "Change",
    "Changed",
    "Client",
    "Connected",
    "KnownRobot",
    "Lost",
    "Pairing",
    "RemoteDesk",
    "RobotLink",
    "StopChanged",
    "Unshown",
]
