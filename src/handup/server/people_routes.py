"""Routes about people: what they can do, when they may be asked, and whether they are busy."""

from __future__ import annotations

from typing import Any

from fastapi import Response

from handup.core import NotForYou, NothingThere, Person, Role
from handup.desk import DeskState
from handup.server import models
from handup.server.routes import Behind, Whose, json_of, router
from handup.server.service import Service
from handup.server.views import busy_view, sees_names

people_routes = router("people")


@people_routes.get("/people", response_model=models.KnownPeople)
async def people(service: Behind, whose: Whose) -> Response:
    """List the people who can be asked: all of them for those who see names, else only the sender."""
    state = await service.call(lambda: service.desk.state)
    seen = [person for person in state.people.values() if sees_names(whose) or person.name == whose.name]
    return json_of({"people": [_view(service, state, person) for person in seen], "now_s": service.now_s()})


@people_routes.put("/people/{name:path}", response_model=models.PersonView)
async def set_up(service: Behind, whose: Whose, name: str, wanted: models.PersonSetup) -> Response:
    """Set up a person: abilities, limits and channels. A resident may set up only themselves."""
    if whose.role is Role.RESIDENT and name != whose.name:
        raise NotForYou("a resident sets up only what is about themselves", hint="Ask a caregiver.")
    known = (await service.call(lambda: service.desk.state)).people.get(name)
    if known is None:
        raise NothingThere("there is no such person", hint="Let them in first: handup pair --name NAME.")
    person = Person.from_json({**wanted.model_dump(mode="json"), "name": known.name, "role": known.role})
    await service.call(service.desk.introduce, person, by=whose.name)
    state = service.desk.state
    return json_of(_view(service, state, state.people.get(name, person)))


@people_routes.post("/presence", response_model=models.PresenceAnswer)
async def presence(service: Behind, whose: Whose, word: models.PresenceRequest) -> Response:
    """Note that the sender is busy and not to be asked, or is back."""
    if word.busy:
        receipt = await service.call(service.desk.busy, whose.name, word.for_s)
    else:
        receipt = await service.call(service.desk.back, whose.name)
    busy = busy_view(service.desk.state, whose.name, service.now_s())
    return json_of({"status": str(receipt.status), "message": receipt.message, "busy": busy})


def _view(service: Service, state: DeskState, person: Person) -> dict[str, Any]:
    record = person.to_json()
    return {
        "name": person.name,
        "role": person.role,
        "abilities": list(person.abilities),
        "limits": record["limits"],
        "channels": record["channels"],
        "busy": busy_view(state, person.name, service.now_s()),
        "paired": person.name in service.access.with_devices(),
        "here": any(socket.grant.name == person.name for socket in service.hub.people()),
    }
