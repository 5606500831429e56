"""The few shapes that the paper's claims have: unchanged, higher at one end, best of all, in an order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise, product
from typing import Any

from handup.lab.study.claims.comparing import Comparison, lower, near, not_higher, same
from handup.lab.study.claims.places import Place
from handup.lab.study.claims.timing import Ratio, slower
from handup.lab.study.results import Results

Make = Callable[..., Place]
"""`selector` or `algorithm`."""


def unchanged(
    results: Results,
    metrics: Iterable[str],
    make: Make,
    names: Iterable[str],
    axis: str,
    values: Sequence[Any],
    **at: Any,
) -> Iterator[Comparison]:
    """Each metric of each method is the same at all values of an axis: the base's value, or the first there is."""
    base = getattr(results.base, axis)
    for metric, name in product(metrics, names):
        there = [value for value in values if make(name, **{axis: value}, **at).known(results)]
        reference = base if base in there else there[0] if there else None
        for value in there:
            if value != reference:
                yield same(metric, make(name, **{axis: value}, **at), make(name, **{axis: reference}, **at))


def rising(
    metrics: Iterable[str], make: Make, names: Iterable[str], axis: str, start: Any, ends: Iterable[Any], **at: Any
) -> Iterator[Comparison]:
    """Each metric of each method is higher at the ends than at the start."""
    for metric, name, end in product(metrics, names, tuple(ends)):
        yield lower(metric, make(name, **{axis: start}, **at), make(name, **{axis: end}, **at))


def below(
    metrics: Iterable[str],
    make: Make,
    good: Iterable[str],
    rest: Iterable[str],
    axis: str,
    values: Iterable[Any],
    **at: Any,
) -> Iterator[Comparison]:
    """Each good method is below each of the rest, at each value of an axis."""
    for metric, value, one, other in product(metrics, values, good, tuple(rest)):
        yield lower(metric, make(one, **{axis: value}, **at), make(other, **{axis: value}, **at))


def unbeaten(
    metrics: Iterable[str],
    make: Make,
    good: Sequence[str],
    rest: Iterable[str],
    axis: str,
    values: Iterable[Any],
    **at: Any,
) -> Iterator[Comparison]:
    """No method but the good ones is better than one of them by more than the margin, at any value of an axis."""
    outsiders = [name for name in rest if name not in good]
    for metric, value, one, other in product(metrics, values, good, outsiders):
        yield not_higher(metric, make(one, **{axis: value}, **at), make(other, **{axis: value}, **at))


def descending(
    metric: str, make: Make, groups: Sequence[Sequence[str]], axis: str, values: Iterable[Any], **at: Any
) -> Iterator[Comparison]:
    """The groups of methods come in descending order at each value of an axis; those of a group are alike."""
    for value in values:
        for before, after in pairwise(groups):
            for more, less in product(before, after):
                yield lower(metric, make(less, **{axis: value}, **at), make(more, **{axis: value}, **at))
        for group in groups:
            for one, other in pairwise(group):
                yield same(metric, make(one, **{axis: value}, **at), make(other, **{axis: value}, **at))


def at_level(
    metric: str, make: Make, names: Iterable[str], axis: str, values: Iterable[Any], target: float, **at: Any
) -> Iterator[Comparison]:
    """A metric has a given value for each method at each value of an axis."""
    for value, name in product(values, names):
        yield near(metric, make(name, **{axis: value}, **at), target)


def slowest(make: Make, slow: str, rest: Iterable[str], axis: str, values: Iterable[Any]) -> Iterator[Ratio]:
    """A method takes longer than each of the rest, at each value of an axis."""
    for value, other in product(values, tuple(rest)):
        yield slower(make(slow, **{axis: value}), make(other, **{axis: value}))


def slowing(make: Make, names: Iterable[str], axis: str, start: Any, ends: Iterable[Any]) -> Iterator[Ratio]:
    """Each method takes longer at the ends of an axis than at the start."""
    for name, end in product(names, tuple(ends)):
        yield slower(make(name, **{axis: end}), make(name, **{axis: start}))
