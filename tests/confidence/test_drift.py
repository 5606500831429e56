"""The drift monitor: rarely alarmed while the calibration holds, soon alarmed when it does not."""

from __future__ import annotations

import json

import numpy as np
import pytest

from handup.confidence import DriftMonitor
from handup.core import BadRecord, BadSetting


def run(
    seed: int, rows: int, *, shift_from: int | None = None, shift: float = 0.0, alpha: float = 0.05
) -> DriftMonitor:
    generator = np.random.default_rng(seed)
    monitor = DriftMonitor(alpha=alpha)
    for number in range(rows):
        chance = generator.uniform(0.2, 0.95)
        drifted = shift_from is not None and number >= shift_from
        odds = np.log(chance / (1.0 - chance)) + (shift if drifted else 0.0)
        monitor = monitor.after(chance, bool(generator.random() < 1.0 / (1.0 + np.exp(-odds))))
        if monitor.alarm:
            break
    return monitor


def test_false_alarms_are_rarer_than_promised_over_all_time() -> None:
    alarms = sum(run(seed, 300).alarm for seed in range(120))
    assert alarms <= 120 * 0.05 + 2 * (120 * 0.05 * 0.95) ** 0.5


def test_evidence_is_a_fair_game_while_the_calibration_holds() -> None:
    start = DriftMonitor()
    for chance in (0.1, 0.5, 0.93):
        start = start.after(0.6, True)
        won, lost = start.after(chance, True), start.after(chance, False)
        mean = chance * np.exp(won.log_evidence) + (1.0 - chance) * np.exp(lost.log_evidence)
        assert mean == pytest.approx(np.exp(start.log_evidence))


@pytest.mark.parametrize(("shift", "said"), [(-1.5, "too sure"), (1.5, "not sure enough")])
def test_a_drift_is_found_and_named(shift: float, said: str) -> None:
    for seed in range(10):
        monitor = run(seed, 250, shift_from=0, shift=shift)
        assert monitor.alarm_at is not None
        assert said in monitor.reason


def test_a_drift_that_begins_late_is_found_soon_after() -> None:
    found = [run(seed, 700, shift_from=300, shift=-2.0).alarm_at for seed in range(8)]
    late = [each for each in found if each is not None and each > 300]
    assert len(late) >= 7
    assert np.median(late) < 400


def test_it_goes_to_json_and_back_at_any_point_and_stays_small() -> None:
    monitor = run(1, 40)
    again = DriftMonitor.from_json(json.loads(json.dumps(monitor.to_json())))
    assert again == monitor
    assert again.after(0.7, True) == monitor.after(0.7, True)
    assert len(json.dumps(monitor.to_json())) < 600


def test_certain_probabilities_do_not_break_it() -> None:
    monitor = DriftMonitor()
    for _ in range(3000):
        monitor = monitor.after(1.0, True).after(0.0, False)
    assert np.isfinite(monitor.log_evidence)
    assert not monitor.alarm
    for _ in range(3000):
        monitor = monitor.after(1.0, False)
    assert monitor.alarm


def test_what_is_no_probability_is_refused() -> None:
    with pytest.raises(BadSetting):
        DriftMonitor().after(1.2, True)
    with pytest.raises(BadSetting):
        DriftMonitor(alpha=0.0)
    with pytest.raises(BadRecord):
        DriftMonitor.from_json({**DriftMonitor().to_json(), "log_wealth": [0.0]})
    with pytest.raises(BadRecord):
        DriftMonitor.from_json({"what": "handup-drift-monitor", "schema": 7})
