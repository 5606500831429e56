"""The shapes of requests, responses and frames, checked at the border and described in the OpenAPI document.

What handup's own dataclasses and panels describe is taken from there; the types of the page are made from all of it.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema, create_model
from pydantic.json_schema import models_json_schema

from handup.core import Reply
from handup.core.checks import MAX_ID, MAX_NAME
from handup.core.panels import Finite, Name, RobotState, Short, Unshown
from handup.core.schema import question_schema, reply_schema
from handup.desk import Receipt, Record
from handup.server.events import AccessRole

HIDDEN = ("replies", "token")
"""Fields of a record that concern only whoever replied."""
MOST_NUMBER = 2**53
"""Numbers are below this, so that every program can count so far."""
Id = Annotated[str, StringConstraints(min_length=1, max_length=MAX_ID)]
Strict = ConfigDict(extra="forbid", use_attribute_docstrings=True)


def _without_by() -> dict[str, Any]:
    schema = reply_schema()
    del schema["$schema"]
    for branch in schema["oneOf"]:
        del branch["properties"]["by"]
        branch["required"].remove("by")
    return schema


QuestionJson = Annotated[dict[str, Any], WithJsonSchema({"oneOf": question_schema()["oneOf"], "title": "Question"})]
ReplyJson = Annotated[dict[str, Any], WithJsonSchema(_without_by())]


def fields_of(described: type, *without: str) -> type[BaseModel]:
    """A base for models that have the fields of a dataclass, but for some."""
    hints, kept = get_type_hints(described, include_extras=True), {}
    for field in dataclasses.fields(described):
        if field.name not in without:
            default = ... if field.default is dataclasses.MISSING else field.default
            kept[field.name] = (hints[field.name], default)
    base: type[BaseModel] = create_model(described.__name__, **kept)  # type: ignore[call-overload]
    return base


class ErrorBody(BaseModel):
    """What went wrong, and what to do."""

    code: str
    cause: str
    hint: str


class ErrorAnswer(BaseModel):
    """Every refusal."""

    error: ErrorBody


class Health(BaseModel):
    """Whether the server works."""

    status: Literal["ok", "stopped", "damaged"]
    version: str
    now_s: float


class PairRequest(BaseModel):
    """A code, typed or from a QR picture, and how the device calls itself."""

    model_config = Strict
    code: Annotated[str, StringConstraints(min_length=1, max_length=40)]
    device: Annotated[str, StringConstraints(max_length=MAX_NAME)] = ""


class Me(BaseModel):
    """Whose token it is."""

    id: str
    name: str
    role: AccessRole
    device: str
    until_s: float
    store: str
    """A name for the store, which no other has."""


class Proof(BaseModel):
    """That the server knows what only readers of its store know."""

    proof: str


class PairAnswer(Me):
    """A token. It is shown here and never again."""

    token: str


class RecordView(fields_of(Record, *HIDDEN)):  # type: ignore[misc]
    """A question and where it is."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True)
    told: str
    """One sentence about where it is, for people."""
    sureness: str
    """How sure the robot is of its guess, in words; empty where it does not say."""
    choices: list[str]
    """What can be chosen, in words."""
    value_schema: dict[str, Any]
    """JSON Schema of its answers."""
    now_s: float


class Questions(BaseModel):
    """Questions that wait for an answer, in order of asking."""

    questions: list[RecordView]


class AskRequest(BaseModel):
    """A question from a robot. The same run, step and attempt ask the same question."""

    model_config = Strict
    question: QuestionJson
    run: str
    step: str
    attempt: int = 1
    load: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = 0.0


class AboutQuestion(BaseModel):
    """A question by its id."""

    model_config = Strict
    id: Id


class WithdrawRequest(AboutQuestion):
    """A question that is no longer needed, and why, in words that name nobody."""

    why: Short = ""


class ReceiptView(fields_of(Receipt, "record")):  # type: ignore[misc]
    """What became of a reply."""

    record: RecordView | None


class StopRequest(BaseModel):
    """A stop; everything in it may be missing."""

    why: str = ""
    token: str = ""


class EnableRequest(BaseModel):
    """Which stop to lift: the `seq` of the last one that was seen. Where it is missing, those said so far."""

    model_config = Strict
    stop: Annotated[int, Field(ge=0, lt=MOST_NUMBER)] | None = None


class StopAnswer(BaseModel):
    """Whether everything is stopped, and whether that is in the journal already."""

    stopped: bool
    written: bool = True


class StopView(BaseModel):
    """A stop that holds."""

    by: str
    why: str
    at_s: float
    seq: int | None
    """Its number, once it is written."""
    written: bool
    """Whether it survives the server."""


class RobotView(BaseModel):
    """A robot as people see it. Not alive: nothing was heard of it, and it holds."""

    robot: str
    alive: bool
    last_s: float | None
    state: RobotState | None


class Robots(BaseModel):
    """All robots that were heard of."""

    robots: list[RobotView]


class DraftRequest(BaseModel):
    """A half-made answer; any JSON."""

    model_config = Strict
    value: Any
    at_s: Finite = 0.0


class DraftView(BaseModel):
    """A half-made answer as it was last sent; nulls where there is none."""

    value: Any
    at_s: float | None


# -- frames of the live socket -----------------------------------------------------------------------------------------

Deflection = Annotated[float, Field(ge=-1.0, le=1.0, allow_inf_nan=False)]
Push = tuple[Deflection, Deflection, Deflection]


class BeatFrame(BaseModel):
    """A sign of life. The server repeats the number, so that the other side can date what it hears."""

    type: Literal["beat"] = "beat"
    n: Annotated[int, Field(ge=0, lt=MOST_NUMBER)] | None = None


class StopFrame(StopRequest):
    """A stop, from everybody. It is answered with `StopToldFrame`; until that says `written`, send it again."""

    type: Literal["stop"] = "stop"


class ReplyFrame(fields_of(Reply, "by")):  # type: ignore[misc]
    """A person's reply; who it is from the server knows."""

    type: Literal["reply"] = "reply"


class DraftFrame(DraftRequest):
    """A half-made answer."""

    type: Literal["draft"] = "draft"
    id: Id


class StickFrame(BaseModel):
    """How a person steers a robot just now: passed on to it, never kept."""

    model_config = Strict
    type: Literal["stick"] = "stick"
    robot: Name
    mode: Literal["translate", "rotate"]
    push: Push
    close: bool = False
    heard_s: Finite
    """The last time that the person was told. What is older than the robot would hold for moves nothing."""


class StateFrame(BaseModel):
    """What a robot shows people."""

    type: Literal["state"] = "state"
    state: RobotState


class WatchFrame(AboutQuestion):
    """A question that a robot wants to be told of."""

    type: Literal["watch"] = "watch"


class HelloFrame(BaseModel):
    """The first frame: everything that is needed to begin."""

    model_config = Strict
    type: Literal["hello"]
    server: str
    """Its version."""
    me: Me
    now_s: float
    beat_s: float
    hold_s: float
    stopped: StopView | None
    questions: list[RecordView]
    more: int
    """How many more wait than are told here."""
    people: int | None
    """To robots: how many people could answer now."""
    robots: list[RobotView]


class BeatToldFrame(BaseModel):
    """A sign of life of the server, with the newest number that it has heard."""

    model_config = Strict
    type: Literal["beat"]
    at_s: float
    heard: int | None


class StoppedFrame(BaseModel):
    """Somebody said stop; with null, somebody let robots go on. It overtakes all but the first frame."""

    model_config = Strict
    type: Literal["stopped"]
    stopped: StopView | None


class StopToldFrame(BaseModel):
    """An answer to a stop: whether it is written."""

    model_config = Strict
    type: Literal["stop"]
    token: str
    written: bool


class QuestionFrame(BaseModel):
    """A question that is new or has changed, to people."""

    model_config = Strict
    type: Literal["question"]
    record: RecordView


class RecordFrame(BaseModel):
    """A question that a robot watches, as it is now."""

    model_config = Strict
    type: Literal["record"]
    record: RecordView


class RobotFrame(RobotView):
    """A robot that is new or has changed, to people."""

    model_config = Strict
    type: Literal["robot"]


class PushFrame(BaseModel):
    """How a person steers this robot, the latest only."""

    model_config = Strict
    type: Literal["stick"]
    by: str
    device: str
    mode: Literal["translate", "rotate"]
    push: Push
    close: bool


class PeopleFrame(BaseModel):
    """How many people could answer now, to robots."""

    model_config = Strict
    type: Literal["people"]
    people: int


class UnshownFrame(fields_of(Unshown)):  # type: ignore[misc]
    """Parts of this robot's state that the server is too old to know."""

    model_config = Strict
    type: Literal["unshown"]


class ReceiptFrame(BaseModel):
    """What became of a reply."""

    model_config = Strict
    type: Literal["receipt"]
    token: str
    receipt: ReceiptView


class ErrorFrame(ErrorAnswer):
    """A refusal of a frame."""

    model_config = Strict
    type: Literal["error"]
    token: str = ""
    """Of the reply that was refused, where it was one."""


class ByeFrame(BaseModel):
    """The last frame: the server closes the socket."""

    model_config = Strict
    type: Literal["bye"]
    why: str


FRAMES: dict[str, tuple[type[BaseModel], ...]] = {
    "FromPerson": (BeatFrame, StopFrame, ReplyFrame, DraftFrame, StickFrame),
    "FromRobot": (BeatFrame, StopFrame, StateFrame, WatchFrame),
    "ToPerson": (
        *(HelloFrame, BeatToldFrame, StoppedFrame, StopToldFrame, QuestionFrame, RobotFrame, ReceiptFrame),
        *(ErrorFrame, ByeFrame),
    ),
    "ToRobot": (
        *(HelloFrame, BeatToldFrame, StoppedFrame, StopToldFrame, RecordFrame, PushFrame, PeopleFrame, UnshownFrame),
        *(ErrorFrame, ByeFrame),
    ),
}
"""The frames of the live socket, by who sends or gets them."""
ALWAYS = {"Question": ("kind", "options"), "Resolution": ("resume",)}
"""Fields that have a default and are written even so."""


def frame_schemas() -> dict[str, Any]:
    """Describe all frames, for the components of the OpenAPI document: WebSockets have no other place there."""
    place = "#/components/schemas/{model}"
    models = {model: None for frames in FRAMES.values() for model in frames}
    _, described = models_json_schema([(model, "validation") for model in models], ref_template=place)
    schemas: dict[str, Any] = described["$defs"]
    for name, frames in FRAMES.items():
        refs = [{"$ref": place.format(model=model.__name__)} for model in frames]
        schemas[name] = {"oneOf": refs, "discriminator": {"propertyName": "type"}}
    for name, always in ALWAYS.items():
        schemas[name]["required"] += always
    panels = schemas["RobotState"]["properties"]["panels"]
    schemas["Panel"], panels["items"] = panels["items"], {"$ref": place.format(model="Panel")}
    return schemas
