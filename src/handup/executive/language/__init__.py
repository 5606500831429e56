"""The small language of conditions and parameters. It computes with plain data and can do nothing else."""

from handup.executive.language.expression import ROOTS, Expression, collected, literal, parse, tabled
from handup.executive.language.values import MAX_TEXT

__all__ = ["MAX_TEXT", "ROOTS", "Expression", "collected", "literal", "parse", "tabled"]
