"""`manage.py play`: bots play every preset by every funding on the whole system; then everything is audited."""

import asyncio
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from casino.devstack import proof_check
from casino.devstack.bots import house, report
from casino.devstack.bots.client import ApiError
from casino.devstack.bots.payment_bot import StateLost, Tally
from casino.devstack.bots.report import PresetTotals
from casino.devstack.bots.session import BotSession, DealingStalled
from casino.devstack.errors import DevstackError
from casino.devstack.home import PROJECT
from casino.devstack.operator import running
from casino.devstack.operator.running import OwnWallet
from casino.devstack.system import Stack
from wallet.funding.events import Funding

PAYMENT_BOTS = 3
"""Bots that deposit, reach a limit, disconnect, come back and withdraw."""


class Command(BaseCommand):
    help = "Start the whole system, let bots play every preset by every funding over HTTP, audit everything, and stop."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--seed", type=int, default=1, help="seed of the bots' choices; cards are never seeded")
        parser.add_argument("--home", default="play", help="name of the data folder in .casino")

    def handle(self, *_: Any, **options: Any) -> None:
        """Play, print totals and the audit's verdict, and exit 1 if there is a finding."""
        console = Console(width=None if sys.stdout.isatty() else 132)
        with Stack(name=options["home"], fresh=True, table_witnesses=1, print_line=console.print) as stack:
            console.print(f"Running at {stack.base_url}. Bots take their seats.")
            wallet = running.start(stack)
            credentials = house.open_houses(stack, wallet, f"bots-{int(time.time())}-{options['seed']}")
            lines, tally = play(stack, console, credentials=credentials, wallet=wallet, seed=options["seed"])
            console.print(report.table(lines))
            console.print(report.payments(tally))
            console.print(report.own_wallet(wallet.control()))
            proof = proof_check.prove(stack, credential=credentials[Funding.HOUSE])
            console.print(proof.summary(), highlight=False, markup=False, soft_wrap=True)
            code = audit(stack) or (0 if proof.agrees else proof.exit_status)
        if code:
            sys.exit(code)


def play(
    stack: Stack, console: Console, *, credentials: Mapping[Funding, str], wallet: OwnWallet, seed: int
) -> tuple[list[PresetTotals], Tally]:
    """Run the bots with a progress bar; return the totals of each preset, and what the payment bots did."""
    columns = (TextColumn("rounds"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("rounds", total=None)
        session = BotSession(
            base_url=stack.base_url,
            credentials=credentials,
            wallet=wallet,
            games=house.GAMES,
            payment_bots=PAYMENT_BOTS,
            seed=seed,
            progress=lambda done, total: _update_progress(stack, bar, task, done, total),
        )
        try:
            lines = asyncio.run(session.run())
        except (ApiError, DealingStalled, StateLost) as error:
            raise DevstackError(f"The bots stopped: {error} The logs are in {stack.home.logs}.") from error
        bar.update(task, completed=session.total, total=session.total)
    stack.raise_if_dead()
    return lines, session.tally


def _update_progress(stack: Stack, bar: Progress, task: TaskID, done: int, total: int) -> None:
    stack.raise_if_dead()
    bar.update(task, completed=done, total=total)


def audit(stack: Stack) -> int:
    """Audit everything, print the verdict, and return the exit status."""
    sys.stdout.flush()
    command = [sys.executable, str(PROJECT / "manage.py"), "audit"]
    return subprocess.run(command, env=stack.environment, cwd=Path.cwd(), check=False).returncode
