"""`handup decide`: decision of a robot for one policy and one history, with people also whom to ask."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from handup.cli.options import Expert, Policy, Weight
from handup.cli.output import bar, out, plain_table, print_json, print_table
from handup.cli.people_now import load_options
from handup.core import (
    Action,
    BadObservation,
    ConflictingSettings,
    Costs,
    Decision,
    FixedCosts,
    Malformed,
    Option,
    OutOfRange,
    Stake,
    check_probability,
    default_horizon,
)
from handup.desk import Desk
from handup.journal import Journal
from handup.policy import Belief, load_policy
from handup.recover import observe
from handup.recover.routing import with_person
from handup.when import DEFAULT, DecisionMoment, Flips, Strategy, flips_at, strategy
from handup.whom import LimitSettings, Options, at_desk

EPILOG = """Example: handup decide examples/policies/bite.yaml --observed '[{"executed": "failed"}]'

Example: handup decide examples/policies/bite.yaml --people examples/people.yaml

Exit codes: 0 decided, 2 the policy, the history or an option is wrong."""

STEP_S = 30.0
FLIPS_UP_TO = 100
"""Most modules for which the values that flip the decision are searched. For more it takes too long here; use
`Session.flips`."""


def decide(
    policy: Policy,
    method: Annotated[
        str,
        typer.Option(
            help="Method: troubleshoot, joint, or SELECTOR+WHEN such as graph+workload-aware. Default: troubleshoot; "
            "joint with --people."
        ),
    ] = "",
    observed: Annotated[
        str, typer.Option(help='History, oldest entry first: [{"executed": "failed"}, …].', metavar="JSON")
    ] = "[]",
    expert: Expert = 1.0,
    w: Weight = 0.5,
    horizon: Annotated[
        float | None, typer.Option(help="Most steps of the episode. Default: two for each module, at least 8.")
    ] = None,
    epsilon: Annotated[float | None, typer.Option(help="Parameter ε of graph and hybrid.")] = None,
    tau: Annotated[float | None, typer.Option(help="Parameter τ of until-confident.")] = None,
    lambda_: Annotated[float | None, typer.Option("--lambda", help="Parameter λ of workload-aware.")] = None,
    people: Annotated[
        Path | None,
        typer.Option(help="File of the people who could be asked, in YAML. Decides whom to ask, too.", metavar="FILE"),
    ] = None,
    stake: Annotated[
        Stake, typer.Option(help="Stake: low, usual or critical. People who are very busy are asked only if critical.")
    ] = Stake.USUAL,
    harm: Annotated[
        float | None,
        typer.Option(help="Cost of a wrong answer, with --people. Default: that of one failed try.", min=0.0),
    ] = None,
    step_s: Annotated[
        float | None, typer.Option(help="Seconds of one step, with --people. Default: 30.", min=0.001)
    ] = None,
    store: Annotated[
        str,
        typer.Option(
            help="Journal of a desk, with --people. Takes from it what these people set up, whether they are busy, and "
            "which questions were put to them.",
            metavar="STORE",
        ),
    ] = "",
    floor: Annotated[float | None, typer.Option(help="Success probability below which joint gives up late.")] = None,
    at: Annotated[
        str, typer.Option(help="Time of the decision, such as 2026-11-19T15:00+00:00. Default: now.", metavar="TIME")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the decision as JSON.")] = False,
) -> None:
    """Say what a robot should do next: act, ask (about which module), wait or yield, and why."""
    graph = load_policy(policy)
    parameters = {"epsilon": epsilon, "tau": tau, "lambda_": lambda_, "floor": floor}
    method = method or (DEFAULT if people is None else "joint")
    chosen = strategy(method, **{name: value for name, value in parameters.items() if value is not None})
    check_probability("expert", expert)
    if horizon is not None and not 0.0 < horizon < math.inf:
        raise OutOfRange.of("--horizon", f"{horizon:g}", "be above 0 and finite", hint="Give a number of steps.")
    belief = observe(graph, _history(observed), expert=expert)
    total = default_horizon(len(graph)) if horizon is None else horizon
    left = total - belief.progress.asks - belief.progress.acts
    costs = Costs.of(graph.query_costs, expert=expert, w=w, time_left=left)
    options: tuple[Option, ...] = ()
    now_s = 0.0
    if people is not None:
        now_s = _seconds(at)
        source = load_options(people, limits=LimitSettings(stake=stake), harm=harm, step_s=step_s or STEP_S)
        if store:
            source = _at_desk(source, store)
        model = FixedCosts(tuple(graph.query_costs.tolist()))
        moment = DecisionMoment(belief=belief, costs=costs, model=model, now_s=now_s)
        options = source.all(moment)
        costs = source.costs_at(moment).envelope(now_s)
        belief = belief.held_back(costs.free_from_s)
    elif at or store or harm is not None or step_s is not None or stake is not Stake.USUAL:
        cause = "--at, --harm, --stake, --step-s and --store are about people, and none are given"
        raise ConflictingSettings(cause, hint="Give --people FILE, or leave them out.")
    if left > 0.0:
        decision = with_person(chosen.decide(belief, costs, now_s), costs, now_s)
        flips = flips_at(chosen, belief, costs, now_s, decision) if len(graph) <= FLIPS_UP_TO else None
    else:
        decision = Decision(action=Action.YIELD, reason=f"The {total:g} steps given to the episode are used up.")
        flips = None
    if as_json:
        print_json(_record(chosen, belief, decision, flips) | _whom(decision, options))
    else:
        _show(chosen, belief, decision, flips, options, now_s)


def _at_desk(options: Options, store: str) -> Options:
    """Return options in which people have the limits and abilities that the desk of a journal knows."""
    with Journal.open(store, create=False, readonly=True) as journal:
        state = Desk(journal).state
    return replace(options, people=tuple(at_desk(helper, state) for helper in options.people))


def _seconds(at: str) -> float:
    """Return the time of a decision, in seconds since 1970."""
    if not at:
        return time.time()
    hint = "Write for example 2026-11-19T15:00+00:00."
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        moment = datetime.min
    if moment.tzinfo is None:
        raise Malformed.of("--at", repr(at), "be a date and time with its distance from UTC", hint=hint)
    if not 1970 < moment.year < 9999:  # limits reach into the days before and after
        raise OutOfRange.of("--at", repr(at), "lie in the years 1971 to 9998", hint=hint)
    return moment.timestamp()


def _whom(decision: Decision, options: tuple[Option, ...]) -> dict[str, Any]:
    """Return the keys that a record has only with `--people`."""
    if not options:
        return {}
    fields = ("module", "person", "role", "support", "recovery", "answers", "right", "seconds", "cost", "free", "why")
    return {
        "person": decision.person,
        "support": decision.support,
        "recovery": decision.recovery,
        "options": [
            {
                "action": str(option.action),
                **{name: getattr(option, name) for name in fields},
                "evidence": option.evidence,
                "from_s": option.from_s if math.isfinite(option.from_s) else None,
                "never": option.from_s == math.inf,
            }
            for option in options
        ],
    }


def _history(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers of more digits than Python converts
        raise BadObservation(
            f"--observed is not JSON ({str(error).splitlines()[0]})",
            hint="""Quote it for the shell: --observed '[{"executed": "failed"}]'.""",
        ) from None


def _record(chosen: Strategy, belief: Belief, decision: Decision, flips: Flips | None) -> dict[str, Any]:
    inference = belief.inference
    log_reliability = inference.log_reliability
    return {
        "action": str(decision.action),
        "module": decision.module if decision.action is Action.ASK else None,
        "reason": decision.reason,
        "method": chosen.name,
        "reliability": belief.reliability,
        "log_reliability": log_reliability if math.isfinite(log_reliability) else None,
        "posterior": dict(zip(belief.graph.names, belief.wrong.tolist(), strict=True)),
        "inference": {"method": inference.method, "error": inference.error},
        "alternatives": [alternative.to_json() for alternative in decision.alternatives],
        "flips_at": None if flips is None else flips.to_json(),
        "until_s": decision.until_s,
    }


def _show(
    chosen: Strategy,
    belief: Belief,
    decision: Decision,
    flips: Flips | None,
    options: tuple[Option, ...],
    now_s: float,
) -> None:
    about = f" about '{decision.module}'" if decision.action is Action.ASK else ""
    whom = f" {decision.person}" if decision.person else ""
    shown = f", with support '{decision.support}'" if decision.support not in (None, "none") else ""
    # A bracket in a person's name is no markup.
    out.print(Text.assemble((f"{decision.action}{whom}{about}{shown}", "bold"), f"  ({chosen.name})"))
    out.print(decision.reason)
    inference = belief.inference
    certain = inference.method == "exact" or belief.acting_is_futile
    sampled = "" if certain else f" ± {inference.error:.2g} (estimated)"
    out.print(f"Acting now succeeds with probability {belief.reliability:.4g}{sampled}.\n")
    _show_options(decision, options, now_s) if options else _show_modules(belief, decision)
    limits = {} if flips is None else {k: v for k, v in flips.to_json().items() if isinstance(v, float)}
    if flips is not None and limits:
        known = ", ".join(f"{name} {number:.4g}" for name, number in limits.items())
        out.print(f"It would decide otherwise at {known} (module '{flips.module}').")


def _show_modules(belief: Belief, decision: Decision) -> None:
    """Print the modules with the value of asking about each, and beside them what else was weighed."""
    asks = [alternative for alternative in decision.alternatives if alternative.action is Action.ASK]
    value = {alternative.module: alternative.value for alternative in asks}
    table = plain_table("module", "wrong", "", "value of asking", right=("wrong", "value of asking"), wrap=True)
    rows = list(zip(belief.graph.names, belief.wrong.tolist(), strict=True))
    shown = rows if len(rows) <= 40 else sorted(rows, key=lambda row: -row[1])[:40]
    for name, wrong in shown:
        table.add_row(name, f"{wrong:.4f}", bar(wrong), f"{value[name]:.4g}" if name in value else "–")
    out.print(table)
    if len(shown) < len(rows):
        out.print(f"… and {len(rows) - len(shown)} less suspect modules")
    rest = [option for option in decision.alternatives if option.action is not Action.ASK]
    if rest:
        weighed = ", ".join(f"{option.action} {option.value:.4g}" for option in rest)
        out.print(f"beside asking: {weighed} (lower is better)")


def _show_options(decision: Decision, options: tuple[Option, ...], now_s: float) -> None:
    """Print everything that was weighed, the best first, and below it who may not be asked, with the limit."""
    known = {option.key: option for option in options if option.action is Action.ASK}
    columns = ("option", "about", "whom", "support", "answers", "right", "free", "load", "seconds", "value")
    table = plain_table(*columns, right=columns[4:])
    for entry in decision.alternatives:
        option = known.get((entry.action, entry.module, entry.person, entry.support, entry.recovery))
        about = (str(entry.action), entry.module or entry.recovery or "", entry.person or "", entry.support or "")
        numbers = _numbers(option) if entry.until_s is None else ("", "", "", "", f"{entry.until_s - now_s:.0f}")
        table.add_row(*map(Text, (*about, *numbers, f"{entry.value:.4g}")))
    if decision.alternatives:
        print_table(table)
        out.print("Lower values are better.")
    modules = {option.module: None for option in options if option.module is not None}
    held: dict[tuple[str | None, str, float], dict[str | None, None]] = {}
    for option in options:
        if option.why:
            held.setdefault((option.person, option.why, option.from_s), {})[option.module] = None
    for (person, why, from_s), about_modules in held.items():
        some = "" if len(about_modules) == len(modules) else f" about {', '.join(map(repr, about_modules))}"
        before = "" if from_s == math.inf else f" before {datetime.fromtimestamp(from_s, UTC):%Y-%m-%d %H:%M:%S} UTC"
        out.print(f"not {person}{some}{before}: {why}", markup=False)


def _numbers(option: Option | None) -> tuple[str, ...]:
    if option is None:
        return ("",) * 5
    free = "–" if option.free is None else f"{option.free:.2f}"
    return f"{option.answers:.2f}", f"{option.right:.2f}", free, f"{option.cost:.2f}", f"{option.seconds:.0f}"
