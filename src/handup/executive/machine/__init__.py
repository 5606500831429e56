"""The pure machine of a run: it is told what happened, and says what to do next."""

from handup.executive.machine.machine import Machine
from handup.executive.machine.machine_state import (
    AskPerson,
    Finished,
    Input,
    LastLook,
    Looked,
    MachinePhase,
    ModuleAnswer,
    Reload,
    RunAction,
)

__all__ = [
    "AskPerson",
    "Finished",
    "Input",
    "LastLook",
    "Looked",
    "Machine",
    "MachinePhase",
    "ModuleAnswer",
    "Reload",
    "RunAction",
]
