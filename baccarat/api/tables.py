"""Tables: list, lobby, open, show, odds, statistics, fairness, close."""

from functools import partial
from typing import Annotated, Any, Final, cast
from uuid import UUID

from msgspec import Meta, field
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import acts
from baccarat.api import refusals
from baccarat.api.rounds import OfferedView, viewer
from baccarat.api.rules_requests import PresetName, Rules
from baccarat.domain.rounds.refusals import UnknownRound
from baccarat.domain.rules.odds import odds_sheet
from baccarat.domain.rules.presets import UnknownPreset, rules_for
from baccarat.domain.rules.validation import InvalidRules
from baccarat.domain.rules.versions import MAX_ODDS, MAX_ODDS_OF_OTHERS, MAX_WIN
from baccarat.domain.rules.wagers import AmountNotInChips, require_makeable
from baccarat.domain.rules.written import read_rules
from baccarat.domain.tables.refusals import (
    AcknowledgementDiffers,
    AcknowledgementNotNeeded,
    CloseReasonInvalid,
    OddsTooHigh,
    PlayerEdgeNotAccepted,
    PlayMoneyNotOffered,
    ReturnUnderFloor,
    SeedUnreadable,
    TableIsClosed,
    TableIsClosing,
    UnknownShoe,
    UnknownTable,
    WinTooLarge,
)
from baccarat.queries import fairness, tables
from baccarat.queries.board_view import LobbyPage, Scoreboard
from baccarat.queries.fairness import TableFairness
from baccarat.queries.offered import brand_of, lobby_owner
from baccarat.queries.redaction import SPECTATOR
from baccarat.queries.rules_view import Odds, present_odds
from baccarat.queries.table_view import TableResponse
from baccarat.queries.tables import TablePage
from baccarat.services import table_lifecycle
from casino.api import paging
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import (
    Body,
    NoteText,
    OfferedCurrency,
    OptionalNoteText,
    Query,
    Text,
    malformed,
    parse_body,
    parse_query,
    verbatim,
)
from casino.kernel.money import AmountMalformed, AmountNotPositive, AmountTooLarge, MoneyType, parse_positive
from casino.operators.api.changes import WAITS, ChangeResponse
from casino.operators.assertions import LIVE_PARAMETER
from casino.operators.auth import OperatorKeyAuthentication, OperatorOrPlayerAuthentication
from casino.operators.base_views import OperatorOrPlayerView, OperatorView, metadata
from casino.operators.refusals import ChangeNeedsSecondPerson, UnknownBrand, UnknownPlayer


class StatisticsQuery(Query):
    """Selects the run of rounds to show."""

    shoe: Annotated[
        Annotated[int, Meta(ge=1, le=1000000)] | None,
        Meta(description="The number of a long shoe; by default the one in play."),
    ] = None


class LobbyQuery(Query):
    """Selects tables of the lobby, and whose lobby it is."""

    money_type: Annotated[MoneyType | None, Meta(description="Only tables with this money type.")] = None
    player: Annotated[
        UUID | None, Meta(description="The lobby of this player of yours; a player's own by default.")
    ] = None


class OddsQuery(Query):
    """Selects the stakes to price."""

    stakes: (
        Annotated[str, verbatim(200, "Amounts in the table's currency, separated by commas, such as `6.00,25.00`.")]
        | None
    ) = None


class TableStatisticsView(OfferedView):
    for_brands = frozenset({"GET"})

    @operation(
        "getTableStatistics",
        "Show a table's results in columns and roads",
        returns=Scoreboard,
        parameters=[StatisticsQuery],
        description=(
            "The run is that of the shoe. If cards are shuffled before every round, it is up to 72 rounds, after which "
            "the board is cleared as for a new shoe. Rounds without a wager and voided rounds leave no mark. `columns` "
            "has a new column when the winner changes; a tie goes in the column of the previous winner. Roads are "
            "drawn in six rows: a streak goes down its column and, at the last row or above a taken cell, turns right "
            "and stays on that row; a new streak begins in row 1, one column after the start of the last. `streak` and "
            "`depth` are the logical position, for drawing it differently. Big Eye Boy, Small Road and Cockroach Pig "
            "are red where the big road is regular."
        ),
        refusals=(
            UnknownShoe,
            UnknownTable,
        ),
    )
    def get(self, request: Request, table: UUID) -> Response:
        shoe = parse_query(StatisticsQuery, request).shoe
        return Response(tables.table_board(table=table, operator=self.caller.operator, shoe=shoe))


class LobbyView(OperatorOrPlayerView):
    for_brands = frozenset({"GET"})

    @operation(
        "getLobby",
        "List open tables with their last results",
        returns=LobbyPage,
        parameters=[LobbyQuery, *paging.PARAMETERS],
        description=(
            "All that a lobby draws, in the order the tables were opened. Left out are tables that are closed or about "
            "to close, and those opened with `listed: false`, unless the player has a seat there. `phase`, "
            "`round_number` and `deadline_at` are those of the current round; null without one. With `player`, an "
            "operator's server gets the tables for this player's brand; `you` and `last_visited_at` are the player's. "
            "To stay up to date, a player's client follows the stream with `lobby=true` and reads the lobby again when "
            "it says so; an operator's server follows `table.*`, `seat.*`, `round.*`, `shoe.started` and "
            "`rules.took_effect` of its feed."
        ),
        refusals=(UnknownPlayer,),
    )
    def get(self, request: Request) -> Response:
        page, caller, query = paging.parse_page_request(request, str), self.caller, parse_query(LobbyQuery, request)
        player, brand = lobby_owner(caller, query.player)
        rows = tables.lobby_tables(
            operator=caller.operator,
            viewer=player or SPECTATOR,
            brand=brand,
            money_type=query.money_type,
            after=None if page.after is None else paging.parse_uuid(page.after[0]),
            limit=page.fetch_limit,
        )
        return Response(paging.page(LobbyPage, page, rows, key=lambda row: (str(row.id),), item=lambda row: row))


OPEN_TABLE_EXAMPLE: Final = {
    "name": "High limits",
    "preset": "mini",
    "currency": "EUR",
    "money_types": ["real", "play"],
    "rules": {
        "chips": ["25.00", "100.00", "500.00"],
        "minimum": "25.00",
        "maximum": "5000.00",
        "spots": [
            {"name": "player", "lines": [
                {"when": {"winner": "tie"}, "push": True},
                {"when": {"winner": "player"}, "pays": "1:1"},
            ]},
            {"name": "banker", "commission": {"rate": "5/100", "rounding": "1/4"}, "lines": [
                {"when": {"winner": "tie"}, "push": True},
                {"when": {"winner": "banker"}, "pays": "1:1"},
            ]},
            {"name": "tie", "maximum": "500.00", "lines": [{"when": {"winner": "tie"}, "pays": "9:1"}]},
        ],
    },
}  # fmt: skip


class TableName(Text):
    limit = table_lifecycle.MAX_NAME_LENGTH


class TableRequest(Body):
    """A new table: a preset, its currency and money types, and the operator's changes to the rules."""

    codes = (refusals.DuplicateMoneyType.code,)
    name: TableName
    preset: PresetName
    currency: OfferedCurrency
    money_types: Annotated[tuple[MoneyType, ...], Meta(max_length=2, min_length=1)]
    accept_player_edge: bool = False
    acknowledgement: OptionalNoteText = OptionalNoteText()
    listed: Annotated[
        bool, Meta(description="False keeps the table out of the lobby: it is played by its id alone.")
    ] = True
    brands: Annotated[
        tuple[Annotated[str, verbatim(40)], ...],
        Meta(max_length=50, description="Slugs of the brands whose players may sit down; none for all players."),
    ] = ()
    rules: Rules = field(default_factory=cast("Any", dict))

    def __post_init__(self) -> None:
        """Refuse a repeated money type. Raises Malformed."""
        if len(set(self.money_types)) != len(self.money_types):
            raise malformed(refusals.DuplicateMoneyType.code, "repeats a money type", "money_types")


class TableClosureRequest(Body):
    """The reason for closing a table permanently."""

    reason: Annotated[NoteText, Meta(description="The reason. Stored permanently: do not name a player.")]


_ODDS: Final = (
    f"For real money, odds are at most {', '.join(f'{odds} on {spot}' for spot, odds in MAX_ODDS.items())} and "
    f"{MAX_ODDS_OF_OTHERS} on any other (`odds_too_high`), and a wager wins at most {MAX_WIN:,} euros, or so much in "
    "another currency (`win_too_large`)."
)


class TablesView(OperatorOrPlayerView):
    act = acts.OPEN_TABLE
    for_brands = frozenset({"GET"})

    def get_authenticators(self) -> list[Any]:
        """Allow only operators to open tables."""
        return (
            [OperatorKeyAuthentication()]
            if getattr(self.request, "method", None) == "POST"
            else [OperatorOrPlayerAuthentication()]
        )

    @operation(
        "listTables",
        "List the operator's tables",
        returns=TablePage,
        parameters=paging.PARAMETERS,
        description=(
            "Open and closed tables with their limits, oldest first. Players and keys of a brand get those for all and "
            "those for their brand."
        ),
    )
    def get(self, request: Request) -> Response:
        page = paging.parse_page_request(request, str)
        after = None if page.after is None else paging.parse_uuid(page.after[0])
        caller = self.caller
        rows = tables.list_tables(
            operator=caller.operator,
            after=after,
            limit=page.fetch_limit,
            everything=viewer(caller) is None and caller.brand is None,
            brand=brand_of(caller),
        )
        return Response(paging.page(TablePage, page, rows, key=lambda row: (str(row.id),), item=lambda row: row))

    @operation(
        "openTable",
        "Open a table",
        returns=TableResponse,
        status=201,
        request=TableRequest,
        example=OPEN_TABLE_EXAMPLE,
        description=(
            "Presets: atlantic_city, overview, mini, classic, big_table. `rules` replace values of the preset; its "
            "`spots` are replaced together. For "
            "real money, rules that give the player an edge need `accept_player_edge: true`; if a spot returns less "
            "than the operator's floor, send the `required_acknowledgement` of `return_under_floor`, word for word, as "
            f"the acknowledgement. {_ODDS} At a live operator a table for real money with other rules than "
            "its preset's, or by which the player has the edge, needs the assertion of a person, and another person "
            "confirms it (`POST /changes/{change}/confirm`); the subject of the change names the table."
        ),
        parameters=[LIVE_PARAMETER],
        **WAITS,
        refusals=(
            UnknownBrand,
            AcknowledgementDiffers,
            AcknowledgementNotNeeded,
            ChangeNeedsSecondPerson,
            InvalidRules,
            OddsTooHigh,
            WinTooLarge,
            PlayMoneyNotOffered,
            PlayerEdgeNotAccepted,
            ReturnUnderFloor,
            UnknownPreset,
            UnknownTable,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        terms, operator = asdict(parse_body(TableRequest, request)), self.caller.operator
        terms["edge_accepted"], written = terms.pop("accept_player_edge"), terms.pop("rules")
        overrides = read_rules(written, partial(parse_positive, currency=terms["currency"]))
        rules = rules_for(terms["preset"], currency=terms["currency"], **overrides)
        if table_lifecycle.needs_change(operator=operator, rules=rules, money_types=terms["money_types"]):
            change = table_lifecycle.request_table(
                operator=operator, overrides=overrides, by=self.use_person(), **terms
            )
            return Response(ChangeResponse.of(change), status=202)
        table = table_lifecycle.open_table(operator=operator, overrides=overrides, metadata=metadata(request), **terms)
        return Response(tables.load_table(table=table, operator=operator, viewer=None), status=201)


class TableView(OfferedView):
    for_brands = frozenset({"GET"})

    @operation(
        "getTable",
        "Show a table",
        returns=TableResponse,
        description=(
            "Seats, chips, wagers, cards, deadlines, nicknames of players who show theirs, and for a player their own "
            "seat and balance: everything needed to draw the table."
        ),
        refusals=(UnknownTable,),
    )
    def get(self, _request: Request, table: UUID) -> Response:
        caller = self.caller
        return Response(tables.load_table(table=table, operator=caller.operator, viewer=viewer(caller)))


class TableOddsView(OfferedView):
    for_brands = frozenset({"GET"})

    @operation(
        "getTableOdds",
        "Show the exact return of each spot",
        returns=Odds,
        parameters=[OddsQuery],
        description=(
            "Computed from the table's rules by counting all deals, as fractions; nothing is simulated. Where "
            "commission is rounded, the return depends on the stake: name those that you want to know."
        ),
        refusals=(UnknownTable, AmountMalformed, AmountNotPositive, AmountTooLarge, AmountNotInChips),
    )
    def get(self, request: Request, table: UUID) -> Response:
        rules = tables.rules_of_table(table=table, operator=self.caller.operator)
        asked = parse_query(OddsQuery, request).stakes
        stakes = [] if asked is None else [parse_positive(each, rules.currency) for each in asked.split(",")]
        for stake in stakes:
            require_makeable(stake, rules)
        return Response(present_odds(odds_sheet(rules), stakes))


class TableFairnessView(OfferedView):
    for_brands = frozenset({"GET"})

    @operation(
        "getTableFairness",
        "Show a table's shoes: commitments, contributions and revealed seeds",
        returns=TableFairness,
        description=(
            "The shoe in play, the next one, committed to before its first bet, and the latest revealed ones: with "
            "seed and cut anyone can recompute the order of a shoe."
        ),
        refusals=(
            UnknownRound,
            UnknownTable,
        ),
    )
    def get(self, _request: Request, table: UUID) -> Response:
        return Response(fairness.table_fairness(table=table, operator=self.caller.operator))


class CloseTableView(OperatorView):
    act = acts.CLOSE_TABLE

    @operation(
        "closeTable",
        "Close a table permanently",
        returns=TableFairness,
        request=TableClosureRequest,
        example={"reason": "Worn out"},
        description=(
            "Nothing new starts at the table. Confirmed wagers are dealt and settled; then every seat is released, the "
            "money returns to the accounts, and the seeds of its long shoe and of the next shoe are revealed, so that "
            "no shoe can be abandoned for its cards. Without a current round, all of this happens at once. The table "
            "stays readable. Returns its shoes; while `closed` is false, the current round is not finished."
        ),
        refusals=(
            CloseReasonInvalid,
            SeedUnreadable,
            TableIsClosed,
            TableIsClosing,
            UnknownTable,
        ),
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        operator, reason = self.caller.operator, parse_body(TableClosureRequest, request).reason
        table_lifecycle.close_table(table=table, operator=operator, reason=reason, metadata=metadata(request))
        return Response(fairness.table_fairness(table=table, operator=operator))
