"""Makes the golden entries of a run in the current format. Run once per format; what it made is kept for ever.

Usage: python -m tests.executive.make_golden VERSION
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from handup.core import ManualClock, Question, QuestionKind, body_of, type_of
from handup.executive import (
    Aborted,
    Around,
    Call,
    Done,
    Executive,
    Outcome,
    Run,
    RunSettings,
    SimulatedBystander,
    SimulatedSaying,
    Sources,
    Unseen,
    Watch,
)
from handup.executive.escalation import BACK
from handup.journal import Journal
from handup.policy import Module, ModuleGraph
from tests.executive.robot import acting, by_name

GOLDEN = Path(__file__).parent / "golden"
RECIPE = """
format: 1
build:
  params: [count]
  var: [done]
  steps:
  - {op: assign, params: {value: 0}, var: [done]}
  - {op: print, params: {message: begin}}
  - loop:
      condition: var.done < params.count
      body:
      - {task: pick, params: {n: var.done}}
      - {op: increment, params: {name: done}}
pick:
  params: [n]
  steps:
  - action: look
  - {action: grasp, params: {n: params.n}}
"""
RULES = """
format: 1
recoveries:
- name: wait
  when: {path: "**/grasp", code: slip}
  try: [{action: look}]
  do: [{action: wait}]
  resume: continue
- name: light
  when: {path: "**/grasp", belief: beliefs.dark}
  do: [{action: wait}]
  resume: continue
"""
GRAPH = ModuleGraph.chain(
    [Module("dark", 0.5, question=Question("Is it dark?", QuestionKind.YES_NO)), Module("arm", 0.9)]
)


def entries(journal: Journal) -> None:
    """A run with everything in it that a run can have."""
    clock = ManualClock(50.0)
    left = ["slip", "slip", "slip", "no_plan", "no_plan", "ok", "die", "ok"]

    def grasp(call: Call) -> Outcome:
        code = left.pop(0)
        if code == "die":
            raise KeyboardInterrupt
        return Done(beliefs={"held": call.goal["n"]}) if code == "ok" else Aborted(code=code, fields={"force_n": 2.5})

    actions = by_name(
        acting("look", lasts_s=1.0, repeatable=True),
        acting(
            "grasp",
            grasp,
            takes=("n",),
            codes=("slip", "no_plan"),
            lasts_s=2.0,
            modules=lambda self, failure: GRAPH,
        ),
        acting("wait", lasts_s=3.0),
    )

    def says(question: Question) -> SimulatedSaying:
        if question.kind is QuestionKind.YES_NO:
            return SimulatedSaying(value=True, latency_s=9.0, by="Maya")
        return SimulatedSaying(
            value=BACK if BACK in question.options else "It had not started", latency_s=9.0, by="Ben"
        )

    sources = Sources(recipes={"build.yaml": RECIPE}, recoveries={"rules.yaml": RULES})
    for _ in range(2):
        run = Run.of(sources, params={"count": 2}, book=journal, run="kits", settings=RunSettings(unseen=Unseen.ASK))
        monitors = [Watch("lit", lambda now_s: True)]
        around = Around(actions=actions, clock=clock, monitors=monitors, people=SimulatedBystander(says, clock))
        executive = Executive(run, around)
        executive.reload(sources)
        with suppress(KeyboardInterrupt):
            executive.to_the_end()


def write(path: Path) -> None:
    with TemporaryDirectory() as folder, Journal.open(Path(folder) / "j.db", clock=ManualClock()) as journal:
        entries(journal)
        lines = [
            json.dumps(
                {"kind": each.kind, "version": type_of(each.event).version, "body": body_of(each.event)}, sort_keys=True
            )
            for each in journal.read(run="kits")
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    made = GOLDEN / f"task-v{int(sys.argv[1])}.jsonl"
    if made.exists():
        sys.exit(f"{made.name} is there already and is kept for ever")
    write(made)
