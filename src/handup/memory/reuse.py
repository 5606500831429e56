"""The paper's appendix C.3: how a correction that is reused becomes a distribution over what is possible now."""

from __future__ import annotations

from collections.abc import Sequence

from handup.core import BadSetting
from handup.core.checks import check_share


def reused(label: str, similarity: float, candidates: Sequence[str]) -> dict[str, float]:
    """The label gets its similarity as probability; the rest is spread evenly over the other candidates.

    Args:
        label: What a person said of the similar input.
        similarity: How similar, 0 to 1.
        candidates: What is possible now, the label among them. Where nothing else is, it gets all.

    Raises:
        BadSetting: The label is no candidate, a candidate stands twice, or the similarity is outside 0 to 1.
    """
    check_share("a similarity", similarity, error=BadSetting)
    names = checked_candidates(candidates)
    if label not in names:
        raise BadSetting(f"'{label}' is not possible now", hint="Reuse a label that is among the candidates.")
    if len(names) == 1:
        return {label: 1.0}
    rest = (1.0 - similarity) / (len(names) - 1)
    return {name: similarity if name == label else rest for name in names}


def checked_candidates(candidates: Sequence[str]) -> tuple[str, ...]:
    """The candidates.

    Raises:
        BadSetting: They are no list of different texts.
    """
    names = () if isinstance(candidates, str) else tuple(candidates)
    if not names or len(set(names)) != len(names) or not all(isinstance(each, str) for each in names):
        raise BadSetting(
            "the candidates are no list of different labels", hint="Give every label that is possible now."
        )
    return names
