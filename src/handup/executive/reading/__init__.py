"""Recipes, recoveries and databases from YAML, with file, line and column in every mistake."""

from handup.executive.reading.files import (
    parse_database,
    parse_recipes,
    parse_recoveries,
    read_database,
    read_recipes,
    read_recoveries,
    scan_database,
    text_of,
)
from handup.executive.reading.recipes import scan_recipes
from handup.executive.reading.recoveries import scan_recoveries
from handup.executive.reading.values import DEFAULT_MOST, MAX_PROBLEMS

__all__ = [
    "DEFAULT_MOST",
    "MAX_PROBLEMS",
    "parse_database",
    "parse_recipes",
    "parse_recoveries",
    "read_database",
    "read_recipes",
    "read_recoveries",
    "scan_database",
    "scan_recipes",
    "scan_recoveries",
    "text_of",
]
