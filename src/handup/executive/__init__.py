"""Recipes, recoveries and resuming: what should happen, what to do when it does not, and how to go on."""

from typing import TYPE_CHECKING

from handup.core.moved import moved_names
from handup.executive.action import ACTIONS, Aborted, Call, Done, NotStarted, Outcome, RobotAction, Working
from handup.executive.beliefs import Assertion, Beliefs, BeliefSource
from handup.executive.events import Ending
from handup.executive.executive import Around, Executive
from handup.executive.failure import Failure, FailureLevel
from handup.executive.human_help import People, PeopleAtDesk, SimulatedBystander, SimulatedSaying
from handup.executive.machine import AskPerson, Finished, LastLook, Looked, Machine, RunAction
from handup.executive.monitors import Fault, Monitor, Sees, Watch
from handup.executive.reader import read_database, read_recipes, read_recoveries
from handup.executive.recipe import Recipe, Recipes
from handup.executive.recovery import Branch, Recovery, RecoveryCondition
from handup.executive.run import Run
from handup.executive.run_settings import RunSettings, Unseen
from handup.executive.sources import Files, Sources

__all__ = [
    "ACTIONS",
    "Aborted",
    "Around",
    "AskPerson",
    "Assertion",
    "BeliefSource",
    "Beliefs",
    "Branch",
    "Call",
    "Done",
    "Ending",
    "Executive",
    "Failure",
    "FailureLevel",
    "Fault",
    "Files",
    "Finished",
    "LastLook",
    "Looked",
    "Machine",
    "Monitor",
    "NotStarted",
    "Outcome",
    "People",
    "PeopleAtDesk",
    "Recipe",
    "Recipes",
    "Recovery",
    "RecoveryCondition",
    "RobotAction",
    "Run",
    "RunAction",
    "RunSettings",
    "Sees",
    "SimulatedBystander",
    "SimulatedSaying",
    "Sources",
    "Unseen",
    "Watch",
    "Working",
    "read_database",
    "read_recipes",
    "read_recoveries",
]

if not TYPE_CHECKING:
    __getattr__ = moved_names(__name__)
