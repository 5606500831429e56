"""Domains: robots with their worlds and their work, one folder each, behind one contract.

`Domain` says what a domain brings; an entry point in `handup.domains` announces it. Edges: nothing that decides about
asking is here.
"""

from typing import TYPE_CHECKING

from handup.core.lazy import lazily

if TYPE_CHECKING:
    from handup.domains.check import check_domain
    from handup.domains.domain import DOMAINS, NOBODY, PAGE, SIMULATED, TERMINAL, Domain, Guard, Halted, Task, Workplace
    from handup.domains.stage import Drill, Home, Simulation, Stage

__all__ = [
    "DOMAINS",
    "NOBODY",
    "PAGE",
    "SIMULATED",
    "TERMINAL",
    "Domain",
    "Drill",
    "Guard",
    "Halted",
    "Home",
    "Simulation",
    "Stage",
    "Task",
    "Workplace",
    "check_domain",
]
__getattr__ = lazily(
    __name__,
    {
        "check": ("check_domain",),
        "domain": (
            *("DOMAINS", "NOBODY", "PAGE", "SIMULATED", "TERMINAL"),
            *("Domain", "Guard", "Halted", "Task", "Workplace"),
        ),
        "stage": ("Drill", "Home", "Simulation", "Stage"),
    },
)
