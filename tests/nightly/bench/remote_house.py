"""A process of ours that seats players whose real money is here, or in an operator's own wallet."""

import json
import uuid
from functools import partial

import django

from tests.nightly.bench.worker import serve

django.setup()

from baccarat.services import dealing, seats, table_lifecycle  # noqa: E402  (all below needs Django's settings)
from baccarat.services.seats import TableActor  # noqa: E402
from casino.api.jwks import ed25519_jwk  # noqa: E402
from casino.events import sealer  # noqa: E402
from casino.events.store import Metadata  # noqa: E402
from casino.kernel.money import MoneyType  # noqa: E402
from casino.operators import services as operators  # noqa: E402
from casino.operators import sessions, signing_keys  # noqa: E402
from tests.support.keys import issue_key  # noqa: E402
from wallet.funding import services as fundings  # noqa: E402
from wallet.funding.events import Funding  # noqa: E402
from wallet.funding.services import FundingChoice  # noqa: E402
from wallet.ledger import player_accounts  # noqa: E402
from wallet.remote import signing  # noqa: E402

CURRENCY = "EUR"
CREDIT = 10**8
PRESET = "mini"
Place = dict[str, str]


def keys() -> list[str]:
    """Return the public keys of our requests to wallets, in hex."""
    return [key.public.hex() for key in signing.published_keys()]


def seat(*, slug: str, tables: int, wallet: str = "", public: str = "") -> list[Place]:
    """Open single-seat tables for real money, each with a player seated; the money is in `wallet`, if it is named."""
    operator = operators.create_operator(slug=slug, name=slug.capitalize(), currencies=[CURRENCY], sandbox=True).id
    notes = Metadata(operator=str(operator), actor="bench", causation="", correlation=str(uuid.uuid4()))
    if wallet:
        key_id, _ = issue_key(operator=operator, label="bench")
        jwk = {name: ed25519_jwk(bytes.fromhex(public))[name] for name in ("kty", "crv", "x")}
        signing_keys.add_public(key_id=key_id, jwk=json.dumps(jwk), by="bench")
        fundings.change(operator=operator, choice=FundingChoice(Funding.SEAMLESS, wallet), metadata=notes)
    return list(map(partial(_seat_one, operator, notes, here=not wallet), range(tables)))


def _seat_one(operator: uuid.UUID, notes: Metadata, number: int, *, here: bool) -> Place:
    player = player_accounts.register_player(
        operator=operator, reference=f"p{number}", nickname=f"Player {number}", currency=CURRENCY, metadata=notes
    ).id
    money = partial(
        player_accounts.credit_sandbox_player,
        operator=operator,
        player=player,
        money_type=MoneyType.REAL,
        currency=CURRENCY,
        amount=CREDIT,
        sandbox=True,
        metadata=notes,
    )
    if here:
        money()
    table = table_lifecycle.open_table(
        operator=operator,
        name=f"Table {number}",
        preset=PRESET,
        currency=CURRENCY,
        money_types=[MoneyType.REAL],
        edge_accepted=True,
        overrides={},
        metadata=notes,
    )
    actor = TableActor(table=table, operator=operator, player=player, metadata=notes)
    buy_in = CREDIT // 2 if here else 0
    seats.take(actor=actor, seat=1, money_type=MoneyType.REAL, buy_in=buy_in, currency=CURRENCY, balance_told=not here)
    token = sessions.open_session(operator=operator, player=player, seconds=sessions.MAX_SESSION_SECONDS).token
    return {"table": str(table), "player": str(player), "token": token}


def deal() -> int:
    """Deal and settle what is due, as a worker does, seal it, and return how many rounds that were."""
    done = dealt = dealing.deal_due()
    while dealt:
        dealt = dealing.deal_due()
        done += dealt
    sealer.seal_all()
    return done


if __name__ == "__main__":
    serve({"keys": keys, "seat": seat, "deal": deal})
