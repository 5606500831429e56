"""Module selectors: what to ask about."""

from handup.what.base import SELECTORS, Selection, Selector, Situation, check_selector
from handup.what.binary_tree import BinaryTree
from handup.what.brute_force import BruteForce
from handup.what.confidence import Confidence
from handup.what.graph import Graph
from handup.what.hybrid import Hybrid
from handup.what.mip import Mip
from handup.what.never import Never
from handup.what.topo import Topo

__all__ = [
    "SELECTORS",
    "BinaryTree",
    "BruteForce",
    "Confidence",
    "Graph",
    "Hybrid",
    "Mip",
    "Never",
    "Selection",
    "Selector",
    "Situation",
    "Topo",
    "check_selector",
]
