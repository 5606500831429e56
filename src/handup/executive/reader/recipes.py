"""Reader of recipes: tasks and their steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from handup.core.checks import shown, suggestion
from handup.core.yaml_document import Listing, Node, Unreadable, YamlEntry, YamlMap, in_words, is_nothing
from handup.executive.language import Expression, literal
from handup.executive.problem import NOWHERE, Problem
from handup.executive.reader import values
from handup.executive.reader.values import NAME, STEPS, WORD, FileReader, is_word, name_hint, unreadable
from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, OpStep, Recipe, Recipes, Step, TaskStep

TASK_KEYS = ("about", "params", "var", "steps")
TASK_HINT = "Write for example: pick: {params: [object], steps: [{action: look}]}."
MAIN_HINT = "Give it another name; 'main: NAME' says with which task a run begins."
STEP_HINT = "Write for example: - action: look."
CHOICE_HINT = 'Write for example: choice: {condition: "var.n > 0", if_true: {task: grasp}}.'
LOOP_HINT = 'Write for example: loop: {condition: "not var.done", body: {task: grasp}, most: 3}.'


@values.collector_resting()
def scan_recipes(texts: Mapping[str, str]) -> tuple[Recipes | None, tuple[Problem, ...]]:
    """Return recipes from the texts of files, as far as they can be read, and all problems.

    Args:
        texts: Texts by the name of their file. A run begins with the first `main` that one of them names, or else
            with the first task of the first file.

    Returns:
        The recipes, None if there is no task at all or if a file could not be read to its end; and the problems.
    """
    tasks: dict[str, Recipe] = {}
    problems: list[Problem] = []
    main: str | None = None
    whole = True
    for file, text in texts.items():
        reader = FileReader(file)
        try:
            named = _file(reader.root(text), tasks, reader)
            main = main or named
        except Unreadable:
            whole = False
        problems += reader.problems
    if not texts:
        problems.append(Problem(NOWHERE, "there is no recipe", "Give at least one file."))
    if not tasks or not whole:
        return None, tuple(problems)
    return Recipes(main=main or next(iter(tasks)), tasks=tasks), tuple(problems)


def steps_in(node: Node | None, what: str, reader: FileReader) -> tuple[Step, ...]:
    """Return the steps of a node, which holds one or a list of them; none where nothing is written."""
    if node is None or is_nothing(node):
        return ()
    items = node.items if isinstance(node, Listing) else [node]
    return tuple(_step(item, what, reader) for item in items)


def _file(root: Node, tasks: dict[str, Recipe], reader: FileReader) -> str | None:
    table = reader.file_table(root, holds="the tasks")
    if table is None:
        return None
    mine = {key: entry for key, entry in table.entries.items() if key not in {"format", "main"}}
    main = table.entries.get("main")
    if main is not None and isinstance(main.value, YamlMap):
        reader.add(main, "a task cannot be called 'main'", MAIN_HINT)
        mine["main"] = main
    for name, entry in mine.items():
        if not is_word(name):
            reader.add(entry, f"{shown(name)} is no name of a task", name_hint(WORD))
        elif name in tasks:
            reader.add(entry, f"there are two tasks called '{name}'", f"The first is at {tasks[name].place}.")
        else:
            tasks[name] = _task(name, entry, reader)
    if not mine:
        reader.add(table, "there is no task", TASK_HINT)
    if main is None or "main" in mine:
        return None
    begins = reader.word(main.value, "'main'")
    if begins is not None and begins not in mine:
        reader.add(main.value, f"'main' is {shown(begins)}, which is no task here", suggestion(begins, mine))
        return None
    return begins


def _task(name: str, entry: YamlEntry, reader: FileReader) -> Recipe:
    table = reader.table(entry.value, f"task '{name}'", hint=TASK_HINT, keys=TASK_KEYS)
    if table is None:
        return Recipe(name=name, place=reader.place(entry))
    nodes = {key: item.value for key, item in table.entries.items()}
    if "steps" not in nodes:
        reader.add(entry, f"task '{name}' has no steps", TASK_HINT)
    return Recipe(
        name=name,
        params=reader.names(nodes.get("params"), f"params of '{name}'"),
        var=reader.names(nodes.get("var"), f"var of '{name}'"),
        steps=steps_in(nodes.get("steps"), f"a step of '{name}'", reader),
        place=reader.place(entry),
        about=reader.text(nodes.get("about"), f"about of '{name}'"),
    )


def _step(node: Node, what: str, reader: FileReader) -> Step:
    table = reader.table(node, what, hint=STEP_HINT)
    if table is None:
        return OpStep(name="noop", place=reader.place(node))
    kinds = [key for key in table.entries if key in STEPS]
    if len(kinds) != 1:
        _note_kind(table, kinds, what, reader)
    return READERS[kinds[0]](kinds[0], table, reader) if kinds else _lost(table, reader)


def _note_kind(table: YamlMap, kinds: list[str], what: str, reader: FileReader) -> None:
    others = [key for key in table.entries if key not in {"params", "var"}]
    if kinds:
        reader.add(table.entries[kinds[1]], f"{what} is {' and '.join(kinds)} at once", "Make two steps of it.")
    elif not others:
        reader.add(table, f"{what} says nothing to do", STEP_HINT)
    else:
        cause = f"{shown(others[0])} is no kind of step"
        reader.add(table.entries[others[0]], cause, suggestion(others[0], STEPS))


def _lost(table: YamlMap, reader: FileReader) -> Step:
    """Return a stand-in for a step that could not be read. What the step was to set counts as set in later checks."""
    place = reader.place(table)
    var = _var(table, reader)
    if not var:
        return OpStep(name="noop", place=place)
    steps = tuple(OpStep(name="assign", params={"value": unreadable(place)}, var=(name,), place=place) for name in var)
    return steps[0] if len(steps) == 1 else LoopStep(condition=literal(True), body=steps, most=1, place=place)


def _run(kind: str, table: YamlMap, reader: FileReader) -> Step:
    entry = table.entries[kind]
    reader.check_keys(table, (kind, "params", "var"), f"this {kind}", told=STEPS)
    name = reader.word(entry.value, f"the name of the {kind}")
    params, var = _params(table, reader), _var(table, reader)
    if name is None:
        return _lost(table, reader)
    return RUN_STEPS[kind](name=name, params=params, var=var, place=reader.place(entry))


def _var(table: YamlMap, reader: FileReader) -> tuple[str, ...]:
    return reader.names(table.entries["var"].value, "var") if "var" in table.entries else ()


def _params(table: YamlMap, reader: FileReader) -> dict[str, Expression]:
    if "params" not in table.entries or is_nothing(table.entries["params"].value):
        return {}
    params = reader.table(table.entries["params"].value, "'params'", hint="Write for example: params: {pose: up}.")
    if params is None:
        return {}
    for name, entry in params.entries.items():
        if not is_word(name, NAME):
            reader.add(entry, f"{shown(name)} is no name of a parameter", name_hint(NAME))
    return {name: reader.value(entry.value) for name, entry in params.entries.items()}


def _choice(kind: str, table: YamlMap, reader: FileReader) -> Step:
    inner = _inner(kind, table, ("condition", "if_true", "if_false"), CHOICE_HINT, reader)
    if inner is None:
        return _lost(table, reader)
    nodes = {key: entry.value for key, entry in inner.entries.items()}
    if not {"if_true", "if_false"} & nodes.keys():
        reader.add(inner, "a choice has neither 'if_true' nor 'if_false'", CHOICE_HINT)
    return ChoiceStep(
        condition=_condition(inner, reader),
        if_true=steps_in(nodes.get("if_true"), "a step of 'if_true'", reader),
        if_false=steps_in(nodes.get("if_false"), "a step of 'if_false'", reader),
        place=reader.place(table.entries[kind]),
    )


def _loop(kind: str, table: YamlMap, reader: FileReader) -> Step:
    inner = _inner(kind, table, ("condition", "body", "most"), LOOP_HINT, reader)
    if inner is None:
        return _lost(table, reader)
    nodes = {key: entry.value for key, entry in inner.entries.items()}
    if "body" not in nodes or is_nothing(nodes["body"]):
        reader.add(inner, "a loop has no body", LOOP_HINT)
    most = reader.count(nodes.get("most"), "'most'", most=values.MOST_ROUNDS, default=values.DEFAULT_MOST)
    return LoopStep(
        condition=_condition(inner, reader),
        body=steps_in(nodes.get("body"), "a step of 'body'", reader),
        most=most,
        stated="most" in nodes,
        place=reader.place(table.entries[kind]),
    )


def _inner(kind: str, table: YamlMap, known: tuple[str, ...], hint: str, reader: FileReader) -> YamlMap | None:
    """Return the map behind `choice` or `loop`, if there is one."""
    reader.check_keys(table, (kind,), f"a {kind}", told=STEPS)
    entry = table.entries[kind]
    if not isinstance(entry.value, YamlMap):
        reader.add(entry, f"a {kind} is {in_words(entry.value)}, not a map", hint)
        return None
    reader.check_keys(entry.value, known, f"a {kind}")
    if "condition" not in entry.value.entries:
        reader.add(entry, f"a {kind} has no condition", hint)
    return entry.value


def _condition(inner: YamlMap, reader: FileReader) -> Expression:
    entry = inner.entries.get("condition")
    return unreadable(reader.place(inner)) if entry is None else reader.condition(entry.value, "the condition")


RUN_STEPS: Mapping[str, type[ActionStep | TaskStep | OpStep]] = {"action": ActionStep, "task": TaskStep, "op": OpStep}
READERS: Mapping[str, Callable[[str, YamlMap, FileReader], Step]] = {
    **dict.fromkeys(RUN_STEPS, _run),
    "choice": _choice,
    "loop": _loop,
}
"""Reader of each kind of step."""
