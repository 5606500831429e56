"""Reader of recoveries: rules in files of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping

from handup.core import ResumeHint
from handup.core.checks import shown, suggestion
from handup.core.yaml_document import MAX_WORD, Listing, Node, Scalar, Unreadable, YamlMap, in_words, is_nothing
from handup.executive.events import Ending
from handup.executive.problem import Problem
from handup.executive.reader.recipes import steps_in
from handup.executive.reader.values import MOST_LIMIT, FileReader, collector_resting
from handup.executive.recovery import Branch, Recovery, RecoveryCondition

KEYS = ("name", "about", "when", "helps", "try", "do", "branches", "resume", "ends", "limit")
WHEN_KEYS = ("path", "code", "aborts", "belief", "contradiction")
BRANCH_KEYS = ("if", "do", "resume", "level", "ends")
HINTS = tuple(str(hint) for hint in ResumeHint)
ENDS = (str(Ending.FAILED), str(Ending.DONE))
ABORTS = re.compile(r"(?P<least>[1-9][0-9]{0,5})(?P<range>\.\.(?P<most>[1-9][0-9]{0,5})?)?", re.ASCII)
# Of a path: `*` stands for one name, `**` for any number of them.
PART = r"(?:\*\*|\*|(?:recovery:)?[A-Za-z_][A-Za-z0-9_-]*)"
PATH = re.compile(rf"{PART}(?:/{PART})*", re.ASCII)
MAX_PATH = 1000
RECOVERY_HINT = (
    "Write for example: - {name: look_again, when: {code: not_found}, do: [{action: look}], resume: continue}."
)
RESUME_HINT = f"Write one of {', '.join(HINTS)}, or {{hint: retry, level: TASK}}."
ABORTS_HINT = 'Write a number such as 2, or a range such as "2.." or "1..3".'
PATH_HINT = "Write names of tasks and the action with slashes; * is one name, ** any number: **/pick/grasp."


@collector_resting()
def scan_recoveries(texts: Mapping[str, str]) -> tuple[tuple[Recovery, ...] | None, tuple[Problem, ...]]:
    """Return recoveries from the texts of files, as far as they can be read, and all problems.

    Args:
        texts: Texts by the name of their file.

    Returns:
        The recoveries, None if a file could not be read to its end; and the problems.
    """
    recoveries: dict[str, Recovery] = {}
    problems: list[Problem] = []
    whole = True
    for file, text in texts.items():
        reader = FileReader(file)
        try:
            _file(reader.root(text), recoveries, reader)
        except Unreadable:
            whole = False
        problems += reader.problems
    return tuple(recoveries.values()) if whole else None, tuple(problems)


def _file(root: Node, recoveries: dict[str, Recovery], reader: FileReader) -> None:
    table = reader.file_table(root, holds="'recoveries:'")
    if table is None:
        return
    reader.check_keys(table, ("format", "recoveries"), "a file of recoveries")
    if "recoveries" not in table.entries:
        reader.add(table, "there are no recoveries", "Add the key 'recoveries'.")
        return
    node = table.entries["recoveries"].value
    if is_nothing(node):
        return
    if not isinstance(node, Listing):
        reader.add(node, f"'recoveries' is {in_words(node)}, not a list", RECOVERY_HINT)
        return
    for item in node.items:
        recovery = _recovery(item, reader)
        if recovery is not None and recovery.name in recoveries:
            cause = f"there are two recoveries called '{recovery.name}'"
            reader.add(item, cause, f"The first is at {recoveries[recovery.name].place}.")
        elif recovery is not None:
            recoveries[recovery.name] = recovery


def _recovery(node: Node, reader: FileReader) -> Recovery | None:
    table = reader.table(node, "a recovery", hint=RECOVERY_HINT, keys=KEYS)
    if table is None:
        return None
    nodes = {key: entry.value for key, entry in table.entries.items()}
    if "name" not in nodes:
        reader.add(table, "a recovery has no name", RECOVERY_HINT)
    name = reader.word(nodes["name"], "the name of a recovery") if "name" in nodes else None
    recovery = Recovery(
        name=name or "",
        when=_when(nodes.get("when"), reader),
        attempt=steps_in(nodes.get("try"), "a step of 'try'", reader),
        branches=_branches(table, reader),
        limit=reader.count(nodes.get("limit"), "'limit'", most=MOST_LIMIT, default=1),
        helps=reader.condition_or_none(nodes.get("helps"), "'helps'"),
        place=reader.place(table),
        about=reader.text(nodes.get("about"), "'about'"),
    )
    return None if name is None else recovery


def _when(node: Node | None, reader: FileReader) -> RecoveryCondition:
    if node is None or is_nothing(node):
        return RecoveryCondition()
    hint = "Write for example: when: {path: '**/pick/grasp', code: slipped}."
    table = reader.table(node, "'when'", hint=hint, keys=WHEN_KEYS)
    if table is None:
        return RecoveryCondition()
    nodes = {key: entry.value for key, entry in table.entries.items()}
    least, most = _aborts(nodes["aborts"], reader) if "aborts" in nodes else (1, None)
    return RecoveryCondition(
        path=_path(nodes["path"], reader) if "path" in nodes else "**",
        codes=_codes(nodes["code"], reader) if "code" in nodes else (),
        least=least,
        most=most,
        belief=reader.condition_or_none(nodes.get("belief"), "'belief'"),
        contradiction=reader.text(nodes["contradiction"], "'contradiction'") if "contradiction" in nodes else None,
        place=reader.place(table),
    )


def _path(node: Node, reader: FileReader) -> str:
    if isinstance(node, Scalar) and len(node.text) <= MAX_PATH and PATH.fullmatch(node.text):
        return node.text
    reader.add(node, f"the path is {in_words(node)}", PATH_HINT)
    return "**"


def _codes(node: Node, reader: FileReader) -> tuple[str, ...]:
    codes: list[str] = []
    for item in node.items if isinstance(node, Listing) else [node]:
        code = reader.text(item, "a code")
        if len(code) > MAX_WORD or not code.isprintable():
            reader.add(item, f"a code is {in_words(item)}", f"Write at most {MAX_WORD} characters.")
        elif code in codes:
            reader.add(item, f"the code {shown(code)} stands twice", "Keep one of them.")
        elif code:
            codes.append(code)
    return tuple(codes)


def _aborts(node: Node, reader: FileReader) -> tuple[int, int | None]:
    match = ABORTS.fullmatch(node.text) if isinstance(node, Scalar) else None
    if match is None:
        reader.add(node, f"'aborts' is {in_words(node)}", ABORTS_HINT)
        return 1, None
    least = int(match["least"])
    if match["range"] is None:
        return least, least
    most = None if match["most"] is None else int(match["most"])
    if most is not None and most < least:
        reader.add(node, f"'aborts' is {in_words(node)}, which nothing meets", ABORTS_HINT)
        return 1, None
    return least, most


def _branches(table: YamlMap, reader: FileReader) -> tuple[Branch, ...]:
    """Return the branches, or the only one, which `do` and `resume` make."""
    if "branches" not in table.entries:
        return (_branch(table, reader, "a recovery"),)
    for key in ("do", "resume", "ends"):
        if key in table.entries:
            reader.add(table.entries[key], f"'{key}' stands beside 'branches'", "Put it into a branch.")
    node = table.entries["branches"].value
    if not isinstance(node, Listing) or not node.items:
        hint = 'Write for example: branches: [{if: "tried.seen", do: [{task: pick}], resume: next}].'
        reader.add(node, f"'branches' is {in_words(node)}", hint)
        return ()
    branches = []
    for item in node.items:
        branch = reader.table(item, "a branch", hint="Write for example: {resume: continue}.", keys=BRANCH_KEYS)
        if branch is not None:
            branches.append(_branch(branch, reader, "a branch"))
    return tuple(branches)


def _branch(table: YamlMap, reader: FileReader, what: str) -> Branch:
    nodes = {key: entry.value for key, entry in table.entries.items()}
    hint, level = ResumeHint.NONE, None
    if "resume" not in nodes:
        reader.add(table, f"{what} does not say how to resume", RESUME_HINT)
    else:
        hint, level = _resume(nodes["resume"], reader)
    if "level" in nodes:
        level = reader.word(nodes["level"], "'level'")
    return Branch(
        condition=reader.condition_or_none(nodes.get("if"), "'if'"),
        steps=steps_in(nodes.get("do"), "a step of 'do'", reader),
        hint=hint,
        level=level,
        ends=_ends(nodes["ends"], reader) if "ends" in nodes else Ending.FAILED,
        place=reader.place(table),
    )


def _ends(node: Node, reader: FileReader) -> Ending:
    if isinstance(node, Scalar) and node.text in ENDS:
        return Ending(node.text)
    reader.add(node, f"'ends' is {in_words(node)}", f"Write one of {', '.join(ENDS)}.")
    return Ending.FAILED


def _resume(node: Node, reader: FileReader) -> tuple[ResumeHint, str | None]:
    level = None
    if isinstance(node, YamlMap):
        reader.check_keys(node, ("hint", "level"), "'resume'")
        if "level" in node.entries:
            level = reader.word(node.entries["level"].value, "'level'")
        if "hint" not in node.entries:
            reader.add(node, "'resume' has no hint", RESUME_HINT)
            return ResumeHint.NONE, level
        node = node.entries["hint"].value
    if not isinstance(node, Scalar):
        reader.add(node, f"'resume' is {in_words(node)}", RESUME_HINT)
        return ResumeHint.NONE, level
    word = "none" if is_nothing(node) and node.text else node.text
    if word not in HINTS:
        reader.add(node, f"'resume' is {in_words(node)}", suggestion(word, HINTS))
        return ResumeHint.NONE, level
    return ResumeHint(word), level
