"""Options of a moment: every question to every person with every support, the recoveries that are left, and waits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from handup.core import Action, Costs, Need, Option, Outlook, OutOfRange, Question, Role, Stake
from handup.people import AnswerModel, Evidence, Level, LevelEstimate, LevelForecast, Support, Workload
from handup.people.levels import Five
from handup.when import DecisionMoment
from handup.whom.abilities import KindAbilities, need_of
from handup.whom.hard_limits import HardLimit, LimitSettings, PersonNow, limit_of, unfair

NO_LIMIT = HardLimit(-math.inf, "")
USELESS = HardLimit(math.inf, "cannot answer this")
FAIR = "has borne more than twice an equal share of the load of the last day"


class Willing(Protocol):
    """Model of whether a person answers at all, such as that of `people.willingness`."""

    def __call__(self, person: str, level: Level | None) -> float:
        """Return the probability that a person answers at a level; None for somebody far away, or not known."""
        ...


@dataclass(frozen=True, kw_only=True)
class RecoveryRecord:
    """One of the robot's own recoveries, and how it has done so far.

    Args:
        name: Its name.
        uses: Number of times that it was run.
        successes: Number of times that it helped.
        left: Number of times that it may still be run in this episode.
        seconds: Time that it takes.

    Raises:
        OutOfRange: A count or the time is negative, or there were more successes than uses.
    """

    name: str
    uses: int = 0
    successes: int = 0
    left: int = 1
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if not (0 <= self.successes <= self.uses and self.left >= 0):
            got = f"{self.uses}, {self.successes} and {self.left}"
            must = "be counts with no more successes than uses"
            raise OutOfRange.of("uses, successes and left", got, must, hint="Count them again.")
        if not 0.0 <= self.seconds < math.inf:
            must = "be finite and at least 0"
            raise OutOfRange.of(f"seconds of '{self.name}'", f"{self.seconds:g}", must, hint="Give such a time.")

    def works(self, failed: int = 0) -> float:
        """Return the mean of the Beta distribution that its record leads to, after more uses that did not help."""
        return (1.0 + self.successes) / (2.0 + self.uses + failed)


@dataclass(frozen=True, kw_only=True)
class Options:
    """Maker of the options of a moment from people, models and recoveries. Hard limits hold before anything is weighed.

    Models that are left out change nothing: without `willing` everybody answers, without `answers` and `abilities` an
    answer is right as often as the costs say, without `disturbance` a question costs the same at every level. So one
    person without a level gives the numbers of the costs themselves.

    Args:
        people: The people, in the order in which equals are taken.
        answers: Model of right answers by role, kind of question and support, and of their times.
        abilities: Who can give which kind of help.
        willing: Model of whether people answer.
        disturbance: Factor on the load at each level, from 0 to 4.
        role_weights: s of each role, a factor on the load; 1 for those left out.
        forecasts: For each person with a level, how it drifts and how it will be seen. Needed for waits.
        waits_s: Waits to weigh, in seconds, each above 0.
        recoveries: The robot's own recoveries, in the order in which equals are taken.
        limits: Settings of the hard limits, with the class of what is at stake.
        stakes: Cost of giving up for each class; the time that is left where none are given.
        harm: Cost of a wrong answer; that of one failed try where it is None, since the robot then acts on it.
        step_s: Seconds of one unit of time; None where time is counted in steps.
        until_s: Time after which an answer counts for nothing.

    Raises:
        OutOfRange: A wait or the unit of time is not above 0, or the harm is negative.
    """

    people: tuple[PersonNow, ...]
    answers: AnswerModel | None = None
    abilities: KindAbilities | None = None
    willing: Willing | None = None
    disturbance: Five | None = None
    role_weights: Mapping[Role, float] = field(default_factory=dict)
    forecasts: Mapping[str, LevelForecast] = field(default_factory=dict)
    waits_s: tuple[float, ...] = ()
    recoveries: tuple[RecoveryRecord, ...] = ()
    limits: LimitSettings = field(default_factory=LimitSettings)
    stakes: Mapping[Stake, float] | None = None
    harm: float | None = None
    step_s: float | None = None
    until_s: float = math.inf

    def __post_init__(self) -> None:
        for name, numbers in (("waits_s", self.waits_s), ("step_s", () if self.step_s is None else (self.step_s,))):
            for number in numbers:
                if not 0.0 < number < math.inf:
                    raise OutOfRange.of(name, f"{number:g}", "be finite and above 0", hint="Give a time in seconds.")
        if self.harm is not None and not 0.0 <= self.harm < math.inf:
            raise OutOfRange.of("harm", f"{self.harm:g}", "be finite and at least 0", hint="Give a cost, or 0.")

    def costs_at(self, moment: DecisionMoment) -> Costs:
        """Return the costs of a moment with every option that is allowed now or will be."""
        graph = moment.belief.graph
        stake = None if self.stakes is None else self.stakes[self.limits.stake]
        options = tuple(option for option in self.all(moment) if option.from_s < math.inf)
        harm = moment.costs.act_price if self.harm is None else self.harm
        return moment.costs.offering(options, graph.names, step_s=self.step_s, stake=stake, harm=harm)

    def all(self, moment: DecisionMoment) -> tuple[Option, ...]:
        """Return every option, also those that a hard limit forbids for good, with the limit in words."""
        abouts = self._questions(moment)
        asks = [option for about in abouts for option in self._about(about, moment)]
        return (*self._recoveries(moment), *asks, *self._waits(abouts, moment))

    # -- questions ---------------------------------------------------------------------------------------------------

    def _questions(self, moment: DecisionMoment) -> tuple[_About, ...]:
        """Return the questions about all modules; the belief decides which may be asked now."""
        found = []
        for position, module in enumerate(moment.belief.graph.modules):
            question = module.question or Question(f"What should '{module.name}' say?")
            about = _About(module.name, position, question, need_of(question.kind))
            for helper in self.people:
                seconds = self._seconds(helper, about, moment)
                about.shown[helper.name] = tuple(
                    _Shown(support.key, *self._right(helper, about, moment, support), seconds)
                    for support in helper.supports
                )
            found.append(about)
        return tuple(found)

    def _about(self, about: _About, moment: DecisionMoment) -> list[Option]:
        """Return the questions about a module, to everybody, in the order of the people."""
        found = {
            helper.name: list(self._to(helper, about, moment, _level(helper), self._answers(helper, _level(helper))))
            for helper in self.people
        }
        able = [name for name, options in found.items() if any(option.allowed(moment.now_s) for option in options)]
        over = unfair(self.people, able)
        return [
            replace(option, from_s=moment.now_s + self.limits.look_s, why=FAIR) if name in over else option
            for name, options in found.items()
            for option in options
        ]

    def _to(
        self,
        helper: PersonNow,
        about: _About,
        moment: DecisionMoment,
        level: LevelEstimate | None,
        answers: float,
        after_s: float = 0.0,
    ) -> Iterator[Option]:
        """Yield the questions about a module to a person, one for each support, as they would be at a level."""
        load = self._load(helper, about, moment, level)
        now_s = moment.now_s + after_s
        limit = limit_of(helper, about.question, about.need, now_s, load=load, level=level, settings=self.limits)
        answers *= self._in_time(helper, about, now_s)
        for shown in about.shown[helper.name]:
            useless = answers * shown.right <= 0.0 and (limit is None or limit.from_s < math.inf)
            against = USELESS if useless else limit or NO_LIMIT
            yield Option(
                action=Action.ASK,
                module=about.module,
                person=helper.name,
                role=helper.role,
                support=shown.support,
                answers=answers,
                right=shown.right,
                seconds=shown.seconds,
                cost=load,
                free=None if level is None else min(level.free, 1.0),
                very_busy=level is not None and level.very_busy,
                evidence=shown.evidence,
                from_s=against.from_s,
                why=against.why,
            )

    def _load(self, helper: PersonNow, about: _About, moment: DecisionMoment, level: LevelEstimate | None) -> float:
        if isinstance(moment.model, Workload):
            cost = float(moment.model.asking(helper.name).query_costs(moment.now_s)[about.position])
        else:
            cost = float(moment.costs.query[about.position])
        cost *= self.role_weights.get(helper.role, 1.0)
        return cost if level is None or self.disturbance is None else cost * level.mean(self.disturbance)

    def _answers(self, helper: PersonNow, level: LevelEstimate | None) -> float:
        if self.willing is None:
            return 1.0
        if level is None:
            return self.willing(helper.name, None)
        return min(level.mean(tuple(self.willing(helper.name, known) for known in Level)), 1.0)  # type: ignore[arg-type]

    def _in_time(self, helper: PersonNow, about: _About, now_s: float) -> float:
        """Return the probability that an answer does not come too late."""
        left_s = self.until_s - now_s - helper.comes_s
        if self.answers is None or left_s == math.inf:
            return float(left_s >= 0.0)
        return self.answers.time(helper.role, about.kind).share_within(left_s)

    def _right(self, helper: PersonNow, about: _About, moment: DecisionMoment, support: Support) -> tuple[float, str]:
        """Return the probability that an answer is right, and the weakest source of that."""
        if self.answers is None and self.abilities is None:
            return float(moment.costs.expert[about.position]), ""
        right, evidence = 1.0, Evidence.HUMAN_DATA
        if self.answers is not None:
            # The abilities know the person's own record; counted twice, it would move the number too far.
            person = helper.name if self.abilities is None else None
            chance = self.answers.chance(helper.role, about.kind, support, person=person)
            right, evidence = chance.probability, chance.evidence
        if self.abilities is not None:
            own = helper.said(about.need)
            right *= self.abilities.of(helper.name, helper.role, about.need, own)
            evidence = Evidence.ASSUMED
        return right, str(evidence)

    def _seconds(self, helper: PersonNow, about: _About, moment: DecisionMoment) -> float:
        """Return the time until an answer; 0 where nobody knows it, as when time is counted in steps of any length."""
        if self.answers is not None:
            return helper.comes_s + self.answers.time(helper.role, about.kind).median_s
        step_s = self.step_s or moment.costs.step_s
        return 0.0 if step_s is None else helper.comes_s + float(moment.costs.ask_time[about.position]) * step_s

    # -- recoveries and waits ----------------------------------------------------------------------------------------

    def _recoveries(self, moment: DecisionMoment) -> Iterator[Option]:
        for recovery in self.recoveries:
            used = moment.used.get(recovery.name, 0)
            if recovery.left > used:
                works = recovery.works(used)
                yield Option(action=Action.RECOVER, recovery=recovery.name, right=works, seconds=recovery.seconds)

    def _waits(self, abouts: tuple[_About, ...], moment: DecisionMoment) -> Iterator[Option]:
        if not any(_level(helper) is not None and helper.name in self.forecasts for helper in self.people):
            return
        # The support with which an answer is likeliest right is never the worse one: supports differ in nothing else.
        best = tuple(
            replace(about, shown={name: _best(shown) for name, shown in about.shown.items()}) for about in abouts
        )
        for wait_s in self.waits_s:
            outlooks = tuple(tuple(self._outlooks(helper, best, moment, wait_s)) for helper in self.people)
            yield Option(action=Action.WAIT, seconds=wait_s, outlooks=outlooks)

    def _outlooks(
        self, helper: PersonNow, abouts: tuple[_About, ...], moment: DecisionMoment, wait_s: float
    ) -> Iterator[Outlook]:
        """Yield everything that may be seen of a person after a wait, with the questions that could be put then."""
        level, forecast = _level(helper), self.forecasts.get(helper.name)
        seen: Iterator[tuple[float, LevelEstimate | None]] = iter([(1.0, level)])
        if level is not None and forecast is not None:
            seen = iter(forecast.outlooks(level, wait_s))
        for probability, then in seen:
            answers = self._answers(helper, then)
            options = [option for about in abouts for option in self._to(helper, about, moment, then, answers, wait_s)]
            allowed = tuple(option for option in options if option.allowed(moment.now_s + wait_s))
            yield Outlook(probability=min(probability, 1.0), options=allowed)


@dataclass(frozen=True)
class _Shown:
    """Question to a person with one support: how likely an answer is right, and how long it takes."""

    support: str
    right: float
    evidence: str
    seconds: float


@dataclass(frozen=True)
class _About:
    """A question that may be put: its module, what is needed to answer it, and the supports for each person by name."""

    module: str
    position: int
    question: Question
    need: Need
    shown: dict[str, tuple[_Shown, ...]] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """Kind of the question."""
        return self.question.kind


def _best(shown: tuple[_Shown, ...]) -> tuple[_Shown, ...]:
    """Return the support with which an answer is likeliest right; of equals the first."""
    return tuple(sorted(shown, key=lambda support: -support.right)[:1])


def _level(helper: PersonNow) -> LevelEstimate | None:
    """Return how busy a person is; None for somebody far away."""
    return None if helper.far else helper.level
