"""From weights to ONNX, with a card beside them. Needs torch and onnx."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from handup.domains.plate.plate_models import KIND, SCHEMA
from handup.domains.plate.push_features import NAMES
from train.plate.difference import Values
from train.plate.dynamics import PIXELS, PRIMITIVES, Rssm, Small

LEAST_HALVED = 64
"""Size from which on a weight is stored with half the digits; it is computed with as before."""


class _RssmObserve(nn.Module):
    def __init__(self, model: Rssm) -> None:
        super().__init__()
        self.model = model

    def forward(self, state: Tensor, action: Tensor, mask: Tensor) -> Tensor:
        belief, latent = state.split([Rssm.belief, Rssm.latent], 1)
        belief, _, _ = self.model.step(belief, latent, action)
        mean, _ = self.model.see(belief, self.model.encoder(mask))
        return torch.cat([belief, mean], 1)


class _RssmImagine(nn.Module):
    def __init__(self, model: Rssm) -> None:
        super().__init__()
        self.model = model

    def forward(self, state: Tensor, action: Tensor) -> tuple[Tensor, Tensor]:
        belief, latent = state.split([Rssm.belief, Rssm.latent], 1)
        belief, mean, _ = self.model.step(belief, latent, action)
        after = torch.cat([belief, mean], 1)
        return after, self.model.reward(after)


class _SmallObserve(nn.Module):
    def __init__(self, members: list[Small]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)

    def forward(self, state: Tensor, action: Tensor, mask: Tensor) -> Tensor:
        # A model without memory reads neither, but has the same inputs as one with it.
        unread = 0.0 * (state.sum() + action.sum())
        return torch.cat([member.encoder(mask) for member in self.members], 1) + unread


class _SmallImagine(nn.Module):
    def __init__(self, members: list[Small]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)

    def forward(self, state: Tensor, action: Tensor) -> tuple[Tensor, Tensor]:
        parts = zip(self.members, state.split(Small.latent, 1), strict=True)
        steps = [member.step(part, action) for member, part in parts]
        return torch.cat([after for after, _ in steps], 1), torch.stack([gains for _, gains in steps]).mean(0)


def export_latent(name: str, food: str, members: list[Any], folder: Path, record: Mapping[str, Any]) -> None:
    """Write the RSSM or the small model, and its card with what torch says of a plate to be compared with."""
    rssm = name == "rssm"
    observe = _RssmObserve(members[0]) if rssm else _SmallObserve(members)
    imagine = _RssmImagine(members[0]) if rssm else _SmallImagine(members)
    numbers = Rssm.belief + Rssm.latent if rssm else Small.latent * len(members)
    state, action, mask = torch.zeros(1, numbers), torch.eye(PRIMITIVES)[:1], probe()
    _export(
        observe, folder / f"{name}_{food}_observe.onnx", {"state": state, "action": action, "mask": mask}, ["after"]
    )
    _export(imagine, folder / f"{name}_{food}_imagine.onnx", {"state": state, "action": action}, ["after", "gains"])
    with torch.no_grad():
        state, gains = observe(state, torch.zeros(1, PRIMITIVES), mask), []
        for primitive in (1, 0, 0):
            state, step = imagine(state, torch.eye(PRIMITIVES)[primitive][None])
            gains.append(step[0].tolist())
    card = {"state": numbers, "remembers": rssm, "probe": gains, **record}
    write_card(name, food, [f"{name}_{food}_observe", f"{name}_{food}_imagine"], folder, card)


def export_values(values: Values, food: str, folder: Path, record: Mapping[str, Any]) -> None:
    """Write the networks of the difference planner, and their card."""
    name = f"difference_{food}"
    _export(values, folder / f"{name}.onnx", {"features": torch.zeros(1, len(NAMES))}, ["values"])
    with torch.no_grad():
        said = values(torch.linspace(0.0, 1.0, len(NAMES))[None])[0].tolist()
    write_card("difference", food, [name], folder, {"features": NAMES, "probe": said, **record})


def probe() -> Tensor:
    """Return a mask with a heap and a stray piece, to compare torch with what was exported."""
    mask = torch.zeros(1, 1, PIXELS, PIXELS)
    mask[..., 20:28, 30:40] = 1.0
    mask[..., 50:53, 8:12] = 1.0
    return mask


def write_card(name: str, food: str, networks: list[str], folder: Path, record: Mapping[str, Any]) -> None:
    """Write the card of a model: what it is, hashes of its networks, and how it came about."""
    digests = {network: hashlib.sha256((folder / f"{network}.onnx").read_bytes()).hexdigest() for network in networks}
    card = {"schema": SCHEMA, "kind": KIND, "name": name, "food": food, "digest": digests, **record}
    (folder / f"{name}_{food}.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def _export(network: nn.Module, path: Path, inputs: Mapping[str, Tensor], outputs: list[str]) -> None:
    many = {name: {0: "n"} for name in [*inputs, *outputs]}
    torch.onnx.export(
        network.eval(), tuple(inputs.values()), str(path), input_names=list(inputs), output_names=outputs,
        dynamic_axes=many, opset_version=17, dynamo=False,
    )  # fmt: skip
    halved(path)


def halved(path: Path) -> None:
    """Store the large weights of a network with half the digits, as numbers that are cast when it is loaded."""
    model = onnx.load(str(path))
    casts, kept = [], []
    for weight in model.graph.initializer:
        numbers = numpy_helper.to_array(weight)
        if numbers.dtype != np.float32 or numbers.size < LEAST_HALVED:
            kept.append(weight)
            continue
        kept.append(numpy_helper.from_array(numbers.astype(np.float16), f"{weight.name}.half"))
        casts.append(helper.make_node("Cast", [f"{weight.name}.half"], [weight.name], to=TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(kept)
    model.graph.node.extend(nodes)
    onnx.save(model, str(path))
