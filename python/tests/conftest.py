"""Settings of random tests: ARROWSORT_LONG=1 for more cases; --hypothesis-seed repeats a run."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("short", max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
settings.register_profile("long", settings.get_profile("short"), max_examples=2000)
settings.load_profile("long" if os.environ.get("ARROWSORT_LONG") else "short")
