"""`manage.py conform` tries a wallet over HTTP alone, and says in three forms what came of it."""

import json
from collections.abc import Generator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from django.core.management import CommandError, call_command
from pytest_django import Settings

from tests.support.rsa_keys import rsa_key
from tests.wallet.conformance.wallets import PLAYER, failures, funded, write_key
from tests.wallet.remote.operators import WalletServer, running_wallet
from tests.wallet.remote.profiles.counterparts import Hub88Wallet, as_setting, running
from wallet.conformance.cases import CASES
from wallet.conformance.kit import Group


@pytest.fixture
def server(tmp_path: Path) -> Generator[WalletServer]:
    with running_wallet(tmp_path) as running:
        running.control(players=[funded()])
        yield running


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def run(url: str, *options: str) -> Done:
    """Run the command in this process."""
    out = StringIO()
    try:
        call_command("conform", url, "--player", str(PLAYER), *options, stdout=out)
    except CommandError as error:
        return Done(1, out.getvalue(), f"CommandError: {error}")
    except SystemExit as error:
        return Done(int(str(error)), out.getvalue(), "")
    return Done(0, out.getvalue(), "")


def conform(server: WalletServer, folder: Path, *options: str) -> Done:
    """Run the command for a wallet of the profile standard."""
    return run(server.url, "--key", write_key(folder), *options)


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


def test_a_wallet_is_tried_in_the_profile_that_it_speaks(settings: Settings) -> None:
    settings.WALLET_RSA_KEY = as_setting(rsa_key())
    wallet, options = Hub88Wallet(balances={str(PLAYER): 500_00}), ["--profile", "hub88"]
    with running(wallet):
        done = run(wallet.url, *options, "--only", "a_debit_takes")
        assert (done.returncode, failures(done.stdout)) == (0, [])
        assert done.stdout.splitlines()[-1].split() == "all 1 of 1 passed".split()
        done = run(wallet.url, *options, "--only", "listed")
        assert (done.returncode, "No case has 'listed' in its name." in done.stderr) == (1, True)


@pytest.mark.parametrize(
    ("profile", "missing"),
    [
        ("standard", "The profile standard needs --key."),
        ("hub88", "Nothing was asked: WALLET_RSA_KEY is not set."),
    ],
)
def test_what_signs_in_a_profile_is_asked_for(profile: str, missing: str, settings: Settings) -> None:
    settings.WALLET_RSA_KEY = ""
    assert missing in run("http://127.0.0.1:9", "--profile", profile).stderr


def test_the_public_half_of_the_rsa_key_is_printed_for_operators(settings: Settings) -> None:
    settings.WALLET_RSA_KEY = as_setting(rsa_key())
    printed = StringIO()
    call_command("wallet_key", stdout=printed)
    assert load_pem_public_key(printed.getvalue().encode()) == rsa_key().public_key()


def test_each_group_has_cases_and_each_name_is_one_of_a_kind() -> None:
    assert {case.group for case in CASES} == set(Group)
    assert len({case.name for case in CASES}) == len(CASES) >= 45
