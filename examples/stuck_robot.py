"""One stuck robot, from failure to recovery, in the terminal.

A feeding robot wants a bite. Two of its four modules are wrong and it does not know which. It decides, asks, acts,
fails, learns from the failure, asks again and recovers. At a terminal you are the person it asks; elsewhere, or with
`--auto`, a simulated person answers. The robot and its plate are simulated; the decisions are handup's own.

Run it with `make demo` or `python -m examples.stuck_robot`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.panel import Panel
from rich.prompt import IntPrompt
from rich.table import Table

from handup import Action, Outcome, Session, Settings, load_policy

POLICY = Path(__file__).parent / "policies" / "bite.yaml"
Person = Callable[[str, str, tuple[str, ...], str], str]
"""Takes the module, the question, the options and what the person can see; gives the option chosen."""


@dataclass
class Robot:
    """A simulated robot: what each module says now, what would be right, and how sure it is."""

    says: dict[str, str] = field(
        default_factory=lambda: {"food": "strawberry", "box": "left", "skill": "scoop it", "parameters": "across"}
    )
    right: dict[str, str] = field(
        default_factory=lambda: {"food": "strawberry", "box": "middle", "skill": "skewer it", "parameters": "along"}
    )
    options: dict[str, tuple[str, ...]] = field(
        default_factory=lambda: {
            "food": ("strawberry", "melon", "green bean"),
            "box": ("left", "middle", "right"),
            "skill": ("skewer it", "scoop it", "twirl it"),
            "parameters": ("along", "across"),
        }
    )

    def take(self, module: str, answer: str) -> bool:
        """Put a person's answer in place of a module's output; says whether that changed it."""
        changed = self.says[module] != answer
        self.says[module] = answer
        return changed

    def forward_pass(self) -> dict[str, float]:
        """Run the policy again on its answers: with the right skill the last module aims well, and knows it."""
        if self.says["skill"] == self.right["skill"]:
            self.says["parameters"] = "along"
            return {"parameters": 0.85}
        return {}

    def act(self) -> bool:
        """Try to take the bite."""
        return self.says == self.right


def simulated_person(module: str, question: str, options: tuple[str, ...], sees: str) -> str:
    """A person who looks at the plate and answers what they see."""
    return sees


def terminal_person(module: str, question: str, options: tuple[str, ...], sees: str) -> str:
    """You."""
    for number, option in enumerate(options, start=1):
        print(f"     {number}  {option}")
    picked = IntPrompt.ask(
        f"     you see that '{sees}' would be right; your answer",
        choices=[str(number) for number in range(1, len(options) + 1)],
        default=options.index(sees) + 1,
    )
    return options[picked - 1]


def show_policy(console: Console, session: Session) -> None:
    """The module chain, with how sure each module is and who is to blame."""
    table = Table(box=None, pad_edge=False)
    table.add_column("module")
    table.add_column("confidence", justify="right")
    table.add_column("wrong now", justify="right")
    table.add_column("")
    for position, (name, wrong) in enumerate(session.posterior.items()):
        answered = session.belief.answered[position]
        confidence = "answered" if answered else f"{session.belief.confidences[position]:.2f}"
        table.add_row(name, confidence, f"{wrong:.2f}", "█" * round(30 * wrong), style="green" if answered else "")
    console.print(table)
    console.print(f"acting now succeeds with probability [bold]{session.reliability:.2f}[/bold]\n")


def play(console: Console, person: Person) -> Session:
    """The whole episode; returns the session at its end."""
    robot = Robot()
    session = Session(load_policy(POLICY), "troubleshoot", Settings(w=0.5))
    console.print(Panel("A robot wants to pick up a strawberry. Its policy: food → box → skill → parameters."))
    now_s = 0.0
    while session.outcome is None:
        show_policy(console, session)
        decision = session.next(now_s)
        about = f" about '{decision.module}'" if decision.action is Action.ASK else ""
        console.print(f"[bold yellow]decides to {decision.action}{about}[/bold yellow]: {decision.reason}")
        if decision.action is Action.ASK and decision.module is not None and session.question is not None:
            module = decision.module
            choices = ", ".join(robot.options[module])
            console.print(
                f'  [bold]robot:[/bold] "{session.question.prompt}" ({choices}? I would say: {robot.says[module]}.)'
            )
            answer = person(module, session.question.prompt, robot.options[module], robot.right[module])
            changed = robot.take(module, answer)
            console.print(f'  [bold]person:[/bold] "{answer}", so the robot was {"wrong" if changed else "right"}.\n')
            session.answered(module, changed=changed, by="person")
            session.forwarded(robot.forward_pass())
        elif decision.action is Action.ACT:
            ok = robot.act()
            console.print("  the bite is on the fork\n" if ok else "  [red]the fork comes up empty[/red]\n")
            session.executed(ok)
        now_s += 5.0
    tally = session.tally
    ending = "[green]recovered[/green]" if session.outcome is Outcome.RECOVERED else f"[red]{session.outcome}[/red]"
    console.print(
        Panel(
            f"{ending}: {tally.questions} questions, {tally.executions} executions, load on the person "
            f"{tally.load:.2f}, cost J = w · load + (1 - w) · time lost = {tally.objective:.2f}"
        )
    )
    return session


def main() -> None:
    """Play the episode with whoever is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--auto", action="store_true", help="let a simulated person answer")
    auto = parser.parse_args().auto or not (sys.stdin.isatty() and sys.stdout.isatty())
    console = Console(width=100, highlight=False)
    try:
        play(console, simulated_person if auto else terminal_person)
    except (KeyboardInterrupt, EOFError):
        console.print("\nStopped.")
        sys.exit(130)
    if auto:
        console.print("The person was simulated. Run it at a terminal to answer yourself.")
    console.print("Next: the same decision as a command: .venv/bin/handup decide examples/policies/bite.yaml")


if __name__ == "__main__":
    main()
