"""Networks of others: any ONNX file, opened with errors that say what to do. Needs the extra `sim`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadRecord, BadSetting
from handup.domains.feeding.running import errors, one_line, session_of

Array = NDArray[Any]
TYPES: Mapping[str, Any] = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(uint8)": np.uint8,
}
CHUNK = 1 << 20


class Network:
    """An ONNX network with one input.

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
            told = ", ".join(f"{each.name}: {each.type}" for each in inputs)
            raise BadSetting(
                f"{path.name} wants {told}", hint="Export it with one input, the picture, as floats or uint8."
            )
        self.input: str = inputs[0].name
        self.input_type: Any = TYPES[inputs[0].type]
        self.input_shape: list[int | None] = [each if isinstance(each, int) else None for each in inputs[0].shape]
        self.outputs: dict[str, list[int | None]] = {
            each.name: [size if isinstance(size, int) else None for size in each.shape]
            for each in self._session.get_outputs()
        }

    def run(self, picture: Array, outputs: list[str]) -> list[Array]:
        """What it makes of a picture that has the shape of its input.

        Raises:
            BadSetting: The shape is another.
        """
        try:
            made = self._session.run(outputs, {self.input: np.ascontiguousarray(picture, self.input_type)})
        except errors() as error:
            raise BadSetting(
                f"{self.path.name} cannot use a picture of shape {picture.shape} ({one_line(error)})",
                hint=f"Its input has shape {self.input_shape}.",
            ) from None
        return [np.asarray(each) for each in made]

    def digest(self, *more: bytes) -> str:
        """A hash of the weights and of what else is said to matter."""
        whole = hashlib.sha256()
        for path in (self.path, self.path.with_name(f"{self.path.name}_data"), Path(f"{self.path}.data")):
            if path.is_file():
                with path.open("rb") as file:
                    while piece := file.read(CHUNK):
                        whole.update(piece)
        for each in more:
            whole.update(hashlib.sha256(each).digest())
        return whole.hexdigest()
