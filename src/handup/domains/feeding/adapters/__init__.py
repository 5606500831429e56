"""Your own models in the places of the four networks: `assemble` puts them together, `check_modules` inspects them.

A function, an object with the right method, a vision model at an endpoint (`NamesByEndpoint`, `ChoosesByEndpoint`) or a
detector in an ONNX file (`OnnxDetector`) may take a place. `ClipEmbedder` is for `handup.memory`.
"""

from handup.domains.feeding.adapters.assembled import Assembled, assemble
from handup.domains.feeding.adapters.checking import Violation, check_modules, violations
from handup.domains.feeding.adapters.clip import ClipEmbedder
from handup.domains.feeding.adapters.endpoint import Endpoint
from handup.domains.feeding.adapters.onnx_detector import Corners, DetectorFormat, Layout, OnnxDetector, Scores, Unit
from handup.domains.feeding.adapters.vision import ChoosesByEndpoint, NamesByEndpoint

__all__ = [
    "Assembled",
    "ChoosesByEndpoint",
    "ClipEmbedder",
    "Corners",
    "DetectorFormat",
    "Endpoint",
    "Layout",
    "NamesByEndpoint",
    "OnnxDetector",
    "Scores",
    "Unit",
    "Violation",
    "assemble",
    "check_modules",
    "violations",
]
