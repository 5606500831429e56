"""M1 and M3 from a vision model at an endpoint: labels and skills, with probabilities from log-probabilities."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from handup.core import BadSetting, Box
from handup.core.checks import check_name
from handup.core.kinds import MAX_NAME
from handup.domains.feeding.adapters.endpoint import Endpoint
from handup.domains.feeding.adapters.options import MOST_OPTIONS, Scores, first_token, lettered, probabilities
from handup.domains.feeding.drawing import pillow
from handup.domains.feeding.questions import HOW
from handup.domains.feeding.seeing import Chosen, Named, Picture
from handup.domains.feeding.skills import Skill

MOST_PX = 1024
"""The longer side of a picture that is sent; a larger one is made smaller first."""
MARGIN = 0.25
"""So much of a box's longer side is shown around it to M3."""
RULES = "You choose for a robot that feeds a person. Answer with one letter and nothing else."
WHICH_FOOD = "Which one of these foods on the plate should the robot take next, the one that is seen best?"
WHICH_SKILL = "The picture is said to show the food {}. With which skill does a fork pick it up best?"


@dataclass(frozen=True, kw_only=True)
class NamesByEndpoint:
    """M1: a vision model that names the food to take next.

    The picture of the plate is sent to the endpoint: know whose machine that is, and who agreed to it. Probabilities
    add up to 1 over the foods; see `options.py` for how they come about. Calibrate them.

    Args:
        endpoint: Where the model is.
        foods: What may be named, 2 to 20.
        more: Further fields of the request; None takes one of ours out. OpenAI's newer models want
            `{"max_tokens": None, "max_completion_tokens": 1}`.

    Raises:
        BadSetting: Foods that are none, too many of them, or one twice.
    """

    endpoint: Endpoint
    foods: tuple[str, ...]
    more: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        foods = tuple(check_name("a food", each, MAX_NAME, error=BadSetting) for each in self.foods)
        if len(set(foods)) < len(foods):
            raise BadSetting("a food is there twice", hint="Give each once.")
        lettered(foods)
        object.__setattr__(self, "foods", foods)

    @property
    def networks(self) -> str:
        """Which model this is: by its server's and its own name and what it is asked; its weights cannot be seen."""
        return _named(self.endpoint, WHICH_FOOD, self.more)

    def name(self, rgb: Picture) -> Named:
        """Which food to take next, from a picture of the whole plate.

        Raises:
            HandupError: As `Endpoint.chat` does; ContractViolation without log-probabilities; BadAnswer for none of
                the foods.
        """
        scores = _choice(self.endpoint, WHICH_FOOD, self.foods, rgb, self.more)
        return Named(next(iter(scores)), scores)


@dataclass(frozen=True, kw_only=True)
class ChoosesByEndpoint:
    """M3: a vision model that chooses a skill for what is in a box. Only the box and a little around it is sent.

    Args:
        endpoint: Where the model is.
        more: As for `NamesByEndpoint`.
    """

    endpoint: Endpoint
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def networks(self) -> str:
        """Which model this is, as for `NamesByEndpoint`."""
        return _named(self.endpoint, WHICH_SKILL, self.more)

    def choose(self, rgb: Picture, label: str, box: Box) -> Chosen:
        """Which skill suits what is in a box, said to be this food.

        Raises:
            HandupError: As `NamesByEndpoint.name`; BadSetting for a label that is no name.
        """
        food = check_name("a food", label, MAX_NAME, error=BadSetting)
        asked = WHICH_SKILL.format(json.dumps(food, ensure_ascii=False))
        told = {f"{skill}: {HOW[skill]}": skill for skill in Skill}
        scores = _choice(self.endpoint, asked, tuple(told), _cut(rgb, box), self.more)
        ranked = {told[option]: score for option, score in scores.items()}
        return Chosen(next(iter(ranked)), ranked)


def _choice(endpoint: Endpoint, asked: str, options: Sequence[str], rgb: Picture, more: Mapping[str, Any]) -> Scores:
    """Ask for one of the options. They are written as JSON, so a label cannot pose as a line of ours."""
    letters = lettered(options)
    listed = "\n".join(f"{letter}) {json.dumps(option, ensure_ascii=False)}" for letter, option in letters.items())
    content = [
        {"type": "text", "text": f"{asked}\n{listed}\nAnswer with the letter alone."},
        {"type": "image_url", "image_url": {"url": _data_url(rgb)}},
    ]
    body = {
        "messages": [{"role": "system", "content": RULES}, {"role": "user", "content": content}],
        "max_tokens": 1,
        "temperature": 1,
        "logprobs": True,
        "top_logprobs": MOST_OPTIONS,
        **more,
    }
    said = endpoint.chat({key: value for key, value in body.items() if value is not None})
    return probabilities(first_token(said), letters)


def _data_url(rgb: Picture) -> str:
    image_of, _ = pillow("sending a picture")
    if rgb.ndim != 3 or rgb.shape[2] != 3 or min(rgb.shape) < 1 or rgb.dtype != "uint8":
        raise BadSetting(f"a picture of shape {rgb.shape}", hint="Give height × width × 3 of uint8.")
    image = image_of.fromarray(rgb)
    image.thumbnail((MOST_PX, MOST_PX))
    held = io.BytesIO()
    image.save(held, "PNG", compress_level=1)  # a fifth of the time, hardly larger
    return f"data:image/png;base64,{base64.b64encode(held.getvalue()).decode()}"


def _cut(rgb: Picture, box: Box) -> Picture:
    high, wide = rgb.shape[:2]
    margin = MARGIN * max((box.right - box.left) * wide, (box.bottom - box.top) * high)
    left, right = int(max(box.left * wide - margin, 0)), int(min(box.right * wide + margin + 1, wide))
    top, bottom = int(max(box.top * high - margin, 0)), int(min(box.bottom * high + margin + 1, high))
    return rgb[top:bottom, left:right]


def _named(endpoint: Endpoint, asked: str, more: Mapping[str, Any]) -> str:
    told = json.dumps([endpoint.url, endpoint.model, RULES, asked, dict(more)], sort_keys=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest()[:16]
