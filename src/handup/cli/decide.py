"""`handup decide`: decision of a robot for one policy and one history."""

from __future__ import annotations

import json
import math
from typing import Annotated, Any

import typer

from handup.cli.options import Expert, Policy, Weight
from handup.cli.output import bar, out, plain_table, print_json
from handup.core import Action, BadObservation, Costs, Decision, OutOfRange, check_probability, default_horizon
from handup.policy import Belief, load_policy
from handup.recover import observe
from handup.when import Flips, Strategy, flips_at, strategy

EPILOG = """Example: handup decide examples/policies/bite.yaml --observed '[{"executed": "failed"}]'

Exit codes: 0 decided, 2 the policy, the history or an option is wrong."""

FLIPS_UP_TO = 100
"""Most modules for which the distance to flipping is shown; for more it takes too long, and `Session.flips` has it."""


def decide(
    policy: Policy,
    method: Annotated[
        str, typer.Option(help="Method: troubleshoot, or SELECTOR+WHEN such as graph+workload-aware.")
    ] = "troubleshoot",
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
    as_json: Annotated[bool, typer.Option("--json", help="Print the decision as JSON.")] = False,
) -> None:
    """Say what a robot should do next: act, ask (about which module), wait or yield, and why."""
    graph = load_policy(policy)
    parameters = {"epsilon": epsilon, "tau": tau, "lambda_": lambda_}
    chosen = strategy(method, **{name: value for name, value in parameters.items() if value is not None})
    check_probability("expert", expert)
    if horizon is not None and not 0.0 < horizon < math.inf:
        raise OutOfRange.of("--horizon", f"{horizon:g}", "be above 0 and finite", hint="Give a number of steps.")
    belief = observe(graph, _history(observed), expert=expert)
    total = default_horizon(len(graph)) if horizon is None else horizon
    left = total - belief.progress.asks - belief.progress.acts
    costs = Costs.of(graph.query_costs, expert=expert, w=w, time_left=left)
    if left > 0.0:
        decision = chosen.decide(belief, costs, 0.0)
        flips = flips_at(chosen, belief, costs, 0.0, decision) if len(graph) <= FLIPS_UP_TO else None
    else:
        decision = Decision(action=Action.YIELD, reason=f"The {total:g} steps given to the episode are used up.")
        flips = None
    if as_json:
        print_json(_record(chosen, belief, decision, flips))
    else:
        _show(chosen, belief, decision, flips)


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


def _show(chosen: Strategy, belief: Belief, decision: Decision, flips: Flips | None) -> None:
    about = f" about '{decision.module}'" if decision.action is Action.ASK else ""
    out.print(f"[bold]{decision.action}{about}[/bold]  ({chosen.name})")
    out.print(decision.reason)
    inference = belief.inference
    certain = inference.method == "exact" or belief.acting_is_futile
    sampled = "" if certain else f" ± {inference.error:.2g} (estimated)"
    out.print(f"Acting now succeeds with probability {belief.reliability:.4g}{sampled}.\n")
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
    limits = {} if flips is None else {k: v for k, v in flips.to_json().items() if isinstance(v, float)}
    if flips is not None and limits:
        known = ", ".join(f"{name} {number:.4g}" for name, number in limits.items())
        out.print(f"It would decide otherwise at {known} (module '{flips.module}').")
