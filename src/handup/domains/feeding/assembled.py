"""Your own models in the places of the four networks: `assemble` puts them together, `check_modules` inspects them.

A function, an object with the right method, a vision model at an endpoint (`NamesByEndpoint`, `ChoosesByEndpoint`) or a
detector of `handup.models` may take a place.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from handup.core import BadSetting, Box, ContractViolation, Malformed, MissingSetting, UnknownName, WrongSize
from handup.core.checks import MAX_NAME, MAX_OPTIONS, check_list, check_name, check_number, shown
from handup.domains.feeding.crops import HEIGHT, WIDTH
from handup.domains.feeding.module_outputs import (
    Aimed,
    Aims,
    ChoosesSkill,
    Chosen,
    FeedingModules,
    FindsBoxes,
    Found,
    NamedFood,
    NamesFood,
    Picture,
)
from handup.domains.feeding.questions import HOW, bare
from handup.domains.feeding.skills import Params, Skill
from handup.models import Endpoint, Inspection, Model, OnnxDetector, Output, Violation, around
from handup.models.endpoint import lettered

Part = Callable[..., object]
MOST_PASSES = 1024
ANYWHERE = Box(left=0.4, top=0.4, right=0.6, bottom=0.6)
"""Box for M3 and M4 in a check where M2 finds none: they have to say something of any."""
RULES = "You choose for a robot that feeds a person. Answer with one letter and nothing else."
WHICH_FOOD = "Which one of these foods on the plate should the robot take next, the one that is seen best?"
WHICH_SKILL = "The picture is said to show the food {}. With which skill does a fork pick it up best?"


@dataclass(frozen=True, kw_only=True)
class Assembled:
    """Modules made of four parts. Make them with `assemble`.

    What a part gives is checked each time, so a wrong shape is an error that names the part, and never a wrong motion.

    Args:
        foods: Foods that M1 can name.
        networks: Id of the models. A meal that was begun with others does not go on with these.
        models: Part in each place.
    """

    foods: tuple[str, ...]
    networks: str
    models: Mapping[str, Model]

    def name(self, rgb: Picture) -> NamedFood:
        """Return M1's output: the food to take next.

        Raises:
            ContractViolation: Its part gave no such answer; so for the other three.
        """
        return _named(self.models["name"], self.models["name"].call(rgb))

    def find(self, rgb: Picture, label: str) -> Found:
        """Return M2's output: the boxes of a food."""
        return _found(self.models["find"], self.models["find"].call(rgb, label))

    def choose(self, rgb: Picture, label: str, box: Box) -> Chosen:
        """Return M3's output: the skill that suits what is in a box."""
        return _chosen(self.models["choose"], self.models["choose"].call(rgb, label, box))

    def aim(self, rgb: Picture, box: Box, skill: Skill, *, seed: int) -> Aimed:
        """Return M4's output: the four numbers of a skill."""
        return _aimed(self.models["aim"], self.models["aim"].call(rgb, box, skill, seed=seed))


def assemble(
    base: FeedingModules | None = None,
    *,
    name: NamesFood | Part | None = None,
    find: FindsBoxes | OnnxDetector | Part | None = None,
    choose: ChoosesSkill | Part | None = None,
    aim: Aims | Part | None = None,
    foods: Iterable[str] | None = None,
    version: str = "",
) -> Assembled:
    """Put four parts together. Each is an object with the method of its place, or a function that is called like it.

    Objects may say which `foods` they know (a model of `handup.models`: `labels`) and, as `networks` or `digest`, which
    model they are; functions cannot, so say with `version` which ones these are, and change it when they change.

    Args:
        base: Modules for every place that is not given; `Modules.load()` for the shipped networks.
        name: M1: `name(rgb)`.
        find: M2: `find(rgb, label)`.
        choose: M3: `choose(rgb, label, box)`.
        aim: M4: `aim(rgb, box, skill, seed=…)`.
        foods: Foods that M1 can name, at least two; M1's own list, or that of `base`, if None.
        version: Version of what cannot say so itself.

    Raises:
        BadSetting: A place is empty, a part cannot be called, or a later one does not know a food that M1 can name.
    """
    parts: dict[str, object] = {"name": name, "find": find, "choose": choose, "aim": aim}
    parts = {place: base if part is None else part for place, part in parts.items()}
    calls = {place: _callable(place, part) for place, part in parts.items()}
    labels = _labels(foods if foods is not None else _own(parts["name"]) or _own(base) or ())
    who = {place: f"{MODULES[place]} ({place}, by {own})" for place, (_, own) in calls.items()}
    models = {place: _model(place, call, who[place], labels) for place, (call, _) in calls.items()}
    for place in ("find", "choose"):
        known = _own(parts[place])
        missing = [] if known is None else [label for label in labels if label not in known]
        if missing:
            raise UnknownName(f"{who[place]} knows no '{missing[0]}'", hint="Give as foods only what all parts know.")
    return Assembled(foods=labels, networks=_networks(parts, version), models=models)


def _callable(place: str, part: object) -> tuple[Part, str]:
    """Return the function to call, and its name for messages."""
    if part is None:
        raise MissingSetting(
            f"'{place}' must have a part or a base, got neither",
            hint=f"Give {place}=…, or a base such as Modules.load().",
        )
    method = getattr(part, place, None)
    if callable(method):
        return method, type(part).__name__
    if callable(part):
        return part, str(getattr(part, "__name__", type(part).__name__))
    raise Malformed(f"{shown(part)} cannot {place}", hint=f"Give a function, or an object with a method '{place}'.")


def _own(part: object) -> tuple[str, ...] | None:
    """Return the foods that a part says it knows."""
    known = getattr(part, "foods", getattr(part, "labels", None))
    return tuple(known) if isinstance(known, (tuple, list)) else None


def _labels(known: Iterable[str]) -> tuple[str, ...]:
    labels = tuple(
        check_name("a food", label, MAX_NAME, error=BadSetting)
        for label in check_list("foods", known, MAX_OPTIONS, error=BadSetting)
    )
    if len(set(labels)) < max(len(labels), 2):
        hint = "Write for example foods=('peas', 'rice')."
        raise WrongSize.of("foods", shown(labels), "be at least two, each once", hint=hint)
    return labels


def _networks(parts: Mapping[str, object], version: str) -> str:
    """Return the id of these models; of parts that all come from one, the id of that one."""
    own = [str(getattr(part, "networks", "") or getattr(part, "digest", "") or version) for part in parts.values()]
    if len({id(part) for part in parts.values()}) == 1:
        return own[0]
    lines = "\n".join(f"{place}={digest}" for place, digest in zip(parts, own, strict=True))
    return hashlib.sha256(lines.encode()).hexdigest()[:16]


# -- the contract of the four places -----------------------------------------------------------------------------------

MODULES = {"name": "M1", "find": "M2", "choose": "M3", "aim": "M4"}
EXPECTED = {
    "name": "Give a Named, or a mapping of foods to scores from 0 to 1; foods left out get 0.",
    "find": "Give a Found, or pairs of a box (left, top, right, bottom in shares of the picture) and a score.",
    "choose": "Give a Chosen, or a mapping of skills to probabilities that add up to 1; skills left out get 0.",
    "aim": "Give an Aimed, or at least two passes of x1, y1, x2, y2 in shares of the picture.",
}


def _model(place: str, call: Part, who: str, foods: tuple[str, ...]) -> Model:
    module = {"name": "food", "find": "box", "choose": "skill", "aim": "params"}[place]
    question = bare(module, foods)
    return Model(call=call, question=question, name=who, adds_up=place == "choose", expected=EXPECTED[place])


def _named(model: Model, answer: object) -> NamedFood:
    """Return M1's output: a score for every food, the highest first."""
    if not isinstance(answer, NamedFood):
        scores = _scores(model, answer)
        return NamedFood(next(iter(scores)), scores)
    return NamedFood(answer.label, _scores(model, answer.scores, answer.label), answer.recalled)


def _found(model: Model, answer: object) -> Found:
    """Return M2's output: boxes, the best first."""
    output = model.read(Output(answer.boxes, answer.scores) if isinstance(answer, Found) else answer)
    recalled = answer.recalled if isinstance(answer, Found) else None
    return Found(tuple(box for box in output.values if isinstance(box, Box)), output.scores, recalled)


def _chosen(model: Model, answer: object) -> Chosen:
    """Return M3's output: a probability for every skill, the highest first."""
    if isinstance(answer, Chosen):
        scores, recalled = _scores(model, answer.scores, str(answer.skill)), answer.recalled
    else:
        scores, recalled = _scores(model, answer), None
    ranked = {Skill(skill): score for skill, score in scores.items()}
    return Chosen(next(iter(ranked)), ranked, recalled)


def _scores(model: Model, answer: object, best: str | None = None) -> dict[str, float]:
    """Return every option's score, the highest first; of equal ones the one that was said to be the best."""
    output = model.read(answer)
    scores = _by_option(output)
    if best is None:
        return scores
    if scores.get(best, -1.0) < output.score:
        model.refuse(f"says {shown(best)}, which has not the highest score")
    return {best: scores[best], **scores}


def _by_option(output: Output) -> dict[str, float]:
    return {str(option): score for option, score in zip(output.values, output.scores, strict=True)}


def _aimed(model: Model, answer: object) -> Aimed:
    """Return M4's output. Of passes the mean and the spread are computed as the shipped network's are.

    One pass has no spread, and so would pass for being quite sure: at least two are needed.
    """
    if isinstance(answer, Aimed):
        try:
            variance = check_number("a variance", answer.variance, error=BadSetting)
        except BadSetting as error:
            model.refuse(f"is wrong: {error.cause}")
        if variance < 0.0:
            model.refuse(f"gives a variance of {variance:g}")
        if not isinstance(answer.params, Params):
            model.refuse(f"gives {shown(answer.params)} for parameters")
        return answer
    passes = model.listed(answer, MOST_PASSES)
    try:
        rows = [Params.of(row if isinstance(row, Params) else model.listed(row, 4)) for row in passes]
    except BadSetting as error:
        model.refuse(f"gives a pass that is none: {error.cause}")
    if len(rows) < 2:
        model.refuse(f"gives {len(rows)} passes")
    points = np.array([row.numbers for row in rows]).reshape(len(rows), 2, 2)
    middles = points.mean(axis=1) * np.array([1.0, HEIGHT / WIDTH])
    mean = Params.within(points.mean(axis=0).ravel().tolist())
    return Aimed(params=mean, variance=float(middles.var(axis=0).sum()), passes=tuple(rows))


READ: dict[str, tuple[type, Callable[[Model, Any], NamedFood | Found | Chosen | Aimed]]] = {
    "name": (NamedFood, _named),
    "find": (Found, _found),
    "choose": (Chosen, _chosen),
    "aim": (Aimed, _aimed),
}


def check_modules(modules: object, picture: Picture) -> None:
    """Run modules through the contract that the shipped ones keep, on a picture of a plate.

    Costs some calls: M1 once, M2 once for every food, M3 once, M4 five times. Mind that where a call costs money.

    Args:
        modules: All four modules, such as `assemble` makes.
        picture: Picture of the kind that they will see.

    Raises:
        ContractViolation: Naming every violation; `violations` gives them one by one.
    """
    _inspected(modules, picture).end(f"{type(modules).__name__} breaks the contract of the four modules")


def violations(modules: object, picture: Picture) -> tuple[Violation, ...]:
    """Return every breach of the contract; none where modules keep it. See `check_modules`."""
    return tuple(_inspected(modules, picture).violations)


def _inspected(modules: object, picture: Picture) -> Inspection:
    inspection, foods = Inspection(), getattr(modules, "foods", None)
    if not isinstance(foods, tuple) or not all(isinstance(food, str) and food.strip() for food in foods):
        foods = ()
    if len(set(foods)) < max(len(foods), 2):
        inspection.add("all", "have no foods", "Give 'foods', a tuple of two or more labels, each once.")
        foods = ()
    missing = [place for place in MODULES if not callable(getattr(modules, place, None))]
    for place in missing:
        hint = f"Add it; the protocol is in seeing.py. {EXPECTED[place]}"
        inspection.add(MODULES[place], f"has no method '{place}'", hint)
    if not foods or missing:
        return inspection

    def ask(place: str, *inputs: object, **settings: object) -> Any:
        model = _model(place, getattr(modules, place), MODULES[place], foods)
        return inspection.told(model, partial(_record, place, model), picture, *inputs, **settings)

    named = ask("name")
    label = foods[0] if named is None else named.label
    finding = {food: ask("find", food) for food in foods}[label]
    box = finding.boxes[0] if finding is not None and finding.boxes else ANYWHERE
    ask("choose", label, box)
    for skill in Skill:
        ask("aim", box, skill, seed=0)
    first, again = (ask("aim", box, Skill.SKEWER, seed=7) for _ in range(2))
    if first is not None and again is not None and first != again:
        inspection.add("M4", "says two things with one seed", "Draw from np.random.default_rng(seed) only.")
    return inspection


def _record(place: str, model: Model, answer: object) -> NamedFood | Found | Chosen | Aimed:
    """Read a record that is already as it should be."""
    kind, read = READ[place]
    if not isinstance(answer, kind):
        raise ContractViolation(
            f"{model.name} gives a {type(answer).__name__}", hint=f"Give a {kind.__name__}, or use assemble."
        )
    record = read(model, answer)
    if record != answer or list(getattr(record, "scores", ())) != list(getattr(answer, "scores", ())):
        raise ContractViolation(
            f"{model.name} leaves options out, or has not the best first", hint="Score every option, the best first."
        )
    return record


# -- a vision model at an endpoint -------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class NamesByEndpoint:
    """M1: a vision model that names the food to take next, as `Endpoint.choose` asks it. The whole plate is sent to it.

    Args:
        endpoint: Endpoint of the model.
        foods: Foods that may be named, 2 to 20.
        more: Further fields of the request, as for `Endpoint.choose`.

    Raises:
        BadSetting: A food is no name, one stands there twice, or there are too many.
    """

    endpoint: Endpoint
    foods: tuple[str, ...]
    more: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "foods", tuple(lettered(_labels(self.foods)).values()))

    @property
    def networks(self) -> str:
        """Id of this model: its server's and its own name and what it is asked; its weights cannot be seen."""
        return self.endpoint.digest(WHICH_FOOD, rules=RULES, more=self.more)

    def name(self, rgb: Picture) -> NamedFood:
        """Choose the food to take next, from a picture of the whole plate.

        Raises:
            HandupError: As `Endpoint.choose` does.
        """
        scores = _by_option(self.endpoint.choose(rgb, WHICH_FOOD, self.foods, rules=RULES, more=self.more))
        return NamedFood(next(iter(scores)), scores)


@dataclass(frozen=True, kw_only=True)
class ChoosesByEndpoint:
    """M3: a vision model that chooses a skill for what is in a box. Only the box and a little around it is sent.

    Args:
        endpoint: Endpoint of the model.
        more: As for `NamesByEndpoint`.
    """

    endpoint: Endpoint
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def networks(self) -> str:
        """Id of this model, as for `NamesByEndpoint`."""
        return self.endpoint.digest(WHICH_SKILL, rules=RULES, more=self.more)

    def choose(self, rgb: Picture, label: str, box: Box) -> Chosen:
        """Choose a skill for what is in a box, said to be this food.

        Raises:
            HandupError: As `Endpoint.choose` does; BadSetting for a label that is no name.
        """
        food = json.dumps(check_name("a food", label, MAX_NAME, error=BadSetting), ensure_ascii=False)
        skills = {f"{skill}: {HOW[skill]}": skill for skill in Skill}
        asked, seen = WHICH_SKILL.format(food), around(rgb, box)
        scores = _by_option(self.endpoint.choose(seen, asked, tuple(skills), rules=RULES, more=self.more))
        ranked = {skills[option]: score for option, score in scores.items()}
        return Chosen(next(iter(ranked)), ranked)
