"""`handup page`: page of a server; with --demo a tour of every kind of question, without a robot."""

from __future__ import annotations

import time
import webbrowser
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from handup.cli.built_page import check_built
from handup.cli.options import LOCAL_URL, Browse
from handup.cli.output import note, out, say
from handup.core import Person, Question, Role
from handup.core.files import shipped_data
from handup.core.panels import PicturePanel
from handup.server import RunningServer, ServerSettings, start

if TYPE_CHECKING:
    from handup.client import Client

EPILOG = """Example: handup page --demo

The tour asks one question of every kind, again and again, until Ctrl-C; what you answer is printed here and forgotten
with it. Without --demo the page of a server that runs already is opened.

Exit codes: 0 ended; 2 a taken port, a page that is not built, or the extra [web] is missing."""
PICTURES: Mapping[str, str] = {
    "tour/plate": "plate.jpg",
    "tour/chicken": "chicken.jpg",
    "tour/tomato": "tomato.jpg",
    "tour/lettuce": "lettuce.jpg",
}
"""Names of the pictures that the questions show, and the files that they come from."""
PLATE = "tour/plate"
TOUR: Mapping[str, Question] = {
    step: Question.from_json(record) for step, record in shipped_data(__file__, "tour/questions.yaml").items()
}
"""Questions by step: every kind once, and a choice with a guess besides the one with pictures."""
ROBOT = "tour"
PEOPLE = (Person(name="you"), Person(name="somebody else", role=Role.CAREGIVER))
PAUSE_S = 1.5
"""Pause between two questions, so that the page can say what became of the last one."""
LOOK_S = 1.0
"""Time of one wait for an answer."""


def page(
    url: Annotated[str, typer.Argument(help="Address of the server.", metavar="URL", envvar="HANDUP_URL")] = LOCAL_URL,
    demo: Annotated[bool, typer.Option("--demo", help="Show a tour of every kind of question.")] = False,
    port: Annotated[int, typer.Option(help="Port of the tour; 0 takes a free one.", min=0, max=65535)] = 0,
    browse: Browse = True,
    rounds: Annotated[int, typer.Option(help="Number of rounds of the tour; 0 goes on until Ctrl-C.", min=0)] = 0,
) -> None:
    """Open the page on which people answer; with --demo, see every kind of question."""
    if not demo:
        if not browse or not webbrowser.open(url):
            note(f"{'No browser opens here; open' if browse else 'Open'} {url}")
        return
    check_built()
    try:
        with TemporaryDirectory(prefix="handup-tour-") as folder, start(_settings(folder, port)) as server:
            link = server.link(server.code(PEOPLE[0].name))
            _line(f"Ctrl-C ends it. The page is at {link}")
            if browse:
                webbrowser.open(link)
            _tour(server, rounds)
    except KeyboardInterrupt:
        note("The tour is over, and nothing of it is kept. Again: handup page --demo")


def picture(name: str) -> bytes:
    """Return a picture of the tour, as JPEG."""
    return (Path(__file__).parent / "tour" / PICTURES[name]).read_bytes()


def _settings(folder: str, port: int) -> ServerSettings:
    return ServerSettings(store=str(Path(folder) / "tour.db"), port=port, people=PEOPLE)


def _tour(server: RunningServer, rounds: int) -> None:
    from handup.client import Client, RobotLink  # noqa: PLC0415 - an extra

    token = server.robot_token(ROBOT)
    with Client(server.url, token) as client, RobotLink(server.url, token, ROBOT) as robot:
        for name in PICTURES:
            client.put_picture(name, picture(name))
        for number in range(1, rounds + 1) if rounds else count(1):
            for place, (step, question) in enumerate(TOUR.items()):
                robot.state(_state(place, "asking", question))
                _line(_asked(client, step, question, number))
                robot.state(_state(place + 1, "resting", None))
                time.sleep(PAUSE_S)


def _asked(client: Client, step: str, question: Question, attempt: int) -> str:
    """Ask a question, wait until it is settled, also while everything is stopped, and return the outcome in words."""
    record = client.ask(question, run=ROBOT, step=step, attempt=attempt)
    while not record.settled:
        record = client.wait(record.id, LOOK_S) or record
        if not record.settled:
            time.sleep(PAUSE_S / 10)  # while robots are stopped, the server answers at once
    answer = f": {record.answer.value}" if record.answer is not None else ""
    return f"{step}: {record.told}{answer}"


def _state(place: int, phase: str, question: Question | None) -> dict[str, Any]:
    return {
        "phase": phase,
        "title": f"Question {min(place + 1, len(TOUR))} of {len(TOUR)}",
        "doing": question.doing if question is not None else "thinking of the next question",
        "why": "this is a tour; nothing moves",
        "panels": [PicturePanel(name=PLATE, seq=1, caption="A plate of food from above")],
    }


def _line(text: str) -> None:
    say(text)
    out.file.flush()
