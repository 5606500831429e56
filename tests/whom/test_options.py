"""Options of a moment: what each model adds, what hard limits remove and why, and what a wait may bring."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from handup.core import (
    Ability,
    Action,
    Costs,
    FixedCosts,
    Limits,
    MissingSetting,
    Need,
    Option,
    OutOfRange,
    Person,
    Question,
    QuestionKind,
    QuietHours,
    Role,
    Stake,
    UnknownModule,
)
from handup.people import Level, LevelEstimate, LevelForecast, Put, Suggestions, Support, Workload, answer_model
from handup.people.limits import Busy
from handup.policy import Belief, Module, ModuleGraph
from handup.when import DecisionMoment
from handup.whom import KindAbilities, LimitSettings, Options, PersonNow, RecoveryRecord, unfair
from tests.whom.moments import NOON_S

ADA = PersonNow(person=Person(name="Ada", role=Role.CAREGIVER))
BEN = PersonNow(person=Person(name="Ben", role=Role.RESIDENT))
OTTO = PersonNow(person=Person(name="Otto", role=Role.OPERATOR))


def moment_of(kind: QuestionKind = QuestionKind.TEXT, *, model: Workload | None = None) -> DecisionMoment:
    graph = ModuleGraph([Module("m", 0.2, 0.4, question=Question("What now?", kind))])
    costs = Costs.of(graph.query_costs, expert=0.9, ask_time=2.0)
    return DecisionMoment(belief=Belief.of(graph), costs=costs, model=model or FixedCosts((0.4,)), now_s=NOON_S)


def only(options: Options, moment: DecisionMoment | None = None) -> Option:
    """The one question that there is."""
    (option,) = [option for option in options.all(moment or moment_of()) if option.action is Action.ASK]
    return option


# -- numbers -----------------------------------------------------------------------------------------------------------


def test_without_models_an_option_has_the_numbers_of_the_costs() -> None:
    option = only(Options(people=(BEN,)))
    assert (option.answers, option.right, option.cost, option.seconds) == (1.0, 0.9, 0.4, 0.0)
    assert (option.person, option.role, option.support, option.free) == ("Ben", Role.RESIDENT, "none", None)


def test_an_answer_has_a_time_only_where_a_step_or_a_model_has_one() -> None:
    slow = replace(BEN, comes_s=5.0)
    assert only(Options(people=(slow,))).seconds == 0.0
    assert only(Options(people=(slow,), step_s=30.0)).seconds == 65.0
    median_s = answer_model().time(Role.RESIDENT, QuestionKind.TEXT).median_s
    assert only(Options(people=(slow,), answers=answer_model())).seconds == 5.0 + median_s


def test_a_person_is_asked_at_their_own_load_and_weight() -> None:
    tired = Workload(costs=(0.4,), person="Ben").answered(0, now_s=NOON_S)
    options = Options(people=(ADA, BEN), role_weights={Role.CAREGIVER: 0.5})
    ada, ben = options.all(moment_of(model=tired))
    assert ada.cost == pytest.approx(0.5 * 0.4)
    assert ben.cost == pytest.approx(0.4 + 0.15 * 0.4)


def test_the_level_moves_load_and_willingness_by_its_probabilities() -> None:
    level = LevelEstimate((0.0, 0.2, 0.3, 0.5, 0.0))
    options = Options(
        people=(replace(BEN, level=level),),
        disturbance=(1.0, 4.0, 1.5, 0.6, 0.3),
        willing=lambda person, known: 0.0 if known is None else (0.0, 0.1, 0.3, 0.5, 0.9)[known],
    )
    option = only(options)
    assert option.cost == pytest.approx(0.4 * (0.2 * 4.0 + 0.3 * 1.5 + 0.5 * 0.6))
    assert option.answers == pytest.approx(0.2 * 0.1 + 0.3 * 0.3 + 0.5 * 0.5)
    assert option.free == pytest.approx(0.5)


def test_a_person_far_away_has_no_level() -> None:
    asked: list[Level | None] = []

    def willing(person: str, level: Level | None) -> float:
        asked.append(level)
        return 0.7

    busy = LevelEstimate.certain(Level.VERY_BUSY)
    for helper in (replace(OTTO, level=busy), replace(BEN, level=busy, here=False)):
        option = only(Options(people=(helper,), willing=willing, disturbance=(9.0,) * 5))
        assert (option.answers, option.cost, option.free, option.why) == (0.7, 0.4, None, "")
    assert asked == [None, None]


def test_right_is_ability_times_the_answer_model() -> None:
    support = Support(Suggestions.OWN, 0.9)
    model, abilities = answer_model(), KindAbilities()
    option = only(
        Options(people=(replace(OTTO, supports=(support,)),), answers=model, abilities=abilities),
        moment_of(QuestionKind.DIAGNOSIS),
    )
    chance = model.chance(Role.OPERATOR, QuestionKind.DIAGNOSIS, support).probability
    assert option.right == pytest.approx(0.95 * chance)
    assert option.evidence == "assumed"
    assert option.seconds == model.time(Role.OPERATOR, QuestionKind.DIAGNOSIS).median_s
    alone = only(Options(people=(OTTO,), answers=model), moment_of(QuestionKind.DIAGNOSIS))
    assert alone.evidence == "human data"


def test_each_kind_of_help_has_its_person() -> None:
    abilities = KindAbilities()
    best = {
        kind: max(
            Options(people=(BEN, ADA, OTTO), abilities=abilities).all(moment_of(kind)), key=lambda option: option.right
        ).person
        for kind in (QuestionKind.TEXT, QuestionKind.DIAGNOSIS, QuestionKind.PHYSICAL)
    }
    assert list(best.values()) == ["Ben", "Otto", "Ada"]


def test_what_was_said_of_a_person_counts_more_than_their_role() -> None:
    handy = replace(
        BEN, person=Person(name="Ben", role=Role.RESIDENT, abilities=(Ability.SEE, Ability.GOAL, Ability.HANDS))
    )
    rights = [
        only(Options(people=(helper,), abilities=KindAbilities()), moment_of(QuestionKind.PHYSICAL)).right
        for helper in (BEN, handy)
    ]
    assert rights == pytest.approx([0.2, 0.9])


def test_a_record_moves_an_ability_only_as_far_as_its_evidence_goes() -> None:
    abilities = KindAbilities()
    start = abilities.of("Ben", Role.RESIDENT, Need.DIAGNOSE)
    once = abilities.judged("Ben", Need.DIAGNOSE, right=True)
    assert start == 0.30
    assert once.of("Ben", Role.RESIDENT, Need.DIAGNOSE) == pytest.approx((10 * 0.30 + 1) / 11)
    assert once.of("Ben", Role.RESIDENT, Need.DIAGNOSE, own=0.8) == pytest.approx((10 * 0.8 + 1) / 11)
    assert once.of("Ben", Role.RESIDENT, Need.WHICH) == abilities.of("Ben", Role.RESIDENT, Need.WHICH)
    assert once.forget("Ben") == abilities
    for _ in range(200):
        once = once.judged("Ben", Need.DIAGNOSE, right=True, chance=0.8)
    assert once.of("Ben", Role.RESIDENT, Need.DIAGNOSE) == 0.99


def test_recoveries_have_the_mean_of_their_record_and_come_to_an_end() -> None:
    again = RecoveryRecord(name="again", uses=8, successes=2, left=2, seconds=20.0)
    options = Options(people=(), recoveries=(again,))
    moment = moment_of()
    (option,) = options.all(moment)
    assert (option.recovery, option.seconds) == ("again", 20.0)
    assert option.right == pytest.approx(0.3)
    (once,) = options.all(replace(moment, used={"again": 1}))
    assert once.right == pytest.approx(3 / 11)
    assert options.all(replace(moment, used={"again": 2})) == ()


# -- hard limits -------------------------------------------------------------------------------------------------------

QUIET = Limits(quiet=(QuietHours(start="11:00", end="13:00"),))
VERY_BUSY = LevelEstimate.certain(Level.VERY_BUSY)


@pytest.mark.parametrize(
    ("helper", "kind", "why", "from_s"),
    [
        (replace(BEN, person=Person(name="Ben", limits=QUIET)), QuestionKind.TEXT, "quiet hours", NOON_S + 3600.0),
        (replace(BEN, consent=()), QuestionKind.TEXT, "has not agreed to be asked for this", math.inf),
        (replace(BEN, consent=(Need.HANDS,)), QuestionKind.TEXT, "has not agreed to be asked for this", math.inf),
        (
            replace(BEN, person=Person(name="Ben", limits=Limits(per_hour=1)), put=(Put(NOON_S - 600.0),)),
            QuestionKind.TEXT,
            "no more than 1 an hour",
            NOON_S + 3000.0,
        ),
        (
            replace(BEN, person=Person(name="Ben", limits=Limits(load_per_hour=0.5)), put=(Put(NOON_S - 60.0, 0.3),)),
            QuestionKind.TEXT,
            "no more load than 0.5 an hour",
            NOON_S + 3540.0,
        ),
        (replace(BEN, before=1), QuestionKind.TEXT, "no more than 1 at once", NOON_S + 60.0),
        (replace(BEN, level=VERY_BUSY), QuestionKind.TEXT, "very busy", NOON_S + 60.0),
        (
            replace(BEN, busy=Busy(since_s=NOON_S, until_s=NOON_S + 600.0)),
            QuestionKind.TEXT,
            "they are busy",
            NOON_S + 600.0,
        ),
        (
            replace(ADA, person=Person(name="Ada", role=Role.CAREGIVER, abilities=(Ability.SEE,))),
            QuestionKind.PHYSICAL,
            "cannot help with this, as was said of them",
            math.inf,
        ),
        (OTTO, QuestionKind.PHYSICAL, "is not there to lend a hand", math.inf),
        (replace(ADA, here=False), QuestionKind.PHYSICAL, "is not there to lend a hand", math.inf),
        (
            PersonNow(person=Person(name="Cem", role=Role.BYSTANDER)),
            QuestionKind.PERMISSION,
            "happens to be near, and may not give permission",
            math.inf,
        ),
        (
            PersonNow(person=Person(name="Dev", role=Role.DEVELOPER)),
            QuestionKind.TEXT,
            "looks after the program and is not asked",
            math.inf,
        ),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_hard_limit_removes_an_option_and_says_why(
    helper: PersonNow, kind: QuestionKind, why: str, from_s: float
) -> None:
    options, moment = Options(people=(helper,)), moment_of(kind)
    option = only(options, moment)
    assert (option.why, option.from_s) == (why, from_s)
    assert not option.allowed(moment.now_s)
    offered = options.costs_at(moment).options
    assert offered == (() if from_s == math.inf else (option,))


def test_a_critical_stake_may_disturb_somebody_who_is_very_busy() -> None:
    busy = replace(BEN, level=VERY_BUSY)
    option = only(Options(people=(busy,), limits=LimitSettings(stake=Stake.CRITICAL)))
    assert option.allowed(NOON_S)
    assert option.very_busy


def test_a_person_who_bore_more_than_twice_their_share_is_spared_where_three_can_answer() -> None:
    loads = {"Ada": 2.1, "Ben": 0.5, "Cem": 0.4}
    people = tuple(PersonNow(person=Person(name=name), load_day=load) for name, load in loads.items())
    options = {option.person: option for option in Options(people=people).all(moment_of())}
    assert "twice an equal share" in options["Ada"].why
    assert options["Ben"].why == options["Cem"].why == ""
    assert not any(option.why for option in Options(people=people[:2]).all(moment_of()))
    assert unfair(people, ("Ada", "Ben")) == frozenset()
    quiet = replace(people[2], person=Person(name="Cem", limits=QUIET))
    assert not next(iter(Options(people=(*people[:2], quiet)).all(moment_of()))).why, "Cem cannot answer now"


def test_a_gate_leaves_only_people_who_are_free_enough() -> None:
    busy, free = LevelEstimate.certain(Level.BUSY), LevelEstimate.certain(Level.FREE)
    people = (replace(BEN, level=busy), replace(ADA, level=free), OTTO)
    options = Options(people=people, limits=LimitSettings(gate=0.6)).all(moment_of())
    assert [option.person for option in options if option.allowed(NOON_S)] == ["Ada", "Otto"]


# -- waits -------------------------------------------------------------------------------------------------------------


def test_a_wait_weighs_what_may_be_seen_and_not_what_will_be_true() -> None:
    blurred = (0.0, 0.25, 0.25, 0.25, 0.25)
    forecast = LevelForecast(bout_s=60.0, seen=(blurred, blurred, blurred, blurred, blurred))
    options = Options(
        people=(replace(BEN, level=LevelEstimate.certain(Level.BUSY)), OTTO),
        forecasts={"Ben": forecast},
        waits_s=(30.0,),
    )
    (wait,) = [option for option in options.all(moment_of()) if option.action is Action.WAIT]
    ben, otto = wait.outlooks
    assert [outlook.probability for outlook in ben] == pytest.approx([0.25] * 4)
    assert len({option.free for outlook in ben for option in outlook.options}) == 1, "seeing says nothing here"
    assert [outlook.probability for outlook in otto] == [1.0]
    assert otto[0].options[0].person == "Otto"


def test_after_a_wait_a_limit_may_be_over() -> None:
    ending = replace(
        BEN,
        person=Person(name="Ben", limits=Limits(per_hour=1)),
        put=(Put(NOON_S - 3590.0),),
        level=LevelEstimate.certain(Level.AWARE),
    )
    options = Options(people=(ending,), forecasts={"Ben": LevelForecast()}, waits_s=(5.0, 30.0))
    soon, later = (option for option in options.all(moment_of()) if option.action is Action.WAIT)
    assert not any(outlook.options for outlook in soon.outlooks[0])
    assert any(outlook.options for outlook in later.outlooks[0])


def test_without_a_forecast_no_wait_is_weighed() -> None:
    free = replace(BEN, level=LevelEstimate.certain(Level.FREE))
    assert all(option.action is Action.ASK for option in Options(people=(free,), waits_s=(30.0,)).all(moment_of()))


def test_a_wrong_answer_costs_a_failed_try_where_nothing_else_is_said() -> None:
    moment = moment_of()
    assert Options(people=(BEN,)).costs_at(moment).harm == moment.costs.act_price == 0.5
    assert Options(people=(BEN,), harm=0.3).costs_at(moment).harm == 0.3


# -- costs with options ------------------------------------------------------------------------------------------------


def ask(person: str, **more: float) -> Option:
    return Option(action=Action.ASK, module="m", person=person, **more)  # type: ignore[arg-type]


def test_the_envelope_is_the_best_person_for_each_module_until_they_answer() -> None:
    costs = Costs.of([0.4, 0.3], expert=0.9, time_left=20.0)
    slow, good = ask("Ada", answers=0.2, right=0.9, cost=0.2), ask("Ben", answers=0.5, right=0.8, cost=0.1)
    envelope = costs.offering([slow, good], ("m", "n")).envelope(0.0)
    assert envelope.query.tolist() == [0.2, 0.3]
    assert envelope.expert.tolist() == [0.8, 0.9]
    assert envelope.ask_time.tolist() == [2.0, 1.0]
    assert [option.person for option in envelope.ranked("m", 0.0)] == ["Ben", "Ada"]
    assert envelope.free_from_s.tolist() == [-math.inf, math.inf]
    assert costs.envelope() is costs


def test_an_option_that_is_not_allowed_yet_is_not_in_the_envelope() -> None:
    costs = Costs.of([0.4]).offering([ask("Ada", cost=0.1, from_s=60.0), ask("Ben", cost=0.3)], ("m",))
    assert costs.envelope(0.0).query.tolist() == [0.3]
    assert costs.envelope(60.0).query.tolist() == [0.1]


def test_wrong_options_are_refused() -> None:
    costs = Costs.of([0.4])
    with pytest.raises(UnknownModule, match="names the module 'm', which the policy lacks"):
        costs.offering([ask("Ada")], ("other",))
    with pytest.raises(OutOfRange, match="answers, right and free must lie between 0 and 1"):
        ask("Ada", right=1.2)
    with pytest.raises(OutOfRange, match="seconds and cost must be finite and at least 0"):
        ask("Ada", seconds=math.inf)
    with pytest.raises(MissingSetting, match="must name a module"):
        Option(action=Action.ASK)
    with pytest.raises(OutOfRange, match="step_s must be finite and above 0, got 0"):
        costs.offering([ask("Ada")], ("m",), step_s=0.0)
    with pytest.raises(OutOfRange, match="load_day of 'Ben' must be finite and at least 0, got -1"):
        replace(BEN, load_day=-1.0)


def test_wrong_settings_of_options_are_refused() -> None:
    for wrong, words in (
        ({"waits_s": (60.0, 0.0)}, "waits_s must be finite and above 0, got 0"),
        ({"step_s": -1.0}, "step_s must be finite and above 0, got -1"),
        ({"harm": -3.0}, "harm must be finite and at least 0, got -3"),
    ):
        with pytest.raises(OutOfRange, match=words):
            Options(people=(ADA,), **wrong)
    with pytest.raises(OutOfRange, match="seconds of 'again' must be finite and at least 0, got -1"):
        RecoveryRecord(name="again", seconds=-1.0)
