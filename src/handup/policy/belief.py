"""The belief about a policy in the middle of an episode."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from handup.core import ImpossibleEvidence, OutOfRange, check_probability
from handup.policy.graph import ModuleGraph
from handup.policy.inference import NEVER, Execution, Impossible, Inference, exact, sampled

DOUBT = 1e-9
"""Least doubt about a module's own certainty, put in when what was seen is impossible under it."""
DOUBT_OF_ANSWERS = 1e-12
"""Least doubt about what a person's answer made certain: smaller, so that answers are doubted last."""
LAST = itemgetter(-1)
SAME = 1e-12
"""Largest difference of two confidences that count as the same output of a module."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Counts of what has happened in an episode, for querying algorithms."""

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
        """Return the belief at the start of an episode."""
        return cls(
            graph=graph,
            chances=tuple((confidence,) for confidence in graph.confidences.tolist()),
            answered=np.zeros(len(graph), dtype=np.bool_),
            blocked_until_s=np.full(len(graph), NEVER),
            seed=seed,
        )

    @cached_property
    def confidences(self) -> NDArray[np.float64]:
        """Confidence of each module now: its own, or the expert's where a person answered. Failures do not count."""
        return np.fromiter(map(LAST, self.chances), np.float64, len(self.chances))

    @cached_property
    def versions(self) -> tuple[int, ...]:
        """The version of each module that acting now would use."""
        return tuple(len(row) - 1 for row in self.chances)

    @cached_property
    def inference(self) -> Inference:
        """Reliability and posterior, given everything seen. Exact unless its `method` says otherwise.

        Where what was seen is impossible under the certainties (every module claims confidence 1, yet the policy
        failed), they are loosened by `DOUBT`: the explanation with the fewest broken certainties remains.

        Raises:
            ImpossibleEvidence: Loosening does not help: the same versions succeeded and failed for certain.
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
        """Reliability and posterior with the certainties as they are; None where they rule out what was seen."""
        try:
            return self._infer()
        except Impossible:
            return None

    @cached_property
    def possible(self) -> Belief:
        """This belief, its certainties loosened where they rule out what was seen. Plan with this one."""
        if not self.executions or self.graph.diagram is None:
            return self
        return self if self._inferred is not None else self._doubting()

    @property
    def reliability(self) -> float:
        """Probability that acting now succeeds, given everything seen."""
        return self.inference.reliability

    @property
    def is_stuck(self) -> bool:
        """True if the versions that would be executed now have failed for certain: a cheap test of futility."""
        return any(
            execution.versions == self.versions and execution.log_if_right == NEVER for execution in self.executions
        )

    @property
    def acting_is_futile(self) -> bool:
        """True if acting now is certain to fail: it did so before, or its exact success probability is zero."""
        if self.is_stuck:
            return True
        # A sampled reliability of zero proves nothing: too few draws may have been kept.
        exact = self.graph.diagram is not None and self.inference.method == "exact"
        return exact and self.inference.log_reliability == NEVER

    @property
    def wrong(self) -> NDArray[np.float64]:
        """Probability, for each module, that its own state is wrong now, given everything seen."""
        return self.inference.wrong

    @cached_property
    def forward(self) -> Inference:
        """Inference from the forward pass alone: confidences and answers, but no failures. The paper's r̂."""
        if self.graph.is_series:
            with np.errstate(divide="ignore"):
                log_right = float(np.log(self.confidences).sum())
            log_wrong = math.log(-math.expm1(log_right)) if log_right < 0.0 else NEVER
            return Inference(log_right, log_wrong, 1.0 - self.confidences)
        return replace(self, executions=())._infer()

    def free(self, now_s: float) -> NDArray[np.bool_]:
        """Return a mask of the modules that may be asked about at a time."""
        return self.blocked_until_s <= now_s

    def after_answer(self, module: int, *, changed: bool | None, expert: float) -> Belief:
        """Return the belief after a person answered.

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
        """Return the belief after the policy's action was executed.

        Args:
            ok: Whether it looks like a success.
            certainty: Probability that this look is right, from 0.5 to 1.

        Raises:
            OutOfRange: The certainty lies outside this range.
        """
        if not 0.5 <= certainty <= 1.0:
            hint = "Give 0.5 for no idea, 1 for certain; below 0.5 the opposite of 'ok' is likelier."
            raise OutOfRange.of("an outcome's certainty", f"{certainty:g}", "lie between 0.5 and 1", hint=hint)
        log_agree = math.log(certainty)
        log_differ = math.log1p(-certainty) if certainty < 1.0 else NEVER
        log_right, log_wrong = (log_agree, log_differ) if ok else (log_differ, log_agree)
        executions = list(self.executions)
        # Trying the same versions again tests the same own states: one execution stands for all such tries.
        if executions and executions[-1].versions == self.versions:
            last = executions.pop()
            log_right, log_wrong = last.log_if_right + log_right, last.log_if_wrong + log_wrong
        executions.append(Execution(self.versions, log_wrong, log_right))
        before = self.progress
        progress = replace(before, acts=before.acts + 1, failures=before.failures + (not ok), asks_since_act=0)
        return replace(self, executions=tuple(executions), progress=progress)

    def after_forward(
        self, confidences: Mapping[int, float], *, changed: Collection[int] = (), renewed: Collection[int] = ()
    ) -> Belief:
        """Return the belief after the policy ran again and gave new confidences.

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
                newest = len(chances[module]) - 1
                # A version that was executed stays, as failures speak of it; one that never was is replaced.
                used = any(execution.versions[module] == newest for execution in self.executions)
                row = (*chances[module], confidence) if used else (*chances[module][:-1], confidence)
                chances = _with_row(chances, module, row)
        return replace(self, chances=chances, answered=answered)

    def blocked(self, module: int, until_s: float) -> Belief:
        """Return the belief in which a module may not be asked about before a time."""
        blocked = self.blocked_until_s.copy()
        blocked[module] = until_s
        return replace(self, blocked_until_s=blocked)

    def held_back(self, until_s: NDArray[np.float64]) -> Belief:
        """Return the belief in which every module is held back at least until its time."""
        return replace(self, blocked_until_s=np.maximum(self.blocked_until_s, until_s))

    def with_own(self, module: int, confidence: float) -> Belief:
        """Return the belief with another confidence of a module's newest version."""
        return replace(self, chances=_with_row(self.chances, module, (*self.chances[module][:-1], confidence)))

    def _doubting(self) -> Belief:
        loosened = []
        for row, answered in zip(self.chances, self.answered, strict=True):
            doubts = [DOUBT_OF_ANSWERS] * (len(row) - 1) + [DOUBT_OF_ANSWERS if answered else DOUBT]
            pairs = zip(row, doubts, strict=True)
            loosened.append(tuple(min(max(chance, doubt), 1.0 - doubt) for chance, doubt in pairs))
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
