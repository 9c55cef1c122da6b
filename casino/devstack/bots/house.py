"""Set up the bots' session: an operator with its key, tables of each preset, and players with money."""

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from baccarat.domain.rules.presets import PRESETS, rules_for, unit_of
from baccarat.domain.rules.spots import write_spots
from baccarat.domain.rules.table_rules import CommissionTiming
from casino.devstack.bots.client import Client
from casino.devstack.operator.running import OwnWallet
from casino.devstack.system import Stack, operator_key
from casino.kernel import money
from casino.kernel.money import MoneyType
from wallet.funding.events import Funding

CURRENCY: Final = "EUR"
CURRENCIES: Final = (CURRENCY, "JPY", "KWD", "BTC")
"""With two, no, three and eight decimals."""
_AT_ONCE: Final = CommissionTiming.SETTLEMENT
CREDIT: Final = 20_000
"""In what table rules call one."""


@dataclass(frozen=True, slots=True)
class BotGame:
    """A preset that bots play in a currency and by a funding: number of tables, players and minimum rounds at each.

    With `whole_shoe` a table is played until its first shoe has ended; in `timeouts` rounds one seat does not act.
    """

    preset: str
    tables: int
    players: int
    rounds: int
    timeouts: int = 0
    whole_shoe: bool = False
    currency: str = CURRENCY
    funding: Funding = Funding.HOUSE


GAMES: Final = (
    BotGame("atlantic_city", tables=1, players=5, rounds=40, timeouts=2),
    BotGame("overview", tables=1, players=1, rounds=20),
    BotGame("overview", tables=1, players=1, rounds=20, currency="JPY"),
    BotGame("mini", tables=1, players=1, rounds=20),
    BotGame("mini", tables=1, players=1, rounds=20, currency="KWD"),
    BotGame("classic", tables=1, players=1, rounds=20),
    BotGame("classic", tables=1, players=1, rounds=20, currency="BTC"),
    BotGame("big_table", tables=1, players=6, rounds=60, timeouts=1, whole_shoe=True),
    *(
        BotGame(
            preset,
            tables=1,
            players=min(2, rules_for(preset, currency=CURRENCY).seats),
            rounds=8,
            funding=funding,
        )
        for funding in (Funding.TRANSFER, Funding.SEAMLESS)
        for preset in PRESETS
    ),
)

PAYMENT_BOT_GAME: Final = BotGame("mini", tables=1, players=1, rounds=0)
"""The table of each payment bot."""


def new_operator(stack: Stack, slug: str, *, name: str = "Bots' house") -> str:
    """Create a sandbox operator and return its credential."""
    output = stack.manage("operator", "create", slug, "--name", name, "--currency", ",".join(CURRENCIES), "--sandbox")
    return operator_key(output)


def open_houses(stack: Stack, wallet: OwnWallet, slug: str) -> dict[Funding, str]:
    """Create a sandbox operator for each funding, and return their credentials; the wallet is the seamless one's."""
    credentials = {funding: new_operator(stack, f"{slug}-{funding.value}") for funding in Funding}
    wallet.register(stack.base_url, credentials[Funding.SEAMLESS])
    return credentials


def rules_for_funding(preset: str, funding: Funding, currency: str) -> dict[str, Any]:
    """Return how a table of a preset has to differ: money of an operator's own wallet is settled at once."""
    rules = rules_for(preset, currency=currency)
    if funding is not Funding.SEAMLESS or not rules.defers_commission:
        return {}
    settled = [
        spot if spot.commission is None else replace(spot, commission=replace(spot.commission, timing=_AT_ONCE))
        for spot in rules.spots
    ]
    return {"spots": write_spots(settled, partial(money.format_amount, currency=currency))}


async def open_table(operator: Client, game: BotGame, number: int) -> dict[str, Any]:
    """Open a table of the preset for real and play money, and accept a player's edge explicitly."""
    return await operator.post(
        "/tables",
        {
            "name": f"{game.preset.replace('_', ' ').title()} {number}",
            "preset": game.preset,
            "currency": game.currency,
            "money_types": ["real", "play"],
            "accept_player_edge": True,
            "rules": rules_for_funding(game.preset, game.funding, game.currency),
        },
    )


async def new_player(
    operator: Client, reference: str, money_type: str, game: BotGame, wallet: OwnWallet | None = None
) -> str:
    """Register a player with money of one kind, which comes as the funding says, and return a session's token.

    Raises ValueError if the money is in the operator's own wallet and that is not given.
    """
    player = (await operator.post("/players", {"reference": reference, "nickname": reference}))["id"]
    amount = money.format_amount(CREDIT * unit_of(game.currency), game.currency)
    credit = {"amount": amount, "currency": game.currency, "money_type": money_type}
    match game.funding if money_type == MoneyType.REAL else Funding.HOUSE:
        case Funding.HOUSE:
            await operator.post(f"/players/{player}/sandbox-credits", credit)
        case Funding.TRANSFER:
            await operator.post(f"/players/{player}/transfers", {**credit, "reference": reference, "direction": "in"})
        case Funding.SEAMLESS:
            if wallet is None:
                raise ValueError("a seamless player's wallet is needed")
            account = {"reference": reference, "currency": game.currency, "balance": amount}
            await asyncio.to_thread(wallet.add_player, player, **account)
    session = await operator.post(f"/players/{player}/sessions", {})
    return str(session["token"])


async def open_method(operator: Client) -> str:
    """Create a payment method of the sandbox provider, and approve small withdrawals automatically."""
    policy = {"auto_approve_up_to": "50.00", "second_approval_above": "500.00", "played_percent": 0}
    await operator.post("/withdrawal-policy", policy)  # bots withdraw what they have just paid in
    offer = {"name": "Transfer", "provider": "sandbox", "currency": CURRENCY, "minimum": "1.00", "maximum": "1000.00"}
    method = await operator.post(
        "/deposit-methods", {**offer, "fee_percent": "1", "processing_seconds": 3, "supports_withdrawals": True}
    )
    return str(method["id"])
