"""Train the four networks: `python -m train.feeding.fit build/feeding --seeds 0`. Needs torch and numpy only.

Uses a GPU where there is one. `--small` is for a processor and a few minutes. Nothing is chosen on the test plates:
this file does not read them. It writes weights; `python -m train.feeding.export` makes the shipped files of them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from train.feeding.data import Plates, littered, mirrored, squares, varied
from train.feeding.networks import DROPOUT, Aim, Choose, Find, Name, drawn_masks, load_weights, save_weights

WRONG_LABELS = 0.3
"""Share of squares that M3 is shown under a wrong name while it learns: M1 errs too, so it has to look for itself."""
RATE, DECAY = 2e-3, 1e-2


@dataclass(frozen=True, kw_only=True)
class Size:
    """How long to train: steps of each network, and pictures or squares in one step."""

    find: int
    name: int
    choose: int
    aim: int
    pictures: int = 32
    squares: int = 96

    def times(self, factor: float) -> Size:
        """Longer or shorter."""
        name, find, choose, aim = (round(factor * each) for each in (self.name, self.find, self.choose, self.aim))
        return replace(self, name=name, find=find, choose=choose, aim=aim)


FULL = Size(find=8_000, name=300, choose=4_000, aim=10_000, pictures=48, squares=128)
SMALL = Size(find=750, name=250, choose=300, aim=1_100, pictures=24, squares=80)


@dataclass(frozen=True, kw_only=True)
class Task:
    """What training shares.

    Args:
        plates: To learn from.
        foods: How many there are.
        skills: How many there are.
        scoop: Which of them has a start and an end.
        size: How long.
        generator: All that chance decides.
        device: Where.
        folder: Where the networks of this seed go; those that are trained already lie there.
    """

    plates: Plates
    foods: int
    skills: int
    scoop: int
    size: Size
    generator: torch.Generator
    device: torch.device
    folder: Path

    def some(self, of: int, count: int) -> Tensor:
        """Numbers below a limit, at random."""
        return torch.randint(of, (count,), generator=self.generator, device=self.device)

    def placed(self, network: nn.Module) -> nn.Module:
        """A network on the device, laid out for fast convolutions."""
        return network.to(self.device, memory_format=torch.channels_last)

    def short(self) -> AbstractContextManager[None]:
        """Within it networks compute with short numbers, three times as fast on a processor; losses stay outside."""
        found: AbstractContextManager[None] = torch.autocast(self.device.type, dtype=torch.bfloat16)
        return found

    def seen(self, pictures: Tensor) -> Tensor:
        """Pictures with colours from 0 to 1, varied and laid out for fast convolutions."""
        return varied(pictures, self.generator).contiguous(memory_format=torch.channels_last)


def main() -> None:
    """Train, and say how long it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where train.feeding.render wrote")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--small", action="store_true", help="for a processor, in a few minutes")
    parser.add_argument("--only", nargs="*", default=[*PARTS], choices=[*PARTS], help="train only these")
    parser.add_argument("--steps", type=float, default=1.0, help="train so many times as long")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    only = [name for name in PARTS if name in given.only]
    size = (SMALL if given.small else FULL).times(given.steps)
    fit(given.folder, seeds=given.seeds, size=size, only=only)


def fit(folder: Path, *, seeds: list[int], size: Size, only: list[str]) -> None:
    """Train the networks of some seeds into `folder/seed-N`."""
    known = json.loads((folder / "known.json").read_text(encoding="utf-8"))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    plates = Plates.read(folder, "train", device)
    for seed in seeds:
        out = folder / f"seed-{seed}"
        out.mkdir(exist_ok=True)
        for name in only:
            torch.manual_seed(seed)
            task = Task(
                plates=plates,
                foods=len(known["foods"]),
                skills=len(known["skills"]),
                scoop=known["skills"].index("scoop"),
                size=size,
                generator=torch.Generator(device).manual_seed(seed),
                device=device,
                folder=out,
            )
            began = time.monotonic()
            save_weights(PARTS[name](task), out / f"{name}.npz")
            print(f"seed {seed}, {name}: {getattr(size, name)} steps in {time.monotonic() - began:.0f} s", flush=True)
        steps = {name: getattr(size, name) for name in only}
        write_card(out, seed=seed, pictures=len(plates.rgb), steps=steps, known=known)


def write_card(folder: Path, *, seed: int, pictures: int, steps: dict[str, int], known: dict[str, Any]) -> None:
    """What the networks in a folder are and how they came about; steps of those that were trained before are kept."""
    path = folder / "modules.json"
    before = json.loads(path.read_text(encoding="utf-8")).get("steps", {}) if path.exists() else {}
    card = {
        "schema": 1,
        "kind": "feeding-modules",
        "seed": seed,
        "dropout": DROPOUT,
        "pictures": pictures,
        "steps": {**before, **steps},
        "torch": str(torch.__version__),
    }
    path.write_text(json.dumps(card | known, indent=1) + "\n", encoding="utf-8")


def fit_find(task: Task) -> nn.Module:
    """M2: heat at the middles of items (the focal loss of centre-point detectors), boxes by their overlap."""
    network = task.placed(Find(task.foods))
    by_picture = _items_of(task.plates)

    def loss() -> Tensor:
        some = _some_plates(task, by_picture)
        with task.short():
            heat, sides = network(some.pictures)
        food = task.plates.food[some.items]
        return _heat_loss(heat.float(), some.boxes, some.of, food) + 2.0 * _sides_loss(
            sides.float(), some.boxes, some.of
        )

    return _trained(network, loss, task.size.find, "find")


def fit_name(task: Task) -> nn.Module:
    """M1: which foods are on the picture. It begins where M2's first layers ended, then goes its own way."""
    if not (task.folder / "find.npz").exists():
        raise SystemExit(f"M1 begins with M2's first layers, and there is no M2 in {task.folder}: train find first")
    found = load_weights(Find(task.foods), task.folder / "find.npz")
    network = Name(task.foods)
    network.trunk.load_state_dict(found.trunk.state_dict())
    network = task.placed(network)
    present = task.plates.present(task.foods)
    by_picture = _items_of(task.plates)

    def loss() -> Tensor:
        some = _some_plates(task, by_picture)
        with task.short():
            said = network(some.pictures)
        return functional.binary_cross_entropy_with_logits(said, present[some.chosen])

    return _trained(network, loss, task.size.name, "name")


def fit_choose(task: Task) -> nn.Module:
    """M3: the best skill for an item, whose name is sometimes wrong."""
    network = task.placed(Choose(task.foods, task.skills))
    evenly = _evenly(task)

    def loss() -> Tensor:
        items = evenly(task.size.squares)
        seen = squares(task.plates, items, task.generator)
        wrong = torch.rand(len(items), generator=task.generator, device=task.device) < WRONG_LABELS
        label = torch.where(wrong, task.some(task.foods, len(items)), task.plates.food[items])
        given = torch.cat([functional.one_hot(label, task.foods).float(), seen.side[:, None]], dim=1)
        with task.short():
            said = network(task.seen(seen.crop), given)
        return functional.cross_entropy(said.float(), task.plates.skill[items])

    return _trained(network, loss, task.size.choose, "choose")


def fit_aim(task: Task) -> nn.Module:
    """M4: middle, length and direction of the best parameters for an item and one of its skills."""
    network = task.placed(Aim(task.skills))
    evenly = _evenly(task)
    fitting = ~task.plates.best.isnan().any(dim=2)

    def loss() -> Tensor:
        items = evenly(task.size.squares)
        seen = squares(task.plates, items, task.generator)
        skill = torch.multinomial(fitting[items].float(), 1, generator=task.generator)[:, 0]
        given = torch.cat([functional.one_hot(skill, task.skills).float(), seen.side[:, None]], dim=1)
        masks = drawn_masks(len(items), task.generator, task.device)
        with task.short():
            said = network(task.seen(seen.crop), given, masks)
        points = seen.points[torch.arange(len(items), device=task.device), skill]
        return aim_loss(said.float(), points, directed=skill == task.scoop)

    return _trained(network, loss, task.size.aim, "aim")


def aim_loss(said: Tensor, points: Tensor, *, directed: Tensor) -> Tensor:
    """How far M4 is off: middle, log of half the length, direction (of scoops; of the line for other skills)."""
    middle, way = points.mean(dim=1), (points[:, 1] - points[:, 0]) / 2
    length = way.norm(dim=1).clamp(min=1e-3)
    angle = torch.atan2(way[:, 1], way[:, 0]) * torch.where(directed, 1.0, 2.0)
    turned = torch.stack([torch.cos(angle), torch.sin(angle)], dim=1)
    return (
        3.0 * functional.smooth_l1_loss(said[:, :2], middle, beta=0.05)
        + 0.3 * functional.smooth_l1_loss(said[:, 2], length.log(), beta=0.1)
        + 0.5 * functional.mse_loss(said[:, 3:], turned)
    )


PARTS: dict[str, Callable[[Task], nn.Module]] = {
    "find": fit_find,
    "name": fit_name,
    "choose": fit_choose,
    "aim": fit_aim,
}


def _trained(network: nn.Module, loss: Callable[[], Tensor], steps: int, name: str) -> nn.Module:
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.15)
    network.train()
    mean = 0.0
    for number in range(steps):
        optimiser.zero_grad(set_to_none=True)
        found = loss()
        found.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        if number % 50 == 0 or number == steps - 1:
            mean = found.item() if number == 0 else 0.7 * mean + 0.3 * found.item()
            print(f"{name}: step {number} of {steps}, loss {mean:.4f}", flush=True)
    return network


@dataclass(frozen=True, kw_only=True)
class _Some:
    """Some plates as M1 and M2 see them while they learn: varied pictures, their items, the items' boxes there."""

    chosen: Tensor
    pictures: Tensor
    items: Tensor
    of: Tensor
    boxes: Tensor


def _some_plates(task: Task, by_picture: list[Tensor]) -> _Some:
    chosen = task.some(len(task.plates.rgb), task.size.pictures)
    items = torch.cat([by_picture[each] for each in chosen.tolist()])
    of = torch.cat([torch.full_like(by_picture[each], row) for row, each in enumerate(chosen.tolist())])
    pictures = task.plates.whole[chosen].float() / 255.0
    pictures, boxes = mirrored(pictures, task.plates.box[items], of, task.generator)
    pictures = task.seen(littered(pictures, boxes, of, task.generator))
    return _Some(chosen=chosen, pictures=pictures, items=items, of=of, boxes=boxes)


def _items_of(plates: Plates) -> list[Tensor]:
    counts = torch.bincount(plates.of, minlength=len(plates.rgb))
    return list(torch.arange(len(plates.of), device=plates.of.device).split(counts.tolist()))


def _evenly(task: Task) -> Callable[[int], Tensor]:
    """Draws items, each food as often as any other."""
    weights = 1.0 / torch.bincount(task.plates.food, minlength=task.foods).clamp(min=1).float()
    ends = weights[task.plates.food].double().cumsum(0)

    def draw(count: int) -> Tensor:
        at = torch.rand(count, generator=task.generator, dtype=torch.float64, device=task.device) * ends[-1]
        return torch.searchsorted(ends, at).clamp(max=len(ends) - 1)

    return draw


def _heat_loss(heat: Tensor, boxes: Tensor, of: Tensor, food: Tensor) -> Tensor:
    batch, foods, rows, columns = heat.shape
    x, y, width, height = _in_cells(boxes, rows, columns)
    across = (torch.arange(columns, device=heat.device) + 0.5 - x[:, None]) / (width[:, None] / 5.0).clamp(min=0.6)
    down = (torch.arange(rows, device=heat.device) + 0.5 - y[:, None]) / (height[:, None] / 5.0).clamp(min=0.6)
    bells = torch.exp(-0.5 * (down[:, :, None] ** 2 + across[:, None, :] ** 2))
    bells = bells / bells.amax(dim=(1, 2), keepdim=True)
    wanted = torch.zeros(batch * foods, rows, columns, device=heat.device)
    wanted = wanted.index_reduce(0, of * foods + food, bells, "amax").view(batch, foods, rows, columns)
    hot = wanted > 0.999
    chance = torch.sigmoid(heat).clamp(1e-5, 1.0 - 1e-5)
    at = (1.0 - chance) ** 2 * chance.log() * hot
    beside = (1.0 - wanted) ** 4 * chance**2 * (1.0 - chance).log() * ~hot
    return -(at + beside).sum() / max(len(boxes), 1)


def _sides_loss(sides: Tensor, boxes: Tensor, of: Tensor) -> Tensor:
    """One less the overlap of boxes said at the nine cells around each middle with the true one."""
    _, _, rows, columns = sides.shape
    x, y, width, height = _in_cells(boxes, rows, columns)
    losses = []
    for right, down in _around():
        column = (x.long() + right).clamp(0, columns - 1)
        row = (y.long() + down).clamp(0, rows - 1)
        said = sides[of, :, row, column]
        from_x, from_y = column + 0.5 - x, row + 0.5 - y
        left, top = width / 2 + from_x, height / 2 + from_y
        true = torch.stack([left, top, width - left, height - top], dim=1)
        inside = (true > 0).all(dim=1)
        least, most = torch.minimum(said, true), torch.maximum(said, true)
        both = (least[:, 0] + least[:, 2]).clamp(min=0) * (least[:, 1] + least[:, 3]).clamp(min=0)
        area = (said[:, 0] + said[:, 2]) * (said[:, 1] + said[:, 3]) + width * height
        hull = (most[:, 0] + most[:, 2]) * (most[:, 1] + most[:, 3])
        union = (area - both).clamp(min=1e-6)
        losses.append((1.0 - both / union + (hull - union) / hull.clamp(min=1e-6))[inside])
    return torch.cat(losses).mean()


def _around() -> Iterator[tuple[int, int]]:
    yield from ((right, down) for right in (-1, 0, 1) for down in (-1, 0, 1))


def _in_cells(boxes: Tensor, rows: int, columns: int) -> tuple[Any, Any, Any, Any]:
    left, top, right, bottom = boxes.unbind(1)
    return (left + right) / 2 * columns, (top + bottom) / 2 * rows, (right - left) * columns, (bottom - top) * rows


if __name__ == "__main__":
    main()
