"""Recipes, recoveries and resuming: what should happen, what to do when it does not, and how to go on."""

from handup.executive.action import ACTIONS, Aborted, Action, Call, Done, NotStarted, Outcome, Working
from handup.executive.beliefs import Assertion, Beliefs, Source
from handup.executive.events import Ending
from handup.executive.executive import Around, Executive
from handup.executive.failure import Failure, Level
from handup.executive.machine import AskPerson, Finished, LastLook, Looked, Machine, RunAction
from handup.executive.monitors import Fault, Monitor, Sees, Watch
from handup.executive.people import AtDesk, Bystander, People, Said
from handup.executive.reading import read_database, read_recipes, read_recoveries
from handup.executive.recipe import Recipe, Recipes
from handup.executive.recovery import Branch, Recovery, When
from handup.executive.run import Run
from handup.executive.settings import Settings, Unseen
from handup.executive.sources import Files, Sources

__all__ = [
    "ACTIONS",
    "Aborted",
    "Action",
    "Around",
    "AskPerson",
    "Assertion",
    "AtDesk",
    "Beliefs",
    "Branch",
    "Bystander",
    "Call",
    "Done",
    "Ending",
    "Executive",
    "Failure",
    "Fault",
    "Files",
    "Finished",
    "LastLook",
    "Level",
    "Looked",
    "Machine",
    "Monitor",
    "NotStarted",
    "Outcome",
    "People",
    "Recipe",
    "Recipes",
    "Recovery",
    "Run",
    "RunAction",
    "Said",
    "Sees",
    "Settings",
    "Source",
    "Sources",
    "Unseen",
    "Watch",
    "When",
    "Working",
    "read_database",
    "read_recipes",
    "read_recoveries",
]
