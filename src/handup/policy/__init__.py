"""The module graph of a policy, its exact success probability, and the modules to blame after a failure."""

from handup.policy.belief import Belief, Progress
from handup.policy.circuit import Gate
from handup.policy.graph import Module, ModuleGraph
from handup.policy.inference import Inference
from handup.policy.policy_file import load_policy, parse_policy

__all__ = ["Belief", "Gate", "Inference", "Module", "ModuleGraph", "Progress", "load_policy", "parse_policy"]
