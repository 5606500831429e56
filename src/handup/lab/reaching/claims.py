"""What is claimed: the paper's orderings for each kind of user, what a prototype found, and what `assist` is to do.

Written before the seeds of the study were run.
"""

from __future__ import annotations

from collections.abc import Iterator

from handup.domains.reaching import Strategy, scene
from handup.intent import Points
from handup.lab.reaching.claim import Bar, Claim, Family, Variance
from handup.lab.reaching.definition import LOOK_AHEADS_S, MIXED, of_look_ahead
from handup.lab.reaching.results import Where
from handup.lab.reaching.studies import (
    ALL,
    ALWAYS_HELPS,
    COMPLEX,
    GENTLE,
    GOAL,
    HO,
    HO_YIELDS,
    LOOK_AHEAD,
    MANUAL,
    NO_HO,
    NO_QUESTIONS,
    OURS,
    PAPER,
    SCENES,
)

SIMPLE = "U6"
ASKED = (MANUAL, HO, PAPER)
"""What the paper's participants tried."""
SUCCESS, FASTER, QUESTIONS, OPPOSING = 0.99, 0.8, 0.5, 0.03
"""The goal of `assist`."""
HARD = (("S1", "cup/top"), ("S2", "cup/top horizontal"), ("S2", "spoon/top vertical"))
MOST_QUESTIONS = 1.6
AS_GOOD_S = 1.0
NOT_MORE_QUESTIONS = 0.25
FAILS_AS_OFTEN = 0.01
NO_MORE_FAILURES = f"fails no more often than the paper's policy, within a margin of {100 * FAILS_AS_OFTEN:g} point"
PRESET_S, LONGER_S = Points().look_ahead_s, (1.0, 2.0)
"""The look-ahead of the preset `paper`, and those that are compared with it."""


def _less(method: str, than: str, where: Where, *measures: str) -> tuple[Bar, ...]:
    return tuple(Bar(measure=each, method=method, than=than, where=where, less=True) for each in measures)


def _more(method: str, than: str, where: Where, *measures: str) -> tuple[Bar, ...]:
    return tuple(Bar(measure=each, method=method, than=than, where=where) for each in measures)


def _at(user: str, name: str, task: str = "") -> Where:
    return Where(part=ALL, scene=name, task=task, user=user)


def _simulation(user: str) -> Iterator[Claim]:
    """Section IV: Table I and Fig. 7."""
    cup = _at(user, "S1", "cup/top")
    effort = ("mode_changes", "joystick_input")

    def claim(key: str, source: str, text: str, *bars: Bar) -> Claim:
        return Claim(key=key, source=source, text=text, bars=bars, family=Family.PAPER, user=user)

    yield claim(
        "letting go helps HO",
        "section IV-A, Table I",
        "Grasping a cup from the top, HO is faster, with fewer mode changes and less input, if it lets go when it "
        "works against the person.",
        *_less(HO_YIELDS, HO, cup, "time_s", *effort),
    )
    yield claim(
        "no assist matters",
        "section IV-A, Table I",
        "Without the action 'no assist' the policy opposes more, and needs more input and time.",
        *_less(PAPER, ALWAYS_HELPS, cup, "opposing", "joystick_input", "time_s"),
    )
    yield claim(
        "questions save effort",
        "section IV-A, Table I",
        "Methods that do not ask need more mode changes and more input than the policy.",
        *(bar for other in (HO, HO_YIELDS, NO_QUESTIONS) for bar in _less(PAPER, other, cup, *effort)),
    )
    yield claim(
        "questions find the goal",
        "section IV-A, Table I",
        "Methods that do not ask end with a wrong belief more often than the policy.",
        *(bar for other in (HO, HO_YIELDS, NO_QUESTIONS) for bar in _more(PAPER, other, cup, "predicted")),
    )
    yield claim(
        "the HO action helps",
        "section IV-A, Table I",
        "Without the action HO the policy takes more time and input.",
        *_less(PAPER, NO_HO, cup, "time_s", "joystick_input"),
    )
    yield claim(
        "the policy is fastest",
        "section IV-A, Table I",
        "The policy is faster than a person alone, HO, and HO that lets go.",
        *(bar for other in (MANUAL, HO, HO_YIELDS) for bar in _less(PAPER, other, cup, "time_s")),
    )
    easy = _at(user, "S1", "chips can/side")
    yield claim(
        "alike on the easiest task",
        "section IV-B, Fig. 7",
        f"On the easiest task the policy does as well as HO and HO that lets go: at most {AS_GOOD_S:g} s slower.",
        *(
            Bar(measure="time_s", method=PAPER, than=each, where=easy, less=True, by=-AS_GOOD_S)
            for each in (HO, HO_YIELDS)
        ),
    )
    hard = [_at(user, *each) for each in HARD]
    yield claim(
        "letting go helps on hard tasks",
        "section IV-B, Fig. 7",
        "On the three hard tasks HO that lets go needs fewer mode changes and less input than HO.",
        *(bar for each in hard for bar in _less(HO_YIELDS, HO, each, *effort)),
    )
    yield claim(
        "the policy helps on hard tasks",
        "section IV-B, Fig. 7",
        "On the three hard tasks the policy needs fewer mode changes and less input than HO that lets go.",
        *(bar for each in hard for bar in _less(PAPER, HO_YIELDS, each, *effort)),
    )
    yield claim(
        "few questions",
        "section IV-B",
        f"On no task of the simulation are more than {MOST_QUESTIONS:g} questions asked on average.",
        *(
            Bar(measure="questions", method=PAPER, where=_at(user, name, task), less=True, by=MOST_QUESTIONS)
            for name in ("S1", "S2")
            for task in scene(name).tasks
        ),
    )


def _people(user: str) -> Iterator[Claim]:
    """Sections V and VI: what was found with people, as hypotheses."""
    bottle, spoon, cup = (_at(user, SIMPLE, each) for each in scene(SIMPLE).tasks)
    bowl, can, drill = (_at(user, COMPLEX, each) for each in scene(COMPLEX).tasks)

    def claim(key: str, source: str, text: str, *bars: Bar, of: tuple[str, str] | None = None) -> Claim:
        variance = Variance(measure=of[1], where=_at(user, of[0]), methods=ASKED) if of else None
        return Claim(key=key, source=source, text=text, bars=bars, family=Family.PAPER, user=user, variance=variance)

    yield claim(
        "H1, simple scene",
        "section V-D",
        "Asking saves time: on the task with two ways to grasp (the cup) the policy is faster than HO.",
        *_less(PAPER, HO, cup, "time_s"),
        of=(SIMPLE, "time_s"),
    )
    yield claim(
        "as fast as alone, simple scene",
        "section V-E",
        f"On every task the policy is as fast as HO and as a person alone: at most {AS_GOOD_S:g} s slower.",
        *(
            Bar(measure="time_s", method=PAPER, than=other, where=each, less=True, by=-AS_GOOD_S)
            for each in (bottle, spoon, cup)
            for other in (HO, MANUAL)
        ),
    )
    yield claim(
        "H2, mode changes, simple scene",
        "section V-D",
        "Asking saves effort: fewer mode changes than alone for the spoon, and than with HO for the cup.",
        *_less(PAPER, MANUAL, spoon, "mode_changes"),
        *_less(PAPER, HO, cup, "mode_changes"),
        of=(SIMPLE, "mode_changes"),
    )
    yield claim(
        "H2, input, simple scene",
        "section V-D",
        "Asking saves effort: less input than alone for spoon and cup, and than with HO for the cup.",
        *(bar for each in (spoon, cup) for bar in _less(PAPER, MANUAL, each, "joystick_input")),
        *_less(PAPER, HO, cup, "joystick_input"),
        of=(SIMPLE, "joystick_input"),
    )
    yield claim(
        "H3, opposition, simple scene",
        "section V-D",
        "On every task the policy opposes less than HO.",
        *(bar for each in (bottle, spoon, cup) for bar in _less(PAPER, HO, each, "opposing")),
    )
    yield claim(
        "H3, prediction, simple scene",
        "section V-D",
        "For spoon and cup the policy predicts the goal more often than HO.",
        *(bar for each in (spoon, cup) for bar in _more(PAPER, HO, each, "predicted")),
    )
    yield claim(
        "wrong help is worse than none",
        "section V-E",
        "For the cup HO takes more time and mode changes than a person alone.",
        *_more(HO, MANUAL, cup, "time_s", "mode_changes"),
    )
    yield claim(
        "H1, complex scene",
        "section VI-D (there: not supported)",
        "Asking saves time: the policy is faster than HO in the scene with 22 goals.",
        *_less(PAPER, HO, _at(user, COMPLEX), "time_s"),
        of=(COMPLEX, "time_s"),
    )
    yield claim(
        "H2, complex scene",
        "section VI-D",
        "Less input with the policy and with HO than alone; with the policy than with HO for can and drill.",
        *_less(PAPER, MANUAL, _at(user, COMPLEX), "joystick_input"),
        *_less(HO, MANUAL, _at(user, COMPLEX), "joystick_input"),
        *(bar for each in (can, drill) for bar in _less(PAPER, HO, each, "joystick_input")),
        of=(COMPLEX, "joystick_input"),
    )
    yield claim(
        "H3, opposition, complex scene",
        "section VI-D",
        "On every task the policy opposes less than HO.",
        *(bar for each in (bowl, can, drill) for bar in _less(PAPER, HO, each, "opposing")),
    )
    yield claim(
        "H3, prediction, complex scene",
        "section VI-D",
        "For bowl and drill the policy predicts the goal more often than HO.",
        *(bar for each in (bowl, drill) for bar in _more(PAPER, HO, each, "predicted")),
    )
    yield claim(
        "fewer failures, complex scene",
        "section VI-D",
        "With the policy more trials succeed than with HO.",
        *_more(PAPER, HO, _at(user, COMPLEX), "success"),
    )
    yield claim(
        "H5",
        "section VI-E",
        "With 22 goals the policy does not ask more than with 6: not more than "
        f"{NOT_MORE_QUESTIONS:g} questions per task more.",
        Bar(
            measure="questions",
            method=PAPER,
            where=_at(user, COMPLEX),
            elsewhere=_at(user, SIMPLE),
            less=True,
            by=-NOT_MORE_QUESTIONS,
        ),
    )


def _prototype() -> Iterator[Claim]:
    """What a prototype found, to be confirmed or refuted."""
    beside, over, first = Strategy
    cup = _at(beside, "S1", "cup/top")

    def claim(key: str, user: Strategy, text: str, *bars: Bar) -> Claim:
        return Claim(key=key, source="handup", text=text, bars=bars, family=Family.PROTOTYPE, user=str(user))

    yield claim(
        "prototype: the policy on an ambiguous task",
        beside,
        "Users who stop beside the cup grasp it from the top faster with the policy than with HO, all attempts "
        "counted.",
        *_less(PAPER, HO, cup, "total_s"),
    )
    for user in (over, first):
        yield claim(
            "prototype: slower than HO with others",
            user,
            "For users with another strategy the policy is slower than HO, over all tasks, all attempts counted.",
            *_more(PAPER, HO, _at(user, ""), "total_s"),
        )
    gentle = Where(part=GENTLE, user=str(beside))
    yield claim(
        "prototype: a gentle robot need not ask",
        beside,
        "At α = .2 letting go makes HO faster, and the policy with questions is at most 1 s faster than without.",
        *_less(HO_YIELDS, HO, gentle, "total_s"),
        Bar(measure="total_s", method=PAPER, than=NO_QUESTIONS, where=gentle, by=-AS_GOOD_S),
    )


def _ours() -> Iterator[Claim]:
    """The goal of `assist`, and `assist` against the paper's policy."""
    goal = Where(part=GOAL, scene=COMPLEX)

    def claim(key: str, text: str, *bars: Bar, family: Family = Family.GOAL) -> Claim:
        return Claim(key=key, source="handup", text=text, bars=bars, family=family)

    yield claim(
        "goal: success",
        f"At least {100 * SUCCESS:g} % of the trials succeed.",
        Bar(measure="success", method=OURS, where=goal, by=SUCCESS),
    )
    yield claim(
        "goal: time",
        f"At most {FASTER:g} × the time of a person alone, all attempts counted, and by the paper's rule.",
        *(
            Bar(measure=each, method=OURS, than=MANUAL, where=goal, less=True, by=0.0, times=FASTER)
            for each in ("total_s", "time_s")
        ),
    )
    yield claim(
        "goal: questions",
        f"At most {QUESTIONS:g} questions per task.",
        Bar(measure="questions", method=OURS, where=goal, less=True, by=QUESTIONS),
    )
    yield claim(
        "goal: opposing",
        f"At most {100 * OPPOSING:g} % of the time opposed.",
        Bar(measure="all_opposing", method=OURS, where=goal, less=True, by=OPPOSING),
    )
    yield claim(
        "goal: every task",
        "On no task slower than a person alone: the whole interval is on the right side.",
        *(
            Bar(
                measure="total_s",
                method=OURS,
                than=MANUAL,
                where=Where(part=GOAL, scene=COMPLEX, task=task),
                less=True,
                by=0.0,
            )
            for task in scene(COMPLEX).tasks
        ),
    )
    for name in SCENES:
        where = _at(MIXED, name)
        for key, text, bar in (
            ("success", f"assist {NO_MORE_FAILURES}", ("success", False, -FAILS_AS_OFTEN)),
            ("time", "assist is faster than the paper's policy, all attempts counted", ("total_s", True, None)),
            ("opposition", "assist opposes less than the paper's policy", ("all_opposing", True, None)),
            ("questions", "assist asks less than the paper's policy", ("questions", True, None)),
        ):
            measure, less, by = bar
            yield claim(
                f"against the paper's policy: {key}, {name}",
                f"In {name}, over mixed users, {text}.",
                Bar(measure=measure, method=OURS, than=PAPER, where=where, less=less, by=by),
                family=Family.VERSUS,
            )


def _look_ahead() -> Iterator[Claim]:
    """What another T, which the paper does not give, would change; and `assist` against the policy at its best T."""
    where = Where(part=LOOK_AHEAD)
    preset = of_look_ahead(PRESET_S)

    def claim(key: str, text: str, *bars: Bar) -> Claim:
        return Claim(key=key, source="handup", text=text, bars=bars, family=Family.LOOK_AHEAD)

    for seconds in LONGER_S:
        policy = of_look_ahead(seconds)
        yield claim(
            f"T = {seconds:g} s: asks more",
            f"With T = {seconds:g} s the paper's policy asks more than with T = {PRESET_S:g} s.",
            *_more(policy, preset, where, "questions"),
        )
        for key, than, words in (
            (f"faster than with T = {PRESET_S:g} s", preset, f"than with T = {PRESET_S:g} s"),
            ("faster than alone", MANUAL, "than a person alone"),
            ("faster than HO", HO, "than HO"),
        ):
            yield claim(
                f"T = {seconds:g} s: {key}",
                f"With T = {seconds:g} s the paper's policy is faster {words}, all attempts counted.",
                *_less(policy, than, where, "total_s"),
            )
    every = tuple(map(of_look_ahead, LOOK_AHEADS_S))
    yield claim(
        "best T: time",
        "assist is faster than the paper's policy whatever its T, all attempts counted.",
        *(bar for each in every for bar in _less(OURS, each, where, "total_s")),
    )
    yield claim(
        "best T: success",
        f"assist {NO_MORE_FAILURES}, whatever its T.",
        *(Bar(measure="success", method=OURS, than=each, where=where, by=-FAILS_AS_OFTEN) for each in every),
    )


CLAIMS: tuple[Claim, ...] = (
    *(claim for user in Strategy for part in (_simulation, _people) for claim in part(str(user))),
    *_prototype(),
    *_ours(),
    *_look_ahead(),
)
