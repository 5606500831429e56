"""The studies of meals by name, with the core paper's claims of section 8 and our own bars."""

from __future__ import annotations

from collections.abc import Mapping

from handup.core import BadSetting
from handup.lab.meals.claim import Bar, Claim
from handup.lab.meals.definition import Arm, MealStudy

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
STUDIES: Mapping[str, MealStudy] = {each.name: each for each in (METHODS, HETEROGENEITY, HOME)}
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
