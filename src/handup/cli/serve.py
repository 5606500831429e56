"""`handup serve`: server through which robots ask and people answer."""

from __future__ import annotations

import json
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from handup.adapters.notify import load_notify
from handup.cli.built_page import HOW, is_built
from handup.cli.notices import NOTIFY_VARIABLE, notifying
from handup.cli.options import DEFAULT_STORE, Browse, StoreOption
from handup.cli.output import err, note, out, say
from handup.cli.people_file import load_people, user_name
from handup.core import Person
from handup.journal.address import address_of
from handup.server import RunningServer, ServerSettings, open_server

EPILOG = """Example: handup serve --store meal.db --people people.yaml --open

Prints the address of the page, with a code that pairs a first device within ten minutes; 'handup pair' makes more.
Without --tls-cert and --tls-key it serves this machine only. Ctrl-C ends it; open questions stay open in the store.

Exit codes: 0 ended; 2 bad input, a taken port, a store that cannot be used, or the extra [web] is missing."""


def serve(
    store: StoreOption = DEFAULT_STORE,
    host: Annotated[str, typer.Option(help="Host or address to listen on.", metavar="HOST")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.", min=0, max=65535)] = 8765,
    people: Annotated[
        Path | None,
        typer.Option(help="File of the people and their limits, in YAML. The store keeps it.", metavar="FILE"),
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option(help="File of a TLS certificate with its chain.", metavar="PEM")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(help="File of the certificate's key.", metavar="PEM")] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Serve other machines without TLS, in a network that you trust.")
    ] = False,
    origin: Annotated[
        list[str] | None,
        typer.Option(help="Further origin of the page, such as https://robot.example behind a proxy.", metavar="URL"),
    ] = None,
    pictures: Annotated[Path | None, typer.Option(help="Folder of the pictures.", metavar="FOLDER")] = None,
    open_metrics: Annotated[
        bool, typer.Option("--open-metrics", help="Give metrics to programs on this machine without a token.")
    ] = False,
    notify: Annotated[
        Path | None,
        typer.Option(
            help="File that says how people are told outside the page, in YAML.", metavar="FILE", envvar=NOTIFY_VARIABLE
        ),
    ] = None,
    code: Annotated[bool, typer.Option("--code/--no-code", help="Make a code for a first person's device.")] = True,
    browse: Browse = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the address as one line of JSON.")] = False,
) -> None:
    """Serve the page and the API on a store, until Ctrl-C."""
    known = load_people(people)
    settings = ServerSettings(
        store=store,
        host=host,
        port=port,
        people=known,
        origins=tuple(origin or ()),
        tls_cert=tls_cert,
        tls_key=tls_key,
        insecure=insecure,
        pictures=pictures,
        open_metrics=open_metrics,
    )
    wanted = None if notify is None else load_notify(notify)
    with (
        suppress(KeyboardInterrupt),  # it may come before `run` handles it
        open_server(settings) as server,
        notifying(server, wanted),
    ):
        link = _say(server, known, code, as_json)
        if browse and not webbrowser.open(link):
            note(f"No browser opens here; open {link} yourself.")
        server.run()
    line = f"Ended. What is open stays open in {address_of(store).shown}; the same command serves it again."
    err.print(line, markup=False, soft_wrap=True)


def _say(server: RunningServer, people: tuple[Person, ...], with_code: bool, as_json: bool) -> str:
    """Print the address of the server; return the link that pairs a first device, or else the address."""
    if not is_built():
        note(f"The page is not built, so only the API is served. {HOW}")
    damage = server.service.damage
    link, code, name = server.url, None, None
    if damage is not None:
        note(f"Everything is stopped: {damage}")
    else:
        _say_replaced(server, people)
    if damage is None and with_code:
        known = people or server.service.desk.state.people.values()
        # If nobody is known, the code is for the user of this machine, who is asked once they have paired a device.
        person = next(iter(known), Person(name=user_name()))
        name = person.name
        code, _ = server.access.make_code(name, person.role)
        link = server.link(code)
    if as_json:
        record = {"url": server.url, "store": server.settings.store, "name": name, "code": code, "link": link}
        out.file.write(json.dumps(record, ensure_ascii=False) + "\n")
    else:
        say(f"Serving at {server.url}; Ctrl-C ends it.")
        if code is not None:
            say(f"To answer as {name}, open within 10 minutes: {link}")
    out.file.flush()
    return link


def _say_replaced(server: RunningServer, people: tuple[Person, ...]) -> None:
    """Name the people of the file whose settings were changed on the page since: the page's settings hold."""
    state = server.service.desk.state
    if names := ", ".join(person.name for person in people if state.people.get(person.name) != person):
        note(f"Changed on the page, which holds until the file says something new about them: {names}.")
