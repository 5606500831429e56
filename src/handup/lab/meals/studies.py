"""The studies of meals by name, with the core paper's claims of section 8 and our own bars."""

from __future__ import annotations

from collections.abc import Mapping

from handup.core import BadSetting
from handup.lab.meals.claim import Bar, Claim, Part
from handup.lab.meals.definition import Arm, MealStudy
from handup.people import Care

NEVER, ALWAYS, PAIR = "never+query-then-execute", "topo+query-for-all", "graph+workload-aware"
CONFIDENCE, TROUBLESHOOT = "confidence+workload-aware", "troubleshoot"
NOT_ASKED = "Simulated people have no opinion: nobody was asked. The same protocol with real participants can tell."


def _not_asked(name: str, source: str, text: str) -> Claim:
    return Claim(name=name, source=source, text=text, untold=NOT_ASKED)


def _baselines(section: str) -> tuple[Claim, ...]:
    """The paper's pair between never and always."""
    return (
        Claim(
            name="success over never",
            source=section,
            text="The paper's pair has a higher task success than never asking.",
            bars=(Bar(measure="bites", arm=PAIR, than=NEVER),),
        ),
        Claim(
            name="fewer questions than always",
            source=section,
            text="The paper's pair is more efficient than always asking: it asks fewer questions.",
            bars=(Bar(measure="queries", arm=PAIR, than=ALWAYS, less=True),),
        ),
        Claim(
            name="less workload than always",
            source=section,
            text="The paper's pair burdens people less than always asking. (The paper: ratings of mental and physical "
            "demand; here: the workload model.)",
            bars=(Bar(measure="workload", arm=PAIR, than=ALWAYS, less=True),),
        ),
    )


def _ours() -> tuple[Claim, ...]:
    """What the product promises of its own method."""
    return (
        Claim(
            name="troubleshoot: nearly all of always",
            source="handup",
            text="troubleshoot gets at most 0.2 bites of five less than always asking.",
            bars=(Bar(measure="bites", arm=TROUBLESHOOT, than=ALWAYS, by=-0.2),),
        ),
        Claim(
            name="troubleshoot: half the questions",
            source="handup",
            text="troubleshoot asks at most half of the questions of always asking.",
            bars=(Bar(measure="queries", arm=TROUBLESHOOT, than=ALWAYS, less=True, share=0.5),),
        ),
        Claim(
            name="troubleshoot: well above never",
            source="handup",
            text="troubleshoot gets well above never asking: half a bite of five or more.",
            bars=(Bar(measure="bites", arm=TROUBLESHOOT, than=NEVER, by=0.5),),
        ),
    )


def _against(other: str, called: str) -> tuple[Claim, ...]:
    """Our method beside another one of the same confidences."""
    return (
        Claim(
            name=f"troubleshoot: more bites than {called}",
            source="handup",
            text=f"troubleshoot gets more bites than {called}.",
            bars=(Bar(measure="bites", arm=TROUBLESHOOT, than=other),),
        ),
        Claim(
            name=f"troubleshoot: a lower J than {called}",
            source="handup",
            text=f"troubleshoot has a lower J than {called}, as meals really went.",
            bars=(Bar(measure="J_true", arm=TROUBLESHOOT, than=other, less=True),),
        ),
    )


METHODS = MealStudy(
    name="meal-methods",
    title="Meals: when to ask",
    figure="Fig. 6 b",
    question="Who gets the most bites for the fewest questions: never or always asking, the paper's pair, or ours?",
    arms=tuple(Arm(method=each) for each in (NEVER, ALWAYS, PAIR, TROUBLESHOOT)),
    plates=("savory salad", "thanksgiving"),
    first_seed=300_000,
    claims=(
        *_baselines("section 8.1"),
        _not_asked("subjective success", "section 8.1", "People find the pair more successful than never asking."),
        _not_asked("satisfaction", "section 8.1", "People are the most satisfied with the paper's pair."),
        *_ours(),
        *_against(PAIR, "the paper's pair"),
    ),
)
HETEROGENEITY = MealStudy(
    name="meal-heterogeneity",
    title="Meals with a faulty food detector",
    figure="Fig. 6 d",
    question="Where a module is mostly wrong and does not say so, does it help to look at more than confidences?",
    arms=tuple(Arm(method=each) for each in (NEVER, ALWAYS, CONFIDENCE, PAIR, TROUBLESHOOT)),
    plates=("savory salad", "savory salad"),
    first_seed=310_000,
    faulty=True,
    claims=(
        Claim(
            name="performance over confidence-only",
            source="section 8.2",
            text="The paper's pair has a higher task performance than asking by confidence alone.",
            bars=(Bar(measure="bites", arm=PAIR, than=CONFIDENCE),),
        ),
        Claim(
            name="less workload than confidence-only",
            source="section 8.2",
            text="The paper's pair burdens people less than asking by confidence alone. (The paper: ratings; here: the "
            "workload model.)",
            bars=(Bar(measure="workload", arm=PAIR, than=CONFIDENCE, less=True),),
        ),
        _not_asked(
            "satisfaction", "section 8.2", "People are more satisfied with the pair than with confidence alone."
        ),
        *_ours(),
        *_against(CONFIDENCE, "asking by confidence alone"),
        *_against(PAIR, "the paper's pair"),
    ),
)
HOME = MealStudy(
    name="meal-home",
    title="Meals at home: the mixed salad",
    figure="Fig. 6 f",
    question="Does the order of the methods stay the same on a plate of more kinds of food?",
    arms=METHODS.arms,
    plates=("mixed salad", "mixed salad"),
    first_seed=320_000,
    claims=(
        *_baselines("section 8.3"),
        _not_asked("subjective success", "section 8.3", "People find the pair more successful than never asking."),
        _not_asked("satisfaction", "section 8.3", "People are the most satisfied with the paper's pair."),
        *_ours(),
        *_against(PAIR, "the paper's pair"),
    ),
)
SAME_MENU = ("savory salad", "thanksgiving") * 3 + ("savory salad",)
NEW_MENU = (*SAME_MENU[:3], *("mixed salad", "noodles") * 2)
FORGETS, REMEMBERS = "forgets, same menu", "remembers, same menu"
FORGETS_NEW, REMEMBERS_NEW = "forgets, new menu", "remembers, new menu"
CHANGED = Part(meals=(4, 5, 6, 7))
"""The days of the new menu."""
NO_LOSS = -0.1
"""Bites of five that a meal may be short of, at most: one bite in ten meals."""
MEMORY = MealStudy(
    name="meal-memory",
    title="A week of meals with a memory",
    figure="—",
    question="Does a robot that remembers what it was told ask less from day to day, and still get its bites?",
    arms=(
        Arm(method=TROUBLESHOOT, short=FORGETS),
        Arm(method=TROUBLESHOOT, short=REMEMBERS, memory=True),
        Arm(method=TROUBLESHOOT, short=FORGETS_NEW, plates=NEW_MENU),
        Arm(method=TROUBLESHOOT, short=REMEMBERS_NEW, memory=True, plates=NEW_MENU),
    ),
    plates=SAME_MENU,
    first_seed=330_000,
    home=True,
    claims=(
        Claim(
            name="memory: questions fall by 40 %",
            source="handup",
            text="Over a week of the same menu a robot that remembers asks at most 0.6 times the questions.",
            bars=(Bar(measure="queries", arm=REMEMBERS, than=FORGETS, less=True, share=0.6),),
        ),
        Claim(
            name="memory: no loss of bites",
            source="handup",
            text="Over a week of the same menu it gets at most 0.1 bites of five less.",
            bars=(Bar(measure="bites", arm=REMEMBERS, than=FORGETS, by=NO_LOSS),),
        ),
        Claim(
            name="memory: no loss on the first day",
            source="handup",
            text="On the first day, when it knows nothing yet but what it is told at that meal, it gets at most 0.1 "
            "bites of five less.",
            bars=(Bar(measure="bites", arm=REMEMBERS, than=FORGETS, by=NO_LOSS, part=Part(meals=(1,))),),
        ),
        Claim(
            name="memory: a new menu does not poison",
            source="handup",
            text="When the menu has changed (days 4 to 7), what it remembers of the old one costs at most 0.1 bites of "
            "five.",
            bars=(Bar(measure="bites", arm=REMEMBERS_NEW, than=FORGETS_NEW, by=NO_LOSS, part=CHANGED),),
        ),
        Claim(
            name="memory: fewer questions with a new menu",
            source="handup",
            text="It asks less on the days of the new menu, too.",
            bars=(Bar(measure="queries", arm=REMEMBERS_NEW, than=FORGETS_NEW, less=True, part=CHANGED),),
        ),
        Claim(
            name="memory: people who err",
            source="handup",
            text="With hurried people, whose answers are wrong one time in five and are remembered all the same, it "
            "gets at most 0.1 bites of five less.",
            bars=(Bar(measure="bites", arm=REMEMBERS, than=FORGETS, by=NO_LOSS, part=Part(care=Care.HURRIED)),),
        ),
    ),
)
STUDIES: Mapping[str, MealStudy] = {each.name: each for each in (METHODS, HETEROGENEITY, HOME, MEMORY)}
"""By name, in the order of `handup study list`."""


def meal_study(name: str) -> MealStudy:
    """The study of this name.

    Raises:
        BadSetting: There is none.
    """
    found = STUDIES.get(name)
    if found is None:
        raise BadSetting(f"there is no study of meals '{name}'", hint=f"Choose among: {', '.join(STUDIES)}.")
    return found
