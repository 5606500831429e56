"""Arguments and options that several commands have, and commands of several verbs."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, dataclass, fields
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

from handup.core import Malformed

Options = TypeVar("Options")

COMMANDS = {
    "decide": "Say what a robot should do next: act, ask (about which module), wait or yield, and why.",
    "ask": "Ask a person one question and print the answer; it survives whatever happens to this command.",
    "answer": "Answer the questions that robots ask, one by one.",
    "advise": "Recommend a method for a policy: simulate the policy with every method, and say what would change the "
    "choice.",
    "calibrate": "Turn a module's raw scores into probabilities of being right, and say how good they are on unseen "
    "rows.",
    "meal": "Let the simulated feeding robot eat from a plate, with somebody to ask, and say how it went.",
    "plate": "Let the simulated robot clear a plate of noodles or beans over many bites, with somebody to ask.",
    "reach": "Steer a robot's hand over a table; the robot guesses what you reach for, helps and asks.",
    "run": "Run a recipe with its recoveries, or the task of a world, to a named end.",
    "inject": "Let something go wrong in a simulated world, to see whether the recoveries are up to it.",
    "serve": "Serve the page and the API on a store, until Ctrl-C.",
    "pair": "Let a person's device or a robot in; list or revoke what was let in.",
    "page": "Open the page on which people answer; with --demo, see every kind of question.",
    "doctor": "Check this installation and say what to do about what is missing.",
    "workload": "Say what a question costs a person, and how load adds up and fades.",
    "people": "Score a model of who helps when, on people it has not seen.",
    "study": "Repeat the papers' simulated experiments, and say which of their claims hold.",
    "journal": "Check, export, replay, erase and repair a journal: what robots asked and people answered.",
    "recipe": "Check recipes and recoveries before anything moves, look at them, and test parts of them alone.",
    "bench": "Measure the speed of handup, and of a fair alternative in the same run.",
}
"""Commands in the order of the help, with the first sentence of their docstrings; each is the module of its name."""

DEFAULT_STORE = "handup.db"
RUNS_STORE = "handup-runs/run.db"
"""Default store of `handup run` and of the commands that look at its runs."""
STORE_VARIABLE = "HANDUP_STORE"
STORE_HELP = "Store that holds the journal: a file, or a URL such as postgresql://user@host/name."

StoreArgument = Annotated[str, typer.Argument(help=STORE_HELP, metavar="STORE", envvar=STORE_VARIABLE)]
StoreOption = Annotated[str, typer.Option("--store", help=STORE_HELP, metavar="STORE", envvar=STORE_VARIABLE)]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
RecoveryFiles = Annotated[
    list[Path] | None, typer.Option("--recoveries", help="File of recoveries. May be given several times.")
]
DatabaseFile = Annotated[
    Path | None, typer.Option("--database", help="File of the database that gives names their values.")
]
LOCAL_URL = "http://127.0.0.1:8765"
"""Default address of `handup serve`."""
Browse = Annotated[bool, typer.Option("--open/--no-browser", help="Open the page in a browser of this machine.")]
Policy = Annotated[Path, typer.Argument(help="File of the policy, in YAML.", metavar="POLICY.yaml")]
Expert = Annotated[float, typer.Option(help="Probability that a person's answer is right, 0 to 1.", metavar="C")]
Weight = Annotated[float, typer.Option("--w", help="Weight of the person's load against the robot's time, 0 to 1.")]
PeopleFile = Annotated[
    Path | None,
    typer.Option("--people", help="File of the people and their limits, in YAML. The store keeps it.", metavar="FILE"),
]


def default_store(otherwise: str = DEFAULT_STORE) -> str:
    """Return the store of a command that names none: the environment's, else a file in the present folder.

    Args:
        otherwise: The store to use if the environment names none either.
    """
    return os.environ.get(STORE_VARIABLE) or otherwise


def store_named(store: str) -> str:
    """Return the option that names a store in a command to be copied; empty where that store is the default."""
    return "" if store == DEFAULT_STORE == default_store() else f" --store {shlex.quote(store)}"


def pairs_of(texts: Iterable[str], form: str, *, hint: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values that were given by --set.

    Args:
        texts: Values of the option.
        form: Form of each, such as KEY=VALUE.
        hint: Next step where one has another form.

    Raises:
        Malformed: A text has no equals sign.
    """
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise Malformed.of("--set", f"'{text[:60]}'", f"be {form}", hint=hint)
        yield name.strip(), value.strip()


def group(name: str, epilog: str) -> typer.Typer:
    """Make a command of several verbs, which shows its help where no verb is given."""
    app = typer.Typer(rich_markup_mode=None, add_completion=False, help=COMMANDS[name], epilog=epilog)

    @app.callback(invoke_without_command=True)
    def main(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    return app


# -- robots beside a page ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """Options of the page that a robot opens."""

    port: Annotated[
        int | None,
        typer.Option(help="Port of the page. Default: 8765, or the next free port.", min=1, max=65535, metavar="N"),
    ] = None
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the page's address; open no browser.")] = False
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Begin only once somebody has the page open.")] = True
    linger: Annotated[
        float,
        typer.Option(help="Time that the page stays open after the end, in seconds.", min=0.0, max=3600.0, metavar="S"),
    ] = 60.0


def taking(options: type[Options]) -> Callable[[Callable[[typer.Context, Options], None]], Callable[..., None]]:
    """Let a command take its options as one dataclass, in place of a parameter for each of them.

    Args:
        options: Dataclass whose fields are annotated like parameters of a command. In the help its own fields stand
            before those that it inherits.
    """
    make: Callable[..., Options] = options
    hints = get_type_hints(options, include_extras=True)
    named = {
        field.name: Parameter.empty if field.default is MISSING else field.default
        for field in fields(options)  # type: ignore[arg-type]
    }
    order = sorted(named, key=lambda name: name not in options.__annotations__)
    taken = [Parameter(name, Parameter.KEYWORD_ONLY, default=named[name], annotation=hints[name]) for name in order]
    first = Parameter("context", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)

    def wrap(command: Callable[[typer.Context, Options], None]) -> Callable[..., None]:
        def called(context: typer.Context, **values: Any) -> None:
            command(context, make(**values))

        called.__doc__ = command.__doc__
        called.__signature__ = Signature([first, *taken])  # type: ignore[attr-defined]
        called.__annotations__ = {"context": typer.Context, **hints}
        return called

    return wrap


def first_named(context: typer.Context, *more: str) -> str:
    """Return the first option of the page, or of `more`, that stands on the command line; empty where none does."""
    names = {field.name for field in fields(PageOptions)}.union(more)
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is not None and source.name == "COMMANDLINE":
            return "/".join([*parameter.opts, *parameter.secondary_opts])
    return ""
