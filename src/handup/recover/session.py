"""Session of one recovery episode: take in what happened, decide what to do next. No I/O, no threads, no clock."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np

from handup.core import (
    Action,
    Availability,
    BadRecord,
    ContractViolation,
    CostModel,
    Costs,
    Decision,
    FixedCosts,
    IllegalCall,
    LivingCosts,
    Malformed,
    Outcome,
    OutOfRange,
    Question,
    UnknownName,
    check_probability,
)
from handup.people import Workload
from handup.policy import Belief, ModuleGraph
from handup.recover.checks import one_each, seconds, truth
from handup.recover.events import (
    EVENTS,
    Decided,
    EpisodeStopped,
    Event,
    Executed,
    Forwarded,
    ModuleAnswered,
    NotAnswered,
    Rerouted,
    Unanswered,
    event_to_json,
    refusing_damage,
)
from handup.recover.routing import addressed, is_due, load_of, with_person, without
from handup.recover.settings import NO_LIMIT, Settings, TimeUnit
from handup.recover.state import EXPECTED, LEGAL, SessionPhase, SessionState, Tally, burdens_of
from handup.when import (
    DEFAULT,
    DecisionMoment,
    Flips,
    OptionSource,
    Strategy,
    flips_at,
    settings_in_force,
    strategy,
)

SCHEMA = 1
"""Version of a session's JSON record."""


class Session:
    """Recovery of one task. Drive it with any loop: ask `next`, do it, tell what happened.

    Args:
        graph: The policy.
        method: `troubleshoot`, `SELECTOR+WHEN`, or a strategy of your own.
        settings: Weights and limits.
        costs: What questions cost over time; the policy's `query_cost` where not given. `people.Workload`, and any
            other `core.LivingCosts`, hears what happens.
        availability: When questions may be asked; at any time where not given.
        options: Everything that may be weighed, with whom, such as `whom.Options`; only modules where not given. Then
            a strategy that knows nothing of people decides with the best person and support for each module.

    Raises:
        UnknownModule: The settings name a module that the policy does not have.

    Example:
        >>> from handup import Module, ModuleGraph, Session
        >>> policy = ModuleGraph.chain([Module("food", 0.9), Module("box", 0.2), Module("skill", 0.9)])
        >>> session = Session(policy)
        >>> decision = session.next(now_s=0.0)
        >>> str(decision.action), decision.module
        ('ask', 'box')
        >>> session.answered("box", changed=True)
        >>> str(session.next(now_s=5.0).action)
        'act'
        >>> session.executed(True)
        >>> str(session.outcome)
        'recovered'
    """

    def __init__(
        self,
        graph: ModuleGraph,
        method: str | Strategy = DEFAULT,
        settings: Settings | None = None,
        costs: CostModel | None = None,
        availability: Availability | None = None,
        options: OptionSource | None = None,
    ) -> None:
        self.graph = graph
        self.strategy: Strategy = strategy(method) if isinstance(method, str) else method
        self.settings = settings or Settings()
        for name in (*self.settings.unseen, *self.settings.outdated_by_acting):
            graph.index(name)
        self._first_costs = costs
        self._cost_model: CostModel = costs or FixedCosts(tuple(graph.query_costs.tolist()))
        self._availability = availability
        self._options = options
        self._state = SessionState.of(graph, self.settings)
        self._events: list[Event] = []

    # -- what it knows -----------------------------------------------------------------------------------------------

    @property
    def phase(self) -> SessionPhase:
        """Phase, named after what the session waits for."""
        return self._state.phase

    @property
    def pending(self) -> Decision | None:
        """The decision that is being carried out; after a restart, what to do now."""
        return self._state.pending

    @property
    def outcome(self) -> Outcome | None:
        """Outcome of the episode; None while it goes on."""
        return self._state.outcome

    @property
    def tally(self) -> Tally:
        """Costs of the episode so far."""
        return self._state.tally

    @property
    def belief(self) -> Belief:
        """Belief about which modules of the policy are wrong."""
        return self._state.belief

    @property
    def costs(self) -> CostModel:
        """The cost model as it is now; give a `Workload` on to the next episode."""
        return self._cost_model

    @property
    def question(self) -> Question | None:
        """The question that is open, in the policy's words, to the people who were chosen."""
        if self.phase is not SessionPhase.ASKING or self.pending is None or self.pending.module is None:
            return None
        worded = self.graph.modules[self.graph.index(self.pending.module)].question
        return self.addressed(worded or Question(f"What should '{self.pending.module}' say?"))

    @property
    def tried(self) -> tuple[str, ...]:
        """People to whom the open question was put before the present one; they may still answer."""
        return self._state.tried

    def addressed(self, question: Question) -> Question:
        """Return a question to the people who may be asked now: the chosen one first, the others by value.

        Where nobody was chosen, or the question names others, it stays as it is.
        """
        now_s = self._state.now_s
        ranked = self._weighed(now_s).ranked if self._options is not None else None
        return question if self.pending is None else addressed(question, self.pending, ranked, now_s)

    @property
    def reliability(self) -> float:
        """Probability that acting now succeeds, given everything told."""
        return self.belief.reliability

    @property
    def posterior(self) -> dict[str, float]:
        """For each module, the probability that its own state is wrong now."""
        return dict(zip(self.graph.names, self.belief.wrong.tolist(), strict=True))

    @property
    def history(self) -> tuple[Event, ...]:
        """Everything it was told, oldest first; `told` takes it in again."""
        return tuple(self._events)

    @property
    def forward_due(self) -> bool:
        """True when something happened since the last forward pass, so that another may follow."""
        return self._state.forward_due

    def flips(self) -> Flips:
        """Return how far each number is from the value at which the pending decision would change.

        Raises:
            IllegalCall: Nothing is decided.
        """
        if self.pending is None:
            raise IllegalCall("nothing is decided", hint=EXPECTED[self.phase])
        terms, now_s = self.settings, self._state.now_s
        costs = self._weighed(now_s)
        if terms.time is TimeUnit.STEPS:
            # The pending step has already taken its time; give it back, to weigh the decision as it was made.
            times = {Action.ASK: terms.ask_time, Action.ACT: terms.act_time, Action.RECOVER: terms.act_time}
            costs = replace(costs, time_left=costs.time_left + times.get(self.pending.action, 0.0))
        return flips_at(self.strategy, self._askable_belief(costs, now_s), costs, now_s, self.pending)

    # -- what it is asked and told -----------------------------------------------------------------------------------

    def next(self, now_s: float) -> Decision:
        """Decide what to do next.

        Args:
            now_s: The time, on any clock that does not restart; a step back counts as no time passed.

        Returns:
            Act, recover, ask, wait or yield, with the reason. After `act` and `recover` tell `executed`; after `ask`
            tell `answered` or `unanswered`; after `wait` call again at `until_s` or after news; `yield` ends the
            episode.

        Raises:
            IllegalCall: A question or an execution is still open, the wait is not over, or the episode has ended.
        """
        self._refuse_illegal("next")
        now_s = max(seconds(now_s), self._state.now_s)
        self._refuse_early(now_s)
        costs = self._weighed(now_s)
        decision, outcome = self._decision(costs, now_s)
        load = load_of(decision, costs, self.graph)
        self._tell(Decided(now_s=now_s, decision=decision, outcome=outcome, load=load))
        return decision

    def reroute(self, now_s: float, *, person: str | None = None, since_s: float | None = None) -> Decision | None:
        """Decide again whom to ask, where the open question was not answered in time or its person became very busy.

        Args:
            now_s: The time.
            person: The person with whom the question is now; the one who was chosen where not given.
            since_s: Time at which it was put to them; that of the decision where not given.

        Returns:
            The decision, which is now the pending one: the same question goes on to `person`. None where it stays with
            whom it is: there is time left, or nobody else is worth asking.

        Raises:
            IllegalCall: No question is open.
        """
        self._refuse_illegal("rerouted")
        pending, now_s = self.pending, max(seconds(now_s), self._state.now_s)
        if self._options is None or pending is None or pending.person is None:
            return None
        costs = self._weighed(now_s)
        put_s = self._state.now_s if since_s is None else seconds(since_s)
        if not is_due(costs, pending, person or pending.person, put_s, now_s):
            return None
        costs = without(costs, pending, {person or "", pending.person, *self.tried}).envelope(now_s)
        decision = with_person(self.strategy.decide(self._askable_belief(costs, now_s), costs, now_s), costs, now_s)
        if decision.action is not Action.ASK or decision.module != pending.module or decision.person is None:
            return None
        self._tell(Rerouted(now_s=now_s, decision=decision, load=load_of(decision, costs, self.graph)))
        return decision

    def forwarded(
        self, confidences: Mapping[str, float], *, changed: Collection[str] = (), renewed: Collection[str] = ()
    ) -> None:
        """Take in the confidences of a new forward pass; unchanged ones may be left out.

        A module that computed something new from new inputs is not to blame for earlier failures any more. A changed
        confidence says so by itself; name modules in `changed` that gave another output with the same confidence, as
        happens when scores take few values. Answered modules keep the answer, but for those in `renewed`: where the
        world has changed, an answer about a place says nothing any more, and the module may be asked about again.

        Raises:
            IllegalCall: Nothing has happened since the last forward pass.
            UnknownModule, BadSetting: A name or a number is wrong; nothing is changed.
        """
        self._refuse_illegal("forwarded")
        for what, names in (("changed", changed), ("renewed", renewed)):
            if isinstance(names, str):
                raise Malformed.of(what, repr(names), "be a list of module names", hint="Put the name into a list.")
        for name, confidence in confidences.items():
            self.graph.index(name)
            check_probability(f"confidence of '{name}'", confidence)
        numbers = {name: float(value) for name, value in confidences.items()}
        self._tell(Forwarded(confidences=numbers, changed=tuple(changed), renewed=tuple(renewed)))

    def answered(
        self,
        module: str,
        *,
        changed: bool | None,
        by: str | None = None,
        expert: float | None = None,
        now_s: float | None = None,
    ) -> None:
        """Take in an answer to the open question, or a late one to a question that was deferred or expired.

        Args:
            module: Which module the answer concerns.
            changed: Whether it differs from what the module had said; None where that cannot be told.
            by: Who answered.
            expert: Probability that this answer is right; the settings' where not given.
            now_s: The time.

        Raises:
            IllegalCall: No question about this module is or was open.
        """
        self._refuse_illegal("answered")
        trust = self.settings.expert if expert is None else float(expert)
        check_probability("expert", trust)
        differs = None if changed is None else truth("changed", changed)
        who = None if by is None else str(by)
        self._tell(ModuleAnswered(module=module, changed=differs, by=who, expert=trust, now_s=seconds(now_s)))

    def unanswered(
        self, module: str, why: Unanswered | str, *, until_s: float | None = None, now_s: float | None = None
    ) -> None:
        """Take in that a question brought no answer, or, later, that a deferred one will bring none.

        The module is not asked about again before the reason ends.

        Args:
            module: Which module the question concerned.
            why: *Not now*, *someone else*, *let the robot try*, or expired. The third makes the robot act next.
            until_s: When the reason ends, where it is known; otherwise the settings say.
            now_s: The time.

        Raises:
            IllegalCall: No question about this module is or was open.
        """
        self._refuse_illegal("unanswered")
        try:
            reason = Unanswered(why)
        except ValueError:
            must = f"be one of {', '.join(Unanswered)}"
            raise UnknownName.of("why", repr(why), must, hint="Use one of these.") from None
        self._tell(NotAnswered(module=module, why=reason, until_s=seconds(until_s), now_s=seconds(now_s)))

    def executed(self, ok: bool, *, certainty: float = 1.0, now_s: float | None = None) -> None:
        """Take in how an execution went.

        Args:
            ok: Whether it looks like a success.
            certainty: Probability that this look is right. Below 1 it weighs as evidence, and a success counts only
                when it is likely enough given everything (`accept_success`).
            now_s: The time, where it is known how long the robot took.

        Raises:
            IllegalCall: No execution was decided.
        """
        self._refuse_illegal("executed")
        if not 0.5 <= certainty <= 1.0:
            raise OutOfRange.of(
                "certainty", f"{certainty:g}", "lie between 0.5 and 1", hint="Turn 'ok' round below 0.5."
            )
        event = Executed(ok=truth("ok", ok), certainty=float(certainty), now_s=seconds(now_s))
        # `ended` goes into the event: on reload the episode ends where it ended, whatever the belief computes then.
        after = self._after(event)
        self._take(replace(event, ended=after.phase is SessionPhase.ENDED), after)

    def stopped(self, why: str = "") -> None:
        """Take in that somebody stopped the robot: the episode is over. Legal at any time and safe twice."""
        if self.phase is not SessionPhase.ENDED:
            self._tell(EpisodeStopped(why=str(why)))

    def told(self, event: Event) -> None:
        """Take in an event of another session's `history`: all of them, in order, make an equal session.

        Raises:
            IllegalCall, UnknownModule, ContractViolation: It does not fit what went before.
        """
        self._tell(event)

    # -- storing it --------------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the session as one plain record, from which `from_json` makes one that goes on."""
        costs = self._first_costs
        return {
            "schema": SCHEMA,
            "policy": self.graph.to_json(),
            "method": self.strategy.name,
            "method_settings": settings_in_force(self.strategy),
            "settings": self.settings.timed(len(self.graph)).to_json(),
            "own_costs": costs is not None,
            **({"workload": costs.to_json()} if isinstance(costs, Workload) else {}),
            "own_availability": self._availability is not None,
            **({"own_options": True} if self._options is not None else {}),
            "events": [event_to_json(event) for event in self._events],
        }

    @classmethod
    def from_json(
        cls,
        record: Mapping[str, Any],
        *,
        method: Strategy | None = None,
        costs: CostModel | None = None,
        availability: Availability | None = None,
        options: OptionSource | None = None,
    ) -> Self:
        """Return the session that `to_json` stored, rebuilt from its events.

        Args:
            record: What `to_json` gave, perhaps through a file.
            method: The strategy, where it is one that cannot be made by name.
            costs: The cost model as it was at the start, where the session had one; a `Workload` is in the record.
            availability: When questions may be asked, where the session knew.
            options: What may be weighed, where the session knew people.

        Raises:
            BadRecord: It is damaged, of a newer schema, or lacks a cost model or limits that it had; or the workload
                passed is not the one that it started with.
        """
        schema = record.get("schema") if isinstance(record, Mapping) else None
        if schema != SCHEMA:
            raise BadRecord(f"the record has schema {schema!r}", hint=f"This version of handup reads schema {SCHEMA}.")
        with refusing_damage():
            graph = ModuleGraph.from_json(record["policy"])
            method = method or strategy(record["method"], **record["method_settings"])
            settings = Settings.of_record(record)
            events = EVENTS.validate_python(record["events"])
            costs = _costs_of(record, costs)
            if record["own_availability"] and availability is None:
                raise BadRecord(
                    "the session kept to somebody's limits", hint="Pass them: from_json(…, availability=limits)."
                )
            if record.get("own_options") and options is None:
                raise BadRecord("the session weighed people", hint="Pass the options: from_json(…, options=options).")
            session = cls(graph, method, settings, costs, availability, options)
            for event in events:
                session.told(event)
        return session

    # -- inside ------------------------------------------------------------------------------------------------------

    def _refuse_illegal(self, told: str) -> None:
        if told not in LEGAL[self.phase]:
            raise IllegalCall(f"{told}() while {self.phase}", hint=EXPECTED[self.phase])

    def _refuse_early(self, now_s: float) -> None:
        if self.pending is not None and self.pending.until_s is not None and now_s < self.pending.until_s:
            raise IllegalCall(
                f"the wait is not over: it is {now_s:g} s and was decided to last until {self.pending.until_s:g} s",
                hint="Call next() then, or after answered() or forwarded().",
            )

    def _refuse_misplaced(self, event: Event) -> None:
        """Refuse an event that is legal in this phase and does not fit what went before."""
        match event:
            case Decided():
                self._refuse_early(event.now_s)
                if not event.is_whole(self.graph.names):
                    cause = f"'{self.strategy.name}' decides {event.decision.action} and cannot mean it"
                    raise ContractViolation(cause, hint="Run check_strategy on it.")
            case Forwarded():
                for name in (*event.confidences, *event.changed, *event.renewed):
                    self.graph.index(name)
                if not self._state.forward_due:
                    raise IllegalCall("nothing happened since the last forward pass", hint=EXPECTED[self.phase])
            case Rerouted():
                if not self._state.is_open(event.decision.module or "") or event.decision.person is None:
                    cause = "a question goes on that is not open, or to nobody"
                    raise IllegalCall(cause, hint=EXPECTED[self.phase])
            case ModuleAnswered() | NotAnswered():
                late = self.graph.index(event.module) in self._state.late
                if not self._state.is_open(event.module) and not late:
                    raise IllegalCall(f"no question about '{event.module}' is open", hint=EXPECTED[self.phase])
            case Executed():
                if not event.is_whole():
                    raise IllegalCall("an execution ended otherwise than it looked", hint=EXPECTED[self.phase])

    def _tell(self, event: Event) -> None:
        """Take in one event and remember it: every change of state goes this way, live and on reload."""
        self._take(event, self._after(event))

    def _after(self, event: Event) -> SessionState:
        """Return the state after an event that fits what went before."""
        self._refuse_illegal(event.told)
        self._refuse_misplaced(event)
        return self._state.after(event, self.settings)

    def _take(self, event: Event, after: SessionState) -> None:
        # Before the state changes: where keeping fails, the session is as if nothing had been told.
        self._keep(event)
        before, self._state = self._state, after
        self._events.append(event)
        if isinstance(self._cost_model, LivingCosts):
            for burden in burdens_of(event, before, after):
                self._cost_model = self._cost_model.after(burden)

    def _keep(self, event: Event) -> None:
        """Keep an event elsewhere before it takes effect; a session that is stored overrides this."""

    # -- what a strategy is given to decide on -----------------------------------------------------------------------

    def _weighed(self, now_s: float) -> Costs:
        """Return what everything costs now, with the options; the vectors are those of the best person for each."""
        costs = self._costs_at(now_s)
        if self._options is None:
            return costs
        moment = DecisionMoment(
            belief=self.belief, costs=costs, model=self._cost_model, now_s=now_s, used=self._state.used
        )
        return self._options.costs_at(moment).envelope(now_s)

    def _askable_belief(self, costs: Costs, now_s: float) -> Belief:
        """Return the belief, with modules held back that nobody may be asked about now."""
        belief = self.belief
        if costs.weighs_options:
            belief = belief.held_back(costs.free_from_s)
        if not self.settings.ask_again:
            belief = belief.held_back(np.where(belief.answered, np.inf, -np.inf))
        if self._availability is None:
            return belief
        return belief.held_back(one_each("times", self._availability.free_from_s(now_s), len(self.graph)))

    def _costs_at(self, now_s: float) -> Costs:
        """Return what asking, acting and time cost now."""
        terms, graph, state = self.settings, self.graph, self._state
        modules = len(graph)
        started_s = now_s if state.started_s is None else state.started_s
        elapsed = state.spent if terms.time is TimeUnit.STEPS else now_s - started_s
        costs = Costs.of(
            one_each("query costs", self._cost_model.query_costs(now_s), modules),
            expert=terms.expert,
            w=terms.w,
            act_time=terms.act_time,
            ask_time=terms.ask_time,
            time_left=terms.horizon_of(modules) - elapsed,
            tries=None if terms.max_executions == NO_LIMIT else terms.max_executions - self.tally.executions,
            unseen=[terms.unseen.get(name, 0.0) for name in graph.names],
            unseen_cost=terms.mistake_cost(modules),
            ask_again=terms.ask_again,
            outdated_by_acting=[graph.index(name) for name in terms.outdated_by_acting],
        )
        return replace(costs, step_s=1.0) if terms.time is TimeUnit.SECONDS else costs

    def _decision(self, costs: Costs, now_s: float) -> tuple[Decision, Outcome | None]:
        """Return what to do now within the episode's limits, and the outcome where that ends it."""
        terms, tally = self.settings, self.tally
        if costs.time_left <= 1e-9 or tally.steps >= terms.max_steps_per_module * len(self.graph):
            reason = f"The time given to this episode is used up after {tally.steps} steps."
            return Decision(action=Action.YIELD, reason=reason), Outcome.HORIZON
        if tally.executions >= terms.max_executions:
            reason = f"All {tally.executions} tries that it may make have failed."
            return Decision(action=Action.YIELD, reason=reason), Outcome.YIELDED
        if self._state.try_wanted:
            return Decision(action=Action.ACT, reason="A person said to let the robot try."), None
        decision = self.strategy.decide(self._askable_belief(costs, now_s), costs, now_s)
        decision = with_person(decision, costs, now_s)
        if decision.action is Action.WAIT and decision.until_s is not None and decision.until_s > now_s:
            until_s = max(decision.until_s, now_s + terms.min_wait_s)
            waited_s = tally.waited_s + until_s - now_s
            if terms.time is TimeUnit.SECONDS and until_s - now_s >= costs.time_left:
                reason = f"{decision.reason} By then the time given to this episode is used up."
                return Decision(action=Action.YIELD, module=decision.module, reason=reason), Outcome.YIELDED
            if waited_s > terms.max_wait_s:
                reason = f"{decision.reason} Waiting would make {waited_s:g} s in all, over {terms.max_wait_s:g} s."
                return Decision(action=Action.YIELD, module=decision.module, reason=reason), Outcome.YIELDED
            decision = replace(decision, until_s=until_s)
        return decision, Outcome.YIELDED if decision.action is Action.YIELD else None


def _costs_of(record: Mapping[str, Any], given: CostModel | None) -> CostModel | None:
    """Return the cost model that a session started with: the one given, or the workload that its record holds.

    Raises:
        BadRecord: There is none though the session had one, or the one given is another one.
    """
    workload = None if record.get("workload") is None else Workload.from_json(record["workload"])
    if record["own_costs"] and given is None and workload is None:
        raise BadRecord("the session had a cost model of its own", hint="Pass it: from_json(…, costs=model).")
    if given is not None and workload is not None and given != workload:
        raise BadRecord(
            "the session started with another workload",
            hint="Pass none: the record holds it, and the session finds the present one by itself.",
        )
    return workload if given is None else given
