"""Calibration of the four modules: sets as in the core paper's appendix C.1, and calibrators fitted on them.

`python -m train.feeding.calibrate` draws the sets from plates kept for it and writes `models/calibrators.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from handup.confidence import Sample
from handup.confidence.calibration_sets import LabelEntry, Ranked, food_entries, of_entries, skill_entries
from handup.core import BadRecord, Calibrator, UnknownName, WrongSize, calibrator_from_json
from handup.domains.feeding.crops import overlap
from handup.domains.feeding.module_outputs import FeedingModules, NamedFood
from handup.domains.feeding.modules import folder_of, networks_in
from handup.domains.feeding.truth import MODULES, SAME_BOX, aims_well, box_of, item_at
from handup.domains.feeding.world import PlateWorld

SCHEMA = 2
FILE = "calibrators.json"
"""Name of the file of calibrators, beside the networks whose scores it is about."""
PAPER: Mapping[str, int] = {"food": 96, "box": 76, "skill": 66, "params": 66}
"""Number of rows that the paper had for each module."""
SIZES: Mapping[str, int] = {**PAPER, "params": 600}
"""Number of rows that the shipped calibrators are fitted on. M4 is right in 97 of 100 rows here: 66 rows hold two wrong
ones, on which nothing can be fitted that is worth more than the base rate."""
BEST, INTERVAL, SCALED = "best", "interval", "scaled"
KINDS = (BEST, INTERVAL, SCALED)
"""The best by nested cross-validation; the paper's appendix C.2; the paper's appendix D. For M4's variances there is
one method, so it is the same in all three."""


@dataclass
class Rows:
    """Outputs of the modules on the calibration plates, and the truth. Add plates until it is full.

    Args:
        foods: M1's entries.
        boxes: M2's scores, each with True if the box was right.
        skills: M3's entries, on valid boxes.
        aims: M4's variances, each with True if the parameters were right; for valid boxes and true skills.
        plates: Plate of each row, by module: rows of one plate are no independent evidence.
    """

    foods: list[LabelEntry] = field(default_factory=list)
    boxes: list[tuple[float, bool]] = field(default_factory=list)
    skills: list[LabelEntry] = field(default_factory=list)
    aims: list[tuple[float, bool]] = field(default_factory=list)
    plates: dict[str, list[int]] = field(default_factory=lambda: {module: [] for module in MODULES})

    def add(self, world: PlateWorld, modules: FeedingModules) -> None:
        """Add the rows of one plate.

        M1 names as many foods as there are, and each food gets one of these labels: its own, or a substitute. M2 gives
        boxes for that label, and all of them count; one is right where it covers a piece of the food that was to be
        named. M3 is given such a box with the label, M4 with the true skill.
        """
        rgb, items = world.view().rgb, world.truth()
        foods = sorted({item.food for item in items})
        if not foods:
            return
        entries = food_entries(_predictions(modules.name(rgb), len(foods)), foods)
        self.foods += entries
        for entry in entries:
            label, targets = entry.prediction.top, [item for item in items if item.food == entry.truth]
            output = modules.find(rgb, label)
            for box, score in zip(output.boxes, output.scores, strict=True):
                item = item_at(targets, box)
                right = item is not None and overlap(box_of(item), box) >= SAME_BOX
                self.boxes.append((score, right))
                if item is not None and right:
                    chosen = modules.choose(rgb, label, box)
                    ranked = Ranked(tuple(map(str, chosen.scores)), tuple(chosen.scores.values()))
                    # The true skill; if several fit, the chosen one if it is among them.
                    fitting = chosen.skill if chosen.skill in item.best else item.skill
                    self.skills += skill_entries([(ranked, str(fitting), True)])
                    aimed = modules.aim(rgb, box, item.skill, seed=world.seed)
                    self.aims.append((aimed.variance, aims_well(world, item, item.skill, aimed.params)))
        for module, rows in self._held.items():
            self.plates[module] += [world.seed] * (len(rows) - len(self.plates[module]))

    def samples(self, sizes: Mapping[str, int] | None = None) -> dict[str, Sample]:
        """Return all rows of each module, or as many as `sizes` says, taken evenly from all plates.

        Raises:
            WrongSize: There are not enough rows.
        """
        taken = {module: [rows[place] for place in self._places(module, sizes)] for module, rows in self._held.items()}
        boxes, aims = taken["box"], taken["params"]
        return {
            "food": of_entries(taken["food"]),
            "box": Sample.of_scores([score for score, _ in boxes], [good for _, good in boxes]),
            "skill": of_entries(taken["skill"]),
            "params": Sample.of_variances([variance for variance, _ in aims], [good for _, good in aims]),
        }

    def full(self, sizes: Mapping[str, int] = SIZES, least: int = 0) -> bool:
        """Return whether every module has enough rows, with at least `least` right and wrong ones in each set."""
        if any(len(rows) < sizes[module] for module, rows in self._held.items()):
            return False
        right = {module: int(sample.right.sum()) for module, sample in self.samples(sizes).items()} if least else {}
        return all(least <= count <= sizes[module] - least for module, count in right.items())

    @property
    def _held(self) -> dict[str, list[Any]]:
        return dict(zip(MODULES, (self.foods, self.boxes, self.skills, self.aims), strict=True))

    def _places(self, module: str, sizes: Mapping[str, int] | None) -> Iterable[int]:
        held = len(self._held[module])
        size = held if sizes is None else sizes[module]
        if held < size:
            raise WrongSize.of("rows of " + repr(module), held, f"number {size}", hint="Add plates.")
        return (place * held // size for place in range(size))


def _predictions(named: NamedFood, foods: int) -> list[Ranked]:
    """Return M1's likeliest labels for a plate, one for each food there is, each with the labels that it left out."""
    ranked = list(named.scores.items())
    rest = ranked[foods:]
    return [Ranked(*(tuple(part) for part in zip(entry, *rest, strict=True))) for entry in ranked[:foods]]


def load(kind: str = BEST, folder: Path | None = None) -> dict[str, Calibrator]:
    """Load the calibrators of the four modules, for the networks beside them.

    Args:
        kind: `best`, `interval` (the paper's C.2) or `scaled` (the paper's D).
        folder: Folder of networks and calibrators; None for the shipped ones.

    Raises:
        UnknownName: There is no such kind.
        BadRecord: The file is missing, damaged or of other networks: run `python -m train.feeding.calibrate`.
    """
    if kind not in KINDS:
        raise UnknownName.of(
            "kind of calibrators", repr(kind), f"be one of {', '.join(KINDS)}", hint="Choose one of them."
        )
    hint = "Make them: python -m train.feeding.calibrate."
    try:
        with folder_of(folder) as place:
            record = json.loads((place / FILE).read_text(encoding="utf-8"))
        of, records = str(record["networks"]), record["calibrators"][kind]
        calibrators = {module: calibrator_from_json(records[module]) for module in MODULES}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecord(f"the feeding robot's calibrators cannot be read ({error})", hint=hint) from error
    if of != (networks := networks_in(folder)):
        raise BadRecord(f"the calibrators are of the networks {of}, not of {networks} beside them", hint=hint)
    return calibrators


def highest_score(calibrators: Mapping[str, Calibrator], module: str = "food") -> float:
    """Return the highest raw score of a module in the calibration set, by which appendix D divides."""
    return float(calibrators[module].to_json()["data"]["score_max"])
