"""Recipe tree for people: as text, picture and data, with recoveries at the places that they match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from handup.executive.machine.program import path_matches
from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, OpStep, Recipes, Step, TaskStep
from handup.executive.recovery import Recovery
from handup.executive.validator import Abilities

ANYWHERE = "**"
"""Path of recoveries that are shown once, at the top."""
MAX_NODES = 2000
"""Most steps that are shown; a larger tree is cut, and says so."""
MAX_SHOWN_LEVELS = 100
"""Most levels of steps that are shown; the steps in a choice or loop are one level deeper than it."""
MAX_TEXT = 60
"""Most characters of a value or condition; a longer one is cut."""
COLOURS = {"task": "#1d4ed8", "action": "#047857", "op": "#6b7280", "choice": "#b45309", "loop": "#b45309"}
ROW, INDENT, LETTER = 22, 22, 7.3
"""Height of a row, width of a level, and width of a letter in the picture."""


@dataclass(frozen=True, kw_only=True)
class TreeNode:
    """One step of the tree, with the steps below it.

    Args:
        kind: `task`, `action`, `op`, `choice`, `loop`; `case` for a way of a choice, `more` where the tree is cut.
        name: Name of what it runs, or its condition.
        path: Path of a failure here, as recoveries match it; empty where nothing fails by itself.
        details: Parameters and outputs, for people.
        recoveries: Names of those that match the path; at the top of the tree, of those that match anywhere.
        children: Steps below it, in order.
    """

    kind: str
    name: str
    path: str = ""
    details: str = ""
    recoveries: tuple[str, ...] = ()
    children: tuple[TreeNode, ...] = ()

    @property
    def label(self) -> str:
        """The step in one line."""
        words = {"choice": f"if {self.name}", "loop": f"while {self.name}", "case": self.name, "more": self.name}
        return words.get(self.kind, f"{self.kind} {self.name}") + self.details

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "kind": self.kind,
            "name": self.name,
            "path": self.path,
            "details": self.details.strip(),
            "recoveries": list(self.recoveries),
            "children": [child.to_json() for child in self.children],
        }


def tree_shown(
    recipes: Recipes,
    recoveries: Sequence[Recovery] = (),
    *,
    task: str | None = None,
    abilities: Abilities | None = None,
) -> TreeNode:
    """Return the tree below a task, every use of every task written out.

    A task that calls itself is written out once. A tree is cut behind `MAX_NODES` steps, and `MAX_SHOWN_LEVELS` deep.

    Args:
        recipes: Recipes to show.
        recoveries: Recoveries to attach where their path matches.
        task: Task at the top; None for the main task.
        abilities: Actions and monitors of the robot. If known, an action shows only recoveries for codes that it has.
    """
    anywhere = tuple(recovery.name for recovery in recoveries if recovery.when.path == ANYWHERE)
    placed = [recovery for recovery in recoveries if recovery.when.path != ANYWHERE]
    tree = _Builder(recipes, placed, abilities).task(task or recipes.main, (), "")
    return replace(tree, recoveries=anywhere)


def as_text(tree: TreeNode, recoveries: Sequence[Recovery] = ()) -> str:
    """Return the tree as lines, with each recovery below the step that it helps."""
    words = {recovery.name: recovery_in_words(recovery) for recovery in recoveries}
    words |= {name: f"anywhere: {words.get(name, name)}" for name in tree.recoveries}
    lines = [tree.label, *_lines(tree, "", words)]
    return "\n".join(lines) + "\n"


def as_svg(tree: TreeNode) -> str:
    """Return the tree as a picture that needs no other file: one row per step, recoveries at its end."""
    rows = list(_rows(tree, 0))
    width = max(20 + depth * INDENT + LETTER * (len(node.label) + len(_marks(node)) + 6) for depth, _, node in rows)
    height = 20 + ROW * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
        f'height="{height}" font-family="ui-monospace, monospace" font-size="12" role="img">',
        f"<title>{escape(tree.name)}</title>",
        f'<rect width="{width:.0f}" height="{height}" fill="#ffffff"/>',
    ]
    for row, (depth, above, node) in enumerate(rows):
        x, y = 14 + depth * INDENT, 20 + row * ROW
        if above is not None:
            start = 20 + above * ROW + 6
            parts.append(f'<path d="M{x - INDENT + 4} {start}V{y - 4}H{x - 2}" fill="none" stroke="#cbd5e1"/>')
        colour = COLOURS.get(node.kind, "#6b7280")
        parts.append(f'<circle cx="{x + 4}" cy="{y - 4}" r="4" fill="{colour}"/>')
        marks = _marks(node)
        tail = f'<tspan fill="#be123c">{escape(marks)}</tspan>' if marks else ""
        parts.append(f'<text x="{x + 14}" y="{y}" fill="#0f172a">{escape(node.label)}{tail}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def recovery_in_words(recovery: Recovery) -> str:
    """Return one recovery in one line: its name, the failures it is for, and how it resumes."""
    when = recovery.when
    parts = [" or ".join(when.codes)] if when.codes else []
    if when.least > 1 or when.most is not None:
        bound = f"{when.least}.." if when.most is None else f"{when.least}..{when.most}"
        parts.append(f"aborts {when.least if when.most == when.least else bound}")
    if when.belief is not None:
        parts.append(_cut(when.belief.text))
    if when.contradiction is not None:
        parts.append(f"contradiction on {when.contradiction}")
    named = f"{recovery.name} ({', '.join(parts)})" if parts else recovery.name
    ways = dict.fromkeys(f"{branch.hint} {branch.level or ''}".rstrip() for branch in recovery.branches)
    return f"{named} → {' or '.join(ways)}, at most {recovery.limit}×"


def given_in_words(goal: Mapping[str, Any], most: int = MAX_TEXT) -> str:
    """Return the inputs of an action or a task in words: `object: small gear; clusters: scene 1, at gears`."""
    return "; ".join(f"{name.replace('_', ' ')}: {value_in_words(value, most)}" for name, value in goal.items())


def value_in_words(value: Any, most: int = MAX_TEXT) -> str:
    """Return a value of a run as people would say it: `scene 1, at gears`, `yes`, `small gear`.

    Args:
        value: Plain data.
        most: Most letters; a longer text is cut.
    """
    match value:
        case None:
            text = "nothing"
        case bool():
            text = "yes" if value else "no"
        case float():
            text = f"{value:.10g}"
        case str():
            text = value.replace("_", " ") if value.isidentifier() else value
        case Mapping():
            text = ", ".join(f"{str(key).replace('_', ' ')} {value_in_words(entry)}" for key, entry in value.items())
        case list() | tuple():
            text = ", ".join(map(value_in_words, value))
        case _:
            text = str(value)
    text = text or "nothing"
    return text if len(text) <= most else f"{text[: most - 1]}…"


class _Builder:
    """Builder of the tree, which counts the steps."""

    def __init__(self, recipes: Recipes, recoveries: Sequence[Recovery], abilities: Abilities | None) -> None:
        self._recipes = recipes
        self._recoveries = recoveries
        self._actions = {} if abilities is None else abilities.actions
        self._left = MAX_NODES
        self._level = 0

    def task(self, name: str, above: tuple[str, ...], details: str) -> TreeNode:
        recipe = self._recipes.tasks.get(name)
        path = "/".join((*above, name))
        recoveries = self._matching(path) if above else ()
        if recipe is None:
            return TreeNode(kind="task", name=name, path=path, details=f"{details} (not there)", recoveries=recoveries)
        if name in above:
            return TreeNode(
                kind="task", name=name, path=path, details=f"{details} (again, from there)", recoveries=recoveries
            )
        children = self._steps(recipe.steps, (*above, name))
        return TreeNode(kind="task", name=name, path=path, details=details, recoveries=recoveries, children=children)

    def _steps(self, steps: Sequence[Step], above: tuple[str, ...]) -> tuple[TreeNode, ...]:
        if self._level == MAX_SHOWN_LEVELS:
            return (TreeNode(kind="more", name=f"… what is more than {MAX_SHOWN_LEVELS} levels deep is not shown"),)
        self._level += 1
        shown = []
        for step in steps:
            self._left -= 1
            if self._left < 0:
                shown.append(TreeNode(kind="more", name=f"… more than {MAX_NODES} steps are not shown"))
                break
            shown.append(self._step(step, above))
        self._level -= 1
        return tuple(shown)

    def _step(self, step: Step, above: tuple[str, ...]) -> TreeNode:
        match step:
            case TaskStep():
                return self.task(step.name, above, _details(step))
            case ActionStep() | OpStep():
                kind, name = ("action", step.name) if isinstance(step, ActionStep) else ("op", step.name)
                path = "/".join((*above, name))
                codes = self._actions[name].codes if kind == "action" and name in self._actions else None
                recoveries = self._matching(path, codes)
                return TreeNode(kind=kind, name=name, path=path, details=_details(step), recoveries=recoveries)
            case ChoiceStep():
                ways = (("then", step.if_true), ("else", step.if_false))
                cases = tuple(
                    TreeNode(kind="case", name=word, children=self._steps(steps, above))
                    for word, steps in ways
                    if steps
                )
                return TreeNode(kind="choice", name=_cut(step.condition.text), children=cases)
            case LoopStep():
                body = self._steps(step.body, above)
                details = f" (at most {step.most} times)"
                return TreeNode(kind="loop", name=_cut(step.condition.text), details=details, children=body)

    def _matching(self, path: str, codes: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return the recoveries for a path. With the codes of an action, those for none of them are left out."""
        matching = (recovery for recovery in self._recoveries if path_matches(recovery.when.path, path))
        return tuple(
            recovery.name
            for recovery in matching
            if codes is None or not recovery.when.codes or {*recovery.when.codes} & {*codes}
        )


def _details(step: ActionStep | TaskStep | OpStep) -> str:
    inputs = ", ".join(f"{name}={_cut(value.text)}" for name, value in step.params.items())
    gives = f" → {', '.join(step.var)}" if step.var else ""
    return f"({inputs}){gives}" if inputs else gives


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_TEXT else f"{line[:MAX_TEXT]}…"


def _lines(node: TreeNode, margin: str, words: dict[str, str]) -> Iterator[str]:
    for name in node.recoveries:
        yield f"{margin}{'│' if node.children else ' '}  ↺ {words.get(name, name)}"
    for child in node.children:
        last = child is node.children[-1]
        yield f"{margin}{'└─' if last else '├─'} {child.label}"
        yield from _lines(child, f"{margin}{'   ' if last else '│  '}", words)


def _rows(node: TreeNode, depth: int) -> Iterator[tuple[int, int | None, TreeNode]]:
    """Yield each step with its depth and the row of the one above it."""
    waiting: list[tuple[int, int | None, TreeNode]] = [(depth, None, node)]
    row = 0
    while waiting:
        level, above, item = waiting.pop()
        yield level, above, item
        waiting += [(level + 1, row, child) for child in reversed(item.children)]
        row += 1


def _marks(node: TreeNode) -> str:
    return f"  ↺ {', '.join(node.recoveries)}" if node.recoveries else ""
