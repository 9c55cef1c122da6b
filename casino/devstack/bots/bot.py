"""A bot at a seat: it bets in all the ways a player can, from a seeded generator, so that a run can be repeated."""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any, Final

from casino.devstack.bots.client import NOT_READY, WALLET_SILENT, WITNESS_RETRY_SECONDS, ApiError, Client, TableWatch
from casino.kernel import money

LOW_BALANCE_WAGERS: Final = 2
"""A bot rebuys when its game balance covers fewer of its largest wagers."""

TOO_LATE_CODES: Final = frozenset(
    {
        *("betting_is_closed", "betting_not_open", "not_your_turn", "already_confirmed", "no_open_round", "no_show"),
        *("cards_are_handed_back", "no_ceremony", "no_chips_placed", "witness_unavailable", WALLET_SILENT, NOT_READY),
    }
)
"""Refusals of a player who is too slow (the next round may have begun), or whose table's witness or whose casino's
wallet is; the bot waits for the next round."""
NOT_DEALT_CODES: Final = frozenset({"witness_unavailable", WALLET_SILENT})
"""Those after which a player alone at a table tries again."""


class Bot:
    """One player at one table. Amounts are minor units."""

    def __init__(self, client: Client, watch: TableWatch, *, seat: int, money_type: str, rng: Random) -> None:
        self.client = client
        self.watch = watch
        self.seat = seat
        self.money_type = money_type
        self.rng = rng
        self.last_acted_round = 0
        self.last_ceremony_round = 0
        self.last_skipped_round = 0
        self.has_bet = False
        self.timeout_rounds: set[int] = set()
        self.cut: str | None = None

    @property
    def table(self) -> str:
        """The path of the bot's table."""
        return f"/tables/{self.watch.table}"

    async def sit(self) -> None:
        """Take the seat with money for many rounds."""
        body = {
            "seat": self.seat,
            "buy_in": self._text(self._minimum() * 100),
            "currency": self._currency,
            "money_type": self.money_type,
        }
        await self.client.sit(self.table, body)

    async def play(self, enough: Callable[[], bool]) -> None:
        """Play round after round until `enough()`, then leave with the money."""
        alone = self.watch.state["rules"]["turn_seconds"] is None
        while not enough():
            await self._play_alone() if alone else await self._at_turn(enough)
        await self._leave()

    async def _wait_until(self, holds: Callable[[], bool]) -> None:
        """Wait; meanwhile look at cards that come to the seat, and hand them back."""
        await self.watch.wait_until(lambda: holds() or self._has_cards())
        while self._has_cards():
            self.last_ceremony_round = self.watch.round_number()
            await self._ignore_too_late(self._ceremony())
            await self.watch.wait_until(lambda: holds() or self._has_cards())

    def _has_cards(self) -> bool:
        return self.last_ceremony_round != self.watch.round_number() and self.watch.has_cards(self.seat)

    async def _ceremony(self) -> None:
        await self._act("look")
        await self._act("hand-back")

    async def _at_turn(self, enough: Callable[[], bool]) -> None:
        await self._wait_until(lambda: enough() or self._may_act() or self._may_skip())
        if self._may_skip():
            self.last_skipped_round = self.watch.last_settled_round()
            await self._ignore_too_late(self._act("skip-show"))
            return
        number = self.watch.round_number()
        if not self._may_act():
            return
        self.last_acted_round = number
        if number not in self.timeout_rounds:
            await self._ignore_too_late(self._turn())

    def _may_act(self) -> bool:
        return self.watch.round_number() != self.last_acted_round and self.watch.is_turn_of(self.seat)

    def _may_skip(self) -> bool:
        return self.watch.last_settled_round() != self.last_skipped_round and self.watch.is_shown_to(self.seat)

    async def _play_alone(self) -> None:
        """Play one round at a single-seat table, where the bot's own deal starts it."""
        before = self.watch.last_settled_round()
        while not await self._is_played():
            await asyncio.sleep(WITNESS_RETRY_SECONDS)
        await self._wait_until(lambda: self.watch.last_settled_round() > before)

    async def _is_played(self) -> bool:
        """Play a turn; return False, without chips on the table, while witness or wallet does not answer."""
        try:
            await self._ignore_too_late(self._turn(may_pass=False), codes=TOO_LATE_CODES - NOT_DEALT_CODES)
        except ApiError as error:
            if error.code not in NOT_DEALT_CODES:
                raise
            await self._ignore_too_late(self._act("clear"))
            return False
        return True

    async def _ignore_too_late(self, turn: Any, codes: frozenset[str] = TOO_LATE_CODES) -> None:
        try:
            await turn
        except ApiError as error:
            if error.code not in codes:
                raise

    async def _turn(self, *, may_pass: bool = True) -> None:
        dice = self.rng.random()
        if may_pass and dice < 0.08:
            await self._act("pass")
        elif self.has_bet and dice < 0.25:
            await self._act("rebet-and-deal")
        elif self.has_bet and dice < 0.35:
            await self._act("rebet")
            await self._confirm()
        elif dice < 0.45:
            await self._deal_at_once()
        else:
            await self._place_and_deal()

    async def _place_and_deal(self) -> None:
        """Place chips one after the other, and sometimes undo or clear them."""
        if self.rng.random() < 0.2:
            await self._chips(*self._stakes()[0])
            await self._act("undo")
        if self.rng.random() < 0.1:
            await self._chips(*self._stakes()[0])
            await self._act("clear")
        for spot, amount in self._stakes():
            await self._chips(spot, amount)
        await self._confirm()

    async def _deal_at_once(self) -> None:
        stakes = [{"spot": spot, "amount": self._text(amount)} for spot, amount in self._stakes()]
        await self._act("deal", {"stakes": stakes, "currency": self._currency, **self._cut()})
        self.has_bet = True

    async def _confirm(self) -> None:
        state = await self._act("deal", self._cut())
        self.has_bet = True
        await self._rebuy_when_low(state)

    def _cut(self) -> dict[str, Any]:
        """Return random bytes for the cut of the table's next shoe, mostly, and once for each shoe."""
        shoe = self.watch.state.get("next_shoe") or {}
        if self.cut == shoe.get("id") or self.rng.random() < 0.3:
            return {}
        self.cut = shoe.get("id")
        return {"contribution": self.rng.randbytes(16).hex()}

    async def _rebuy_when_low(self, state: dict[str, Any]) -> None:
        """Rebuy between rounds, because the service refuses it while a wager is in play."""
        if state["you"]["balance_told_at"]:  # all of the money is in the operator's own wallet
            return
        if self._units(state["you"]["game_balance"]["amount"]) >= LOW_BALANCE_WAGERS * self._largest():
            return
        number = state["round"]["number"]
        await self._wait_until(lambda: self.watch.last_settled_round() >= number)
        try:
            body = {"amount": self._text(self._largest() * 10), "currency": self._currency}
            await self._act("rebuy", body)
        except ApiError as error:
            if error.code not in {"insufficient_funds", "wager_in_play"}:
                raise

    def _stakes(self) -> list[tuple[str, int]]:
        """Choose one spot or several; sometimes less than the minimum if the rules raise it."""
        rules, spots = self._rules, list(self._rules["spots"])
        alone = [spot for spot in spots if not spot["needs"]]
        main = [spot for spot in alone if spot["kind"] == "main"]
        if main and rules["under_minimum"] == "raise" and self.rng.random() < 0.15:
            return [(self.rng.choice(main)["name"], self._units(rules["chips"][0]) * 3)]
        self.rng.shuffle(spots)
        chosen = spots[: 1 if rules["spots_per_round"] == "one" else self.rng.choice((1, 1, 1, 2, 3))]
        names = {spot["name"] for spot in chosen}
        allowed = [spot for spot in chosen if not spot["needs"] or names & set(spot["needs"])]
        return [(spot["name"], self._stake(spot)) for spot in allowed or [self.rng.choice(alone)]]

    def _stake(self, spot: dict[str, Any]) -> int:
        least, most = (self._limit(spot, name) for name in ("minimum", "maximum"))
        return min(least * self.rng.choice((1, 1, 2, 3, 4)), max(least, most // least * least))

    def _limit(self, spot: dict[str, Any], name: str) -> int:
        return self._units(self._rules[name] if spot[name] is None else spot[name])

    def _largest(self) -> int:
        return 12 * max(self._limit(spot, "minimum") for spot in self._rules["spots"])

    def _minimum(self) -> int:
        return self._units(self._rules["minimum"])

    def _units(self, amount: str) -> int:
        return money.parse(amount, self._currency)

    def _text(self, units: int) -> str:
        return money.format_amount(units, self._currency)

    @property
    def _currency(self) -> str:
        return str(self._rules["currency"])

    @property
    def _rules(self) -> dict[str, Any]:
        rules: dict[str, Any] = self.watch.state["rules"]
        return rules

    async def _chips(self, spot: str, amount: int) -> None:
        await self._act("place", {"spot": spot, "amount": self._text(amount), "currency": self._currency})

    async def _act(self, action: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        return await self.client.post(f"{self.table}/{action}", body)

    async def _leave(self) -> None:
        """Leave; a wager in play has to be settled first."""
        while True:
            try:
                await self._act("leave")
            except ApiError as error:
                if error.code == "not_seated":
                    return
                if error.code != "wager_in_play":
                    raise
                await self._wait_until(lambda: not self.watch.has_wager(self.seat))
            else:
                return
