"""Random recipes and recoveries, from a number: made without hypothesis's own trees, which are slow to draw."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from handup.core import ResumeHint
from handup.executive.recipe import Recipe, Recipes, Step
from handup.executive.recovery import Branch, Recovery
from tests.executive.making import action, branch, choice, loop, op, recipe, recipes, rule, task

ACTIONS = ("look", "drive", "grasp")
TASKS = ("main", "fill", "pick", "see")
CODES = ("slip", "no_plan", "lost")
CALM = ("var.n < 2", "true", "false", "var.n % 2 == 0", "params.x > 3")
CONDITIONS = (*CALM, "aborts < 2", "beliefs.dark")
RULE_CONDITIONS = (
    *(None, "tried.ok", "failure.aborts > 1"),
    *("beliefs.dark", "failure.code == 'slip'", "tried.nothing > 1"),
)
PATTERNS = (
    *("**", "**/grasp", "main/**", "**/pick/*", "**/fill/pick"),
    *("**/see/**", "main", "**/recovery:r0/*", "**/watch", "**/outputs"),
)


def a_step(chance: Random, below: tuple[str, ...], *, calm: bool, deep: int = 0) -> Step:
    """A step that may call the tasks `below`."""
    if deep < 2 and chance.random() < 0.25:
        some = [a_step(chance, below, calm=calm, deep=deep + 1) for _ in range(chance.randint(1, 3))]
        condition = chance.choice(CALM if calm else CONDITIONS)
        if chance.random() < 0.5:
            return loop(condition, *some, most=chance.randint(1, 3))
        cut = chance.randint(0, len(some))
        return choice(condition, some[:cut], some[cut:])
    if below and chance.random() < 0.4:
        return task(chance.choice(below), x="params.x")
    if not calm and chance.random() < 0.15:
        return chance.choice(
            [
                op("abort", code="lost"),
                op("check_value", value="var.n", equals=1),
                op("increment", name="n"),
                op("assign", ["n"], value="database.nothing"),
            ]
        )
    name = chance.choice(ACTIONS)
    plain: list[Step] = [
        action(name),
        action(name, ["n"], x="params.x"),
        op("assign", ["n"], value=chance.randint(0, 3)),
    ]
    return chance.choice(plain)


def _recipes(seed: int, *, calm: bool) -> Recipes:
    """Tasks of which each may call the later ones."""
    chance = Random(seed)
    made: list[Recipe] = []
    for index, name in enumerate(TASKS):
        body = [a_step(chance, TASKS[index + 1 :], calm=calm) for _ in range(chance.randint(1, 4))]
        if calm:
            body = [op("assign", ["n"], value=0), *body]
        outputs = ["n"] if not calm and chance.random() < 0.3 else []
        made.append(recipe(name, *body, params=["x"], var=outputs))
    return recipes(*made)


def _branch(chance: Random) -> Branch:
    steps = [a_step(chance, ("see",), calm=False) for _ in range(chance.randint(0, 2))]
    level = chance.choice([None, None, None, *TASKS, "nowhere", "recovery:r0"])
    return branch(chance.choice(RULE_CONDITIONS), *steps, resume=chance.choice(list(ResumeHint)), level=level)


def _rules(seed: int) -> list[Recovery]:
    chance = Random(seed)
    made = []
    for index in range(chance.randint(0, 6)):
        least = chance.randint(1, 3)
        made.append(
            rule(
                f"r{index}",
                chance.choice(PATTERNS),
                codes=chance.choice([(), (), ("slip",), ("lost", "no_plan")]),
                least=least,
                most=chance.choice([None, least, least + 1]),
                belief=chance.choice([None, None, "beliefs.dark", "not beliefs.dark"]),
                attempt=[a_step(chance, ("see",), calm=False) for _ in range(chance.randint(0, 1))],
                branches=[_branch(chance) for _ in range(chance.randint(1, 3))],
                limit=chance.randint(1, 4),
                helps=chance.choice([None, None, "failure.aborts < 4"]),
            )
        )
    return made


SEEDS = st.integers(0, 2**32)


def some_recipes(*, calm: bool = False) -> st.SearchStrategy[Recipes]:
    """Tasks that may fail in every way; calm ones cannot, unless an action does."""
    return SEEDS.map(lambda seed: _recipes(seed, calm=calm))


def some_rules() -> st.SearchStrategy[list[Recovery]]:
    """Rules of every kind, sensible or not."""
    return SEEDS.map(_rules)
