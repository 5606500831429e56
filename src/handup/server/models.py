"""The shapes of requests and responses, checked at the border and described in the OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema

from handup.core.checks import MAX_ID, MAX_NAME
from handup.core.panels import Finite, Name, RobotState, Short
from handup.core.schema import question_schema, reply_schema
from handup.desk.status import Status
from handup.server.events import AccessRole

Id = Annotated[str, StringConstraints(min_length=1, max_length=MAX_ID)]
Strict = ConfigDict(extra="forbid")


def _without_by() -> dict[str, Any]:
    schema = reply_schema()
    del schema["$schema"]
    for branch in schema["oneOf"]:
        del branch["properties"]["by"]
        branch["required"].remove("by")
    return schema


def _question() -> dict[str, Any]:
    schema = question_schema()
    del schema["$schema"]
    return schema


QuestionJson = Annotated[dict[str, Any], WithJsonSchema(_question())]
ReplyJson = Annotated[dict[str, Any], WithJsonSchema(_without_by())]


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


class RecordView(BaseModel):
    """A question and where it is."""

    model_config = ConfigDict(extra="allow")
    id: str
    run: str
    step: str
    attempt: int
    question: dict[str, Any]
    load: float
    audience: list[str]
    turn: str | None
    status: Status
    number: int
    asked_s: float
    opened_s: float | None
    until_s: float | None
    deadline_s: float | None
    by: str | None
    device: str | None
    answer: dict[str, Any] | None
    why: str
    cause: str | None
    passed: list[str]
    told: str
    sureness: str
    choices: list[str]
    value_schema: dict[str, Any]
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


class ReceiptView(BaseModel):
    """What became of a reply."""

    status: str
    message: str
    again: bool
    record: RecordView | None


class StopRequest(BaseModel):
    """A stop; everything in it may be missing."""

    why: str = ""
    token: str = ""


class EnableRequest(BaseModel):
    """Which stop to lift: the `seq` of the last one that was seen. Where it is missing, those said so far."""

    model_config = Strict
    stop: Annotated[int, Field(ge=0, lt=2**53)] | None = None


class StopAnswer(BaseModel):
    """Whether everything is stopped, and whether that is in the journal already."""

    stopped: bool
    written: bool = True


class RobotView(BaseModel):
    """A robot as people see it. Not alive: nothing was heard of it, and it holds."""

    robot: str
    alive: bool
    last_s: float | None
    state: RobotState | None


class UnshownView(BaseModel):
    """Parts of a state that this server does not know: names of panels and of fields."""

    panels: list[str]
    fields: list[str]


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


class DraftFrame(DraftRequest):
    """A half-made answer, by socket."""

    id: Id


Deflection = Annotated[float, Field(ge=-1.0, le=1.0, allow_inf_nan=False)]


class StickFrame(BaseModel):
    """How somebody steers a robot just now: passed on to it, never kept. `heard_s` is the last time they were told."""

    model_config = Strict
    robot: Name
    mode: Literal["translate", "rotate"]
    push: tuple[Deflection, Deflection, Deflection]
    close: bool = False
    heard_s: Finite
