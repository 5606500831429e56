"""Recipes: tasks and their steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from handup.core.checks import shown, suggestion
from handup.core.yaml_document import Entry, Listing, Node, Table, Unreadable, in_words, is_nothing
from handup.executive.language import Expression, literal
from handup.executive.problem import NOWHERE, Problem
from handup.executive.reading.values import (
    DEFAULT_MOST,
    MOST_ROUNDS,
    NAME,
    STEPS,
    WORD,
    Notes,
    check_format,
    check_keys,
    collector_resting,
    condition_in,
    count_in,
    is_word,
    name_hint,
    names_in,
    table_of,
    text_in,
    unreadable,
    value_in,
    word_in,
)
from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, OpStep, Recipe, Recipes, Step, TaskStep

TASK_KEYS = ("about", "params", "var", "steps")
TASK_HINT = "Write for example: pick: {params: [object], steps: [{action: look}]}."
MAIN_HINT = "Give it another name; 'main: NAME' says with which task a run begins."
STEP_HINT = "Write for example: - action: look."
CHOICE_HINT = 'Write for example: choice: {condition: "var.n > 0", if_true: {task: grasp}}.'
LOOP_HINT = 'Write for example: loop: {condition: "not var.done", body: {task: grasp}, most: 3}.'


@collector_resting()
def scan_recipes(texts: Mapping[str, str]) -> tuple[Recipes | None, tuple[Problem, ...]]:
    """Recipes from the texts of files, as far as they can be read, and everything that is wrong.

    Args:
        texts: By the name of the file. A run begins with the first `main` that one of them names, or else with the
            first task of the first one.

    Returns:
        The recipes, None if there is no task at all or if a file could not be read to its end; and the problems.
    """
    tasks: dict[str, Recipe] = {}
    problems: list[Problem] = []
    main: str | None = None
    whole = True
    for file, text in texts.items():
        notes = Notes(file)
        try:
            named = _file(notes.read(text), tasks, notes)
            main = main or named
        except Unreadable:
            whole = False
        problems += notes.problems
    if not texts:
        problems.append(Problem(NOWHERE, "there is no recipe", "Give at least one file."))
    if not tasks or not whole:
        return None, tuple(problems)
    return Recipes(main=main or next(iter(tasks)), tasks=tasks), tuple(problems)


def steps_in(node: Node, what: str, notes: Notes) -> tuple[Step, ...]:
    """One step or a list of them."""
    if is_nothing(node):
        return ()
    items = node.items if isinstance(node, Listing) else [node]
    return tuple(_step(item, what, notes) for item in items)


def _file(root: Node, tasks: dict[str, Recipe], notes: Notes) -> str | None:
    table = table_of(root, "the file", notes, hint="Start with 'format: 1', then the tasks.")
    if table is None:
        return None
    check_format(table, notes)
    main: str | None = None
    mine = {key: entry for key, entry in table.entries.items() if key not in {"format", "main"}}
    if (entry := table.entries.get("main")) is not None and isinstance(entry.value, Table):
        notes.add(entry.line, entry.column, "a task cannot be called 'main'", MAIN_HINT)
        mine["main"] = entry
    for name, entry in mine.items():
        if not is_word(name):
            notes.add(entry.line, entry.column, f"{shown(name)} is no name of a task", name_hint(WORD))
        elif name in tasks:
            first = tasks[name].place
            notes.add(entry.line, entry.column, f"there are two tasks called '{name}'", f"The first is at {first}.")
        else:
            tasks[name] = _task(name, entry, notes)
    if not mine:
        notes.add(table.line, table.column, "there is no task", TASK_HINT)
    if "main" in table.entries and "main" not in mine:
        node = table.entries["main"].value
        main = word_in(node, "'main'", notes)
        if main is not None and main not in mine:
            notes.add(node.line, node.column, f"'main' is {shown(main)}, which is no task here", suggestion(main, mine))
            main = None
    return main


def _task(name: str, entry: Entry, notes: Notes) -> Recipe:
    place = notes.place(entry.line, entry.column)
    table = table_of(entry.value, f"task '{name}'", notes, hint=TASK_HINT)
    if table is None:
        return Recipe(name=name, place=place)
    check_keys(table, TASK_KEYS, f"task '{name}'", notes)
    given = {key: each.value for key, each in table.entries.items()}
    if "steps" not in given:
        notes.add(entry.line, entry.column, f"task '{name}' has no steps", TASK_HINT)
    return Recipe(
        name=name,
        params=names_in(given["params"], f"params of '{name}'", notes) if "params" in given else (),
        var=names_in(given["var"], f"var of '{name}'", notes) if "var" in given else (),
        steps=steps_in(given["steps"], f"a step of '{name}'", notes) if "steps" in given else (),
        place=place,
        about=text_in(given["about"], f"about of '{name}'", notes) if "about" in given else "",
    )


def _step(node: Node, what: str, notes: Notes) -> Step:
    table = table_of(node, what, notes, hint=STEP_HINT)
    if table is None:
        return OpStep(name="noop", place=notes.place(node.line, node.column))
    kinds = [key for key in table.entries if key in STEPS]
    if len(kinds) != 1:
        _note_kind(table, kinds, what, notes)
    return READERS[kinds[0]](kinds[0], table, notes) if kinds else _lost(table, notes)


def _note_kind(table: Table, kinds: list[str], what: str, notes: Notes) -> None:
    if kinds:
        second = table.entries[kinds[1]]
        notes.add(second.line, second.column, f"{what} is {' and '.join(kinds)} at once", "Make two steps of it.")
        return
    others = [key for key in table.entries if key not in {"params", "var"}]
    if not others:
        notes.add(table.line, table.column, f"{what} says nothing to do", STEP_HINT)
        return
    entry = table.entries[others[0]]
    notes.add(entry.line, entry.column, f"{shown(others[0])} is no kind of step", suggestion(others[0], STEPS))


def _lost(table: Table, notes: Notes) -> Step:
    """Stands for a step that could not be read, so that what it was to set counts as set when the rest is checked."""
    place = notes.place(table.line, table.column)
    var = names_in(table.entries["var"].value, "var", notes) if "var" in table.entries else ()
    if not var:
        return OpStep(name="noop", place=place)
    steps = tuple(OpStep(name="assign", params={"value": unreadable(place)}, var=(name,), place=place) for name in var)
    return steps[0] if len(steps) == 1 else LoopStep(condition=literal(True), body=steps, most=1, place=place)


def _run(kind: str, table: Table, notes: Notes) -> Step:
    entry = table.entries[kind]
    check_keys(table, (kind, "params", "var"), f"this {kind}", notes, told=STEPS)
    name = word_in(entry.value, f"the name of the {kind}", notes)
    params = _params(table, notes)
    var = names_in(table.entries["var"].value, "var", notes) if "var" in table.entries else ()
    place = notes.place(entry.line, entry.column)
    if name is None:
        return _lost(table, notes)
    if kind == "action":
        return ActionStep(name=name, params=params, var=var, place=place)
    if kind == "task":
        return TaskStep(name=name, params=params, var=var, place=place)
    return OpStep(name=name, params=params, var=var, place=place)


def _params(table: Table, notes: Notes) -> dict[str, Expression]:
    if "params" not in table.entries or is_nothing(table.entries["params"].value):
        return {}
    given = table_of(table.entries["params"].value, "'params'", notes, hint="Write for example: params: {pose: up}.")
    if given is None:
        return {}
    for name, entry in given.entries.items():
        if not is_word(name, NAME):
            notes.add(entry.line, entry.column, f"{shown(name)} is no name of a parameter", name_hint(NAME))
    return {name: value_in(entry.value, notes) for name, entry in given.entries.items()}


def _choice(kind: str, table: Table, notes: Notes) -> Step:
    inner = _inner(kind, table, ("condition", "if_true", "if_false"), CHOICE_HINT, notes)
    if inner is None:
        return _lost(table, notes)
    given = {key: each.value for key, each in inner.entries.items()}
    if not {"if_true", "if_false"} & given.keys():
        notes.add(inner.line, inner.column, "a choice has neither 'if_true' nor 'if_false'", CHOICE_HINT)
    return ChoiceStep(
        condition=_condition(given, inner, notes),
        if_true=steps_in(given["if_true"], "a step of 'if_true'", notes) if "if_true" in given else (),
        if_false=steps_in(given["if_false"], "a step of 'if_false'", notes) if "if_false" in given else (),
        place=notes.place(table.entries[kind].line, table.entries[kind].column),
    )


def _loop(kind: str, table: Table, notes: Notes) -> Step:
    inner = _inner(kind, table, ("condition", "body", "most"), LOOP_HINT, notes)
    if inner is None:
        return _lost(table, notes)
    given = {key: each.value for key, each in inner.entries.items()}
    if "body" not in given or is_nothing(given["body"]):
        notes.add(inner.line, inner.column, "a loop has no body", LOOP_HINT)
    most = DEFAULT_MOST
    if "most" in given:
        most = count_in(given["most"], "'most'", notes, most=MOST_ROUNDS, default=DEFAULT_MOST)
    return LoopStep(
        condition=_condition(given, inner, notes),
        body=steps_in(given["body"], "a step of 'body'", notes) if "body" in given else (),
        most=most,
        stated="most" in given,
        place=notes.place(table.entries[kind].line, table.entries[kind].column),
    )


def _inner(kind: str, table: Table, known: tuple[str, ...], hint: str, notes: Notes) -> Table | None:
    """The map behind `choice` or `loop`, if there is one."""
    check_keys(table, (kind,), f"a {kind}", notes, told=STEPS)
    entry = table.entries[kind]
    if not isinstance(entry.value, Table):
        notes.add(entry.line, entry.column, f"a {kind} is {in_words(entry.value)}, not a map", hint)
        return None
    check_keys(entry.value, known, f"a {kind}", notes)
    if "condition" not in entry.value.entries:
        notes.add(entry.line, entry.column, f"a {kind} has no condition", hint)
    return entry.value


def _condition(given: Mapping[str, Node], inner: Table, notes: Notes) -> Expression:
    if "condition" not in given:
        return unreadable(notes.place(inner.line, inner.column))
    return condition_in(given["condition"], "the condition", notes)


READERS: Mapping[str, Callable[[str, Table, Notes], Step]] = {
    "action": _run,
    "task": _run,
    "op": _run,
    "choice": _choice,
    "loop": _loop,
}
"""How each kind of step is read."""
