"""Small ONNX files, written by hand: the format is protocol buffers, and a graph of four nodes needs little of it.

So the tests need neither torch nor the package onnx. Numbers of fields are those of onnx.proto3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FLOAT, UINT8, INT64 = 1, 2, 7
TYPES = {np.dtype(np.float32): FLOAT, np.dtype(np.uint8): UINT8, np.dtype(np.int64): INT64}
IR_VERSION, OPSET = 8, 17


def varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def number(tag: int, value: int) -> bytes:
    return varint(tag << 3) + varint(value)


def block(tag: int, content: bytes | str) -> bytes:
    held = content.encode() if isinstance(content, str) else content
    return varint(tag << 3 | 2) + varint(len(held)) + held


def tensor(name: str, values: NDArray[np.generic]) -> bytes:
    dims = b"".join(number(1, side) for side in values.shape)
    return dims + number(2, TYPES[values.dtype]) + block(8, name) + block(9, np.ascontiguousarray(values).tobytes())


def value(name: str, shape: Sequence[int | str], kind: int) -> bytes:
    sides = b"".join(block(1, number(1, each) if isinstance(each, int) else block(2, each)) for each in shape)
    return block(1, name) + block(2, block(1, number(1, kind) + block(2, sides)))


@dataclass(frozen=True)
class Node:
    """One operation; its attributes are whole numbers or lists of them."""

    kind: str
    inputs: Sequence[str]
    output: str
    settings: Mapping[str, int | Sequence[int]] = field(default_factory=dict)

    def bytes(self) -> bytes:
        names = b"".join(block(1, each) for each in self.inputs) + block(2, self.output) + block(4, self.kind)
        return names + b"".join(block(5, _attribute(name, each)) for name, each in self.settings.items())


def _attribute(name: str, setting: int | Sequence[int]) -> bytes:
    if isinstance(setting, int):
        return block(1, name) + number(3, setting) + number(20, 2)
    return block(1, name) + b"".join(number(8, each) for each in setting) + number(20, 7)


def write(
    path: Path,
    nodes: Sequence[Node],
    *,
    given: Mapping[str, Sequence[int | str]],
    made: Mapping[str, tuple[Sequence[int | str], int]],
    known: Mapping[str, NDArray[np.generic]],
    given_type: int = FLOAT,
) -> Path:
    """Write a network: its nodes, inputs, outputs (with type) and constants."""
    graph = b"".join(block(1, each.bytes()) for each in nodes) + block(2, "test")
    graph += b"".join(block(5, tensor(name, each)) for name, each in known.items())
    graph += b"".join(block(11, value(name, shape, given_type)) for name, shape in given.items())
    graph += b"".join(block(12, value(name, shape, kind)) for name, (shape, kind) in made.items())
    model = number(1, IR_VERSION) + block(7, graph) + block(8, block(1, "") + number(2, OPSET))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model)
    return path


# -- a detector --------------------------------------------------------------------------------------------------------

SIDE, CELL = 64, 8
"""Of the detector's input and of a cell of its grid, in px."""
CELLS = SIDE // CELL
COLOURS = np.array([[1.0, -1.0, -1.0], [-1.0, 1.0, -1.0]], np.float32)
"""Its two classes: red and green, each by what it adds to a cell's score."""


def anchors() -> NDArray[np.float32]:
    """The box of each cell, in px of the input, row by row: left, top, right, bottom."""
    rows, columns = np.divmod(np.arange(CELLS * CELLS), CELLS)
    return (np.stack([columns, rows, columns + 1, rows + 1], axis=1) * CELL).astype(np.float32)


def detector(path: Path, boxes: NDArray[np.float32] | None = None, *, layout: str = "per class") -> Path:
    """A real detector, if a simple one: each cell of a grid of 8 × 8 is red, green or neither, and has a box.

    Args:
        path: Where it goes.
        boxes: The numbers of each cell's box, in whatever form.
        layout: `per class` (boxes and logits), `joined` (logits behind the box) or `turned` (its transpose).
    """
    held = (anchors() if boxes is None else boxes)[None]
    nodes = [
        Node("AveragePool", ["picture"], "means", {"kernel_shape": [CELL, CELL], "strides": [CELL, CELL]}),
        Node("Conv", ["means", "colours", "bias"], "cells"),
        Node("Reshape", ["cells", "flat"], "rows"),
        Node("Transpose", ["rows"], "logits", {"perm": [0, 2, 1]}),
        Node("Identity", ["anchors"], "boxes"),
    ]
    known: dict[str, NDArray[np.generic]] = {
        "colours": 20.0 * COLOURS[:, :, None, None],
        "bias": np.full(2, -10.0, np.float32),
        "flat": np.array([1, 2, CELLS * CELLS], np.int64),
        "anchors": held,
    }
    count = CELLS * CELLS
    made: dict[str, tuple[Sequence[int | str], int]] = {
        "boxes": ((1, count, 4), FLOAT),
        "logits": ((1, count, 2), FLOAT),
    }
    if layout != "per class":
        nodes.append(Node("Concat", ["boxes", "logits"], "joined", {"axis": 2}))
        made = {"joined": ((1, count, 6), FLOAT)}
    if layout == "turned":
        nodes.append(Node("Transpose", ["joined"], "turned", {"perm": [0, 2, 1]}))
        made = {"turned": ((1, 6, count), FLOAT)}
    return write(path, nodes, given={"picture": (1, 3, SIDE, SIDE)}, made=made, known=known)


def constant(path: Path, outputs: Mapping[str, NDArray[np.generic]]) -> Path:
    """A network that looks at a picture of 8 × 8 px and always gives the same: for outputs of any shape."""
    nodes = [Node("Identity", [f"held {name}"], name) for name in outputs]
    nodes += [Node("ReduceMax", ["picture"], "seen", {"keepdims": 0})]
    made = {name: (each.shape, TYPES[each.dtype]) for name, each in outputs.items()}
    known = {f"held {name}": each for name, each in outputs.items()}
    return write(path, nodes, given={"picture": (1, 3, 8, 8)}, made={**made, "seen": ((), FLOAT)}, known=known)


# -- an image encoder with CLIP's names --------------------------------------------------------------------------------

PATCH, WIDTH = 8, 16


def encoder_weights(side: int, seed: int = 0) -> NDArray[np.float32]:
    """From the means of the patches' colours to a vector of 16 numbers."""
    patches = 3 * (side // PATCH) ** 2
    return np.random.default_rng(seed).normal(size=(patches, WIDTH)).astype(np.float32)


def encoder(path: Path, side: int, *, output: str = "image_embeds", given: str = "pixel_values", seed: int = 0) -> Path:
    """An image encoder: means over patches, then one matrix. Names as Hugging Face's exports have them."""
    nodes = [
        Node("AveragePool", [given], "patches", {"kernel_shape": [PATCH, PATCH], "strides": [PATCH, PATCH]}),
        Node("Flatten", ["patches"], "row"),
        Node("MatMul", ["row", "weights"], output),
    ]
    return write(
        path,
        nodes,
        given={given: ("batch_size", 3, side, side)},
        made={output: (("batch_size", WIDTH), FLOAT)},
        known={"weights": encoder_weights(side, seed)},
    )
