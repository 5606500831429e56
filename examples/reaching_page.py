"""Writes docs/lab/reaching.md from the record of the published study in docs/lab/reaching/.

`python -m examples.reaching_page studies/reaching` takes the record and the pictures from a study that was run, and
writes the page; without a folder the page is written from the record that is there. A test holds the page to it.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image

from handup.confidence.metrics import wilson
from handup.domains.reaching import scene
from handup.lab.reaching import tables
from handup.lab.reaching.claims import SUCCESS
from handup.lab.reaching.definition import FIRST_TRYING, Size
from handup.lab.reaching.failures import EVERYWHERE
from handup.lab.reaching.figures import FIGURES
from handup.lab.reaching.judging import RULES
from handup.lab.reaching.reading import reading
from handup.lab.reaching.record import USERS
from handup.lab.reaching.studies import COMPLEX, HO, OURS, PAPER, REACHING
from handup.lab.reaching.words import joined, several

WARNING = "!!! warning\n    These are numbers"
DOCS = Path(__file__).parent.parent / "docs"
PAGE, RECORD, PICTURES = DOCS / "lab" / "reaching.md", DOCS / "lab" / "reaching" / "record.json", DOCS / "img" / "lab"
SHOWN = {
    "reaching.svg": "Success, time, opposition and questions by scene, user and method",
    "reaching-look-ahead.svg": "What the look-ahead of the paper's policy decides",
}
CLOSE = {
    "fig-4": "Belief and actions over time, grasping a cup from the top with each method",
    "fig-6": "Belief and actions over time, grasping a cup from the top after a no",
    "fig-14": "Belief and actions over time, grasping a drill among 22 goals",
}
"""Trials looked at closely; those of a figure are shown where the study has some."""
BARS = {f"reaching-{name.lower()}.png": f"{name}, task by task: {what} again" for name, what in FIGURES.items()}
WITH_PEOPLE = ("U6", "U22")
"""Scenes of the paper's studies with people, for which it has analyses of variance."""
MEASURES = ("success", "first_success", "total_s", "time_s", "all_opposing", "predicted", "questions")
OVERVIEW = (HO, PAPER, OURS)
STORY = """\
A cup can be grasped from the top or from the side. Somebody who cannot use their hands well steers an arm towards it
with a stick, and the robot sees only where the hand goes. It may help towards the wrong grasp, and the person then
fights it; it may hold back, and help nobody; it may ask, and take three seconds. Which of these is worth it? The
[paper](../intent/index.md) asked one of its authors and 33 participants. Here simulated people with three habits of
steering do all of its tasks with all of its methods and with ours, always the same people.
"""
BESIDES = """\
One task, S1's cup by its side, decides much of how HO compares:
[why it gets stuck there](../intent/worlds.md#where-hindsight-optimisation-gets-stuck). For whom a question would pay,
and at which price: [a smaller comparison](../intent/index.md#when-a-question-pays).
"""
RUN = """```sh
handup study run reaching            # about {hours} of one core; goes on after a stop
handup study run reaching --quick    # a first look
```

The trials alone can be made where there are more cores; nothing but numpy, pydantic and ruamel.yaml is needed there:

```sh
python -m handup.lab.reaching.making --out studies --jobs 16
```

Bring `studies/trials/` back, and the first command finds them made. What is left in `studies/reaching/`:

| File | What it is |
|---|---|
| `report.html` | everything for people, in one file that needs no network: all figures, tables and claims |
| `reaching*.svg`, `.png` | the paper's Figs 4, 6, 7, 9a, 12a and 14 again, an overview, and the sweep of T |
| `rows.jsonl` | a line per trial, with both attempts, config, seed and a digest of the code |
| `tables.md`, `study.json` | the tables; everything for programs |
"""
COMPARED = """\
## What is compared

**Scenes and tasks** are the [paper's](../intent/worlds.md): S1 and S2 of its simulation, U6 and U22 of its studies
with people. **Users** stop beside the object, stop over it, or rotate first. One answer of twenty is wrong, and one
person of ten wants a pose that the robot does not know. *Mixed* means all three: every person with each of them in the
first part, one after the other in those whose users are mixed. **Methods** are a person alone (`manual`), hindsight
optimisation without and with letting go (`ho`, `ho+no-assist`), the paper's policy (`paper`) and its ablations
(`paper+…`), asking by entropy, and `assist`, which is ours.

The study has {count} parts, each with seeds of its own:

{parts}

{sizes}

Seeds from {trying} on are for trying things out; those of the study were not looked at while methods were written.

**Two ways to count.** By the paper's rule, time, mode changes, input and opposition are of the attempt that
succeeded, and who fails twice is left out. That flatters whoever fails often. *All attempts* leaves nothing out; it
is what `assist` is judged by.

| | |
|---|---|
| **simulated** | hand, tables, people, answers |
| **assumed** | how people steer: every constant [with its reason](../intent/worlds.md), written down before |
| **human data** | none; no number here stands for a participant of the paper |
"""
COLORS = 128
"""Of a picture: as clear, and a third as large."""
ENOUGH = 50
"""So many seeds per cell were asked for."""
SECONDS_PER_TRIAL = 0.33
"""Of one slow core, on average over all trials of the study, measured while it ran."""


def record() -> dict[str, Any]:
    """What the published study found."""
    found: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def page(found: dict[str, Any]) -> str:
    """The whole page."""
    return "\n\n".join(part.strip() for part in _parts(found)) + "\n"


def _parts(found: dict[str, Any]) -> Iterator[str]:
    yield "# Reaching: who helps whom"
    yield STORY
    yield from _warning(found)
    yield RUN.format(hours=several(hours(), "hour"))
    parts = "\n".join(_study_parts(found))
    yield COMPARED.format(count=len(REACHING.parts), parts=parts, sizes=_sizes(found), trying=FIRST_TRYING)
    yield "## What came out"
    yield f"*Evidence: simulated. `{found['command']}`, {found['made_at'][:10]}, {found['trials']:,} trials.*"
    for name, what in SHOWN.items():
        yield f"![{what}](../img/lab/{name})"
    for heading, said in reading(found):
        yield f"### {heading}"
        yield "\n".join(f"- {each}" for each in said)
    for name in _close(found):
        yield f"![{CLOSE[name]}](../img/lab/{picture(name)})"
    yield "### Task by task"
    yield BESIDES
    for name, what in BARS.items():
        yield f"![{what}](../img/lab/{name})"
    yield "## Numbers"
    for each in (tables.families, tables.goal, tables.poses, tables.versus, tables.paper_claims, tables.orderings):
        yield each(found).markdown()
    for user in USERS[:-1]:
        yield tables.table_1(found, user).markdown()
    yield tables.table_2(found).markdown()
    yield tables.overview(found, USERS[-1]).markdown()
    for each in (tables.variance, tables.look_ahead, tables.gentle, tables.failures):
        yield each(found).markdown()
    yield "## Claim by claim"
    yield RULES
    by_family: dict[str, list[str]] = {}
    for claim in found["claims"]:
        by_family.setdefault(tables.family(claim), []).append(_claim(claim))
    for name, lines in by_family.items():
        yield f"### {name[0].upper()}{name[1:]}"
        yield "\n".join(lines)


def _claim(claim: dict[str, Any]) -> str:
    again = "" if claim["without_rule"] is None else f"; without the rule of exclusion *{claim['without_rule']}*"
    about = f"{claim['user']}; {claim['source']}"
    return f"- **{claim['key']}** ({about}): *{claim['verdict']}*{again}. {claim['why']}"


def _study_parts(found: dict[str, Any]) -> Iterator[str]:
    yield "| Part | What | Seeds here |"
    yield "|---|---|---|"
    for part in REACHING.parts:
        first, count = found["seeds"][part.name]
        yield f"| {part.name} | {part.about} | {count}, from {first} |"


def _sizes(found: dict[str, Any]) -> str:
    """What the sizes of the parts allow to say."""
    small = [f"{name} ({count})" for name, (_, count) in found["seeds"].items() if count < ENOUGH]
    fewer = f" Fewer than {ENOUGH} seeds per cell have {joined(small)}." if small else ""
    trials = found["seeds"]["goal"][1] * len(scene(COMPLEX).tasks)
    bar = f"≥ {100 * SUCCESS:g} % success"
    most = most_failures(trials)
    holds = f"holds only with at most {several(most, 'failure')}" if most is not None else "cannot hold"
    return (
        f"Their sizes were set before any of their rows was looked at.{fewer} At the "
        f"{several(trials, 'trial')} of the goal, {bar} {holds}: the whole interval has to be there."
    )


def most_failures(trials: int) -> int | None:
    """With how many failures the interval of success still clears its bar; None where with none at all."""
    return max((each for each in range(trials) if wilson(trials - each, trials)[0] >= SUCCESS), default=None)


def _close(found: dict[str, Any]) -> list[str]:
    """Figures of trials looked at closely that the study has."""
    return [name for name in CLOSE if any(found["close"][name].values())]


def picture(name: str) -> str:
    """The file of such a figure; as PNG, since a drawing of many moments is large."""
    return f"reaching-{name}.png"


def _warning(found: dict[str, Any]) -> Iterator[str]:
    """What must be said of a record that is not the whole study on its own seeds; nothing of one that is."""
    if any(first >= FIRST_TRYING for first, _ in found["seeds"].values()):
        yield f"{WARNING} of a trial run with development seeds. They show what the page looks like, and nothing else."
    elif any(found["seeds"][each.name] != [each.first_seed, each.seeds] for each in REACHING.parts):
        yield f"{WARNING} of a part of the study. They are a first look, and no result."


def hours() -> int:
    """How long the study takes."""
    return max(1, round(SECONDS_PER_TRIAL / 3600.0 * sum(each.expected for each in REACHING.sittings(Size()))))


def take(study: Path) -> None:
    """Take record and pictures from the folder of a study that was run; those that are large are made small."""
    found = json.loads((study / "study.json").read_text(encoding="utf-8"))
    shorten(found)
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    RECORD.write_text(_compact(found), encoding="utf-8")
    for name in map(picture, CLOSE):
        (PICTURES / name).unlink(missing_ok=True)
    for name in (*BARS, *map(picture, _close(found))):
        with Image.open(study / name) as drawn:
            small = drawn.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
        small.save(PICTURES / name, optimize=True)
    for name in SHOWN:
        shutil.copy(study / name, PICTURES / name)


def shorten(found: dict[str, Any]) -> None:
    """Leave out of a record what the page does not show."""
    for each in found["claims"]:
        del each["numbers"]
    for users in found["means"].values():
        for user in USERS[:-1]:
            users[user] = {
                method: {name: users[user][method][name] for name in MEASURES if name in users[user][method]}
                for method in OVERVIEW
            }
    for users in found["tasks"].values():
        for user in USERS[:-1]:
            del users[user]
    for method, places in found["failures"].items():
        found["failures"][method] = places if method == OURS else {EVERYWHERE: places[EVERYWHERE]}
    found["variance"] = [each for each in found["variance"] if each["scene"] in WITH_PEOPLE]


def _compact(found: dict[str, Any]) -> str:
    """One line for each entry, so that a change can be read."""
    lines = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in found.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        take(Path(sys.argv[1]))
    PAGE.write_text(page(record()), encoding="utf-8")
