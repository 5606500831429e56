"""The named studies are what the paper ran, and each cell is there once."""

from __future__ import annotations

import pytest

from handup.core import BadSetting
from handup.lab.cell import REPLICA_SELECTORS, Cell, Structure, WorldKind
from handup.lab.study.claims import CLAIMS
from handup.lab.study.definition import Axis, Grid, Study
from handup.lab.study.studies import METHODS, STUDIES, study_of


def values(name: str, key: str, world: WorldKind = WorldKind.DEFAULT) -> list[object]:
    axis = STUDIES[name].grids[0].axes
    assert key in [each.key for each in axis]
    seen = {getattr(cell, key): None for cell in STUDIES[name].cells() if cell.world is world}
    return list(seen)


def test_the_axes_are_the_papers() -> None:
    assert values("modules", "modules") == [3, 5, 10, 15, 18, 25, 50, 75, 100]
    assert set(values("structure", "structure")) == set(Structure) - {Structure.CHAIN}
    assert values("confidences", "confidences") == [(1.0, 0.1), (0.9, 0.2), (0.8, 0.3), (0.7, 0.4)]
    assert values("query-costs", "query_cost") == [0.08, 0.16, 0.32, 0.64]
    assert values("expert", "expert") == [1.0, 0.8, 0.6, 0.4]
    assert values("heterogeneity", "beta") == [0.0, 0.2, 0.4, 0.6]
    assert values("heterogeneity", "confidences")[-1] == (0.6, 0.5)


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("quick", [False, True])
def test_each_cell_is_there_once_and_can_be_made(name: str, quick: bool) -> None:
    cells = STUDIES[name].cells(episodes=7, seed=3, quick=quick)
    assert len(set(cells)) == len({cell.config for cell in cells}) == len(cells)
    assert {(cell.episodes, cell.seed) for cell in cells} == {(7, 3)}
    assert {cell.world for cell in cells} == set(WorldKind)


@pytest.mark.parametrize("name", [name for name in STUDIES if name not in ("heterogeneity", "summary")])
def test_every_method_is_compared_where_it_can_be(name: str) -> None:
    cells = STUDIES[name].cells()
    assert {cell.method for cell in cells if cell.world is WorldKind.DEFAULT} == set(METHODS)
    replica = {cell.method.partition("+")[0] for cell in cells if cell.world is WorldKind.REPLICA}
    assert replica == set(REPLICA_SELECTORS)
    assert {cell.modules for cell in cells if cell.method.startswith("mip")} <= {3, 5, 10, 15}


def test_the_summary_draws_nothing_of_its_own() -> None:
    others = [grid for name, study in STUDIES.items() if name != "summary" for grid in study.grids]
    assert all(grid in others for grid in STUDIES["summary"].grids)


def test_a_quick_run_has_fewer_cells_all_of_the_whole_study() -> None:
    for study in STUDIES.values():
        assert set(study.cells(quick=True)) <= set(study.cells())


def test_the_base_cell_is_in_every_study() -> None:
    for study in STUDIES.values():
        assert Cell() in study.cells()


def test_an_unknown_study_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadSetting, match="structure") as refused:
        study_of("strcture")
    assert all(name in str(refused.value) for name in STUDIES)
    assert "Did you mean 'structure'?" in str(refused.value)


def test_every_claim_belongs_to_a_study() -> None:
    assert set(CLAIMS) <= set(STUDIES)
    for claims in CLAIMS.values():
        assert len({claim.name for claim in claims}) == len(claims)


def test_a_study_needs_a_plain_name_and_something_to_run() -> None:
    grid = Grid((Axis("modules", "N", (3,)),), ("troubleshoot",))
    for name, grids in (("../up", (grid,)), ("", (grid,)), ("none", ())):
        with pytest.raises(BadSetting):
            Study(name=name, title="", figure="", question="", grids=grids)
