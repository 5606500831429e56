"""The study of reaching: its parts. What is claimed of them stands in `claims`; both were written before it was run."""

from __future__ import annotations

from handup.domains.reaching import Strategy, scenes
from handup.lab.reaching.definition import ALL_METHODS, LOOK_AHEADS_S, MIXED, Part, ReachingStudy, of_look_ahead

NAME = "reaching"
OURS, PAPER, MANUAL, HO, HO_YIELDS = "assist", "paper", "manual", "ho", "ho+no-assist"
NO_QUESTIONS, ALWAYS_HELPS, NO_HO = "paper+no-questions", "paper+without-no-assist", "paper+no-ho"
ALL, GOAL, LOOK_AHEAD, GENTLE = "all", "goal", "look-ahead", "gentle"
SCENES = tuple(scenes())
COMPLEX = "U22"
GENTLE_ALPHA = 0.2

REACHING = ReachingStudy(
    name=NAME,
    title="Reaching: who helps whom",
    figure="Tables I, II; Figs 4, 6, 7, 9a, 12a, 14",
    question="Who grasps what they want, how fast and against how much of the robot: alone, helped, or asked?",
    parts=(
        Part(
            name=ALL,
            about="all scenes, users and methods",
            scenes=SCENES,
            methods=ALL_METHODS,
            seeds=50,
            quick=2,
            first_seed=0,
        ),
        Part(
            name=GOAL,
            about="what assist was built for: U22, users mixed, 5 % wrong answers, 10 % missing poses",
            scenes=(COMPLEX,),
            methods=(OURS, PAPER, MANUAL),
            users=(MIXED,),
            seeds=195,
            quick=12,
            first_seed=200,
        ),
        Part(
            name=LOOK_AHEAD,
            about="the paper's policy with other look-aheads T, beside a person alone, HO and assist",
            scenes=SCENES,
            methods=(MANUAL, HO, OURS, *map(of_look_ahead, LOOK_AHEADS_S)),
            users=(MIXED,),
            seeds=51,
            quick=2,
            first_seed=600,
        ),
        Part(
            name=GENTLE,
            about=f"a robot that adds less: α = {GENTLE_ALPHA:g}",
            scenes=SCENES,
            methods=(MANUAL, HO, HO_YIELDS, NO_QUESTIONS, PAPER),
            users=(str(Strategy.STOP_BESIDE),),
            seeds=50,
            quick=2,
            first_seed=700,
            alpha=GENTLE_ALPHA,
        ),
    ),
)
