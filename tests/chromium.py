"""Where the system's Chromium is."""

import shutil
from typing import Final

NAMES: Final = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
CHROMIUM: Final = next((path for name in NAMES if (path := shutil.which(name))), None)
"""None where none is installed: the tests of the table page are left out, and the run says so."""
