"""The validator: everything that is wrong with recipes and recoveries, before anything moves."""

from handup.executive.checking.check import check, require
from handup.executive.checking.context import Abilities, Declared, abilities_of

__all__ = ["Abilities", "Declared", "abilities_of", "check", "require"]
