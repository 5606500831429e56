"""Contracts that anybody's class is checked against: the first breach is one error that names it."""

from __future__ import annotations

from handup.core.errors import ContractViolation


class Contract:
    """Contract of one object that is checked.

    Args:
        author: Beginning of each message: the name of the object and, where it matters, the example it is checked on.
    """

    def __init__(self, author: str) -> None:
        self._author = author

    def on(self, example: str) -> Contract:
        """Return the contract as it is checked on an example."""
        return Contract(f"{self._author} {example}")

    def keeps(self, promise: object, breach: str, hint: str) -> None:
        """Check one promise.

        Args:
            promise: True where it is kept.
            breach: The mistake, in words that follow the author.
            hint: The next step.

        Raises:
            ContractViolation: It is not kept.
        """
        if not promise:
            raise ContractViolation(f"{self._author} {breach}", hint=hint)

    def is_named(self, thing: object) -> None:
        """Check that an object has a name.

        Raises:
            ContractViolation: It has none.
        """
        name = getattr(thing, "name", None)
        self.keeps(isinstance(name, str) and name, "has no name", "Give the class a ClassVar[str] called 'name'.")
