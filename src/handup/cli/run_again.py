"""Going on with a run: as it was begun, and with nothing else."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

from handup.cli.worlds import WORLDS, simulation
from handup.core import BadSetting
from handup.executive.ordering import Last
from handup.executive.sources import Sources

if TYPE_CHECKING:
    from handup.cli.run_setting import Wanted


def refuse_other(wanted: Wanted, last: Last) -> None:
    """A run goes on as it was begun. Who is asked and how fast may change; what else is named must be the same.

    Files are compared by their names: what is written in them meanwhile is read anew between two steps.

    Raises:
        BadSetting: With everything that differs.
    """
    ordered, started = last.ordered, last.started
    sources = Sources.from_json(started.sources)
    endings = simulation(ordered.world).endings().recoveries if ordered.world in WORLDS else ()
    differs = [
        f"{name} {now!r}, not {then!r}"
        for name, now, then in (
            ("--world", wanted.world, ordered.world),
            ("--seed", wanted.seed, ordered.seed),
            ("--task", wanted.task, started.main),
            ("--params", wanted.params, started.params),
        )
        if now is not None and now != then
    ]
    differs += [
        f"other {name}"
        for name, now, then in (
            ("recipe files", wanted.files, sources.recipes),
            ("--recoveries", wanted.recoveries, sources.recoveries),
            ("--database", () if wanted.database is None else (wanted.database,), sources.database),
        )
        if now and _but(endings, map(str, now)) != _but(endings, then)
    ]
    if wanted.drills and not ordered.drills:
        differs.append("--drills")
    if differs:
        raise BadSetting(
            f"{ordered.name} was begun otherwise; now you give {'; '.join(differs)}",
            hint="It goes on as it was begun: leave that out. For a new run leave out --resume.",
        )


def _but(endings: Container[str], names: Iterable[str]) -> list[str]:
    """Names of files, but for those that nobody has to name."""
    return [each for each in names if each not in endings]
