"""`manage.py conform` tries a wallet over HTTP alone, and says in three forms what came of it."""

import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from xml.etree import ElementTree as ET

import jwt
import pytest

from casino.devstack.home import PROJECT
from casino.kernel.canonical_json import canonical
from tests.processes import clean_environment
from tests.wallet.conformance.wallets import PLAYER, failures, funded, write_key
from tests.wallet.remote.operators import WalletServer, running_wallet
from wallet.conformance.cases import CASES
from wallet.conformance.kit import Group
from wallet.funding.conformance import published_keys


@pytest.fixture
def server(tmp_path: Path) -> Generator[WalletServer]:
    with running_wallet(tmp_path) as running:
        running.control(players=[funded()])
        yield running


def conform(server: WalletServer, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the command where no database is."""
    command = [sys.executable, "manage.py", "conform", server.url, "--key", write_key(folder), "--player", str(PLAYER)]
    environment = clean_environment(CASINO_HOME=str(folder / "home"))
    return subprocess.run(  # noqa: S603
        [*command, *options], cwd=PROJECT, env=environment, capture_output=True, text=True, check=False, timeout=200
    )


@pytest.mark.slow
def test_the_sandbox_operators_wallet_passes_all_cases_and_the_report_is_signed(
    server: WalletServer, tmp_path: Path
) -> None:
    done = conform(server, tmp_path, "--junit", str(tmp_path / "x.xml"), "--json", str(tmp_path / "x.json"))
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


def test_a_wallet_that_fails_a_case_is_told_which_and_why(server: WalletServer, tmp_path: Path) -> None:
    server.control(always={"debit": "fail"})
    done = conform(server, tmp_path, "--only", "a_debit_takes", "--junit", str(tmp_path / "x.xml"))
    assert (done.returncode, failures(done.stdout)) == (1, ["a_debit_takes_its_amount"])
    assert "The status is 500." in done.stdout
    (failure,) = ET.fromstring((tmp_path / "x.xml").read_bytes()).iter("failure")  # noqa: S314
    assert failure.get("message") == "No definite answer: The status is 500."


def test_a_run_of_a_few_cases_proves_nothing(server: WalletServer, tmp_path: Path) -> None:
    done = conform(server, tmp_path, "--only", "a_balance", "--json", str(tmp_path / "x.json"))
    assert (done.returncode, json.loads((tmp_path / "x.json").read_text())["proof"]) == (0, None)


def test_a_wallet_that_cannot_be_tried_is_no_wallet_that_failed(server: WalletServer, tmp_path: Path) -> None:
    server.control(players=[{**funded(), "balance": "1.00"}])
    done = conform(server, tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("CommandError: The wallet cannot be tried: The player has 100 minor units")
    server.stop()
    assert "There was no answer." in conform(server, tmp_path).stderr
    server.start()


def test_each_group_has_cases_and_each_name_is_one_of_a_kind() -> None:
    assert {case.group for case in CASES} == set(Group)
    assert len({case.name for case in CASES}) == len(CASES) >= 45
