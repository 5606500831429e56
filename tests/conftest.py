"""How hard the property tests look: HYPOTHESIS_PROFILE=soak gives fifty times the examples, drawn anew each time."""

import os

from hypothesis import HealthCheck, settings

EXAMPLES = 60

settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("soak", settings.get_profile("ci"), derandomize=False, max_examples=50 * EXAMPLES)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
