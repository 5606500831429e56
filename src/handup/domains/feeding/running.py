"""What runs a network: onnxruntime, with its errors in one line. Needs the extra `sim`."""

from __future__ import annotations

from typing import Any

from handup.core import BadRecord, MissingExtra

LONGEST = 120
"""So much of the library's own words stands in a message."""


def session_of(model: bytes | str, name: str, *, hint: str, threads: int = 1) -> Any:
    """What runs a network.

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
    except errors() as error:
        raise BadRecord(f"{name} is no ONNX file, or damaged ({one_line(error)})", hint=hint) from error


def errors() -> tuple[type[Exception], ...]:
    """What the library raises: errors of its own, which share no base, and Python's."""
    known = vars(_onnxruntime().capi.onnxruntime_pybind11_state).values()
    own = (each for each in known if isinstance(each, type) and issubclass(each, Exception))
    return (RuntimeError, ValueError, *own)


def one_line(error: Exception) -> str:
    """The library's words, on one line and not too many."""
    return " ".join(str(error).split())[:LONGEST]


def _onnxruntime() -> Any:
    try:
        import onnxruntime  # noqa: PLC0415 - only those who use networks need it
    except ModuleNotFoundError as error:
        raise MissingExtra.of("sim", "running the robot's networks") from error
    return onnxruntime
