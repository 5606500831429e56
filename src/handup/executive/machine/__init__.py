"""The pure machine of a run: it is told what happened, and says what to do next."""

from handup.executive.machine.machine import Machine
from handup.executive.machine.state import (
    AskPerson,
    Finished,
    Input,
    LastLook,
    Looked,
    Phase,
    Reload,
    RunAction,
    Spoken,
)

__all__ = ["AskPerson", "Finished", "Input", "LastLook", "Looked", "Machine", "Phase", "Reload", "RunAction", "Spoken"]
