"""Set up the bots' session: an operator with its key, tables of each preset, and players with money."""

from dataclasses import dataclass
from typing import Any, Final

from casino.devstack.bots.client import Client
from casino.devstack.system import Stack, operator_key
from casino.kernel import money

CURRENCY: Final = "EUR"
CURRENCIES: Final = (CURRENCY, "JPY", "KWD", "BTC")
"""With two, no, three and eight decimals."""
CREDIT: Final = 20_000
"""In what table rules call one."""


@dataclass(frozen=True, slots=True)
class BotGame:
    """A preset that bots play in a currency: number of tables, players at each, and minimum rounds at each.

    With `whole_shoe` a table is played until its first shoe has ended; in `timeouts` rounds one seat does not act.
    """

    preset: str
    tables: int
    players: int
    rounds: int
    timeouts: int = 0
    whole_shoe: bool = False
    currency: str = CURRENCY


GAMES: Final = (
    BotGame("atlantic_city", tables=1, players=5, rounds=40, timeouts=2),
    BotGame("overview", tables=1, players=1, rounds=20),
    BotGame("overview", tables=1, players=1, rounds=20, currency="JPY"),
    BotGame("mini", tables=1, players=1, rounds=20),
    BotGame("mini", tables=1, players=1, rounds=20, currency="KWD"),
    BotGame("classic", tables=1, players=1, rounds=20),
    BotGame("classic", tables=1, players=1, rounds=20, currency="BTC"),
    BotGame("big_table", tables=1, players=6, rounds=60, timeouts=1, whole_shoe=True),
)

PAYMENT_BOT_GAME: Final = BotGame("mini", tables=1, players=1, rounds=0)
"""The table of each payment bot."""


def new_operator(stack: Stack, slug: str) -> str:
    """Create a sandbox operator and return its credential."""
    output = stack.manage(
        "operator", "create", slug, "--name", "Bots' house", "--currency", ",".join(CURRENCIES), "--sandbox"
    )
    return operator_key(output)


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
        },
    )


async def new_player(operator: Client, reference: str, money_type: str, currency: str) -> str:
    """Register a player with sandbox money of one kind in a currency, and return a session's token."""
    player = await operator.post("/players", {"reference": reference, "nickname": reference})
    player_id = player["id"]
    amount = money.format_amount(CREDIT * money.unit(currency), currency)
    credit = {"amount": amount, "currency": currency, "money_type": money_type}
    await operator.post(f"/players/{player_id}/sandbox-credits", credit)
    session = await operator.post(f"/players/{player_id}/sessions", {})
    return str(session["token"])


async def open_method(operator: Client) -> str:
    """Create a payment method of the sandbox provider, and approve small withdrawals automatically."""
    await operator.post("/withdrawal-policy", {"auto_approve_up_to": "50.00", "second_approval_above": "500.00"})
    offer = {"name": "Transfer", "provider": "sandbox", "currency": CURRENCY, "minimum": "1.00", "maximum": "1000.00"}
    method = await operator.post(
        "/deposit-methods", {**offer, "fee_percent": "1", "processing_seconds": 3, "supports_withdrawals": True}
    )
    return str(method["id"])
