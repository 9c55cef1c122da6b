"""The wallet servers of deploy/samples pass the kit, and lose nothing when they are killed."""

import socket
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from casino.devstack.home import PROJECT
from casino.devstack.system import free_port
from casino.operators.signing_keys import parse_public
from tests.processes import begin, clean_environment, wait_until
from tests.support.typescript import compile_typescript, needs_node
from tests.wallet.conformance.wallets import FUNDS, PLAYER, probe, public_key
from tests.wallet.remote.operators import KEY
from wallet.conformance.cases import CASES
from wallet.conformance.kit import run_cases
from wallet.conformance.probe import STAKE, accepted, refused
from wallet.remote import signing
from wallet.remote.events import TransactionKind

SAMPLES: Final = PROJECT / "deploy" / "samples"
DATA: Final = "wallet.data"


def in_python(_: Path) -> list[str]:
    return [sys.executable, str(SAMPLES / "wallet.py")]


def in_typescript(folder: Path) -> list[str]:
    compile_typescript(folder, SAMPLES / "wallet.ts")
    return ["node", str(folder / "wallet.js")]


in_each_language = pytest.mark.parametrize(
    "written", [pytest.param(in_python, id="python"), pytest.param(in_typescript, id="typescript", marks=needs_node)]
)


def is_listening(port: int) -> bool:
    with socket.socket() as attempt:
        return attempt.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def serving(command: Sequence[str], folder: Path) -> Generator[str]:
    """Serve a sample that keeps its money in a folder, yield its address, and kill it."""
    port = free_port(0)
    casino = ",".join(key.public.hex() for key in signing.published_keys())
    with (folder / "printed").open("w") as printed:
        process = begin(
            [*command, str(port), str(folder / DATA), f"{PLAYER}:EUR:{FUNDS}"],
            env=clean_environment(WALLET_KEY=KEY.hex(), CASINO_KEYS=casino),
            cwd=folder,
            stdout=printed,
        )
    try:
        assert wait_until(lambda: is_listening(port))
        assert parse_public((folder / "printed").read_text()).keyid == parse_public(public_key()).keyid
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait(20)


@in_each_language
def test_the_wallet_passes_the_kit(written: Callable[[Path], list[str]], tmp_path: Path) -> None:
    with serving(written(tmp_path), tmp_path) as url, probe(url) as tried:
        assert [(each.name, each.failure) for each in run_cases(tried, CASES).failed] == []


@in_each_language
def test_money_and_marks_of_rollbacks_outlive_a_kill(written: Callable[[Path], list[str]], tmp_path: Path) -> None:
    command = written(tmp_path)
    with serving(command, tmp_path) as url, probe(url) as tried:
        debit, late = tried.debit(), tried.order(TransactionKind.DEBIT)
        accepted(tried.send(tried.rollback_of(late)))
        balance = tried.balance()
    if written is in_typescript:
        with (tmp_path / DATA).open("a") as journal:
            journal.write('{"kind":"account","acc')  # as a crash leaves what nobody was answered about
    for returned in (STAKE, 2 * STAKE):
        with serving(command, tmp_path) as url, probe(url) as tried:
            assert tried.balance() == balance
            accepted(tried.send(debit))
            refused(tried.send(late), "transaction_cancelled")
            accepted(tried.send(tried.credit_of(debit, returned)))
            balance += returned
            assert tried.balance() == balance
