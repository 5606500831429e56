"""Studies by name, from the entry points `handup.studies` of every installed package. Loading one imports no other."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from handup.core import BadSetting, ContractViolation
from handup.core.checks import suggestion
from handup.lab.engine.study import Study

GROUP = "handup.studies"


def names() -> tuple[str, ...]:
    """Return the names of all studies, handup's own first."""
    return tuple(_entries())


def study_of(name: str) -> Study:
    """Return the study of that name.

    Raises:
        BadSetting: There is none; the message lists the known ones.
        ContractViolation: The entry point cannot be loaded, or does not lead to a study of that name.
    """
    entries = _entries()
    if name not in entries:
        raise BadSetting(f"there is no study '{name}'", hint=f"{suggestion(name, entries)} Or say 'all'.")
    try:
        study = entries[name].load()
    except (ImportError, AttributeError) as error:
        raise ContractViolation(
            f"study '{name}' cannot be loaded from {entries[name].value} ({error})",
            hint="Install what its package needs, or remove the package.",
        ) from error
    if not isinstance(study, Study) or study.name != name:
        raise ContractViolation(
            f"entry point '{name}' of {GROUP} leads to {getattr(study, 'name', study)!r}",
            hint="Let it lead to a handup.lab.engine.Study of the same name.",
        )
    return study


def _entries() -> dict[str, EntryPoint]:
    found = sorted(entry_points(group=GROUP), key=lambda entry: entry.value.partition(".")[0] != "handup")
    listed: dict[str, EntryPoint] = {}
    for entry in found:
        listed.setdefault(entry.name, entry)
    return listed
