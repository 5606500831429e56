"""Deadlines that handup promises, and how long tests wait to see that they are kept.

Only these tests wait on the wall clock for their verdict. Every other wait ends with an event, and its time limit says
only that something hangs: `soon`, or a limit that a loop looks at.
"""

import time
from collections.abc import Callable

HOLD_S = 1.0
"""A robot without a heartbeat holds within a second (docs/desk/promises.md)."""
NOTICE_S = 0.2
"""Time that a busy machine may take to notice; it is added to a deadline."""
IN_FLIGHT_S = 0.1
"""A heartbeat that was on its way when the server was lost may come in so much later."""
GIVE_UP_S = 4.0
"""Either side gives a silent connection up within this time."""
AFTER_HOLD_S = 2.5
"""A server that hangs so long is given up by the robot, which then holds."""
AT_ONCE_S = 0.5
"""A stop reaches robots within this time though the store is locked, far below the five seconds that others wait."""
TOLD_S = 2.5
"""Whoever said stop is told within this time, though the store is locked, that it is not written yet."""
QUESTION_S = 0.2
"""A question is on an open page so soon after a robot asked it."""
READ_S = 1.5
"""The page leaves what did not work to be read for at least this time."""
ENDS_S = 2.0
"""`handup serve` ends within two seconds with sockets open; times as much as others crowd the processors."""
STOP_S = 2.0
"""A stop on the page ends a motion within two seconds, what the machine needs included."""
RESTART_S = 5.0
"""A server that begins again is back under an open page within five seconds."""
WITHOUT_NETWORK_S = 30.0
"""Thirty seconds without a network lose nothing; the soak run waits them in full."""
STILL_S = 0.5
"""A hand that holds has not moved after half a second."""
MOTION_S = 6.0
"""Three times as long as a motion takes; an arm that holds has not ended it then."""


def soon(true: Callable[[], object], within_s: float = 30.0) -> None:
    """Wait until something is true; later, something hangs or a deadline is broken."""
    limit = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < limit, f"not true after {within_s} s"
        time.sleep(0.01)
