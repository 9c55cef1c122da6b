"""Run the page's verifier in Node: one process reads many exported rounds."""

import json
import shutil
import subprocess
from collections.abc import Iterable
from typing import Any, Final

from casino.devstack.home import PROJECT

HAS_NODE: Final = shutil.which("node") is not None


def verify_on_page(requests: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the verdict of each request, which has `file`, `keys` and `receipt`."""
    command = ["node", str(PROJECT / "tests/node/verify.js")]
    done = subprocess.run(command, input=json.dumps(list(requests)), capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
    verdicts: list[dict[str, Any]] = json.loads(done.stdout)
    return verdicts
