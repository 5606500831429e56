"""The parts of a parsed expression. Each computes its value from a scope, and says which names it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from handup.core import BadExpression
from handup.core.checks import shown
from handup.executive.language.functions import FUNCTIONS
from handup.executive.language.limits import Data, kind_of
from handup.executive.language.operators import ARITHMETIC, COMPARISONS, is_list, is_number

ROOTS = ("params", "var", "database", "beliefs", "failure", "tried", "aborts")
"""What an expression can begin to read from. All are maps but `aborts`, a number."""
OPEN = frozenset({"beliefs", "failure", "tried"})
"""Where what is not there is null: nobody believes it, the failure does not have it, the attempt did not give it."""

Scope = Mapping[str, Data]
Name = tuple[str, ...]


class Node(Protocol):
    """A part of an expression."""

    def value(self, scope: Scope) -> Data:
        """What it comes to."""
        ...

    def parts(self) -> tuple[Node, ...]:
        """The parts it is made of."""
        ...


def names_in(node: Node) -> Iterator[Name]:
    """Every reference, as the root and the keys that are known without running: `("database", "poses", "table")`."""
    if isinstance(node, Reference):
        yield (node.root, *node.keys)
    for part in node.parts():
        yield from names_in(part)


@dataclass(frozen=True)
class Constant:
    """A number, a text, true, false, null, or any plain data from a file."""

    data: Data

    def value(self, scope: Scope) -> Data:
        """What it comes to."""
        return self.data

    def parts(self) -> tuple[Node, ...]:
        """The parts it is made of."""
        return ()


@dataclass(frozen=True)
class Reference:
    """`var.candidates`, `database.poses.table`: a root and keys."""

    root: str
    keys: Name

    def value(self, scope: Scope) -> Data:
        """What it comes to."""
        try:
            found = scope[self.root]
        except KeyError:
            raise BadExpression(f"there is no '{self.root}' here", hint=_here(scope)) from None
        for depth, key in enumerate(self.keys):
            try:
                found = found[key]
            except (KeyError, TypeError, IndexError):
                if self.root in OPEN and (found is None or isinstance(found, Mapping)):
                    return None
                if self.root == "var" and depth == 0:
                    return None  # not set yet
                raise _no_key(".".join((self.root, *self.keys[:depth])), found, key) from None
        return found

    def parts(self) -> tuple[Node, ...]:
        """The parts it is made of."""
        return ()


@dataclass(frozen=True)
class Pick:
    """`list[0]`, `(…).key`, `database.poses[params.name]`: entries of a value, by keys that may be computed."""

    whole: Node
    keys: tuple[Node, ...]

    def value(self, scope: Scope) -> Data:
        """What it comes to."""
        found = self.whole.value(scope)
        for key in self.keys:
            found = _entry(found, key.value(scope))
        return found

    def parts(self) -> tuple[Node, ...]:
        """The parts it is made of."""
        return (self.whole, *self.keys)


@dataclass(frozen=True)
class Not:
    """`not x`."""

    operand: Node

    def value(self, scope: Scope) -> Data:
        """What it comes to."""
        return not self.operand.value(scope)

    def parts(self) -> tuple[Node, ...]:
        """The parts it is made of."""
        return (self.operand,)


@dataclass(frozen=True)
class Minus:
    """`-x`."""

    operand: Node

    def value(self, scope: Scope) -> Data:
        """What it comes to."""
        value = self.operand.value(scope)
        if not is_number(value):
            raise BadExpression(f"'-' stands before {kind_of(value)}", hint="Give a number.")
        return -value

    def parts(self) -> tuple[Node, ...]:
        """The parts it is made of."""
        return (self.operand,)


@dataclass(frozen=True)
class Both:
    """`x and y`: the first that is not true, or the last. What stands behind it is not computed."""

    operands: tuple[Node, ...]

    def value(self, scope: Scope) -> Data:
        """What it comes to."""
        value: Data = None
        for operand in self.operands:
            value = operand.value(scope)
            if not value:
                return value
        return value

    def parts(self) -> tuple[Node, ...]:
        """The parts it is made of."""
        return self.operands


@dataclass(frozen=True)
class Either:
    """`x or y`: the first that is true, or the last."""

    operands: tuple[Node, ...]

    def value(self, scope: Scope) -> Data:
        """What it comes to."""
        value: Data = None
        for operand in self.operands:
            value = operand.value(scope)
            if value:
                return value
        return value

    def parts(self) -> tuple[Node, ...]:
        """The parts it is made of."""
        return self.operands


@dataclass(frozen=True)
class Arithmetic:
    """`x + y - z` and the like, from left to right."""

    first: Node
    rest: tuple[tuple[str, Node], ...]

    def value(self, scope: Scope) -> Data:
        """What it comes to."""
        value = self.first.value(scope)
        for sign, node in self.rest:
            value = ARITHMETIC[sign](value, node.value(scope))
        return value

    def parts(self) -> tuple[Node, ...]:
        """The parts it is made of."""
        return (self.first, *(node for _, node in self.rest))


@dataclass(frozen=True)
class Comparison:
    """`x < y`, and chains such as `0 < x <= 3`."""

    first: Node
    rest: tuple[tuple[str, Node], ...]

    def value(self, scope: Scope) -> Data:
        """What it comes to."""
        left = self.first.value(scope)
        for sign, node in self.rest:
            right = node.value(scope)
            if not COMPARISONS[sign](left, right):
                return False
            left = right
        return True

    def parts(self) -> tuple[Node, ...]:
        """The parts it is made of."""
        return (self.first, *(node for _, node in self.rest))


@dataclass(frozen=True)
class Call:
    """`len(x)` and the like."""

    name: str
    arguments: tuple[Node, ...]

    def value(self, scope: Scope) -> Data:
        """What it comes to."""
        return FUNCTIONS[self.name].compute(*(each.value(scope) for each in self.arguments))

    def parts(self) -> tuple[Node, ...]:
        """The parts it is made of."""
        return self.arguments


@dataclass(frozen=True)
class Items:
    """`[x, y]`."""

    items: tuple[Node, ...]

    def value(self, scope: Scope) -> Data:
        """What it comes to."""
        return [each.value(scope) for each in self.items]

    def parts(self) -> tuple[Node, ...]:
        """The parts it is made of."""
        return self.items


@dataclass(frozen=True)
class Pairs:
    """`{"key": x}`."""

    pairs: tuple[tuple[str, Node], ...]

    def value(self, scope: Scope) -> Data:
        """What it comes to."""
        return {key: node.value(scope) for key, node in self.pairs}

    def parts(self) -> tuple[Node, ...]:
        """The parts it is made of."""
        return tuple(node for _, node in self.pairs)


def _entry(found: Data, key: Data) -> Data:
    if isinstance(found, Mapping):
        if isinstance(key, str) and key in found:
            return found[key]
    elif (is_list(found) or isinstance(found, str)) and isinstance(key, int) and not isinstance(key, bool):
        if -len(found) <= key < len(found):
            return found[key]
        cause = f"entry {key} is read of {kind_of(found)} of {len(found)}"
        raise BadExpression(cause, hint="Check the length before; the first entry is 0.")
    raise _no_key("the value", found, key)


def _no_key(where: str, found: Data, key: Data) -> BadExpression:
    if not isinstance(found, Mapping):
        return BadExpression(f"{where} is {kind_of(found)} and has no {shown(key)}", hint="Check what it holds.")
    known = ", ".join(str(each) for each in list(found)[:8])
    return BadExpression(f"{where} has no {shown(key)}", hint=f"It has: {known}." if known else "It is empty.")


def _here(scope: Scope) -> str:
    return f"There is: {', '.join(scope)}." if scope else "Nothing can be read here."
