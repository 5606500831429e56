"""Recoveries: rules in files of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping

from handup.core import ResumeHint
from handup.core.checks import shown, suggestion
from handup.core.yaml_document import MAX_WORD, Entry, Listing, Node, Scalar, Table, Unreadable, in_words, is_nothing
from handup.executive.events import Ending
from handup.executive.problem import Problem
from handup.executive.reading.recipes import steps_in
from handup.executive.reading.values import (
    MOST_LIMIT,
    Notes,
    check_format,
    check_keys,
    collector_resting,
    condition_in,
    count_in,
    table_of,
    text_in,
    word_in,
)
from handup.executive.recovery import Branch, Recovery, When

KEYS = ("name", "about", "when", "helps", "try", "do", "branches", "resume", "ends", "limit")
WHEN_KEYS = ("path", "code", "aborts", "belief", "contradiction")
BRANCH_KEYS = ("if", "do", "resume", "level", "ends")
HINTS = tuple(str(each) for each in ResumeHint)
ENDS = (str(Ending.FAILED), str(Ending.DONE))
ABORTS = re.compile(r"(?P<least>[1-9][0-9]{0,5})(?P<range>\.\.(?P<most>[1-9][0-9]{0,5})?)?", re.ASCII)
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
    """Recoveries from the texts of files, as far as they can be read, and everything that is wrong.

    Args:
        texts: By the name of the file.

    Returns:
        The recoveries, None if a file could not be read to its end; and the problems.
    """
    found: dict[str, Recovery] = {}
    problems: list[Problem] = []
    whole = True
    for file, text in texts.items():
        notes = Notes(file)
        try:
            _file(notes.read(text), found, notes)
        except Unreadable:
            whole = False
        problems += notes.problems
    return tuple(found.values()) if whole else None, tuple(problems)


def _file(root: Node, found: dict[str, Recovery], notes: Notes) -> None:
    table = table_of(root, "the file", notes, hint="Start with 'format: 1', then 'recoveries:'.")
    if table is None:
        return
    check_format(table, notes)
    check_keys(table, ("format", "recoveries"), "a file of recoveries", notes)
    if "recoveries" not in table.entries:
        notes.add(table.line, table.column, "there are no recoveries", "Add the key 'recoveries'.")
        return
    node = table.entries["recoveries"].value
    if is_nothing(node):
        return
    if not isinstance(node, Listing):
        notes.add(node.line, node.column, f"'recoveries' is {in_words(node)}, not a list", RECOVERY_HINT)
        return
    for item in node.items:
        recovery = _recovery(item, notes)
        if recovery is not None and recovery.name in found:
            cause = f"there are two recoveries called '{recovery.name}'"
            notes.add(item.line, item.column, cause, f"The first is at {found[recovery.name].place}.")
        elif recovery is not None:
            found[recovery.name] = recovery


def _recovery(node: Node, notes: Notes) -> Recovery | None:
    table = table_of(node, "a recovery", notes, hint=RECOVERY_HINT)
    if table is None:
        return None
    check_keys(table, KEYS, "a recovery", notes)
    given = {key: entry.value for key, entry in table.entries.items()}
    if "name" not in given:
        notes.add(table.line, table.column, "a recovery has no name", RECOVERY_HINT)
    name = word_in(given["name"], "the name of a recovery", notes) if "name" in given else None
    recovery = Recovery(
        name=name or "",
        when=_when(given["when"], notes) if "when" in given else When(),
        attempt=steps_in(given["try"], "a step of 'try'", notes) if "try" in given else (),
        branches=_branches(table, notes),
        limit=count_in(given["limit"], "'limit'", notes, most=MOST_LIMIT, default=1) if "limit" in given else 1,
        helps=condition_in(given["helps"], "'helps'", notes) if "helps" in given else None,
        place=notes.place(table.line, table.column),
        about=text_in(given["about"], "'about'", notes) if "about" in given else "",
    )
    return None if name is None else recovery


def _when(node: Node, notes: Notes) -> When:
    if is_nothing(node):
        return When()
    table = table_of(node, "'when'", notes, hint="Write for example: when: {path: '**/pick/grasp', code: slipped}.")
    if table is None:
        return When()
    check_keys(table, WHEN_KEYS, "'when'", notes)
    given = {key: entry.value for key, entry in table.entries.items()}
    least, most = _aborts(given["aborts"], notes) if "aborts" in given else (1, None)
    return When(
        path=_path(given["path"], notes) if "path" in given else "**",
        codes=_codes(given["code"], notes) if "code" in given else (),
        least=least,
        most=most,
        belief=condition_in(given["belief"], "'belief'", notes) if "belief" in given else None,
        contradiction=text_in(given["contradiction"], "'contradiction'", notes) if "contradiction" in given else None,
        place=notes.place(table.line, table.column),
    )


def _path(node: Node, notes: Notes) -> str:
    if isinstance(node, Scalar) and len(node.text) <= MAX_PATH and PATH.fullmatch(node.text):
        return node.text
    notes.add(node.line, node.column, f"the path is {in_words(node)}", PATH_HINT)
    return "**"


def _codes(node: Node, notes: Notes) -> tuple[str, ...]:
    items = node.items if isinstance(node, Listing) else [node]
    codes = []
    for item in items:
        code = text_in(item, "a code", notes)
        if len(code) > MAX_WORD or not code.isprintable():
            notes.add(item.line, item.column, f"a code is {in_words(item)}", f"Write at most {MAX_WORD} characters.")
        elif code in codes:
            notes.add(item.line, item.column, f"the code {shown(code)} stands twice", "Keep one of them.")
        elif code:
            codes.append(code)
    return tuple(codes)


def _aborts(node: Node, notes: Notes) -> tuple[int, int | None]:
    match = ABORTS.fullmatch(node.text) if isinstance(node, Scalar) else None
    if match is None:
        notes.add(node.line, node.column, f"'aborts' is {in_words(node)}", ABORTS_HINT)
        return 1, None
    least = int(match["least"])
    if match["range"] is None:
        return least, least
    most = None if match["most"] is None else int(match["most"])
    if most is not None and most < least:
        notes.add(node.line, node.column, f"'aborts' is {in_words(node)}, which nothing meets", ABORTS_HINT)
        return 1, None
    return least, most


def _branches(table: Table, notes: Notes) -> tuple[Branch, ...]:
    """The branches, or the one that `do` and `resume` make."""
    if "branches" not in table.entries:
        return (_branch(table, notes, "a recovery"),)
    for key in ("do", "resume", "ends"):
        if key in table.entries:
            entry = table.entries[key]
            notes.add(entry.line, entry.column, f"'{key}' stands beside 'branches'", "Put it into a branch.")
    node = table.entries["branches"].value
    if not isinstance(node, Listing) or not node.items:
        hint = 'Write for example: branches: [{if: "tried.seen", do: [{task: pick}], resume: next}].'
        notes.add(node.line, node.column, f"'branches' is {in_words(node)}", hint)
        return ()
    found = []
    for item in node.items:
        branch = table_of(item, "a branch", notes, hint="Write for example: {resume: continue}.")
        if branch is not None:
            check_keys(branch, BRANCH_KEYS, "a branch", notes)
            found.append(_branch(branch, notes, "a branch"))
    return tuple(found)


def _branch(table: Table, notes: Notes, what: str) -> Branch:
    given = {key: entry.value for key, entry in table.entries.items()}
    hint, level = ResumeHint.NONE, None
    if "resume" not in given:
        notes.add(table.line, table.column, f"{what} does not say how to resume", RESUME_HINT)
    else:
        hint, level = _resume(table.entries["resume"], notes)
    if "level" in given:
        level = word_in(given["level"], "'level'", notes)
    return Branch(
        condition=condition_in(given["if"], "'if'", notes) if "if" in given else None,
        steps=steps_in(given["do"], "a step of 'do'", notes) if "do" in given else (),
        hint=hint,
        level=level,
        ends=_ends(given["ends"], notes) if "ends" in given else Ending.FAILED,
        place=notes.place(table.line, table.column),
    )


def _ends(node: Node, notes: Notes) -> Ending:
    if isinstance(node, Scalar) and node.text in ENDS:
        return Ending(node.text)
    notes.add(node.line, node.column, f"'ends' is {in_words(node)}", f"Write one of {', '.join(ENDS)}.")
    return Ending.FAILED


def _resume(entry: Entry, notes: Notes) -> tuple[ResumeHint, str | None]:
    node, level = entry.value, None
    if isinstance(node, Table):
        check_keys(node, ("hint", "level"), "'resume'", notes)
        if "level" in node.entries:
            level = word_in(node.entries["level"].value, "'level'", notes)
        if "hint" not in node.entries:
            notes.add(node.line, node.column, "'resume' has no hint", RESUME_HINT)
            return ResumeHint.NONE, level
        node = node.entries["hint"].value
    if not isinstance(node, Scalar):
        notes.add(node.line, node.column, f"'resume' is {in_words(node)}", RESUME_HINT)
        return ResumeHint.NONE, level
    word = "none" if is_nothing(node) and node.text else node.text
    if word not in HINTS:
        notes.add(node.line, node.column, f"'resume' is {in_words(node)}", suggestion(word, HINTS))
        return ResumeHint.NONE, level
    return ResumeHint(word), level
