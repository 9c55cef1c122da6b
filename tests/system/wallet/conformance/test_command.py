"""The sandbox operator's wallet passes the kit, run as its author runs it."""

import hashlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import jwt

from casino.devstack.home import PROJECT
from casino.kernel.canonical_json import canonical
from tests.processes import clean_environment
from tests.wallet.conformance.wallets import PLAYER, failures, write_key
from tests.wallet.remote.operators import WalletServer
from wallet.conformance.cases import CASES
from wallet.funding.conformance import published_keys


def test_the_sandbox_operators_wallet_passes_all_cases_and_the_report_is_signed(
    server: WalletServer, tmp_path: Path
) -> None:
    command = [sys.executable, "manage.py", "conform", server.url, "--key", write_key(tmp_path)]
    options = ["--player", str(PLAYER), "--junit", str(tmp_path / "x.xml"), "--json", str(tmp_path / "x.json")]
    environment = clean_environment(CASINO_HOME=str(tmp_path / "home"))
    done = subprocess.run(  # noqa: S603
        [*command, *options], cwd=PROJECT, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr, failures(done.stdout)) == (0, "", [])
    assert done.stdout.splitlines()[-1].split() == f"all {len(CASES)} of {len(CASES)} passed".split()
    assert not (tmp_path / "home").exists()

    suites = ET.fromstring((tmp_path / "x.xml").read_bytes())  # noqa: S314
    names = [(case.get("classname"), case.get("name")) for case in suites.iter("testcase")]
    assert Counter(names) == Counter((case.group, case.name) for case in CASES)
    assert list(suites.iter("failure")) == []

    document = json.loads((tmp_path / "x.json").read_text())
    public = published_keys()[0].public
    proof = jwt.decode(
        document["proof"],
        jwt.PyJWK({"kty": "OKP", "crv": "Ed25519", "x": jwt.utils.base64url_encode(public).decode()}).key,
        algorithms=["EdDSA"],
        audience="casino-wallet-conformance",
    )
    assert (proof["sub"], proof["cases"], proof["failed"]) == (server.url, len(CASES), 0)
    assert proof["report_sha256"] == hashlib.sha256(canonical(document["report"])).hexdigest()
    exchanges = [each for case in document["report"]["cases"] for each in case["exchanges"]]
    assert {each["request"]["method"] for each in exchanges} == {"GET", "POST"}
    debits = [each for each in exchanges if each["request"]["url"] == f"{server.url}/v1/debit"]
    assert any('"status": "accepted"' in each["answer"]["body"] for each in debits if each["answer"])
    assert all(each["answer"] or each["error"] for each in exchanges)
