"""For robots and programs that speak with a server: clients, a robot's link, and a desk that is elsewhere."""

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
