"""Models of others as modules of any robot: at an endpoint, in an ONNX file, as a function, or CLIP from a folder.

`Model` uses one as a module, `check_model` inspects it. Packages that a model needs are imported when it is used; the
error for a missing package has the command that installs it.
"""

from handup.models.clip import ClipEmbedder, NearestExample
from handup.models.detector import Corners, DetectorFormat, Layout, OnnxDetector, Scores, Unit
from handup.models.endpoint import Endpoint
from handup.models.model import Inspection, Model, Output, Violation, check_model
from handup.models.pictures import around, data_url, marked

__all__ = [
    "ClipEmbedder", "Corners", "DetectorFormat", "Endpoint", "Inspection", "Layout", "Model", "NearestExample",
    "OnnxDetector", "Output", "Scores", "Unit", "Violation", "around", "check_model", "data_url", "marked",
]  # fmt: skip
