"""The training of the feeding robot's networks: splits that keep apart, tolerances, the same squares as at run time."""

import itertools
import json
from dataclasses import astuple
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from handup.core import Box
from handup.domains.feeding import EASY, HARD, foods
from handup.domains.feeding.crops import Square, cut, standard
from handup.domains.feeding.truth import PoseError, off_by, tolerances
from train.feeding import render
from train.feeding.packing import BRIGHT, COLOUR, files_of, packed, unpacked
from train.feeding.splits import SPLITS, bites_before, plate_of
from train.feeding.tolerance import OUT, borne, table

DOCS = Path(__file__).parents[2] / "docs" / "feeding"
FIRSTS = (0, 50_000, 70_000, 170_000, 180_000, 190_000, 200_000, 210_000, 220_000)
USED = (*(range(first, first + 10_000) for first in FIRSTS), range(80_000, 80_098))


def ranges() -> dict[str, range]:
    return {name: range(each.first, each.first + each.plates) for name, each in SPLITS.items()}


def test_no_plate_is_in_two_splits_or_was_used_before() -> None:
    for one, other in itertools.combinations([*ranges().values(), *USED], 2):
        assert not set(one) & set(other) or (one in USED and other in USED)


def test_nothing_is_learnt_or_chosen_from_hard_looks() -> None:
    for name in ("train", "validation"):
        assert {SPLITS[name].looks(seed).name for seed in ranges()[name]} == {"easy"}
    assert all(SPLITS["hard"].looks(seed) is HARD for seed in ranges()["hard"])
    assert all(SPLITS["easy"].looks(seed) is EASY for seed in ranges()["easy"])


def test_every_food_is_on_many_training_plates_and_half_the_plates_were_eaten_from() -> None:
    plates = [plate_of(seed) for seed in ranges()["train"]]
    assert min(sum(name in plate.pieces for plate in plates) for name in foods()) >= 50
    eaten = [bites_before(seed) for seed in ranges()["train"]]
    assert np.mean([each > 0 for each in eaten]) == pytest.approx(0.5)
    assert set(eaten) == {0, 1, 2, 3}


def test_what_a_food_bears_lies_between_the_measured_points() -> None:
    assert borne([(0.0, 1.0), (4.0, 1.0), (8.0, 0.5), (12.0, 0.0)]) == pytest.approx(6.0)
    assert borne([(0.0, 1.0), (30.0, 0.9), (90.0, 0.8)]) == 90.0
    assert borne([(0.0, 1.0), (4.0, 0.6), (8.0, 0.9), (12.0, 0.0)]) == pytest.approx(8.0 + 4.0 * 0.15 / 0.9)


def test_every_food_has_its_tolerance_for_each_skill_that_fits() -> None:
    assert set(tolerances()) == {(name, skill) for name, each in foods().items() for skill in each.skills}


def test_the_shipped_tolerances_are_those_of_the_published_sweep() -> None:
    shipped = json.loads(OUT.read_text(encoding="utf-8"))
    assert shipped == table(), "run: python -m train.feeding.tolerance"


def test_how_far_a_line_is_off_does_not_depend_on_which_end_comes_first() -> None:
    best = np.array([[0.0, 0.0], [10.0, 0.0]])
    said = np.array([[5.0, 7.0], [5.0, -3.0]])
    for one in (said, said[::-1]):
        assert astuple(off_by(one, best)) == pytest.approx((2.0, 90.0))
    assert astuple(off_by(best[::-1] + np.array([3.0, 4.0]), best)) == pytest.approx((5.0, 0.0))
    bears = next(iter(tolerances().values()))
    assert bears.bears(PoseError(bears.place_mm, bears.angle_deg))
    assert not bears.bears(PoseError(bears.place_mm + 0.1, 0.0))
    assert not bears.bears(PoseError(0.0, bears.angle_deg + 0.1))


def test_plates_that_something_else_drew_are_not_mixed_with_new_ones(tmp_path: Path) -> None:
    render.refuse_mixing(tmp_path)
    (tmp_path / "train-100000.npz").touch()
    with pytest.raises(SystemExit, match="nobody knows what"):
        render.refuse_mixing(tmp_path)
    known = tmp_path / "known.json"
    known.write_text(json.dumps({"drawn": "0123"}), encoding="utf-8")
    with pytest.raises(SystemExit, match="drawn by 0123"):
        render.refuse_mixing(tmp_path)
    known.write_text(json.dumps({"drawn": render.drawn_by()}), encoding="utf-8")
    render.refuse_mixing(tmp_path)


def test_what_drew_the_plates_is_another_thing_when_foods_looks_or_code_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = Path(str(files("handup.domains.feeding")))
    for name in render.DRAWING:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((package / name).read_bytes())
    now = render.drawn_by()
    monkeypatch.setattr(render, "files", lambda _: tmp_path)
    assert render.drawn_by() == now
    for name in render.DRAWING:
        kept = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(kept + b" ")
        assert render.drawn_by() != now
        (tmp_path / name).write_bytes(kept)


def test_files_that_are_being_written_are_not_read(tmp_path: Path) -> None:
    for name in ("easy-2.npz", "easy-1.npz", "easy-3.part.npz", "hard-1.npz"):
        (tmp_path / name).touch()
    assert [path.name for path in files_of(tmp_path, "easy")] == ["easy-1.npz", "easy-2.npz"]


def test_the_card_names_the_seeds_of_plates_and_of_training() -> None:
    card = (DOCS / "models.md").read_text(encoding="utf-8")
    for each in ranges().values():
        assert f"{each[0]:,}–{each[-1]:,}" in card
    found = json.loads((DOCS / "models.json").read_text(encoding="utf-8"))
    assert sorted(found["seeds"]) == ["0", "1", "2"]
    assert f"Seed {found['shipped']} is shipped" in card


def test_packed_plates_come_out_nearly_as_they_went_in() -> None:
    smooth = np.linspace(0.0, 250.0, 32)[None, None, :, None] * np.array([1.0, 0.6, 0.3])
    rgb = np.repeat(np.repeat(smooth, 2, axis=0), 24, axis=1).astype(np.uint8)
    packed_ = packed(rgb)
    assert {each.dtype for each in packed_.values()} == {np.dtype(np.int8)}
    assert np.abs(unpacked(packed_).astype(int) - rgb).max() <= BRIGHT + COLOUR


def test_spots_that_are_no_food_keep_off_the_food_and_colours_change_from_place_to_place() -> None:
    torch = pytest.importorskip("torch")
    from train.feeding import data

    pictures = torch.full((6, 3, 40, 60), 0.5)
    boxes, of = torch.tensor([[0.25, 0.25, 0.75, 0.75]] * 6), torch.arange(6)
    spotted = data.littered(pictures, boxes, of, torch.Generator().manual_seed(1))
    assert (spotted[:, :, 11:29, 16:44] == 0.5).all()
    assert ((spotted != 0.5).any(dim=1).sum(dim=(1, 2)) > 0).sum() >= 4
    reddish = torch.tensor([0.8, 0.3, 0.2])[None, :, None, None].expand(2, 3, 40, 60)
    varied = data.varied(reddish, torch.Generator().manual_seed(1))
    assert varied.min() >= 0.0 and varied.max() <= 1.0
    greenness = (varied[:, 1] - varied[:, 2]).flatten(1)
    assert (greenness.std(dim=1) > 0.01).all()
    assert torch.equal(varied, data.varied(reddish, torch.Generator().manual_seed(1)))


def test_training_cuts_the_squares_that_the_modules_cut() -> None:
    torch = pytest.importorskip("torch")
    from train.feeding import data

    rgb = np.random.default_rng(0).integers(0, 256, (2, 240, 320, 3), dtype=np.uint8)
    corners = np.array([[0.2, 0.3, 0.4, 0.7], [0.9, 0.8, 0.99, 0.95]], np.float32)
    plates = data.Plates(
        rgb=torch.from_numpy(rgb),
        whole=torch.zeros(2, 3, 120, 160, dtype=torch.uint8),
        of=torch.tensor([0, 1]),
        food=torch.tensor([0, 0]),
        skill=torch.tensor([0, 0]),
        box=torch.from_numpy(corners),
        best=torch.from_numpy(np.repeat(corners[:, None], 3, axis=1)),
    )
    seen = data.squares(plates, torch.tensor([0, 1]), None)
    for number, (left, top, right, bottom) in enumerate(corners.tolist()):
        square = Square.around(Box(left=left, top=top, right=right, bottom=bottom))
        assert np.abs(cut(standard(rgb[number]), square)[0] - seen.crop[number].numpy()).max() < 1e-3
        points = square.fractions(seen.points[number, 0].numpy().astype(np.float64))
        assert points.ravel() == pytest.approx([left, top, right, bottom], abs=1e-5)


def test_the_card_beside_the_networks_says_how_they_were_trained(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from train.feeding.fit import write_card

    known = {"foods": ["peas"], "skills": ["scoop"], "drawn": "0123"}
    write_card(tmp_path, seed=1, pictures=9, steps={"find": 5, "name": 4}, known=known)
    write_card(tmp_path, seed=1, pictures=9, steps={"aim": 7}, known=known)
    card = json.loads((tmp_path / "modules.json").read_text(encoding="utf-8"))
    assert card["steps"] == {"find": 5, "name": 4, "aim": 7}, "what was trained before is not forgotten"
    assert (card["torch"], card["drawn"], card["kind"]) == (str(torch.__version__), "0123", "feeding-modules")


def test_what_is_exported_computes_what_was_trained(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnx")
    import onnxruntime

    from train.feeding.export import export
    from train.feeding.networks import Aim, load_weights, made, save_weights

    trained = Aim(3).eval()
    save_weights(trained, tmp_path / "aim.npz")
    network = load_weights(made("aim", foods=18, skills=3), tmp_path / "aim.npz")
    with pytest.warns(DeprecationWarning):
        export("aim", network, tmp_path / "aim.onnx", foods=18, skills=3)
    given = [torch.rand(1, 3, 64, 64), torch.rand(1, 4), (torch.rand(16, Aim.masks) > 0.25).float()]
    session = onnxruntime.InferenceSession(tmp_path / "aim.onnx", providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]
    (said,) = session.run(None, {name: each.numpy() for name, each in zip(names, given, strict=True)})
    with torch.no_grad():
        assert said == pytest.approx(trained(*given).numpy(), abs=1e-4)
    assert said.std(axis=0).min() > 0.0
