"""Hidden causes: each is removed by what removes it, by nothing else but luck or leaving it, and by some rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handup.domains.kitting import CAUSES, HallState, KittingWorld, rates
from handup.domains.kitting.actions import KINDS
from handup.domains.kitting.causes import DrawnChance, Hangs
from handup.domains.kitting.kitting_run import run_in, run_once
from handup.domains.kitting.rates import Rates
from handup.domains.kitting.variants import variant
from handup.executive.events import Ending
from tests.domains.kitting.steps import only

SHORT_S = 1500.0
"""Long enough for two kits."""
GOALS: dict[str, Any] = {
    "pose": "table",
    "seconds": 60.0,
    "clusters": {"scene": 0, "at": "gears"},
    "candidates": [{"scene": 0, "at": "gears"}],
    "grasps": [{"scene": 0, "at": "gears"}],
    "chuck": {"scene": 0},
    "kit": {"scene": 0},
    "to": "gears",
    "object": "bolt",
}
ENDS_WITH = {Hangs.VISIT: "visits", Hangs.HAND: "handled", Hangs.KIT: "tray"}


def unlucky() -> Rates:
    """Nothing goes wrong by itself, luck never helps, and what removes a cause always does."""
    quiet = rates().without_faults()
    causes = {
        name: replace(each, luck=0.0, removed_by=dict.fromkeys(each.removed_by, 1.0))
        for name, each in quiet.causes.items()
    }
    return replace(quiet, causes=causes, run_s=SHORT_S)


def after(action: str, state: HallState) -> HallState:
    goal = {name.removesuffix("?"): GOALS.get(name, 1) for name in KINDS[action].takes if not name.endswith("?")}
    turn = DrawnChance(state, unlucky(), action, goal)
    KINDS[action].effect(turn)
    return turn.ended


@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_is_removed_by_what_removes_it_and_by_nothing_else(cause: str) -> None:
    removing = set(rates().causes[cause].removed_by)
    starts = [
        HallState(seed=1, base=base, hand=hand, tray=tray, loaded=loaded, causes=(cause,), percept=("bolt", "bolt"))
        for base in ("gears", "machine", "kits", "drop_off")
        for hand in ("", "large_gear", "kit")
        for tray in (None, ("bolt",))
        for loaded in (False, True)
        if tray is not None or CAUSES[cause].hangs is not Hangs.KIT
    ]
    removed: set[str] = set()
    for action in KINDS:
        for start in starts:
            end = after(action, start)
            kept = ENDS_WITH.get(CAUSES[cause].hangs)
            left = kept is not None and getattr(end, kept) != getattr(start, kept)
            another = cause == "slip" and start.hand not in ("", "kit")  # a part was picked since
            slot = cause == "taken_slot" and end.slot != start.slot
            if cause not in end.causes and not left and not another and not slot:
                removed.add(action)
    assert removed <= removing, "something else removes it"
    silent = {"taken_slot", "slip"} & {cause}
    assert removed == removing or silent


@pytest.mark.parametrize("cause", CAUSES)
def test_with_the_rules_a_cause_goes_and_kits_are_built(cause: str) -> None:
    world = KittingWorld(2, rates=unlucky(), drills=True)
    world.inject(CAUSES[cause].part, cause)
    result = run_in(world, variant("full"))
    assert world.state.drills == (), "it never came up"
    assert cause not in world.state.causes
    assert result.ending is Ending.DONE
    assert result.kits == 2
    assert result.recoveries, "some rule was used"


@pytest.mark.parametrize("cause", CAUSES)
def test_without_the_rules_a_cause_stays_and_ends_the_run(cause: str) -> None:
    world = KittingWorld(2, rates=unlucky(), drills=True)
    world.inject(CAUSES[cause].part, cause)
    result = run_in(world, variant("retry"))
    assert cause in world.state.causes
    assert result.ending is Ending.OUT_OF_RECOVERIES
    assert result.kits == 0
    assert result.measures.interventions == 1


VISITS = [name for name, each in CAUSES.items() if each.hangs is Hangs.VISIT]


@pytest.mark.parametrize("cause", VISITS)
def test_driving_away_and_back_is_a_draw_as_good_as_the_first(cause: str) -> None:
    """What hangs on a visit goes with it, and comes up at the next one as often as at any: a gamble, no remedy."""
    rate, seeds = 0.3, 4000
    shaky = only(cause, rate)
    at = CAUSES[cause].at[0]

    def drives(state: HallState, to: str) -> HallState:
        turn = DrawnChance(state, shaky, "navigate", {"to": to})
        KINDS["navigate"].effect(turn)
        return turn.ended

    def visits(state: HallState) -> HallState:
        state = drives(state, "gears")
        turn = DrawnChance(state, shaky, at, {"object": "small_gear"})
        if at != "navigate":
            turn.come_up(cause)
        return turn.ended

    firsts = [visits(HallState(seed=seed, base="machine")) for seed in range(seeds)]
    met = [each for each in firsts if cause in each.causes]
    away = [drives(each, "drop_off") for each in met]
    assert at == "navigate" or not any(cause in each.causes for each in away), "it goes when the base leaves"
    again = [cause in visits(each).causes for each in away]
    assert len(met) / seeds == pytest.approx(rate, abs=0.025)
    assert sum(again) / len(again) == pytest.approx(rate, abs=0.04)


def test_seven_causes_hang_on_a_visit_and_the_page_on_kitting_names_them() -> None:
    page = (Path(__file__).parents[3] / "docs" / "executive" / "kitting.md").read_text(encoding="utf-8")
    marked = {name for name in CAUSES if f"`{name}` ¹" in page}
    assert marked == set(VISITS)
    assert {name for name in CAUSES if f"`{name}` ²" in page} == {
        name for name, each in CAUSES.items() if each.hangs in (Hangs.HAND, Hangs.KIT)
    }


def test_luck_alone_helps_now_and_then() -> None:
    """A cause whose luck is one half: blind retries get past it, and it is still there."""
    quiet = unlucky()
    lucky = replace(quiet, causes={**quiet.causes, "stale_map": replace(quiet.causes["stale_map"], luck=0.5)})
    world = KittingWorld(4, rates=lucky, drills=True)
    world.inject("arm", "stale_map")
    run_in(world, variant("retry"))
    assert world.starts["pick"] > 1
    assert "stale_map" in world.state.causes


def test_a_remedy_that_works_at_times_is_tried_again() -> None:
    quiet = unlucky()
    weak = replace(quiet.causes["misaligned_gear"], removed_by={"realign": 0.4})
    weaker = replace(quiet, causes={**quiet.causes, "misaligned_gear": weak})
    counts = {
        run_once(s, "full", rates=weaker, drills=[("gripper", "misaligned_gear")]).starts["realign"] for s in range(8)
    }
    assert len(counts) > 1
