"""Every error of handup: a stable code, one sentence of cause, a next step, and the place where it happened.

Programs catch `HandupError`; people read one line. The command line prints `str(error)` and exits with
`exit_code`. "The work failed" is never an exception: the session is told of a policy that fails. An exception
means that the program or its input is wrong.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

from handup.core.installation import install_command


class HandupError(Exception):
    """Base of all errors. Never raised itself.

    Args:
        cause: One sentence, without a full stop at the end.
        hint: What to do next.
        file: The file the cause lies in, where there is one.
        line: Its line, counted from 1.
    """

    code: ClassVar[str] = "HU000"
    exit_code: ClassVar[int] = 2

    def __init__(self, cause: str, *, hint: str, file: str | None = None, line: int | None = None) -> None:
        super().__init__(cause)
        self.cause = cause
        self.hint = hint
        self.file = file
        self.line = line

    def at(self, file: str, line: int | None = None) -> HandupError:
        """Return the same error, placed in a file. A place that is already known stays."""
        placed = type(self)(self.cause, hint=self.hint, file=self.file or file, line=self.line or line)
        return placed.with_traceback(self.__traceback__)

    @property
    def sentence(self) -> str:
        """The cause and the next step for a person, without the code."""
        return f"{self.cause[:1].upper()}{self.cause[1:]}. {self.hint}"

    def __str__(self) -> str:
        where = "" if self.file is None else f"{self.file}:{self.line}: " if self.line else f"{self.file}: "
        return f"{where}{self.cause}. {self.hint} [{self.code}]"


class BadPolicy(HandupError):
    """A policy description that cannot be a module graph: a cycle, an unknown input, confidence outside [0, 1].

    Args:
        about: Keys that lead to the cause in a policy file, such as `("modules", "box", "inputs")`; the reader of
            files finds the line by them. Empty where unknown.
    """

    code = "HU101"

    def __init__(
        self, cause: str, *, hint: str, file: str | None = None, line: int | None = None, about: tuple[str, ...] = ()
    ) -> None:
        super().__init__(cause, hint=hint, file=file, line=line)
        self.about = about


class UnknownModule(HandupError):
    """A module name that the policy does not have."""

    code = "HU102"


class BadSetting(HandupError):
    """Base of mistakes in what a caller gives: each kind has a class of its own, and all have one code."""

    code = "HU103"

    @classmethod
    def of(cls, name: str, value: object, must: str, *, hint: str) -> Self:
        """Return the error for one setting: "NAME must MUST, got VALUE"."""
        return cls(f"{name} must {must}, got {value}", hint=hint)


class OutOfRange(BadSetting):
    """A number outside its range: w = 2, a negative query cost, a horizon of 0 steps."""


class UnknownName(BadSetting):
    """A name that is not among those there are: of a setting, kind of question, study, person or file format."""


class MissingSetting(BadSetting):
    """Something that is needed and was not given: an option, a picture, the words of a question."""


class ConflictingSettings(BadSetting):
    """Settings that exclude each other, such as two options of one purpose, or that have no use here."""


class WrongSize(BadSetting):
    """A list, array or text of the wrong length or shape: three costs for four modules."""


class Malformed(BadSetting):
    """A value that is not of the wanted kind: no JSON, no address, no list of names, a damaged summary."""


class NotNow(BadSetting):
    """A request that is valid and cannot be met at this moment: the run is over, the robots are stopped."""


class BadObservation(HandupError):
    """A history that is malformed."""

    code = "HU104"


class ImpossibleEvidence(HandupError):
    """An observation that cannot happen under the given confidences: a policy that cannot fail has failed."""

    code = "HU105"


class UnknownMethod(HandupError):
    """No strategy, selector or querying algorithm has this name."""

    code = "HU106"


class NotSolvable(HandupError):
    """The problem is outside what an algorithm takes on, such as a mixed-integer programme that grew too large."""

    code = "HU107"


class BadData(HandupError):
    """Rows of measurements that cannot be used: no number, one class only, too few; the cause names the rows."""

    code = "HU108"


class BadAnswer(HandupError):
    """An answer that its question does not allow: no such option, a box outside the picture, a number out of range."""

    code = "HU109"


class BadRecipe(HandupError):
    """Recipes, recoveries or a database that cannot be used: unreadable, misspelt, unbound, unbounded.

    Args:
        problems: Everything that is wrong, in the order of the files, each with `place`, `cause` and `hint`. Empty
            where there is only the one cause.
    """

    code = "HU110"

    def __init__(
        self, cause: str, *, hint: str, file: str | None = None, line: int | None = None, problems: tuple[Any, ...] = ()
    ) -> None:
        super().__init__(cause, hint=hint, file=file, line=line)
        self.problems = problems


class BadExpression(HandupError):
    """An expression of a recipe that cannot be read, or that has no value: an index beyond the list, no such key.

    Args:
        column: Its column, counted from 1.
    """

    code = "HU111"

    def __init__(
        self, cause: str, *, hint: str, file: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(cause, hint=hint, file=file, line=line)
        self.column = column


class BadPose(HandupError):
    """A pose or stick that is no place or velocity: not finite, of the wrong length, a rotation of no length."""

    code = "HU112"


class BadGoals(HandupError):
    """Goals that nobody can reach for: none at all, one without poses, two of one name."""

    code = "HU113"


class BadStep(HandupError):
    """A step of no time, of negative time, or of a time that is no number."""

    code = "HU114"


class IllegalCall(HandupError):
    """A session was told something that cannot happen in its phase, such as an answer to a question never asked."""

    code = "HU201"


class BadRecord(HandupError):
    """A stored record that is damaged, of a newer schema, or of something else."""

    code = "HU202"


class ContractViolation(HandupError):
    """An outside selector, querying algorithm or strategy breaks the contract that the others keep."""

    code = "HU203"


class MissingExtra(HandupError):
    """An optional part is not installed."""

    code = "HU301"

    @classmethod
    def of(cls, extra: str, what_for: str) -> MissingExtra:
        """Return the error for an extra of this package, with the command that installs it."""
        return cls(f"{what_for} needs the extra '{extra}'", hint=f"Run: {install_command(extra)}.")


class ProcessLost(HandupError):
    """A process that worked for this one was ended from outside."""

    code = "HU302"
    exit_code = 1


class NoPictures(HandupError):
    """No OpenGL without a display on this machine: the camera of a simulated world cannot see."""

    code = "HU331"


class DamagedJournal(HandupError):
    """A journal whose content is not what was written. Nothing runs on it before a person has looked."""

    code = "HU401"


class NewerJournal(HandupError):
    """A journal that a newer handup wrote."""

    code = "HU402"


class StoreUnavailable(HandupError):
    """A store that cannot be opened or written: unreachable, locked, read-only, full, not permitted."""

    code = "HU403"


class NotPaired(HandupError):
    """A request without a token, or with one that is unknown, expired or revoked."""

    code = "HU501"


class NotForYou(HandupError):
    """A request that this role may not make."""

    code = "HU502"


class ForeignRequest(HandupError):
    """A request that names another host, or that a page of another origin sent."""

    code = "HU503"


class TooFast(HandupError):
    """More requests, tries or sockets than the server allows at a time. Stop is never refused for this."""

    code = "HU504"


class TooLarge(HandupError):
    """A body, frame or picture that is too large, or a store of pictures that is full."""

    code = "HU505"


class BadCode(HandupError):
    """A pairing code that is wrong, used or expired."""

    code = "HU506"


class BadRequest(HandupError):
    """A request or frame that is not what the server's description says."""

    code = "HU507"


class NothingThere(HandupError):
    """There is no such question, picture, draft or address on the server."""

    code = "HU508"


class CannotListen(HandupError):
    """The server's address cannot be used: the port is taken, the host is not this machine's, a certificate is bad."""

    code = "HU509"


class UnsafeHost(HandupError):
    """A server that other machines could reach, without TLS."""

    code = "HU510"


class ServerBusy(HandupError):
    """The server has more to do than it takes on, or is ending. Try again soon."""

    code = "HU511"


class ServerUnreachable(HandupError):
    """The server does not answer, or not as a handup server does."""

    code = "HU512"


class ServerRefused(HandupError):
    """A server refused something for a reason that has no error of its own, or said what no handup server says."""

    code = "HU513"
