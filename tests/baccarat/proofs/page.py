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
    return _run("verify.js", list(requests))


def settle_on_page(rules: dict[str, Any], rounds: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what becomes of the stakes of each round, by spot."""
    return _run("settle.js", {"rules": rules, "rounds": rounds})


def _run(script: str, given: Any) -> list[dict[str, Any]]:
    command = ["node", str(PROJECT / "tests/node" / script)]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers
