"""`handup pair`: access of devices and robots to the server: grant, list and revoke it."""

from __future__ import annotations

import io
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from handup.cli.options import DEFAULT_STORE, LOCAL_URL, StoreOption
from handup.cli.output import moment, note, out, print_json
from handup.core import ConflictingSettings, MissingExtra, MissingSetting, Role
from handup.core.checks import is_loopback
from handup.desk import Desk
from handup.journal import Journal
from handup.server import Access, introduce
from handup.server.views import me_view

EPILOG = """Example: handup pair --name Ada --role caregiver --url https://robot.local:8765

The code is good for ten minutes and for one device. Open the address on the device, or scan the picture, or type the
code on the page. A robot gets a token instead: set it as HANDUP_TOKEN where the robot runs. Whoever can write the store
can let others in.

Exit codes: 0 done; 2 bad input or store."""
HOUR_S = 3600.0
PERSON_HOURS = 720.0
ONLY_HERE = """This address works on this machine only. For another device, run handup serve with --host, and name its \
address here with --url; see docs/desk/server.md."""


def pair(
    name: Annotated[str | None, typer.Option(help="Name of the person whose device is let in.", metavar="NAME")] = None,
    role: Annotated[
        str | None,
        typer.Option(help=f"Role of the person: {', '.join(Role)}. Default: the role they have, or resident."),
    ] = None,
    robot: Annotated[str | None, typer.Option(help="Name of a robot to make a token for.", metavar="NAME")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the devices and robots that have access.")] = False,
    revoke: Annotated[
        str | None, typer.Option(help="Id of an access to end, as --list shows it.", metavar="ID")
    ] = None,
    hours: Annotated[
        float, typer.Option(help="Hours for which the access lasts.", min=0.01, max=87600.0)
    ] = PERSON_HOURS,
    url: Annotated[
        str, typer.Option(help="Address at which the device reaches the server.", metavar="URL")
    ] = LOCAL_URL,
    store: StoreOption = DEFAULT_STORE,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Let a person's device or a robot in; list or revoke what was let in."""
    if (count := sum([name is not None, robot is not None, listed, revoke is not None])) != 1:
        cause = f"one of --name, --robot, --list and --revoke must be given, got {count or 'none'}"
        raise (ConflictingSettings if count else MissingSetting)(cause, hint="Give one of them.")
    with Journal.open(store, create=name is not None or robot is not None) as journal:
        access = Access(journal)
        if listed:
            record, lines = _devices(access)
        elif revoke is not None:
            gone = access.revoke(revoke)
            record, lines = {"revoked": gone.id}, [f"{gone.name} is out with '{gone.device or gone.id}'."]
        elif robot is not None:
            made = access.robot_token(robot, token_s=hours * HOUR_S)
            record = {"id": made.grant.id, "robot": robot, "token": made.token, "until_s": made.grant.until_s}
            lines = [made.token]
        else:
            record, lines = _code(access, journal, str(name), role, hours, url)
            if not as_json:
                lines.append(_qr(record["url"]))
        if as_json:
            print_json(record)
        else:
            out.file.write("".join(f"{line}\n" for line in lines))
    if name is not None and is_loopback(urlsplit(url).hostname or ""):
        note(ONLY_HERE)


def _devices(access: Access) -> tuple[dict[str, Any], list[str]]:
    """Return the devices and robots that have access, as a record and as lines."""
    grants = access.grants()
    lines = []
    for grant in grants:
        device = f" on '{grant.device}'" if grant.device else ""
        lines.append(f"{grant.id}  {grant.name} ({grant.role}){device}, until {moment(grant.until_s)}")
    return {"devices": [me_view(grant) for grant in grants]}, lines or ["Nobody is in."]


def _code(
    access: Access, journal: Journal, name: str, role_name: str | None, hours: float, url: str
) -> tuple[dict[str, Any], list[str]]:
    """Make a code for a person, whom the store knows from then on; return it as a record and as lines."""
    desk = Desk(journal)
    known = desk.state.people.get(name)
    role = Role.of(role_name or (known.role if known else Role.RESIDENT))
    introduce(desk, name, role)
    code, until_s = access.make_code(name, role, token_s=hours * HOUR_S)
    link = f"{url.rstrip('/')}/#code={code}"
    record = {"code": code, "url": link, "name": name, "role": str(role), "until_s": until_s}
    return record, [f"Code for {name} ({role}), good for ten minutes: {code}", f"Or open: {link}"]


def _qr(link: str) -> str:
    """Return a QR code of an address, which a camera reads from the terminal."""
    try:
        import segno  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        raise MissingExtra.of("web", "A picture of the code") from None
    drawn = io.StringIO()
    segno.make(link, error="l").terminal(drawn, compact=True)
    return drawn.getvalue().rstrip("\n")
