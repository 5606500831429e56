"""Interface of a calibrator: it turns a raw score into a probability of being right, and has a record to keep it in.

How calibrators are fitted is the business of `handup.confidence`; a module only reads them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from handup.core.errors import BadRecord, HandupError
from handup.core.registry import Registry

SCHEMA = 1
WHAT = "handup-calibrator"
RawScore = float | Sequence[float]
"""Score that a module gives its own output: one number, the scores of all its options, or a variance."""


class Calibrator(Protocol):
    """Anything that turns a module's raw score into the probability that its output is right."""

    @property
    def name(self) -> str:
        """Name of the method, as on the command line; a `ClassVar[str]` in most."""

    def probability(self, raw: RawScore) -> float:
        """Probability of being right, 0 to 1, given a raw score.

        Raises:
            BadSetting: The score is outside what the method takes.
        """

    def to_json(self) -> dict[str, Any]:
        """A plain record with `what`, `schema` and `method`; `calibrator_from_json` reads it back."""


CALIBRATORS: Registry[Calibrator] = Registry("calibrator", "handup.calibrators")
"""Calibrators by name. Each class has a `from_json`; handup's own register when `handup` is imported."""


def calibrator_from_json(record: object) -> Calibrator:
    """Return the calibrator that `to_json` stored.

    Raises:
        BadRecord: It is damaged, of a newer schema, of an unknown method, or no calibrator at all.
    """
    if not isinstance(record, Mapping) or record.get("what") != WHAT:
        raise BadRecord("this is no calibrator", hint="Make one: handup calibrate FILE.csv --save cal.json.")
    if record.get("schema") != SCHEMA:
        raise BadRecord(
            f"the calibrator has schema {record.get('schema')!r}", hint=f"This version of handup reads schema {SCHEMA}."
        )
    try:
        maker: Any = CALIBRATORS.maker(str(record.get("method")))
        calibrator: Calibrator = maker.from_json(record)
    except BadRecord:
        raise
    except HandupError as error:
        raise BadRecord(f"the calibrator is damaged ({error.cause})", hint=error.hint) from None
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadRecord(f"the calibrator is damaged ({first})", hint="Fit it again: handup calibrate.") from None
    return calibrator
