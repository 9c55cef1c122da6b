"""Run the page's verifier in Node: one process reads many exported rounds."""

import json
import shutil
import subprocess
from collections.abc import Collection, Iterable
from typing import Any, Final

from casino.devstack.home import PROJECT

HAS_NODE: Final = shutil.which("node") is not None


def page_request(
    raw: bytes,
    *,
    keys: Collection[str] = (),
    receipts: Collection[bytes] = (),
    witness_keys: Collection[str] = (),
    require_signed: bool = False,
) -> dict[str, Any]:
    """Return a request to verify a file by a reader who trusts and requires this."""
    return {
        "file": raw.decode(), "keys": list(keys), "receipts": [each.decode() for each in receipts],
        "witness_keys": list(witness_keys), "require_signed": require_signed,
    }  # fmt: skip


def verify_on_page(requests: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the verdict of each request."""
    command = ["node", str(PROJECT / "tests/node/verify.js")]
    done = subprocess.run(command, input=json.dumps(list(requests)), capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
    verdicts: list[dict[str, Any]] = json.loads(done.stdout)
    return verdicts
