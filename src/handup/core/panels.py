"""Panels: the view of a robot that people see. A robot sends a list of them, and a page shows each in its own way.

Every panel has a `panel`, which names its type, and a `version`, which grows when older pages would read the panel
wrongly; a new field that they may pass over does not count. Servers and pages show what they know and leave out the
rest, so a robot may be newer than both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from handup.core.checks import MAX_NAME, MAX_OPTION, MAX_PROMPT
from handup.core.value import Joining

MOST_PANELS = 20
"""The most panels of one robot."""
MOST_ITEMS = 200
"""The most modules, items, numbers or objects of one panel."""
MOST_STEPS = 400
"""The most steps of a recipe in one panel."""

Text = Annotated[str, StringConstraints(max_length=MAX_PROMPT)]
Short = Annotated[str, StringConstraints(max_length=MAX_OPTION)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=10**9)]
Triple = tuple[Finite, Finite, Finite]
Pose = Annotated[list[Finite], Field(min_length=7, max_length=7)]
"""x, y, z in metres, then the rotation as w, x, y, z."""
Ring = Annotated[list[Finite], Field(min_length=5, max_length=5)]
"""Middle (three numbers), radius and height, in metres."""


class Part(BaseModel):
    """Base of everything that a panel is made of: unchanged once made, and without unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Phase(StrEnum):
    """Phases of a robot that every page has a sign and words for."""

    LOOKING = "looking"
    DECIDING = "deciding"
    ASKING = "asking"
    MOVING = "moving"
    HOLDING = "holding"
    """It stands still in the middle of its work: without its link, or because something is in the way."""
    RESTING = "resting"
    DONE = "done"
    STOPPED = "stopped"


# -- a picture ---------------------------------------------------------------------------------------------------------


class PlacePart(Part):
    """A place on a picture, in shares of its width and height from the upper left corner."""

    x: Share
    y: Share


class BoxPart(Part):
    """A rectangle on a picture, in shares of its width and height."""

    left: Share
    top: Share
    right: Share
    bottom: Share


class PicturePanel(Part):
    """A picture from the robot's camera, with the robot's plan drawn on it."""

    panel: Literal["picture"] = "picture"
    version: Literal[1] = 1
    name: Annotated[str, StringConstraints(min_length=1, max_length=MAX_OPTION)]
    """Name under which the picture was put on the server."""
    seq: Count = 0
    """Grows with each new picture of this name."""
    caption: Short = ""
    box: BoxPart | None = None
    points: Annotated[list[PlacePart], Field(max_length=MOST_ITEMS)] = []
    shape: Joining = Joining.LINE
    """Mark drawn between two points."""


# -- modules and decisions ---------------------------------------------------------------------------------------------


class ChainLink(Part):
    """One module of the robot's policy, and what it says."""

    module: Name
    label: Short = ""
    says: Short = ""
    confidence: Share | None = None
    by: Literal["robot", "person"] = "robot"
    asking: bool = False


class ChainPanel(Part):
    """The modules of the robot's policy in order, each with what it says and how sure it is."""

    panel: Literal["chain"] = "chain"
    version: Literal[1] = 1
    links: Annotated[list[ChainLink], Field(max_length=MOST_ITEMS)]


class DecisionPanel(Part):
    """The last decision of the robot, with its reason and the probability that what it does works."""

    panel: Literal["decision"] = "decision"
    version: Literal[1] = 1
    action: Literal["act", "recover", "ask", "wait", "yield"]
    module: Short | None = None
    reason: Text = ""
    reliability: Share | None = None


# -- a recipe ----------------------------------------------------------------------------------------------------------


class StepPart(Part):
    """One step of a recipe, or of a recovery that is under way."""

    depth: Annotated[int, Field(ge=0, le=200)] = 0
    kind: Literal["task", "action", "op", "choice", "loop", "recovery", "more"] = "action"
    name: Short
    status: Literal["done", "now", "next", "failed", "asking"]
    details: Short = ""
    aborts: Count = 0
    tried: Annotated[list[Short], Field(max_length=100)] = []


class StepsPanel(Part):
    """The steps of a task, with the present one, those before and those after it."""

    panel: Literal["steps"] = "steps"
    version: Literal[1] = 1
    steps: Annotated[list[StepPart], Field(max_length=MOST_STEPS)]


class StatementPart(Part):
    """A value that one source holds to be true."""

    source: Literal["script", "monitor", "person"]
    value: Short
    probability: Share = 1.0
    at_s: Finite = 0.0


class BeliefPart(Part):
    """A belief; its latest statement is first, and counts."""

    key: Short
    contradicted: bool = False
    said: Annotated[list[StatementPart], Field(max_length=3)]


class BeliefsPanel(Part):
    """The robot's beliefs about the world, each with the source that said so."""

    panel: Literal["beliefs"] = "beliefs"
    version: Literal[1] = 1
    beliefs: Annotated[list[BeliefPart], Field(max_length=100)]


class TimelineEntry(Part):
    """Something that happened."""

    at_s: Finite
    kind: Literal["failed", "recovering", "recovered", "asked", "answered", "said"]
    words: Short


class TimelinePanel(Part):
    """The latest events, oldest first."""

    panel: Literal["timeline"] = "timeline"
    version: Literal[1] = 1
    entries: Annotated[list[TimelineEntry], Field(max_length=100)]


# -- work that is counted ----------------------------------------------------------------------------------------------


class ItemPart(Part):
    """One piece of the robot's work, such as a bite."""

    number: Count
    label: Short = ""
    outcome: Literal["got", "lost", "wrong", "now", "later"]
    attempts: Count = 0
    queries: Count = 0


class ItemsSummary(Part):
    """Result of the work, in numbers."""

    got: Count
    of: Count
    queries: Count = 0
    attempts: Count = 0


class ItemsPanel(Part):
    """The pieces of the robot's work: those that are over, the present one and those to come."""

    panel: Literal["items"] = "items"
    version: Literal[1] = 1
    unit: Short = "item"
    """One of them, such as `bite`."""
    units: Short = "items"
    """Several of them."""
    items: Annotated[list[ItemPart], Field(max_length=MOST_ITEMS)]
    summary: ItemsSummary | None = None
    """Result, once the work is over."""


class NumberPart(Part):
    """A number with its name and unit."""

    label: Short
    value: Finite
    unit: Short = ""


class NumbersPanel(Part):
    """Numbers about the task, with a sentence that sums them up."""

    panel: Literal["numbers"] = "numbers"
    version: Literal[1] = 1
    summary: Short = ""
    numbers: Annotated[list[NumberPart], Field(max_length=MOST_ITEMS)] = []


# -- a scene -----------------------------------------------------------------------------------------------------------


class ThingPart(Part):
    """An object. Boxes: middle, size (three numbers each, metres) and yaw; rings: middle, radius and height."""

    name: Name
    boxes: Annotated[list[Pose], Field(max_length=20)] = []
    rings: Annotated[list[Ring], Field(max_length=20)] = []


class GoalPart(Part):
    """A grasp that the person may want, with the probability that it is that one."""

    object: Name
    grasp: Name
    chance: Share


class ScenePanel(Part):
    """A hand above a table, drawn from its numbers; where `steered`, a person at the page moves it."""

    panel: Literal["scene"] = "scene"
    version: Literal[1] = 1
    scene: Short
    task: Short = ""
    low: Triple
    """One corner of the room that the hand can reach, in metres."""
    high: Triple
    things: Annotated[list[ThingPart], Field(max_length=MOST_ITEMS)]
    hand: Pose
    ghost: Pose | None = None
    """Pose at which the robot would hold the hand."""
    goals: Annotated[list[GoalPart], Field(max_length=MOST_ITEMS)] = []
    other: Share = 0.0
    """The probability that it is none of them."""
    steered: bool = True
    mode: Literal["translate", "rotate"] = "translate"
    driver: Short = ""
    """Name of the person who steers now; empty where nobody does."""


Panel = (
    PicturePanel
    | ChainPanel
    | DecisionPanel
    | StepsPanel
    | BeliefsPanel
    | TimelinePanel
    | ItemsPanel
    | NumbersPanel
    | ScenePanel
)
"""Every panel of this version of handup."""
PANELS: Mapping[str, type[Panel]] = {panel.model_fields["panel"].default: panel for panel in get_args(Panel)}
"""The same by the name of their type."""


class RobotState(Part):
    """State that a robot shows people: a phase, a title, a sentence about its work, and panels.

    Only the latest state counts. A page shows panels in the order in which they stand, each in the place that its type
    has on a screen of that size.
    """

    robot: Name
    phase: Phase
    at_s: Finite
    """Time in seconds, by the server's clock."""
    title: Short = ""
    doing: Text = ""
    why: Text = ""
    panels: Annotated[list[Annotated[Panel, Field(discriminator="panel")]], Field(max_length=MOST_PANELS)] = []


@dataclass(frozen=True, kw_only=True)
class Unshown:
    """Parts of a robot's state that a server is too old to know; the rest is shown.

    Args:
        panels: Types of panels, such as "gauge", or with the version that is too new: "scene version 2".
        fields: Fields, those of panels behind their type: "mood", "scene.wrist".
    """

    panels: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.panels or self.fields)

    def __str__(self) -> str:
        named = [f"panel '{name}'" for name in self.panels] + [f"field '{name}'" for name in self.fields]
        return ", ".join(named)


def plain(state: Mapping[str, Any] | RobotState) -> dict[str, Any]:
    """Return a state as JSON: panels name their type and version, and leave out what has its default.

    Raises:
        TypeError: `panels` is no list.
    """
    # Only fields that were set: an older server would report new ones as not shown, even where they hold the default.
    values = {name: getattr(state, name) for name in state.model_fields_set} if isinstance(state, RobotState) else state
    return {name: [_plain(panel) for panel in value] if name == "panels" else value for name, value in values.items()}


def _plain(panel: Any) -> Any:
    if not isinstance(panel, Part):
        return panel
    named = {name: getattr(panel, name) for name in ("panel", "version") if name in type(panel).model_fields}
    return {**named, **panel.model_dump(mode="json", exclude_defaults=True)}
