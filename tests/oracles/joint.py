"""One step ahead over everything that a robot may do next, by enumeration and with nothing of `joint`'s own code.

Values are worked out from the definition: for each option the price, the harm, and the best other option where it does
not solve the problem. Success after an answer comes from listing every throw of the modules' coins. A wait lists every
combination of what may be seen of everybody. Hard limits are said again in plain arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product

from handup.core import Action, Costs, Need, Option, Person, Question, QuestionKind, Role, Stake
from handup.people import LevelEstimate
from handup.policy import Module
from handup.whom import Options, PersonNow
from tests.oracles.enumeration import Answered, Event, enumerate_history

Key = tuple[Action, str | None, str | None, str | None, str | None]


def plain_values(
    modules: Sequence[Module],
    events: Sequence[Event],
    costs: Costs,
    now_s: float,
    blocked: Mapping[str, float] | None = None,
) -> dict[Key, float]:
    """The value of every option that is possible now, by its key; of waits the best."""
    held = blocked or {}
    answered = {event.module for event in events if isinstance(event, Answered)}

    def success(*more: Event) -> float:
        truth = enumerate_history(modules, [*events, *more])
        assert truth is not None
        return truth.reliability

    after = {
        module.name: (success(Answered(module.name, None, 1.0)), success(Answered(module.name, None, 0.0)))
        for module in modules
        if module.name not in answered
    }
    unit = (1.0 - costs.w) * 1.0
    give_up = costs.stake if costs.stake is not None else unit * max(costs.time_left, 0.0)

    def took(seconds: float, steps: float) -> float:
        return steps if costs.step_s is None else seconds / costs.step_s

    def parts(option: Option) -> tuple[float, float]:
        """What it costs in any case, and how likely it solves the problem."""
        if option.action is Action.RECOVER:
            return unit * took(option.seconds, costs.act_time), option.right
        assert option.module is not None
        right, wrong = after[option.module]
        steps = float(costs.ask_time[[module.name for module in modules].index(option.module)])
        price = costs.w * option.cost + unit * took(option.seconds, steps)
        solves = option.answers * option.right * right + option.answers * (1.0 - option.right) * wrong
        return price + option.answers * (1.0 - option.right) * costs.harm, solves

    fixed: dict[Key, tuple[float, float]] = {}
    chance = success()
    if chance > 1e-6:
        fixed[Action.ACT, None, None, None, None] = ((1.0 - chance) * unit * costs.act_time, chance)
    for option in costs.options:
        if option.action is Action.RECOVER:
            fixed[option.key] = parts(option)
    asks: dict[Key, tuple[float, float]] = {}
    for option in costs.options:
        if option.action is not Action.ASK or option.module not in after:
            continue
        if max(option.from_s, held.get(option.module or "", -math.inf)) <= now_s:
            asks[option.key] = parts(option)
    everything = {**fixed, **asks}

    def other(key: Key) -> float:
        """The best option that does not fail together with this one, with giving up behind it."""
        rest = [
            price + (1.0 - solves) * give_up
            for name, (price, solves) in everything.items()
            if not (name[0] is key[0] and name[1:3] == key[1:3] and (name[0] is not Action.RECOVER or name == key))
        ]
        return min([give_up, *rest])

    values = {key: price + (1.0 - solves) * other(key) for key, (price, solves) in everything.items()}
    alone = min([give_up, *(values[key] for key in fixed)])
    values[Action.YIELD, None, None, None, None] = give_up
    waits = []
    for wait in costs.options:
        if wait.action is Action.WAIT and costs.step_s is not None:
            mean = 0.0
            for seen in product(*wait.outlooks):
                weight = math.prod(outlook.probability for outlook in seen)
                least = alone
                for outlook in seen:
                    for option in outlook.options:
                        if option.module in after:
                            price, solves = parts(option)
                            least = min(least, price + (1.0 - solves) * other(option.key))
                mean += weight * least
            waits.append(unit * wait.seconds / costs.step_s + mean)
    later = {
        option.key: max(option.from_s, held.get(option.module or "", -math.inf))
        for option in costs.options
        if option.action is Action.ASK and option.module in after
    }
    ahead = {key: from_s for key, from_s in later.items() if now_s < from_s < math.inf}
    if ahead and costs.step_s is not None:
        until_s = min(ahead.values())
        chances = [values[key] for key in everything]
        for option in costs.options:
            if ahead.get(option.key, math.inf) <= until_s:
                price, solves = parts(option)
                chances.append(price + (1.0 - solves) * other(option.key))
        waits.append(unit * (until_s - now_s) / costs.step_s + min([give_up, *chances]))
    if waits:
        values[Action.WAIT, None, None, None, None] = min(waits)
    return values


# -- hard limits, said again -------------------------------------------------------------------------------------------


def forbidden(options: Options, helper: PersonNow, question: Question, cost: float, now_s: float) -> bool:
    """Whether a limit other than fairness keeps a person from being asked now. Quiet hours are in UTC here."""
    person, far = helper.person, (not helper.here) or helper.person.role == Role.OPERATOR
    hands = question.kind == QuestionKind.PHYSICAL
    diagnose = question.kind in (QuestionKind.DIAGNOSIS, QuestionKind.ACTION)
    need = Need.HANDS if hands else Need.DIAGNOSE if diagnose else Need.WHICH
    level: LevelEstimate | None = None if far else helper.level
    gate = options.limits.gate
    return (
        person.role == Role.DEVELOPER
        or (helper.consent is not None and need not in helper.consent)
        or (hands and far)
        or (person.role == Role.BYSTANDER and question.kind == QuestionKind.PERMISSION)
        or _beyond_budget(person, helper, cost, now_s)
        or _quiet(person, now_s)
        or (level is not None and _very_busy(level) and options.limits.stake != Stake.CRITICAL)
        or (level is not None and gate is not None and sum(level.probabilities[3:]) < gate)
    )


def over_share(options: Options, name: str, able: Sequence[str]) -> bool:
    """Whether a person has borne more than twice an equal share, where at least three can answer."""
    loads = {helper.person.name: helper.load_day for helper in options.people}
    total = sum(loads.values())
    return len(able) >= 3 and total > 0.0 and loads[name] * len(able) > 2.0 * total


def _beyond_budget(person: Person, helper: PersonNow, cost: float, now_s: float) -> bool:
    last_hour = [put for put in helper.put if now_s - put.at_s < 3600.0]
    many = person.limits.per_hour is not None and len(last_hour) + 1 > person.limits.per_hour
    load = sum(put.load for put in last_hour) + cost
    heavy = person.limits.load_per_hour is not None and load > person.limits.load_per_hour + 1e-9
    return many or heavy or helper.before + 1 > person.limits.at_once


def _quiet(person: Person, now_s: float) -> bool:
    minute = int(now_s // 60) % (24 * 60)
    for part in person.limits.quiet:
        start, end = (int(text[:2]) * 60 + int(text[3:]) for text in (part.start, part.end))
        within = start <= minute < end if start < end else minute >= start or minute < end
        if within:
            return True
    return False


def _very_busy(level: LevelEstimate) -> bool:
    return all(level.probabilities[1] >= chance for chance in level.probabilities)
