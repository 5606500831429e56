"""Models of requests, responses and frames, checked on arrival and described in the OpenAPI document.

Fields of handup's own dataclasses and panels are taken from these; the types of the page are made from all models.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema, create_model
from pydantic.json_schema import models_json_schema

from handup.core import Ability, Limits, QuietHours, Reply, Role
from handup.core.checks import MAX_ID, MAX_NAME
from handup.core.panels import Finite, Name, RobotState, Short, Unshown
from handup.core.schema import question_schema, reply_schema
from handup.desk import Receipt, ReceiptStatus, Record
from handup.server.events import AccessRole

HIDDEN = ("newcomers", "replies", "token")
"""Fields of a record that concern only the desk, or the person who replied."""
MOST_NUMBER = 2**53
"""Upper bound of numbers: up to here every program, also in JavaScript, counts exactly."""
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
    """Return a base class for models that have the fields of a dataclass, without some of them."""
    hints, kept = get_type_hints(described, include_extras=True), {}
    for field in dataclasses.fields(described):
        if field.name not in without:
            default = ... if field.default is dataclasses.MISSING else field.default
            kept[field.name] = (hints[field.name], default)
    base: type[BaseModel] = create_model(described.__name__, **kept)  # type: ignore[call-overload]
    return base


class ErrorBody(BaseModel):
    """An error: its code, its cause and the next step."""

    code: str
    cause: str
    hint: str


class ErrorAnswer(BaseModel):
    """The answer to every request that is refused."""

    error: ErrorBody


class Health(BaseModel):
    """State of the server."""

    status: Literal["ok", "stopped", "damaged"]
    version: str
    now_s: float
    notices: Literal["ok", "failing"] | None = None
    """State of the notices that leave the machine; None where none was sent since the server began."""


class PairRequest(BaseModel):
    """A code, typed or from a QR picture, and the name of the device."""

    model_config = Strict
    code: Annotated[str, StringConstraints(min_length=1, max_length=40)]
    device: Annotated[str, StringConstraints(max_length=MAX_NAME)] = ""


class Me(BaseModel):
    """Owner of a token."""

    id: str
    name: str
    role: AccessRole
    device: str
    until_s: float
    store: str
    """Unique name of the store."""


class Proof(BaseModel):
    """Proof that the server reads its store."""

    proof: str


class PairAnswer(Me):
    """A token. It is shown here and never again."""

    token: str


class RecordView(fields_of(Record, *HIDDEN)):  # type: ignore[misc]
    """A question and its state."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True)
    told: str
    """One sentence about its state, for people."""
    sureness: str
    """The robot's certainty of its guess, in words; empty where it is unknown."""
    choices: list[str]
    """Choices, in words."""
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


class HandOnRequest(AboutQuestion):
    """A question that goes on to another of its people."""

    to: Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME)]


class ReceiptView(fields_of(Receipt, "record")):  # type: ignore[misc]
    """Result of a reply, and the question as it is then."""

    record: RecordView | None


class StopRequest(BaseModel):
    """A stop; every field may be missing."""

    why: str = ""
    token: str = ""


class EnableRequest(BaseModel):
    """Stop to lift: the `seq` of the last one that was seen. Without it, all stops so far."""

    model_config = Strict
    stop: Annotated[int, Field(ge=0, lt=MOST_NUMBER)] | None = None


class StopAnswer(BaseModel):
    """Result of a stop or of lifting one; `written` is true once it is in the journal."""

    stopped: bool
    written: bool = True


class StopView(BaseModel):
    """A stop that holds."""

    by: str
    why: str
    at_s: float
    seq: int | None
    """Number of its entry in the journal, once it is written."""
    written: bool
    """True once it is in the journal, and so survives the server."""


class RobotView(BaseModel):
    """A robot as people see it. Where it is not alive, nothing was heard of it lately, and it stands still."""

    robot: str
    alive: bool
    last_s: float | None
    state: RobotState | None


class Robots(BaseModel):
    """All known robots."""

    robots: list[RobotView]


class BusyView(BaseModel):
    """A person's word that they are not to be asked."""

    since_s: float
    until_s: float | None
    """Time from which they are asked again by itself; null where that is when they say that they are back."""


class QuietPart(fields_of(QuietHours)):  # type: ignore[misc]
    """A part of every day in which a person is not asked."""


class LimitsPart(fields_of(Limits, "quiet")):  # type: ignore[misc]
    """Limits of asking a person."""

    quiet: tuple[QuietPart, ...] = ()


class PersonSetup(BaseModel):
    """Abilities of a person, their limits, and the channels on which they want to be told."""

    model_config = Strict
    abilities: list[Ability]
    limits: LimitsPart
    channels: list[str]
    """All channels where it is empty."""


class PersonView(PersonSetup):
    """A person who can be asked."""

    name: str
    role: Role
    busy: BusyView | None
    paired: bool
    """True where they have a device that is let in."""
    here: bool
    """True where they have a page open at this server now."""


class KnownPeople(BaseModel):
    """People who can be asked, in the order in which they came to be known."""

    people: list[PersonView]
    now_s: float


class PresenceRequest(BaseModel):
    """A person's own word that they are busy, for so many seconds or until they say so, or that they are back."""

    model_config = Strict
    busy: bool
    for_s: Finite | None = None


class PresenceAnswer(BaseModel):
    """Result of such a word, and what happens next."""

    status: ReceiptStatus
    message: str
    busy: BusyView | None


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
    """A heartbeat. The server repeats its number, so that the other side knows the age of what it hears."""

    type: Literal["beat"] = "beat"
    n: Annotated[int, Field(ge=0, lt=MOST_NUMBER)] | None = None


class StopFrame(StopRequest):
    """A stop; everybody may send it. The answer is `StopToldFrame`; until that says `written`, send it again."""

    type: Literal["stop"] = "stop"


class ReplyFrame(fields_of(Reply, "by")):  # type: ignore[misc]
    """A person's reply; the server knows the person by the token."""

    type: Literal["reply"] = "reply"


class DraftFrame(DraftRequest):
    """A half-made answer."""

    type: Literal["draft"] = "draft"
    id: Id


class StickFrame(BaseModel):
    """Position of the stick with which a person steers a robot: passed on, never kept."""

    model_config = Strict
    type: Literal["stick"] = "stick"
    robot: Name
    mode: Literal["translate", "rotate"]
    push: Push
    close: bool = False
    heard_s: Finite
    """The latest server time that the page had heard. A push that is older than `hold_s` moves nothing."""


class StateFrame(BaseModel):
    """State that a robot shows people."""

    type: Literal["state"] = "state"
    state: RobotState


class WatchFrame(AboutQuestion):
    """A question of which a robot wants to hear every change."""

    type: Literal["watch"] = "watch"


class HelloFrame(BaseModel):
    """The first frame: everything that a page or robot needs to begin."""

    model_config = Strict
    type: Literal["hello"]
    server: str
    """Version of the server."""
    me: Me
    now_s: float
    beat_s: float
    hold_s: float
    stopped: StopView | None
    questions: list[RecordView]
    more: int
    """Number of further waiting questions that are not listed."""
    people: int | None
    """For robots: number of people who could answer now."""
    robots: list[RobotView]
    busy: BusyView | None = None
    """For people: their own word that they are busy."""


class BusyFrame(BaseModel):
    """A person's own word that they are busy, for all their devices; null where they are back."""

    model_config = Strict
    type: Literal["busy"]
    busy: BusyView | None


class BeatToldFrame(BaseModel):
    """A heartbeat of the server, with the newest number that it has heard."""

    model_config = Strict
    type: Literal["beat"]
    at_s: float
    heard: int | None


class StoppedFrame(BaseModel):
    """Somebody pressed stop; with null, somebody let the robots go on. It overtakes all frames but the first."""

    model_config = Strict
    type: Literal["stopped"]
    stopped: StopView | None


class StopToldFrame(BaseModel):
    """Answer to a stop; `written` is true once it is in the journal."""

    model_config = Strict
    type: Literal["stop"]
    token: str
    written: bool


class QuestionFrame(BaseModel):
    """A question that is new or has changed, for people."""

    model_config = Strict
    type: Literal["question"]
    record: RecordView


class RecordFrame(BaseModel):
    """A question that a robot watches, as it is now."""

    model_config = Strict
    type: Literal["record"]
    record: RecordView


class RobotFrame(RobotView):
    """A robot that is new or has changed, for people."""

    model_config = Strict
    type: Literal["robot"]


class PushFrame(BaseModel):
    """Position of the stick with which a person steers this robot; only the latest is sent."""

    model_config = Strict
    type: Literal["stick"]
    by: str
    device: str
    mode: Literal["translate", "rotate"]
    push: Push
    close: bool


class PeopleFrame(BaseModel):
    """Number of people who could answer now, for robots."""

    model_config = Strict
    type: Literal["people"]
    people: int


class UnshownFrame(fields_of(Unshown)):  # type: ignore[misc]
    """Parts of this robot's state that the server is too old to know."""

    model_config = Strict
    type: Literal["unshown"]


class ReceiptFrame(BaseModel):
    """Result of a reply."""

    model_config = Strict
    type: Literal["receipt"]
    token: str
    receipt: ReceiptView


class ErrorFrame(ErrorAnswer):
    """A refusal of a frame."""

    model_config = Strict
    type: Literal["error"]
    token: str = ""
    """Token of the reply that was refused; empty for every other frame."""


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
        *(BusyFrame, ErrorFrame, ByeFrame),
    ),
    "ToRobot": (
        *(HelloFrame, BeatToldFrame, StoppedFrame, StopToldFrame, RecordFrame, PushFrame, PeopleFrame, UnshownFrame),
        *(ErrorFrame, ByeFrame),
    ),
}
"""Frames of the live socket, by sender or receiver."""
ALWAYS = {"Question": ("kind", "options"), "Resolution": ("resume",)}
"""Fields that have a default and are always written."""


def frame_schemas() -> dict[str, Any]:
    """Return the schemas of all frames, as components of the OpenAPI document, which has no place for WebSockets."""
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
