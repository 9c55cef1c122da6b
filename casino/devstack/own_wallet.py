"""A casino of the sandbox whose players' money is in its own wallet: its operator, tables, wallet and site."""

import contextlib
from collections.abc import Generator
from typing import Any, Final
from uuid import uuid4

import httpx

from baccarat.domain.rules.presets import PRESETS
from casino.devstack.bots.house import CURRENCY, new_operator, rules_for_funding
from casino.devstack.operator import running
from casino.devstack.site import Site, running_site
from casino.devstack.system import Stack
from wallet.funding.events import Funding

SLUG: Final = "own-wallet"


@contextlib.contextmanager
def open_site(stack: Stack) -> Generator[Site]:
    """Run the casino's wallet and serve its site until the block ends. Raises DevstackError."""
    credential, wallet = _credential(stack), running.start(stack)
    wallet.register(stack.base_url, credential)
    with running_site(service=stack.base_url, credential=credential, wallet=wallet) as site:
        site.register_origin()
        _open_tables(site.api)
        yield site


def _credential(stack: Stack) -> str:
    """Return the operator's API key, of the first start."""
    file = stack.home.folder / f"{SLUG}-key"
    if not file.exists():
        credential = new_operator(stack, SLUG, name="Casino with its own wallet")
        file.touch(mode=0o600)
        file.write_text(credential, encoding="utf-8")
    return file.read_text(encoding="utf-8")


def _open_tables(api: httpx.Client) -> None:
    """Open a table of each preset that has none, for real money alone, which is all that this casino is for."""
    known = {table["preset"] for table in api.get("tables").raise_for_status().json()["items"]}
    for name, preset in PRESETS.items():
        if name in known:
            continue
        table: dict[str, Any] = {
            "name": preset.title,
            "preset": name,
            "currency": CURRENCY,
            "money_types": ["real"],
            "accept_player_edge": True,
            "rules": rules_for_funding(name, Funding.SEAMLESS, CURRENCY),
        }
        api.post("tables", json=table, headers={"Idempotency-Key": uuid4().hex}).raise_for_status()
