"""The module graph of a policy, its exact success probability, and who is to blame after a failure."""

from handup.policy.belief import Belief, Progress
from handup.policy.graph import ModuleGraph
from handup.policy.inference import Inference
from handup.policy.module import Gate, Module
from handup.policy.reading import load_policy, parse_policy

__all__ = ["Belief", "Gate", "Inference", "Module", "ModuleGraph", "Progress", "load_policy", "parse_policy"]
