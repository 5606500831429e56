"""A task that a robot runs, as it tells people of it: the steps under way, what happened, what it believes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Words = Annotated[str, StringConstraints(max_length=400)]
Count = Annotated[int, Field(ge=0, le=10**9)]
Time = Annotated[float, Field(allow_inf_nan=False)]
Strict = ConfigDict(extra="forbid")
MOST_STEPS, MOST_OTHERS = 400, 100


class StepView(BaseModel):
    """One step of a recipe, or of a recovery that is under way."""

    model_config = Strict
    depth: Annotated[int, Field(ge=0, le=200)]
    kind: Literal["task", "action", "op", "choice", "loop", "recovery", "more"]
    name: Words
    status: Literal["done", "now", "next", "failed", "asking"]
    details: Words = ""
    aborts: Count = 0
    tried: Annotated[list[Words], Field(max_length=MOST_OTHERS)] = []


class SaidView(BaseModel):
    """What one source holds to be true."""

    model_config = Strict
    source: Literal["script", "monitor", "person"]
    value: Words
    probability: Annotated[float, Field(ge=0.0, le=1.0)] = 1.0
    at_s: Time = 0.0


class BeliefView(BaseModel):
    """A belief; the latest word is first, and counts."""

    model_config = Strict
    key: Words
    contradicted: bool = False
    said: Annotated[list[SaidView], Field(min_length=1, max_length=3)]


class NewsView(BaseModel):
    """Something that happened on the way."""

    model_config = Strict
    at_s: Time
    kind: Literal["failed", "recovering", "recovered", "asked", "answered", "said"]
    words: Words


class CountsView(BaseModel):
    """What it came to so far."""

    model_config = Strict
    starts: Count = 0
    failures: Count = 0
    recoveries: Count = 0
    questions: Count = 0


class TaskView(BaseModel):
    """A task under way."""

    model_config = Strict
    steps: Annotated[list[StepView], Field(max_length=MOST_STEPS)] = []
    beliefs: Annotated[list[BeliefView], Field(max_length=MOST_OTHERS)] = []
    news: Annotated[list[NewsView], Field(max_length=MOST_OTHERS)] = []
    counts: CountsView = CountsView()
    result: Words = ""
