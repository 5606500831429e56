"""The validator: everything that is wrong with recipes and recoveries, before anything moves."""

from handup.executive.checking.abilities import Abilities, Declared, abilities_of
from handup.executive.checking.check import check, require

__all__ = ["Abilities", "Declared", "abilities_of", "check", "require"]
