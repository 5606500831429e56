"""How hard the property tests look: HYPOTHESIS_PROFILE=soak gives fifty times the examples, drawn anew each time."""

import os
import signal

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

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job, and what it starts
    signal.signal(signal.SIGINT, signal.default_int_handler)
