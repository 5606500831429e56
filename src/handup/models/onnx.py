"""ONNX networks, run by onnxruntime, with its errors in one line and a next step. Needs the extra `models`."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadRecord, ConflictingSettings, MissingExtra, WrongSize

Array = NDArray[Any]
LONGEST = 120
"""Most characters of the library's own message that an error quotes."""
TYPES: dict[str, Any] = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(uint8)": np.uint8,
}


def session_of(model: bytes | str, name: str, *, hint: str, threads: int = 1) -> Any:
    """Return the session of onnxruntime that runs a network.

    Args:
        model: Content of the file, or its path, with the weights beside it.
        name: Name of the file for messages.
        hint: Next step for a file that is not a network.
        threads: Number of threads that it may use.

    Raises:
        MissingExtra: onnxruntime is not installed.
        BadRecord: The file is damaged, or not a network.
    """
    runtime = _onnxruntime()
    settings = runtime.SessionOptions()
    settings.intra_op_num_threads, settings.inter_op_num_threads = threads, 1
    settings.log_severity_level = 4
    try:
        return runtime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
    except _errors() as error:
        raise BadRecord(f"{name} must be a whole ONNX file ({_one_line(error)})", hint=hint) from error


class Network:
    """ONNX network with one input, a picture.

    Args:
        path: The file. Weights that lie beside it (`NAME.onnx_data`, `NAME.onnx.data`) are found by their name.
        threads: Number of threads that the network may use.

    Raises:
        MissingExtra: onnxruntime is not installed.
        BadRecord: There is no such file, or it is damaged or not an ONNX file.
        ConflictingSettings: It has several inputs, or one of a type that is not a picture's.
    """

    def __init__(self, path: Path, *, threads: int = 1) -> None:
        self.path = path
        if not path.is_file():
            raise BadRecord(f"the network must be a file, got {path}", hint="Check the path.")
        self._session = session_of(str(path), path.name, hint="Export it anew.", threads=threads)
        inputs = self._session.get_inputs()
        if len(inputs) != 1 or inputs[0].type not in TYPES:
            got, hint = ", ".join(f"{node.name}: {node.type}" for node in inputs), "Export it for pictures."
            raise ConflictingSettings.of(path.name, got, "have one input of floats or uint8", hint=hint)
        self.input: str = inputs[0].name
        self.input_type: Any = TYPES[inputs[0].type]
        self.input_shape = [size if isinstance(size, int) else None for size in inputs[0].shape]
        self.outputs: list[str] = [node.name for node in self._session.get_outputs()]

    def run(self, picture: Array, outputs: list[str]) -> list[Array]:
        """Return the named outputs for a picture that has the shape of its input.

        Raises:
            WrongSize: The picture has another shape.
        """
        try:
            arrays = self._session.run(outputs, {self.input: np.ascontiguousarray(picture, self.input_type)})
        except _errors() as error:
            must = f"a picture for {self.path.name} must have the shape {self.input_shape}"
            raise WrongSize(f"{must}, got {picture.shape} ({_one_line(error)})", hint="Resize it.") from None
        return [np.asarray(array) for array in arrays]

    def digest(self, *more: bytes) -> str:
        """Return a hash of the weights and of `more`."""
        whole = hashlib.sha256()
        for path in (self.path, self.path.with_name(f"{self.path.name}_data"), Path(f"{self.path}.data")):
            if path.is_file():
                with path.open("rb") as file:
                    while piece := file.read(1 << 20):
                        whole.update(piece)
        for part in more:
            whole.update(hashlib.sha256(part).digest())
        return whole.hexdigest()


def _errors() -> tuple[type[Exception], ...]:
    """Exceptions of the library: errors of its own, which share no base, and Python's."""
    known = vars(_onnxruntime().capi.onnxruntime_pybind11_state).values()
    own = (kind for kind in known if isinstance(kind, type) and issubclass(kind, Exception))
    return (RuntimeError, ValueError, *own)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:LONGEST]


def _onnxruntime() -> Any:
    try:
        import onnxruntime  # noqa: PLC0415 - only those who use networks need it
    except ModuleNotFoundError as error:
        raise MissingExtra.of("models", "running a network") from error
    return onnxruntime
