"""Reader of policies in YAML, with file and line in every error."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from handup.core import BadPolicy, Calibrator, HandupError, Question, QuestionKind, RawScore, calibrator_from_json
from handup.core.checks import shown, suggestion
from handup.core.files import read_text
from handup.core.yaml_document import (
    MAX_WORD,
    Listing,
    Node,
    Scalar,
    YamlEntry,
    YamlLimits,
    YamlMap,
    in_words,
    is_nothing,
    raising,
    read_yaml,
)
from handup.policy.circuit import Gate
from handup.policy.graph import Module, ModuleGraph

MAX_BYTES = 4 * 1024 * 1024
"""The largest policy that is read."""
LIMITS = YamlLimits(size=MAX_BYTES, values=250_000, depth=10, text=MAX_BYTES)

NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
TRUTH = re.compile(r"true|false", re.IGNORECASE)
MODULE_HINT = "Write for example: food: {confidence: 0.9, query_cost: 0.3}."
NUMBER_HINT = "Write a number such as 0.9, without quotes."
NAMES_HINT = "Write names of modules such as [food, box], or leave the key out."
QUESTION_HINT = "Write a sentence that a person can answer, in quotes, or leave the key out."
OPTIONS_HINT = "Write a list such as [left, right]."
SUCCESS_HINT = "Write for example: all(food, any(camera, haptics), skill); or leave the key out."

CALIBRATOR_HINT = "Name a file that 'handup calibrate --save' wrote."
RAW_FIELDS = ("calibrator", "score")

Word = TypeVar("Word", bound=StrEnum)
CalibratorLoader = Callable[[str], Calibrator]


def load_policy(path: str | Path) -> ModuleGraph:
    """Read a policy from a YAML file, and the calibrators that it names from files beside it.

    For programs at the edge; `parse_policy` is the pure part and describes the format.

    Args:
        path: The file, UTF-8, of at most `MAX_BYTES`.

    Raises:
        BadPolicy: The file is missing, a directory, unreadable, empty, no text or too large, or describes no policy.
    """
    text = read_text(path, MAX_BYTES, error=BadPolicy)
    return parse_policy(text, file=str(path), calibrators=lambda name: _calibrator_beside(Path(path), name))


def parse_policy(text: str, *, file: str = "<text>", calibrators: CalibratorLoader | None = None) -> ModuleGraph:
    """Read a policy from YAML text. Pure.

    `modules` maps each name to `confidence` and, where wanted, `query_cost`, `inputs` (a list or one name), `gate`
    (`and` or `or`) and `question` (a sentence, or a map of `prompt`, `kind`, `options` and what else is known of it
    beforehand: `effects`, `pictures`, `image`, `support`, `low`, `high`, `unit`, `marks`; options without a kind make
    it a choice). `success` may stand beside it: an expression instead of inputs and gates. A module with a
    `calibrator` (a file that `handup calibrate --save` wrote) may give a raw `score`, one number or a list of one per
    option, instead of its confidence.

        modules:
          food: {confidence: 0.9, query_cost: 0.3, question: "Which food is this?"}
          camera: {confidence: 0.7}
          haptics: {confidence: 0.6}
        success: all(food, any(camera, haptics))

    Args:
        text: At most `MAX_BYTES` characters.
        file: Name of the text in errors.
        calibrators: Function that returns the calibrator of a name in the text. Without it no module may name one.

    Raises:
        BadPolicy: The text is no YAML or describes no policy; with the line, counted from 1.
    """
    try:
        return _graph(read_yaml(text, raising(BadPolicy), limits=LIMITS, start="Start with 'modules:'."), calibrators)
    except BadPolicy as error:
        raise error.at(file) from None


def _calibrator_beside(policy: Path, name: str) -> Calibrator:
    """Return a calibrator from a file whose path is relative to the policy's folder."""
    try:
        return calibrator_from_json(json.loads(read_text(policy.parent / name, MAX_BYTES, error=BadPolicy)))
    except (ValueError, RecursionError):
        raise BadPolicy(f"{shown(name)} is no JSON", hint=CALIBRATOR_HINT) from None
    except HandupError as error:
        raise BadPolicy(f"{shown(name)}: {error.cause}", hint=error.hint) from None


def _graph(root: Node, calibrators: CalibratorLoader | None) -> ModuleGraph:
    policy = _table(root, "the policy", hint="Start with 'modules:'.")
    _check_keys(policy, ("modules", "success"), needed="modules", owner="the policy", line=policy.line)
    entries = _table(policy.entries["modules"].value, "'modules'", hint=MODULE_HINT).entries
    modules = [_module(name, entry, calibrators) for name, entry in entries.items()]
    success = policy.entries.get("success")
    expression = None if success is None else _text(success.value, "'success'", hint=SUCCESS_HINT)
    try:
        return ModuleGraph(modules, success=expression)
    except BadPolicy as error:
        # Errors of the expression parser name no key: they are about `success`.
        line = _line_of(policy, error.about or ("success",))
        raise BadPolicy(error.cause, hint=error.hint, line=line) from None


def _module(name: str, entry: YamlEntry, calibrators: CalibratorLoader | None) -> Module:
    with _at(entry.line):
        module = Module(name, 0.0)
    fields = _table(entry.value, f"'{name}'", hint=MODULE_HINT)
    needed = "score" if "calibrator" in fields.entries and "confidence" not in fields.entries else "confidence"
    _check_keys(fields, (*FIELDS, *RAW_FIELDS), needed=needed, owner=f"'{name}'", line=entry.line)
    for key, (_, _, node) in fields.entries.items():
        # One field at a time: what Module refuses is refused at the line of that field.
        if key in FIELDS:
            with _at(node.line):
                module = replace(module, **{key: FIELDS[key](node, f"{key} of '{name}'")})
    return _calibrated(module, fields.entries, calibrators)


def _calibrated(module: Module, fields: Mapping[str, YamlEntry], calibrators: CalibratorLoader | None) -> Module:
    """Return the module with its calibrator, and with the confidence that its score stands for."""
    name = module.name
    if "calibrator" in fields:
        node = fields["calibrator"].value
        file = _text(node, f"calibrator of '{name}'", hint=CALIBRATOR_HINT)
        with _at(node.line):
            if calibrators is None:
                raise BadPolicy(f"calibrator of '{name}' names a file, and none are read here", hint="Use load_policy.")
            module = replace(module, calibrator=calibrators(file))
    if "score" in fields:
        line, _, node = fields["score"]
        if module.calibrator is None:
            raise BadPolicy(f"'{name}' has a score but no calibrator", hint=CALIBRATOR_HINT, line=line)
        if "confidence" in fields:
            raise BadPolicy(f"'{name}' has a score and a confidence", hint="Keep one of them.", line=line)
        what = f"score of '{name}'"
        with _at(node.line):
            if isinstance(node, Listing):
                raw: RawScore = [_number(item, f"an item in {what}") for item in node.items]
            else:
                raw = _number(node, what)
            module = replace(module, confidence=module.calibrated(raw))
    return module


def _number(node: Node, what: str) -> float:
    if not isinstance(node, Scalar) or is_nothing(node):
        raise _bad(node, f"{what} must be a number and is {in_words(node)}", hint=NUMBER_HINT)
    if not node.plain:
        raise _bad(node, f"{what} must be a number, got the text {shown(node.text)}", hint=NUMBER_HINT)
    if len(node.text) > MAX_WORD or not NUMBER.fullmatch(node.text):
        raise _bad(node, f"{what} must be a number, got {shown(node.text)}", hint=NUMBER_HINT)
    return float(node.text)


def _text(node: Node, what: str, *, hint: str) -> str:
    """Return a text; a number stays as it is written."""
    if not isinstance(node, Scalar) or is_nothing(node):
        raise _bad(node, f"{what} is {in_words(node)}", hint=hint)
    return node.text


def _names(node: Node, what: str) -> tuple[str, ...]:
    items = node.items if isinstance(node, Listing) else [node]
    names = []
    for item in items:
        name = _text(item, what if item is node else f"an item in {what}", hint=NAMES_HINT)
        if len(name) > MAX_WORD or not name.isprintable():
            raise _bad(item, f"{shown(name)} in {what} is no module", hint=NAMES_HINT)
        names.append(name)
    return tuple(names)


def _one_of(node: Node, what: str, words: type[Word]) -> Word:
    known = [str(word) for word in words]
    if isinstance(node, Scalar) and node.text in known:
        return words(node.text)
    wrong = node.text if isinstance(node, Scalar) else ""
    raise _bad(node, f"{what} is {in_words(node)}", hint=suggestion(wrong, known))


def _question(node: Node, what: str) -> Question:
    if not isinstance(node, YamlMap):
        return Question(_prompt(node, what))
    _check_keys(node, ("prompt", "kind", "options", *SHOWN), needed="prompt", owner=what, line=node.line)
    fields = {key: entry.value for key, entry in node.entries.items()}
    prompt = _prompt(fields["prompt"], f"prompt in {what}")
    options = _options(fields["options"], f"options in {what}") if "options" in fields else ()
    kind = QuestionKind.CHOICE if options else QuestionKind.TEXT
    if "kind" in fields:
        kind = _one_of(fields["kind"], f"kind in {what}", QuestionKind)
    return Question(
        prompt, kind, options, **{key: SHOWN[key](fields[key], f"{key} in {what}") for key in SHOWN if key in fields}
    )


def _prompt(node: Node, what: str) -> str:
    prompt = _text(node, what, hint=QUESTION_HINT)
    if isinstance(node, Scalar) and node.plain and (NUMBER.fullmatch(prompt) or TRUTH.fullmatch(prompt)):
        raise _bad(node, f"{what} is {shown(prompt)}", hint=QUESTION_HINT)
    return prompt


def _options(node: Node, what: str) -> tuple[str, ...]:
    if not isinstance(node, Listing):
        raise _bad(node, f"{what} are {in_words(node)}", hint=OPTIONS_HINT)
    return tuple(_text(item, f"an item in {what}", hint=OPTIONS_HINT) for item in node.items)


def _words(node: Node, what: str) -> str:
    return _text(node, what, hint="Write a text, or leave the key out.")


SHOWN: Mapping[str, Callable[[Node, str], Any]] = {
    "effects": _options,
    "pictures": _options,
    "image": _words,
    "support": _words,
    "low": _number,
    "high": _number,
    "unit": _words,
    "marks": _options,
}
"""Readers of the optional keys of a question: those that can be known before the robot runs."""
FIELDS: Mapping[str, Callable[[Node, str], Any]] = {
    "confidence": _number,
    "query_cost": _number,
    "inputs": _names,
    "gate": lambda node, what: _one_of(node, what, Gate),
    "question": _question,
}
"""Readers of the keys of a module. Their second argument is the name of the key in errors."""


def _table(node: Node, what: str, *, hint: str) -> YamlMap:
    if not isinstance(node, YamlMap):
        raise _bad(node, f"{what} is {in_words(node)}, not a map", hint=hint)
    return node


def _check_keys(table: YamlMap, known: Collection[str], *, needed: str, owner: str, line: int) -> None:
    for key, entry in table.entries.items():
        if key not in known:
            hint = suggestion(key, known)
            raise BadPolicy(f"{shown(key)} is no key of {owner}", hint=hint, line=entry.line)
    if needed not in table.entries:
        raise BadPolicy(f"{owner} has no {needed}", hint=f"Add the key '{needed}'.", line=line)


def _bad(node: Node, cause: str, *, hint: str) -> BadPolicy:
    return BadPolicy(cause, hint=hint, line=node.line)


@contextmanager
def _at(line: int) -> Iterator[None]:
    """Turn an error of the block into `BadPolicy` at this line, unless a nearer line is known."""
    try:
        yield
    except HandupError as error:
        raise BadPolicy(error.cause, hint=error.hint, line=error.line or line) from None


def _line_of(node: Node, path: Iterable[str]) -> int:
    """Return the line to which keys lead, or the last one found on the way."""
    line = node.line
    for key in path:
        if isinstance(node, YamlMap) and key in node.entries:
            line, _, node = node.entries[key]
        elif isinstance(node, Listing):
            line = next((item.line for item in node.items if isinstance(item, Scalar) and item.text == key), line)
    return line
