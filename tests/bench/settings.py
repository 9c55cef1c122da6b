"""The service's own settings with one address more, for the measurement of `bet`. Refused anywhere else."""

import os

from django.core.exceptions import ImproperlyConfigured

from casino.settings import *  # noqa: F403  (the same settings is the point)
from casino.settings import PRODUCTION

if PRODUCTION or os.environ.get("CASINO_BENCH") != "bet":
    raise ImproperlyConfigured("These settings are for `manage.py bench` alone; use casino.settings.")

ROOT_URLCONF = "tests.bench.urls"
