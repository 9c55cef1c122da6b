"""`manage.py up`: run the whole system on this machine."""

import contextlib
import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from casino.devstack import own_wallet
from casino.devstack.supervisor import run_forever
from casino.devstack.system import Stack

DEFAULT_PORT = 8000


class Command(BaseCommand):
    help = "Run the whole system until stopped; PostgreSQL and Redis are embedded unless given by URL."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        default = int(os.environ.get("PORT") or DEFAULT_PORT)
        parser.add_argument("--port", type=int, default=default, help=f"the web server's port ({default}; 0: any)")
        parser.add_argument("--home", default="main", help="name of the data folder in .casino")
        parser.add_argument("--no-reload", action="store_true", help="do not restart when sources change")

    def handle(self, *_: Any, **options: Any) -> None:
        """Start everything, print the addresses and a development login, and run until stopped."""
        self.stdout.write("Starting. The first start creates the database and takes a few seconds longer.")
        home, port = options["home"], options["port"]
        with Stack(name=home, port=port, demo=True, table_witnesses=1, print_line=self.print_line) as stack:
            with contextlib.ExitStack() as exits:
                login = stack.demo_login
                site = None if login is None else exits.enter_context(own_wallet.open_site(stack)).origin
                self.print_line(addresses(stack.base_url, login, site))
                self.print_line(f"Data and logs: {stack.home.folder}\nStop with Ctrl-C.")
                with contextlib.suppress(KeyboardInterrupt):
                    run_forever(stack, reload=not options["no_reload"])
            self.print_line("Stopping.")

    def print_line(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def addresses(base: str, demo_login: tuple[str, Path] | None, site: str | None = None) -> str:
    """List the addresses and logins, one per line."""
    lines = [
        f"Web        {base}/",
        f"API        {base}/api/v1/docs   (document: {base}/api/v1/schema)",
        f"Admin      {base}/admin/",
        f"Readiness  {base}/readyz",
    ]
    if demo_login is not None:
        password, key = demo_login
        lines.insert(1, f"Play       {base}/play/   (with demo players; their PIN is 2468)")
        if site is not None:
            lines.insert(2, f"Embedded   {site}/   (a casino with its own wallet, which frames the game)")
        lines.append(f"Login      admin / {password}   (development only)")
        lines.append(f"Operator   demo, its API key is in {key}   (development only)")
    return "\n".join(lines)
