"""An operator's players, and credits for players of sandbox operators."""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from msgspec import Meta
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Amount, Body, OfferedCurrency, Query, Text, parse_body, parse_query, verbatim
from casino.api.shapes import Money, Page, Shape, Timestamp
from casino.kernel.money import MoneyType
from casino.operators import brands
from casino.operators.base_views import OperatorView, metadata
from casino.operators.models import Player
from casino.operators.refusals import KeyLimitReached, UnknownBrand, UnknownPlayer
from casino.operators.services import MAX_NICKNAME_LENGTH, find_player, list_players
from wallet import acts
from wallet.funding import services as funding
from wallet.funding.refusals import FundingDiffers
from wallet.ledger import player_accounts
from wallet.ledger.refusals import CreditTooLarge, OperatorNotSandbox, UnknownAccount
from wallet.responsible_gaming.queries import PlayerRestriction, restricted_players, restrictions_of


class Nickname(Text):
    limit = MAX_NICKNAME_LENGTH


class CreditNote(Text):
    limit, optional = 80, True


class PlayerRequest(Body):
    """A player to register."""

    reference: Annotated[str, verbatim(80, "Your own id of the player, not a name or an address.")]
    nickname: Nickname = Nickname("Player")
    brand: Annotated[str, verbatim(40, "A brand's slug; by default that of the key, if any.")] | None = None


class PlayerResponse(Shape):
    """A registered player."""

    id: UUID
    reference: Annotated[str, Meta(examples=["customer-8812"])]
    nickname: Annotated[str, Meta(examples=["Ace"])]
    created_at: Timestamp
    restrictions: Annotated[
        tuple[PlayerRestriction, ...], Meta(description="What keeps the player from playing now; usually nothing.")
    ]

    @classmethod
    def present(cls, players: Sequence[Player], *, operator: UUID) -> "list[PlayerResponse]":
        """Present players of an operator, whose personal fields are decrypted."""
        restrictions = restrictions_of([player.id for player in players], operator=operator)
        return [
            cls(player.id, player.reference, player.nickname, player.created_at, restrictions.get(player.id, ()))
            for player in players
        ]

    @property
    def player(self) -> UUID:
        """Return whom the response is about, as other responses name it."""
        return self.id


class PlayerPage(Page[PlayerResponse]):
    """Players in the order of their registration."""


class SandboxCreditRequest(Body):
    """A credit without a payment."""

    amount: Amount
    currency: OfferedCurrency
    money_type: MoneyType
    note: CreditNote = CreditNote()


class SandboxCredit(Shape):
    """The account after the credit."""

    player: UUID
    money_type: MoneyType
    balance: Money


class PlayersQuery(Query):
    """Selects players."""

    reference: Annotated[str, verbatim(80, "Only who has this reference of yours.")] | None = None
    restriction: Annotated[PlayerRestriction | None, Meta(description="Only those with this restriction.")] = None


class PlayerListView(OperatorView):
    """The caller's players."""

    act = acts.REGISTER_PLAYER
    for_brands = frozenset({"GET", "POST"})

    @operation(
        "registerPlayer",
        "Register a player and open the accounts; the same reference returns the same player",
        request=PlayerRequest,
        example={"reference": "customer-8812", "nickname": "Ace"},
        returns=PlayerResponse,
        status=201,
        description=(
            "Safe to call at every login: a known reference returns the player who has it, and nothing changes."
        ),
        refusals=(
            "nickname_not_allowed",
            UnknownBrand,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body, caller = parse_body(PlayerRequest, request), self.caller
        brand = brands.chosen_scope(caller, body.brand)
        player = player_accounts.register_player(
            operator=caller.operator,
            reference=body.reference,
            nickname=body.nickname,
            currency=caller.currency,
            brand=None if brand is None else brand.owner,
            metadata=metadata(request),
        )
        return Response(PlayerResponse.present([player], operator=caller.operator)[0], status=201)

    @operation(
        "listPlayers",
        "List your players in the order of their registration",
        parameters=[PlayersQuery, *paging.PARAMETERS],
        returns=PlayerPage,
        description="Look a player up by your own id with `reference`; list those who cannot play with `restriction`.",
    )
    def get(self, request: Request) -> Response:
        page = paging.parse_page_request(request, str)
        after = None if page.after is None else paging.parse_uuid(page.after[0])
        operator, query = self.caller.operator, parse_query(PlayersQuery, request)
        restriction = query.restriction
        players = list_players(
            operator=operator,
            after=after,
            limit=page.fetch_limit,
            brand=self.caller.brand,
            reference=query.reference,
            among=None if restriction is None else restricted_players(restriction, operator=operator),
        )
        rows = PlayerResponse.present(players, operator=operator)
        return Response(paging.page(PlayerPage, page, rows, key=lambda row: (str(row.id),), item=lambda row: row))


class PlayerDetailView(OperatorView):
    """One of the caller's players."""

    @operation(
        "getPlayer",
        "Show one of your players",
        returns=PlayerResponse,
        description=(
            "Your reference, the nickname, the time of registration, and what keeps the player from playing. Balances "
            "have an address of their own."
        ),
        refusals=(UnknownPlayer,),
    )
    def get(self, _request: Request, player: UUID) -> Response:
        operator = self.caller.operator
        (response,) = PlayerResponse.present([find_player(operator=operator, player=player)], operator=operator)
        return Response(response)


class SandboxCreditsView(OperatorView):
    """Credits for trying things out."""

    act = acts.CREDIT_SANDBOX

    @operation(
        "creditSandboxPlayer",
        "Credit a player of a sandbox operator without a payment",
        request=SandboxCreditRequest,
        example={"amount": "100.00", "currency": "EUR", "money_type": "real"},
        returns=SandboxCredit,
        status=201,
        description=("Money for trying things out. Operators with real players have no such credits."),
        refusals=(
            CreditTooLarge,
            FundingDiffers,
            KeyLimitReached,
            OperatorNotSandbox,
            UnknownAccount,
        ),
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        body = parse_body(SandboxCreditRequest, request)
        if body.money_type is MoneyType.REAL:
            funding.require_money_here(self.caller.operator)
        balance = player_accounts.credit_sandbox_player(
            operator=self.caller.operator,
            player=player,
            sandbox=self.caller.sandbox,
            key=self.caller.key_id,
            metadata=metadata(request),
            **asdict(body),
        )
        credit = SandboxCredit(player, body.money_type, Money.of(balance, body.currency))
        return Response(credit, status=201)
