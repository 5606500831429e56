"""From weights to the shipped f_seg and f_ori: export, one threshold from the validation plates, scores on others."""

from __future__ import annotations

import hashlib
import json
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from handup.domains.plate.primitives import Mask, PlateFood
from handup.domains.plate.segmentation import MaskScore
from handup.domains.plate.vision import CARD, CROP, KIND, SCHEMA, SEEN, FoodSegmenter, GrainReader
from train.feeding.networks import load_weights
from train.plate import SHIPPED
from train.plate.vision import TRUE, Arrays, Grain, Pyramid, Size, read

LEAST: tuple[float, ...] = tuple(np.arange(0.04, 0.61, 0.02).round(2).tolist())
"""Shares of a pixel that are tried as the threshold of a mask."""
AGREE = 0.5
"""Share from which on strands around a place are said to run in one direction."""
OUT = Path(__file__).parents[2] / "docs" / "plate" / "seeing.json"


class _Shares(nn.Module):
    """f_seg with shares from 0 to 1 in the place of logits."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, picture: Tensor) -> Tensor:
        return torch.sigmoid(self.network(picture))


def export(name: str, weights: Path, path: Path) -> None:
    """Write f_seg, `seg`, or f_ori, `ori`, as an ONNX file for any number of pictures, f_seg's of any size."""
    network = load_weights(Pyramid() if name == "seg" else Grain(), weights).eval()
    side, entry = (SEEN, "picture") if name == "seg" else (CROP, "crop")
    free = {0: "pictures", 2: "height", 3: "width"} if name == "seg" else {0: "crops"}
    torch.onnx.export(
        _Shares(network).eval() if name == "seg" else network,
        (torch.zeros(1, 3, side, side),),
        str(path),
        input_names=[entry],
        output_names=["out"],
        dynamic_axes={entry: free, "out": free if name == "seg" else {0: "crops"}},
        opset_version=17,
        dynamo=False,
    )
    if name == "ori":
        shorten(path)


def shorten(path: Path) -> None:
    """Store large weights of an ONNX file as half floats, to be widened when it is loaded: half the size."""
    model = onnx.load(path)
    widened = []
    for weights in model.graph.initializer:
        if weights.data_type == onnx.TensorProto.FLOAT and math.prod(weights.dims) > 1000:
            short, wide = f"{weights.name} short", weights.name
            weights.CopyFrom(
                onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(weights).astype(np.float16), short)
            )
            widened.append(onnx.helper.make_node("Cast", [short], [wide], to=onnx.TensorProto.FLOAT))
    nodes = [*widened, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.save(model, path)


def ship(folder: Path, out: Path, *, name: str, seed: int, size: Size) -> None:
    """Export a network, choose its threshold, and write its part of the card."""
    out.mkdir(parents=True, exist_ok=True)
    path, card = out / f"{name}.onnx", out / CARD
    export(name, folder / "weights" / f"{name}-{seed}.npz", path)
    cards: dict[str, Any] = json.loads(card.read_text(encoding="utf-8")) if card.exists() else {}
    pictures = read(folder, "train")["rgb" if name == "seg" else "crop"]
    cards[name] = {
        "schema": SCHEMA,
        "kind": KIND,
        "digest": hashlib.sha256(path.read_bytes()).hexdigest(),
        "command": f"python -m train.plate --only {name} --seeds {seed}",
        "seed": seed,
        "steps": getattr(size, name),
        "pictures": len(pictures),
        "torch": (folder / "weights" / "torch.txt").read_text(encoding="utf-8").strip(),
        "date": datetime.now(UTC).date().isoformat(),
    }
    if name == "seg":
        cards[name] |= {"labels": TRUE, "least": 0.5}
    card.write_text(json.dumps(cards, indent=1) + "\n", encoding="utf-8")
    if name == "seg":
        cards[name]["least"] = best_threshold(FoodSegmenter.load(out), read(folder, "validation"))
        card.write_text(json.dumps(cards, indent=1) + "\n", encoding="utf-8")


def best_threshold(segmenter: FoodSegmenter, plates: Arrays) -> float:
    """Return the share of a pixel from which on masks are most like the true ones."""
    shares = segmenter.shares(plates["seen"])
    scores = [MaskScore.of(pooled(shares, least), plates["mask"]).iou for least in LEAST]
    best: float = LEAST[int(np.argmax(scores))]
    return best


def pooled(shares: NDArray[np.float32], least: float) -> Mask:
    """Return masks of 64 × 64 px, as `FoodSegmenter.mask` makes them."""
    count = len(shares)
    masks: Mask = shares.reshape(count, 64, SEEN // 64, 64, SEEN // 64).max(axis=(2, 4)) > least
    return masks


def off_deg(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return angles between directions, from 0 to 90°."""
    apart = np.abs(first - second) % math.pi
    angles: NDArray[np.float64] = np.degrees(np.minimum(apart, math.pi - apart))
    return angles


def evaluate(folder: Path, models: Path) -> dict[str, Any]:
    """Return the scores of both networks on plates that nothing was learnt or chosen from."""
    segmenter, grains = FoodSegmenter.load(models), GrainReader.load(models)
    scores: dict[str, Any] = {}
    for split in ("easy", "hard"):
        for food in PlateFood:
            plates = read(folder, split, food)
            masks = np.stack([segmenter.mask(picture) for picture in plates["seen"]])
            # Of labels by difference, the share that the truth agrees with: both are known of the whole view.
            labels, true = (plates[name] > 127 for name in ("differs", "true"))
            scores[f"{split} {food}"] = {
                "mask": vars(MaskScore.of(masks, plates["mask"])),
                "labels by difference": vars(MaskScore.of(labels, true)),
            }
            if food is PlateFood.NOODLES:
                read_grain = np.array([grains.grain(crop) for crop in plates["crop"]])
                clear = plates["agree"] >= AGREE
                scores[f"{split} {food}"]["grain"] = {
                    name: {
                        "crops": len(read_grain),
                        "mean_deg": float(off.mean()),
                        "error_deg": float(off.std(ddof=1) / math.sqrt(len(off))),
                        "clear_crops": int(clear.sum()),
                        "clear_mean_deg": float(off[clear].mean()),
                    }
                    for name, off in (
                        ("f_ori", off_deg(read_grain, plates["grain"])),
                        ("structure tensor of the true mask", off_deg(plates["tensor"], plates["grain"])),
                    )
                }
    return scores


def write(folder: Path) -> None:
    """Score the shipped networks, and write the scores beside the page that quotes them."""
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(evaluate(folder, SHIPPED), indent=1) + "\n", encoding="utf-8")
