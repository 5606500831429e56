"""A selector of your own: ask about the module that the failures point at.

Run it with `python -m examples.own_selector`. `docs/add-a-selector.md` walks through it.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handup import Action, Module, ModuleGraph, Session
from handup.what import SELECTORS, Selection, Situation, check_selector


@SELECTORS.register
@dataclass(frozen=True)
class Suspect:
    """Selects the module most likely to be wrong, given every failure so far; none where all look fine.

    Args:
        least: A module less likely to be wrong than this is not worth a question.
    """

    name: ClassVar[str] = "suspect"
    least: float = 0.2

    def select(self, situation: Situation) -> Selection:
        """The upstream-most of the most suspect open modules."""
        wrong = np.where(situation.open, situation.belief.wrong, np.nan)
        if not situation.open.any() or np.nanmax(wrong) < self.least:
            return Selection(None, "Nothing that may be asked about is suspect.", -wrong, -self.least)
        module = int(np.flatnonzero(wrong >= np.nanmax(wrong) - 1e-12)[0])
        reason = f"'{situation.name(module)}' is the most suspect, wrong with probability {wrong[module]:.3g}."
        return Selection(module, reason, -wrong, -self.least)


def main() -> None:
    """Check the contract, then use the selector by its name."""
    check_selector(Suspect())
    print("the contract is kept")
    policy = ModuleGraph.chain([Module("food", 0.9), Module("box", 0.8), Module("skill", 0.7)])
    session = Session(policy, "suspect+execute-first")
    for step, told in enumerate((False, True)):
        decision = session.next(now_s=float(step))
        print(f"{decision.action}: {decision.reason}")
        if decision.action is Action.ACT or decision.module is None:
            session.executed(told)
        else:
            session.answered(decision.module, changed=told)
    print(f"{session.next(now_s=2.0).action}: success has probability {session.reliability:.3g}")


if __name__ == "__main__":
    main()
