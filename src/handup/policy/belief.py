"""What is believed about a policy in the middle of an episode."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from handup.core import BadSetting, ImpossibleEvidence, check_probability
from handup.policy.graph import ModuleGraph
from handup.policy.inference import NEVER, Execution, Impossible, Inference, exact, sampled

DOUBT = 1e-9
"""How far a module's own certainty is loosened when what was seen is impossible under it."""
DOUBT_OF_ANSWERS = 1e-12
"""The same for what a person's answer made certain: it is the last thing to be doubted."""
LAST = itemgetter(-1)
SAME = 1e-12
"""Confidences nearer than this are the same: the module gave the same output."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """What has happened so far, as far as querying algorithms look at it."""

    asks: int = 0
    acts: int = 0
    failures: int = 0
    asks_since_act: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Belief:
    """Confidences, answers and executions of one episode. Immutable: each `after_…` gives the next belief.

    Use `Belief.of(graph)` to start. The arrays are in the graph's order.

    Args:
        graph: The policy.
        chances: For each module and each version of its own state, the probability that it is right. It becomes
            0 or 1 once an answer shows it.
        answered: Which modules a person has answered.
        blocked_until_s: Before this time a module may not be asked about; -inf: free, inf: not in this episode.
        executions: The evidence of executions.
        progress: Counts.
        seed: For estimates where the graph is too tangled to be exact; the same belief gives the same numbers.
    """

    graph: ModuleGraph
    chances: tuple[tuple[float, ...], ...]
    answered: NDArray[np.bool_]
    blocked_until_s: NDArray[np.float64]
    executions: tuple[Execution, ...] = ()
    progress: Progress = Progress()
    seed: int = 0

    @classmethod
    def of(cls, graph: ModuleGraph, *, seed: int = 0) -> Belief:
        """The belief before anything happened."""
        return cls(
            graph=graph,
            chances=tuple((each,) for each in graph.confidences.tolist()),
            answered=np.zeros(len(graph), dtype=np.bool_),
            blocked_until_s=np.full(len(graph), NEVER),
            seed=seed,
        )

    @cached_property
    def confidences(self) -> NDArray[np.float64]:
        """Each module's confidence now: its own, or the expert's where a person answered. Knows no failures."""
        return np.fromiter(map(LAST, self.chances), np.float64, len(self.chances))

    @cached_property
    def versions(self) -> tuple[int, ...]:
        """The version of each module that acting now would use."""
        return tuple(len(row) - 1 for row in self.chances)

    @cached_property
    def inference(self) -> Inference:
        """Reliability and posterior, given everything seen. Exact unless its `method` says otherwise.

        When what was seen cannot be under the given certainties (every module claims confidence 1, yet the policy
        failed), they are loosened by `DOUBT`: the explanation with the fewest broken certainties remains.

        Raises:
            ImpossibleEvidence: Even so: the same versions succeeded and failed for certain.
        """
        if self._inferred is not None:
            return self._inferred
        try:
            return self._doubting()._infer()
        except Impossible:
            raise ImpossibleEvidence(
                "what was executed both succeeded and failed for certain",
                hint="Give executions a certainty below 1 if the success detector can err.",
            ) from None

    @cached_property
    def _inferred(self) -> Inference | None:
        """Reliability and posterior with the certainties as given; None where what was seen is impossible so."""
        try:
            return self._infer()
        except Impossible:
            return None

    @cached_property
    def possible(self) -> Belief:
        """This belief, with certainties loosened where what was seen is impossible under them: plan with this one."""
        if not self.executions or self.graph.diagram is None:
            return self
        return self if self._inferred is not None else self._doubting()

    @property
    def reliability(self) -> float:
        """Probability that acting now succeeds, given everything seen."""
        return self.inference.reliability

    @property
    def is_stuck(self) -> bool:
        """Whether just what would be executed now has failed for certain: a cheap, sufficient test of futility."""
        return any(each.versions == self.versions and each.log_if_right == NEVER for each in self.executions)

    @property
    def acting_is_futile(self) -> bool:
        """Whether acting now is certain to fail. An estimate of zero is not certain; a failure seen for certain is."""
        if self.is_stuck:
            return True
        exact = self.graph.diagram is not None and self.inference.method == "exact"
        return exact and self.inference.log_reliability == NEVER

    @property
    def wrong(self) -> NDArray[np.float64]:
        """For each module, the probability that its own state is wrong now, given everything seen."""
        return self.inference.wrong

    @cached_property
    def forward(self) -> Inference:
        """What the forward pass alone says: confidences and answers, but no failures. The paper's r̂."""
        if self.graph.is_series:
            with np.errstate(divide="ignore"):
                log_right = float(np.log(self.confidences).sum())
            log_wrong = math.log(-math.expm1(log_right)) if log_right < 0.0 else NEVER
            return Inference(log_right, log_wrong, 1.0 - self.confidences)
        return replace(self, executions=())._infer()

    def free(self, now_s: float) -> NDArray[np.bool_]:
        """Which modules may be asked about at a time."""
        return self.blocked_until_s <= now_s

    def after_answer(self, module: int, *, changed: bool | None, expert: float) -> Belief:
        """A person answered.

        Args:
            module: Position of the module.
            changed: Whether the answer differs from what the module had said: then it had been wrong. None: unknown.
            expert: Probability that the answer is right.
        """
        check_probability("the expert's confidence", expert)
        row = self.chances[module]
        if changed is not None:
            row = (*row[:-1], 0.0 if changed else 1.0)
        answered = self.answered.copy()
        answered[module] = True
        blocked = self.blocked_until_s.copy()
        blocked[module] = NEVER
        progress = self.progress
        return replace(
            self,
            chances=_with_row(self.chances, module, (*row, float(expert))),
            answered=answered,
            blocked_until_s=blocked,
            progress=replace(progress, asks=progress.asks + 1, asks_since_act=progress.asks_since_act + 1),
        )

    def after_execution(self, ok: bool, *, certainty: float = 1.0) -> Belief:
        """The policy's action was executed.

        Args:
            ok: Whether it looks like a success.
            certainty: Probability that this look is right, from 0.5 to 1.
        """
        if not 0.5 <= certainty <= 1.0:
            hint = "Give 0.5 (no idea) to 1 (certain); turn 'ok' round below 0.5."
            raise BadSetting(f"an outcome's certainty is {certainty:g}", hint=hint)
        log_agree = math.log(certainty)
        log_differ = math.log1p(-certainty) if certainty < 1.0 else NEVER
        log_right, log_wrong = (log_agree, log_differ) if ok else (log_differ, log_agree)
        executions = list(self.executions)
        if executions and executions[-1].versions == self.versions:
            last = executions.pop()
            log_right, log_wrong = last.log_if_right + log_right, last.log_if_wrong + log_wrong
        executions.append(Execution(self.versions, log_wrong, log_right))
        done = self.progress
        progress = replace(done, acts=done.acts + 1, failures=done.failures + (not ok), asks_since_act=0)
        return replace(self, executions=tuple(executions), progress=progress)

    def after_forward(
        self, confidences: Mapping[int, float], *, changed: Collection[int] = (), renewed: Collection[int] = ()
    ) -> Belief:
        """The policy ran again and gave new confidences.

        A module whose confidence differs, or that is named in `changed`, has computed something new from new inputs:
        its own state is drawn anew, and earlier failures say nothing about it. Answered modules keep the answer, but
        for those in `renewed`: these speak for themselves again and may be asked about again.
        """
        chances, answered = self.chances, self.answered.copy()
        answered[list(renewed)] = False
        for module in {*confidences, *changed, *renewed}:
            confidence = confidences.get(module, chances[module][-1])
            check_probability(f"confidence of '{self.graph.names[module]}'", confidence)
            is_new = module in changed or module in renewed or abs(confidence - chances[module][-1]) > SAME
            if is_new and not answered[module]:
                used = any(each.versions[module] == len(chances[module]) - 1 for each in self.executions)
                row = (*chances[module], confidence) if used else (*chances[module][:-1], confidence)
                chances = _with_row(chances, module, row)
        return replace(self, chances=chances, answered=answered)

    def blocked(self, module: int, until_s: float) -> Belief:
        """A module that may not be asked about before a time."""
        blocked = self.blocked_until_s.copy()
        blocked[module] = until_s
        return replace(self, blocked_until_s=blocked)

    def held_back(self, until_s: NDArray[np.float64]) -> Belief:
        """The same belief with every module held back at least until its time."""
        return replace(self, blocked_until_s=np.maximum(self.blocked_until_s, until_s))

    def with_own(self, module: int, confidence: float) -> Belief:
        """The same belief with another confidence of a module as it is now."""
        return replace(self, chances=_with_row(self.chances, module, (*self.chances[module][:-1], confidence)))

    def _doubting(self) -> Belief:
        loosened = []
        for row, answered in zip(self.chances, self.answered, strict=True):
            doubts = [DOUBT_OF_ANSWERS] * (len(row) - 1) + [DOUBT_OF_ANSWERS if answered else DOUBT]
            loosened.append(tuple(min(max(each, doubt), 1.0 - doubt) for each, doubt in zip(row, doubts, strict=True)))
        return replace(self, chances=tuple(loosened))

    def _infer(self) -> Inference:
        diagram = self.graph.diagram
        if diagram is not None:
            result = exact(diagram, self.chances, self.executions, self.versions)
            if result is not None:
                return result
        random = np.random.default_rng(self.seed)
        return sampled(self.graph.circuit, self.chances, self.executions, self.versions, random=random)


def _with_row(
    chances: tuple[tuple[float, ...], ...], module: int, row: tuple[float, ...]
) -> tuple[tuple[float, ...], ...]:
    return (*chances[:module], row, *chances[module + 1 :])
