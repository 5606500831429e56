"""Module selectors: what to ask about."""

from handup.what.base import SELECTORS, Selection, Selector, Situation, check_selector
from handup.what.mip import Mip
from handup.what.sets import BinaryTree, Hybrid
from handup.what.single import BruteForce, Confidence, Graph, Never, Topo

__all__ = [
    "SELECTORS", "BinaryTree", "BruteForce", "Confidence", "Graph", "Hybrid", "Mip", "Never", "Selection", "Selector",
    "Situation", "Topo", "check_selector",
]  # fmt: skip
