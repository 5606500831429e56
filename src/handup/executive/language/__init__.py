"""The small language of conditions and parameters. It computes with plain data and can do nothing else."""

from handup.executive.language.expression import Expression, collected, literal, parse, tabled
from handup.executive.language.limits import MAX_TEXT
from handup.executive.language.nodes import ROOTS

__all__ = ["MAX_TEXT", "ROOTS", "Expression", "collected", "literal", "parse", "tabled"]
