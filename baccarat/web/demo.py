"""Demo data: a table of each preset, players with money and a PIN, deposit methods.

It belongs to the sandbox operator that DEMO_OPERATOR names, which must be empty in production.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from baccarat.chat import moderation
from baccarat.chat import queries as chat
from baccarat.queries import receipt_keys, tables
from baccarat.services import table_lifecycle
from casino.api.error_catalogue import NOT_FOUND, RequestRejected
from casino.checkpoints import keyring
from casino.events.store import Metadata
from casino.kernel import money
from casino.kernel.money import MoneyType
from casino.operators import currencies, key_changes, pins, sessions
from casino.operators.memberships import shell_actor
from casino.operators.models import Operator, Player
from casino.operators.refusals import UnknownOperator, UnknownPlayer
from casino.operators.services import create_operator, find_operator, list_players, set_customer_care
from casino.witness.addresses import parse_addresses
from wallet.ledger import player_accounts as wallet
from wallet.ledger.refusals import OperatorNotSandbox
from wallet.payments import methods
from wallet.payments.methods import MethodOffer
from wallet.payments.terms import DepositTerms

CURRENCY: Final = "EUR"
OTHER_CURRENCIES: Final = ("JPY", "KWD", "BTC")
"""With no, three and eight decimals; the last one where CURRENCIES declares it."""
PIN: Final = "2468"
TABLES: Final = (
    ("Atlantic City", "atlantic_city", CURRENCY),
    ("Overview", "overview", CURRENCY),
    ("Mini", "mini", CURRENCY),
    ("Classic", "classic", CURRENCY),
    ("Big Table", "big_table", CURRENCY),
    ("Mini in yen", "mini", "JPY"),
    ("Mini in dinars", "mini", "KWD"),
    ("Mini in bitcoin", "mini", "BTC"),
)
PLAYERS: Final = ("Ana", "Ben", "Chloe", "Dario", "Emil", "Fatima")
STARTING_BALANCES: Final = {MoneyType.REAL: 2_000, MoneyType.PLAY: 5_000}
"""In what table rules call one."""

PREFIX: Final = "demo-"
PAGE_SIZE: Final = 200
PROVIDER: Final = "sandbox"


def create_sandbox_operator(*, slug: str) -> tuple[str, str]:
    """Issue a key for the sandbox operator, creating the operator if it is missing; return (id, secret).

    Raises OperatorNotSandbox.
    """
    with transaction.atomic():
        try:
            operator = find_operator(slug=slug)
        except UnknownOperator:
            operator = create_operator(slug=slug, name=slug.title(), currencies=offered_currencies(), sandbox=True)
        if not operator.sandbox:
            raise OperatorNotSandbox
        key = key_changes.issue(operator, label="demo", by=shell_actor())
        return key.name, key.secret


def offered_currencies() -> list[str]:
    """List the demo's currencies, without one that is not declared."""
    return [CURRENCY, *(code for code in OTHER_CURRENCIES if code != "BTC" or money.is_declared(code))]


def set_up_demo(*, slug: str, customer_care: str = "") -> Sequence[str]:
    """Create the missing demo data and return a line about each item created; `customer_care` is told to players.

    Raises UnknownOperator, OperatorNotSandbox, InvalidCustomerCare.
    """
    operator = find_operator(slug=slug)
    if not operator.sandbox:
        raise OperatorNotSandbox
    _offer_currencies(operator)
    metadata = Metadata(operator=str(operator.id), actor="demo", causation="", correlation="demo")
    return (
        *_open_tables(operator, metadata),
        *_register_players(operator, metadata),
        *_offer_deposits(operator),
        *_add_filter_words(operator, metadata),
        *_name_customer_care(operator, customer_care),
    )


def demo_players() -> list[dict[str, str]]:
    """List the demo players. Raises RequestRejected (not_found) if there is no demo."""
    return [{"id": str(player.id), "name": player.nickname} for player in _players(_demo_operator())]


def open_session(*, player: UUID) -> dict[str, Any]:
    """Open a session for a demo player. Raises UnknownPlayer, RequestRejected (not_found) if there is no demo."""
    operator = _demo_operator()
    if player not in {each.id for each in _players(operator)}:
        raise UnknownPlayer
    session = sessions.open_session(operator=operator.id, player=player, seconds=settings.PLAYER_SESSION_SECONDS)
    named = {"casino": operator.name, "proof_keys": _proof_keys()}
    return {"token": session.token, "expires_at": session.expires_at, **named}


def _proof_keys() -> list[str]:
    """List the keys that the demo's operator names, those of this installation; none where nobody cosigns its log."""
    witnesses = parse_addresses(settings.WITNESSES)
    if not witnesses:
        return []
    own = [key.public.hex() for key in (*keyring.published_keys(), *receipt_keys.published_keys())]
    releases = [each.release_key.hex() for each in witnesses if each.release_key]
    return [*own, *releases, *(each.cosigner.vkey for each in witnesses)]


def _demo_operator() -> Operator:
    if not settings.DEMO_OPERATOR:
        raise RequestRejected(NOT_FOUND)
    return find_operator(slug=settings.DEMO_OPERATOR)


def _players(operator: Operator) -> list[Player]:
    players = list_players(operator=operator.id, after=None, limit=PAGE_SIZE)
    return [player for player in players if player.reference.startswith(PREFIX)]


def _offer_currencies(operator: Operator) -> None:
    missing = [code for code in offered_currencies() if code not in operator.currencies]
    if missing:
        currencies.change(operator=operator, currencies=[*operator.currencies, *missing], by="demo")
        operator.refresh_from_db()


def _open_tables(operator: Operator, metadata: Metadata) -> list[str]:
    existing = {table.name for table in tables.list_tables(operator=operator.id, after=None, limit=PAGE_SIZE)}
    missing = [each for each in TABLES if each[0] not in existing and each[2] in operator.currencies]
    for name, preset, currency in missing:
        table_lifecycle.open_table(
            operator=operator.id,
            name=name,
            preset=preset,
            currency=currency,
            money_types=(MoneyType.REAL, MoneyType.PLAY),
            edge_accepted=True,
            overrides={},
            metadata=metadata,
        )
    return [f"table {name}" for name, *_ in missing]


def _register_players(operator: Operator, metadata: Metadata) -> list[str]:
    existing = {player.nickname for player in _players(operator)}
    missing = [name for name in PLAYERS if name not in existing]
    for name in missing:
        with transaction.atomic():
            _register_player(operator, name, metadata)
    return [f"player {name}" for name in missing]


def _register_player(operator: Operator, name: str, metadata: Metadata) -> None:
    player = wallet.register_player(
        operator=operator.id,
        reference=f"{PREFIX}{name.lower()}",
        nickname=name,
        currency=operator.currency,
        metadata=metadata,
    )
    for (money_type, units), currency in product(STARTING_BALANCES.items(), operator.currencies):
        wallet.credit_sandbox_player(
            operator=operator.id,
            player=player.id,
            money_type=money_type,
            currency=currency,
            amount=units * money.unit(currency),
            sandbox=operator.sandbox,
            metadata=metadata,
        )
    pins.set_pin(operator=operator.id, player=player.id, pin=pins.hash_pin(PIN))


def _offer_deposits(operator: Operator) -> list[str]:
    if PROVIDER not in settings.PAYMENT_PROVIDERS or methods.list_methods(operator=operator.id):
        return []
    offers = (("Bank card", 0), ("Instant transfer", 10_000))
    for (name, fee_ppm), currency in product(offers, operator.currencies):
        unit = money.unit(currency)
        terms = DepositTerms(currency, minimum=10 * unit, maximum=5_000 * unit, fee_fixed=0, fee_ppm=fee_ppm)
        offer = MethodOffer(name, PROVIDER, terms, processing_seconds=1, supports_withdrawals=True, enabled=True)
        methods.create(operator=operator.id, offer=offer, actor="demo")
    return ["deposit methods"]


def _add_filter_words(operator: Operator, metadata: Metadata) -> list[str]:
    if chat.list_own_filter_words(operator=operator.id):
        return []
    return [f"{moderation.add_starter_words(operator=operator.id, metadata=metadata)} words masked in chats"]


def _name_customer_care(operator: Operator, contact: str) -> list[str]:
    if contact in {"", operator.customer_care}:
        return []
    set_customer_care(slug=operator.slug, contact=contact, by="demo")
    return [f"customer care at {contact}"]
