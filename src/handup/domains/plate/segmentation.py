"""Scores of f_seg on folders of real pictures with masks, and of how much a folder's own split is worth.

A folder holds pairs: `NAME.jpg` and `NAME_mask.jpg`, PNG files as well. Where it has folders `train` and `test`, the
split may leak: a picture of the same plate, moved or tinted, in both. Such near copies are told by their masks, which
keep their shape under other light. Then the split is scored beside one that keeps all copies on one side, and beside
splits that hold out the plates of a colour. Needs the extra `models`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, gaussian_filter, map_coordinates
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from handup.core import BadData, OutOfRange
from handup.domains.plate.low_level import PIXELS
from handup.domains.plate.primitives import Mask
from handup.domains.plate.vision import SEEN, FoodSegmenter
from handup.models.pictures import pillow

SUFFIXES = (".jpg", ".jpeg", ".png")
MASK = "_mask"
MOST_PICTURES = 20_000
MOST_SIDE = 8_192
"""Longest side of a picture that is read, in px."""
COPY = 0.7
"""Likeness of two masks from which on their pictures are near copies: between those of the same plate and of others."""
TURNS_DEG = tuple(range(-20, 21, 4))
"""Turns under which masks are compared."""
SHAPE = 32
"""Side of a mask that is compared, in px."""
LEVELS = 16
"""Steps of each channel in a table of colours."""
DARK, GREY = 0.4, 0.3
"""Value below which a plate is dark, and saturation below which a brighter one has no colour."""
BATCH = 64
FIXED = "Mend it, or take it and its mask out of the folder."
Numbers = NDArray[np.float32]
Rows = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class MaskScore:
    """Score of masks against the true ones.

    Args:
        pictures: Number of pictures.
        iou: Intersection over union of all pixels together.
        mean_iou: Mean of the intersection over union of each picture; a picture without food and mask counts as 1.
        false_share: Share of the pixels called food that are none.
        missed_share: Share of the food's pixels that are not called food.
    """

    pictures: int
    iou: float
    mean_iou: float
    false_share: float
    missed_share: float

    @classmethod
    def of(cls, masks: Mask, true: Mask) -> Self:
        """Score masks, pictures × height × width."""
        both, either = (masks & true).sum(axis=(1, 2)), (masks | true).sum(axis=(1, 2))
        shares = np.divide(both, either, out=np.ones(len(both)), where=either > 0)
        hit = int(both.sum())
        return cls(
            pictures=len(masks),
            iou=hit / max(int(either.sum()), 1),
            mean_iou=float(shares.mean()) if len(shares) else 0.0,
            false_share=1.0 - hit / max(int(masks.sum()), 1),
            missed_share=1.0 - hit / max(int(true.sum()), 1),
        )


@dataclass(frozen=True, kw_only=True)
class SplitScore:
    """Scores on one split.

    Args:
        name: `own`, `regrouped`, or `without COLOUR`.
        train: Number of pictures to learn from.
        test: Number of pictures that are scored.
        copied: Share of these with a near copy among those to learn from.
        floor: Score of a table of colours that learnt from this split's pictures.
        f_seg: Score of our network, which learnt from none of them.
    """

    name: str
    train: int
    test: int
    copied: float
    floor: MaskScore
    f_seg: MaskScore


@dataclass(frozen=True, kw_only=True)
class SegmentReport:
    """Report on a folder.

    Args:
        pictures: Number of pictures.
        f_seg: Score of our network on all of them.
        groups: Number of groups of near copies; 0 where the folder has no split.
        splits: Scores on its own split and on others; empty where it has none.
    """

    pictures: int
    f_seg: MaskScore
    groups: int = 0
    splits: tuple[SplitScore, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the report as a record."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledPictures:
    """Pictures of 128 × 128 px and their masks, decoded once.

    Args:
        rgb: Pictures × 128 × 128 × 3.
        shares: Share of each pixel that is food: pictures × 128 × 128, from 0 to 255.
    """

    rgb: NDArray[np.uint8]
    shares: NDArray[np.uint8]

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read all pairs of a folder, in the order of their names.

        Raises:
            BadData: There is no pair, a picture has no mask, or a file is no picture.
        """
        paths = sorted(path for path in _files(folder) if not path.stem.endswith(MASK))
        if not paths:
            hint = "Name the folder in which pairs such as 00001.jpg and 00001_mask.jpg lie."
            raise BadData(f"{folder} must hold pictures and masks, got none", hint=hint)
        if len(paths) > MOST_PICTURES:
            raise BadData(f"at most {MOST_PICTURES} pictures are read, got {len(paths)}", hint="Take a part of them.")
        rgb = np.empty((len(paths), SEEN, SEEN, 3), np.uint8)
        shares = np.empty((len(paths), SEEN, SEEN), np.uint8)
        for number, path in enumerate(paths):
            masks = [path.with_name(f"{path.stem}{MASK}{suffix}") for suffix in SUFFIXES]
            mask = next((mask for mask in masks if mask.is_file()), None)
            if mask is None:
                hint = f"Put {path.stem}{MASK}{path.suffix} beside it: food is white."
                raise BadData(f"{path} must have a mask, got none", hint=hint)
            rgb[number], size = _decoded(path, "RGB")
            shares[number], mask_size = _decoded(mask, "L")
            if size != mask_size:
                raise BadData(f"{mask} must have the size of its picture, {size}, got {mask_size}", hint=FIXED)
        return cls(rgb=rgb, shares=shares)

    def joined(self, more: LabelledPictures) -> LabelledPictures:
        """Return these pictures, followed by others."""
        return LabelledPictures(
            rgb=np.concatenate([self.rgb, more.rgb]), shares=np.concatenate([self.shares, more.shares])
        )

    @property
    def small(self) -> NDArray[np.uint8]:
        """The pictures at 64 × 64 px."""
        halves = self.rgb.reshape(len(self.rgb), PIXELS, 2, PIXELS, 2, 3).mean(axis=(2, 4), dtype=np.float32)
        pixels: NDArray[np.uint8] = np.rint(halves).astype(np.uint8)
        return pixels

    @property
    def food(self) -> Mask:
        """The masks at 64 × 64 px: true where food covers half of a pixel or more."""
        return _halved(self.shares.astype(np.float32)) >= 127.5


@dataclass(frozen=True, eq=False)
class ColourTable:
    """Share of food among the pixels of each colour: the least that a network must beat.

    Args:
        shares: For each colour, in 16 steps of each channel, how often it was food.
        least: Share from which on a pixel is called food.
    """

    shares: NDArray[np.float64]
    least: float

    @classmethod
    def fitted(cls, small: NDArray[np.uint8], food: Mask) -> Self:
        """Count the colours of pictures, and choose the share with the best score on them."""
        colours = _colours(small).ravel()
        seen = np.bincount(colours, minlength=LEVELS**3)
        eaten = np.bincount(colours[food.ravel()], minlength=LEVELS**3)
        shares = eaten / np.maximum(seen, 1)
        # Called food from the colour with the highest share on: hits, false ones and misses by running sums.
        order = np.argsort(-shares, kind="stable")
        hits, called = np.cumsum(eaten[order]), np.cumsum(seen[order])
        best = int(np.argmax(hits / np.maximum(called + eaten.sum() - hits, 1)))
        return cls(shares, float(shares[order[best]]))

    def masks(self, small: NDArray[np.uint8]) -> Mask:
        """Return where food is thought to be. A colour that was never seen is none."""
        masks: Mask = self.shares[_colours(small)] >= max(self.least, 1e-9)
        return masks


def evaluate(folder: Path, segmenter: FoodSegmenter, *, seed: int = 0) -> SegmentReport:
    """Score a folder of pairs, or one with folders `train` and `test` of pairs.

    Args:
        folder: The folder.
        segmenter: Our network.
        seed: Source of the regrouped split.

    Raises:
        BadData: A picture or mask is missing or damaged.
        OutOfRange: The seed is below 0.
    """
    if seed < 0:
        raise OutOfRange.of("seed", seed, "be a whole number from 0 on", hint="Give such a number.")
    if not ((folder / "train").is_dir() and (folder / "test").is_dir()):
        data = LabelledPictures.read(folder)
        return SegmentReport(pictures=len(data.rgb), f_seg=MaskScore.of(_seen(data, segmenter), data.food))
    train, test = (LabelledPictures.read(folder / name) for name in ("train", "test"))
    data = train.joined(test)
    food, small, masks = data.food, data.small, _seen(data, segmenter)
    first, second = near_copies(data.shares)
    groups = grouped(len(food), first, second)
    colours = plate_colours(small, food, groups)
    own = np.arange(len(food)) >= len(train.rgb)
    scores = []
    for name, tested in splits_of(own, groups, colours, seed):
        table = ColourTable.fitted(small[~tested], food[~tested])
        leaks = np.concatenate([first[tested[first] & ~tested[second]], second[tested[second] & ~tested[first]]])
        scores.append(
            SplitScore(
                name=name,
                train=int((~tested).sum()),
                test=int(tested.sum()),
                copied=len(np.unique(leaks)) / int(tested.sum()),
                floor=MaskScore.of(table.masks(small[tested]), food[tested]),
                f_seg=MaskScore.of(masks[tested], food[tested]),
            )
        )
    return SegmentReport(
        pictures=len(food), f_seg=MaskScore.of(masks, food), groups=int(groups.max()) + 1, splits=tuple(scores)
    )


def near_copies(shares: NDArray[np.uint8]) -> tuple[Rows, Rows]:
    """Return pairs of pictures that show the same plate, moved, turned by up to 20° or tinted: two lists of numbers.

    Two masks are compared with their middles upon each other, by the cosine of their fine structure: what is left of
    them without what a strong blur would leave.
    """
    flat = [_structures(shares, turn_deg) for turn_deg in TURNS_DEG]
    upright = flat[TURNS_DEG.index(0)]
    pairs: list[tuple[Rows, Rows]] = []
    for start in range(0, len(shares), 512):
        rows = slice(start, start + 512)
        likeness = np.max([turned[rows] @ upright.T for turned in flat], axis=0)
        ones, others = np.nonzero(likeness >= COPY)
        kept = ones + start < others
        pairs.append((ones[kept] + start, others[kept]))
    return np.concatenate([pair[0] for pair in pairs]), np.concatenate([pair[1] for pair in pairs])


def grouped(count: int, first: Rows, second: Rows) -> Rows:
    """Return the group of each picture: copies of copies are in one group."""
    graph = coo_array((np.ones(len(first), np.int8), (first, second)), shape=(count, count))
    groups: Rows = connected_components(graph, directed=False)[1].astype(np.int64)
    return groups


def plate_colours(small: NDArray[np.uint8], food: Mask, groups: Rows) -> NDArray[np.str_]:
    """Return the colour of the plate of each group: `blue`, `green`, `red`, `dark`, `pale`; `unknown` without food.

    It is that of the strongest colours a little beside the food, where tables are pale, in the middle of all pictures
    of the group, so that tints cancel out.
    """
    near = binary_dilation(food, np.ones((1, 9, 9), np.bool_)) & ~binary_dilation(food, np.ones((1, 5, 5), np.bool_))
    members: list[list[NDArray[np.float64]]] = [[] for _ in range(int(groups.max()) + 1)]
    for group, picture, ring in zip(groups.tolist(), small, near, strict=True):
        beside = picture[ring] / 255.0
        if len(beside):
            strength = np.ptp(beside, axis=1)
            members[group].append(np.median(beside[strength >= np.median(strength)], axis=0))
    return np.array([_named(np.median(colours, axis=0)) if colours else "unknown" for colours in members])


def _named(colour: NDArray[np.float64]) -> str:
    red, green, blue = colour.tolist()
    value = max(red, green, blue)
    if value < DARK:
        return "dark"
    if value - min(red, green, blue) < GREY * value:
        return "pale"
    return "red" if value == red else "green" if green > 0.92 * blue else "blue"


def splits_of(
    own: NDArray[np.bool_], groups: Rows, colours: NDArray[np.str_], seed: int
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield the name of a split, and which pictures it tests on.

    Args:
        own: Pictures that the folder's own split tests on.
        groups: Group of each picture.
        colours: Colour of the plate of each group.
        seed: Source of the order in which groups are tested on.
    """
    yield "own", own
    count = int(groups.max()) + 1
    sizes = np.bincount(groups, minlength=count)
    tested = np.zeros(count, np.bool_)
    for group in np.random.default_rng(seed).permutation(count):
        if sizes[tested].sum() + sizes[group] <= own.sum():
            tested[group] = True
    if 0 < sizes[tested].sum() < len(own):
        yield "regrouped", tested[groups]
    for name in np.unique(colours[colours != "unknown"]):
        held = (colours == name)[groups]
        if 0 < held.sum() < len(own):
            yield f"without {name}", held


def _seen(data: LabelledPictures, segmenter: FoodSegmenter) -> Mask:
    """Return f_seg's masks at 64 × 64 px: true where it thinks that food covers half of a pixel or more."""
    batches = [segmenter.shares(data.rgb[start : start + BATCH]) for start in range(0, len(data.rgb), BATCH)]
    return _halved(np.concatenate(batches)) >= 0.5


def _halved(values: Numbers) -> Numbers:
    halves: Numbers = values.reshape(len(values), PIXELS, 2, PIXELS, 2).mean(axis=(2, 4))
    return halves


def _colours(small: NDArray[np.uint8]) -> NDArray[np.int64]:
    steps = small.astype(np.int64) * LEVELS // 256
    numbers: NDArray[np.int64] = (steps[..., 0] * LEVELS + steps[..., 1]) * LEVELS + steps[..., 2]
    return numbers


def _structures(shares: NDArray[np.uint8], turn_deg: float) -> Numbers:
    """Return the fine structure of masks around their middles, turned, as unit vectors; of empty masks nothing."""
    size = SEEN // SHAPE
    coarse = shares.reshape(len(shares), SHAPE, size, SHAPE, size).mean(axis=(2, 4), dtype=np.float32)
    turn, steps = np.radians(turn_deg), np.arange(SHAPE) - (SHAPE - 1) / 2.0
    across, down = np.meshgrid(steps, steps)
    weight = np.maximum(coarse.sum(axis=(1, 2)), 1e-6)
    middles = [(coarse.sum(axis=axis) * np.arange(SHAPE)).sum(axis=1) / weight for axis in (2, 1)]
    columns = np.cos(turn) * across - np.sin(turn) * down
    rows = np.sin(turn) * across + np.cos(turn) * down
    turned = np.stack(
        [
            map_coordinates(mask, [rows + row, columns + column], order=1)
            for mask, row, column in zip(coarse, *middles, strict=True)
        ]
    )
    fine = gaussian_filter(turned, (0.0, 0.5, 0.5)) - gaussian_filter(turned, (0.0, 2.0, 2.0))
    flat: Numbers = fine.reshape(len(turned), -1)
    unit: Numbers = flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-6)
    return unit


def _files(folder: Path) -> Iterator[Path]:
    try:
        yield from (path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)
    except OSError as error:
        raise BadData(f"{folder} must be a folder that can be read ({error.strerror})", hint="Check it.") from None


def _decoded(path: Path, mode: str) -> tuple[NDArray[np.uint8], tuple[int, int]]:
    """Return a picture as 128 × 128 px by averages, and the size that it has."""
    image_of, _ = pillow("reading pictures")
    try:
        with image_of.open(path) as image:
            size: tuple[int, int] = image.size
            if max(size) > MOST_SIDE:
                raise BadData(f"a side of {path} must have at most {MOST_SIDE} px, got {max(size)}", hint=FIXED)
            image.draft(mode, (SEEN, SEEN))  # lets JPEG files be decoded small, which takes a fraction of the time
            pixels = image.convert(mode).resize((SEEN, SEEN), image_of.Resampling.BOX)
    except (OSError, SyntaxError, ValueError, image_of.DecompressionBombError) as error:
        raise BadData(f"{path} must be a whole picture ({' '.join(str(error).split())[:120]})", hint=FIXED) from None
    return np.asarray(pixels, dtype=np.uint8), size
