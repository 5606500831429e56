"""ONNX files, run by onnxruntime, whose errors are told in one line with what to do. Needs the extra `models`."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadRecord, BadSetting, MissingExtra

Array = NDArray[Any]
LONGEST = 120
"""So much of the library's own words stands in a message."""
TYPES: dict[str, Any] = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(uint8)": np.uint8,
}


def session_of(model: bytes | str, name: str, *, hint: str, threads: int = 1) -> Any:
    """Return what runs a network.

    Args:
        model: What is in its file; or where that lies, with the weights beside it.
        name: Of the file, for messages.
        hint: What to do where it is none.
        threads: So many it may use.

    Raises:
        MissingExtra: onnxruntime is not installed.
        BadRecord: It is damaged, or no network.
    """
    runtime = _onnxruntime()
    settings = runtime.SessionOptions()
    settings.intra_op_num_threads, settings.inter_op_num_threads = threads, 1
    settings.log_severity_level = 4
    try:
        return runtime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
    except _errors() as error:
        raise BadRecord(f"{name} is no ONNX file, or damaged ({_one_line(error)})", hint=hint) from error


class Network:
    """An ONNX network with one input, a picture.

    Args:
        path: The file. Weights that lie beside it (`NAME.onnx_data`, `NAME.onnx.data`) are found by their name.
        threads: How many the network may use.

    Raises:
        MissingExtra: onnxruntime is not installed.
        BadRecord: No such file, no ONNX file, or a damaged one.
        BadSetting: It has several inputs, or one of a kind that no picture is.
    """

    def __init__(self, path: Path, *, threads: int = 1) -> None:
        self.path = path
        if not path.is_file():
            raise BadRecord(f"there is no file {path}", hint="Check the path.")
        self._session = session_of(str(path), path.name, hint="Export it anew.", threads=threads)
        inputs = self._session.get_inputs()
        if len(inputs) != 1 or inputs[0].type not in TYPES:
            wanted = ", ".join(f"{node.name}: {node.type}" for node in inputs)
            raise BadSetting(
                f"{path.name} wants {wanted}", hint="Export it with one input, the picture, as floats or uint8."
            )
        self.input: str = inputs[0].name
        self.input_type: Any = TYPES[inputs[0].type]
        self.input_shape = [size if isinstance(size, int) else None for size in inputs[0].shape]
        self.outputs: list[str] = [node.name for node in self._session.get_outputs()]

    def run(self, picture: Array, outputs: list[str]) -> list[Array]:
        """Return the named outputs for a picture that has the shape of its input.

        Raises:
            BadSetting: The shape is another.
        """
        try:
            made = self._session.run(outputs, {self.input: np.ascontiguousarray(picture, self.input_type)})
        except _errors() as error:
            raise BadSetting(
                f"{self.path.name} cannot use a picture of shape {picture.shape} ({_one_line(error)})",
                hint=f"Its input has shape {self.input_shape}.",
            ) from None
        return [np.asarray(array) for array in made]

    def digest(self, *more: bytes) -> str:
        """Hash the weights and what else is said to matter."""
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
    """What the library raises: errors of its own, which share no base, and Python's."""
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
