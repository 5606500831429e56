"""From weights to ONNX, each network with its last squashing, so that scores come out.

`python -m train.feeding.export build/feeding` does it for every seed there. Needs torch and onnx.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch
from torch import Tensor, nn

from train.feeding.networks import Aim, load_weights, made

PASSES = 16
NAMES = ("name", "find", "choose", "aim")


def main() -> None:
    """Export all seeds of a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where train.feeding.fit wrote")
    for seed in sorted(parser.parse_args().folder.glob("seed-*")):
        export_seed(seed)


def export_seed(folder: Path) -> None:
    """The four networks of one seed, beside their weights."""
    known = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    foods, skills = len(known["foods"]), len(known["skills"])
    for name in NAMES:
        network = load_weights(made(name, foods=foods, skills=skills), folder / f"{name}.npz")
        export(name, network, folder / f"{name}.onnx", foods=foods, skills=skills)


class _Scores(nn.Module):
    """A network whose logits become scores."""

    def __init__(self, network: nn.Module, squash: nn.Module) -> None:
        super().__init__()
        self.network, self.squash = network, squash

    def forward(self, *given: Tensor) -> Tensor:
        return self.squash(self.network(*given))


class _Heat(nn.Module):
    """M2 with heat from 0 to 1."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, picture: Tensor) -> tuple[Tensor, Tensor]:
        heat, sides = self.network(picture)
        return torch.sigmoid(heat), sides


def export(name: str, network: nn.Module, path: Path, *, foods: int, skills: int) -> None:
    """Write one network, `name`, `find`, `choose` or `aim`, as the shipped modules read it."""
    network.eval()
    picture, crop = torch.zeros(1, 3, 120, 160), torch.zeros(1, 3, 64, 64)
    whole, inputs, outputs = {
        "name": (_Scores(network, nn.Sigmoid()), {"picture": picture}, ["scores"]),
        "find": (_Heat(network), {"picture": picture}, ["heat", "sides"]),
        "choose": (
            _Scores(network, nn.Softmax(dim=1)),
            {"crop": crop, "given": torch.zeros(1, foods + 1)},
            ["scores"],
        ),
        "aim": (
            network,
            {"crop": crop, "given": torch.zeros(1, skills + 1), "masks": torch.ones(PASSES, Aim.masks)},
            ["said"],
        ),
    }[name]
    torch.onnx.export(
        whole.eval(),
        tuple(inputs.values()),
        str(path),
        input_names=list(inputs),
        output_names=outputs,
        opset_version=17,
        dynamo=False,
    )


if __name__ == "__main__":
    main()
