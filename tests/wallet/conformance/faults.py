"""Wallet servers with one fault each: the sandbox operator's with one thing wrong, and the case that names it."""

import asyncio
import json
from dataclasses import replace
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from http_message_signatures import HTTPMessageVerifier

from casino.devstack.operator import app
from casino.devstack.operator.app import Behaviour, Message, Planned, Send, WalletServer
from casino.devstack.operator.ledger import Answer, Ledger, Order

PLENTY = 10**9


class AnyTime(HTTPMessageVerifier):
    """Takes signatures of any time."""

    def validate_created_and_expires(self, sig_input: Any, max_age: Any = None) -> None:
        """Do nothing."""


class AnyBody(HTTPMessageVerifier):
    """Never looks whether the body has the digest that was signed."""

    def verify(self, message: Any, **options: Any) -> Any:
        return super().verify(message, **{**options, "body": None})


def again(kind: str) -> type[Ledger]:
    """Return a ledger that moves each time what comes again."""

    class MovesAgain(Ledger):
        def _move(self, given: str, order: Order, change: int) -> Answer:
            new = replace(order, transaction=f"{order.transaction} {uuid4()}") if given == kind else order
            return {**super()._move(given, new, change), "transaction": order.transaction}

    return MovesAgain


def forgiving(kind: str) -> type[Ledger]:
    """Return a ledger that answers other content under a known id like the first."""

    class Forgives(Ledger):
        def _move(self, given: str, order: Order, change: int) -> Answer:
            answer = super()._move(given, order, change)
            if given == kind and answer.get("code") == "reference_differs":
                return {
                    **self._accepted(order.player, order.currency),
                    **answer,
                    "status": "accepted",
                    "reference": "T",
                }
            return answer

    return Forgives


class NoMarkWithoutDebit(Ledger):
    def roll_back(self, order: Order) -> Answer:
        answer = super().roll_back(order)
        self._database.execute("DELETE FROM cancelled WHERE NOT found")
        return answer


class MarksAreNotRead(Ledger):
    def debit(self, order: Order) -> Answer:
        with self._transaction():
            return self._move("debit", order, -order.amount)


class UnknownRollbackIsRefused(Ledger):
    def roll_back(self, order: Order) -> Answer:
        answer = super().roll_back(order)
        return answer if answer["found"] else self._refused(order, "other")


class LooksForThePlayerAtRollbacks(Ledger):
    def roll_back(self, order: Order) -> Answer:
        answer = super().roll_back(order)
        return self._refused(order, "player_unknown") if self._find(order.player, order.currency) is None else answer


class FoundIsAlwaysFalse(Ledger):
    def roll_back(self, order: Order) -> Answer:
        return {**super().roll_back(order), "found": False}


class FoundIsOfNow(Ledger):
    """Looks for the debit's id at each rollback, and a refused debit has left it."""

    def debit(self, order: Order) -> Answer:
        answer = super().debit(order)
        if answer.get("code") == "transaction_cancelled":
            self._database.execute("UPDATE cancelled SET found = 1 WHERE debit = ?", (order.transaction,))
        return answer


class ReturnsAtEachRollback(Ledger):
    def roll_back(self, order: Order) -> Answer:
        self._database.execute("DELETE FROM cancelled WHERE debit = ?", (order.debit,))
        return super().roll_back(order)


class ReturnsAtEachNewRollback(Ledger):
    def roll_back(self, order: Order) -> Answer:
        self._database.execute("DELETE FROM cancelled WHERE debit = ? AND id <> ?", (order.debit, order.transaction))
        return super().roll_back(order)


class GoesBelowZero(Ledger):
    def debit(self, order: Order) -> Answer:
        self._add(order.player, PLENTY)
        try:
            return super().debit(order)
        finally:
            self._add(order.player, -PLENTY)


class KeepsTheLastUnit(Ledger):
    def debit(self, order: Order) -> Answer:
        held = self._find(order.player, order.currency)
        return self._refused(order, "insufficient_funds") if held == order.amount else super().debit(order)


class LooksAtTheBalanceFirst(Ledger):
    def debit(self, order: Order) -> Answer:
        held = self._find(order.player, order.currency) or 0
        return self._refused(order, "insufficient_funds") if held < order.amount else super().debit(order)


class PaysWithoutDebit(Ledger):
    def credit(self, order: Order) -> Answer:
        with self._transaction():
            return self._move("credit", order, order.amount)


class RefusesNothing(Ledger):
    def credit(self, order: Order) -> Answer:
        return super().credit(order) if order.amount else self._refused(order, "other")


class SaysOther(Ledger):
    def debit(self, order: Order) -> Answer:
        answer = super().debit(order)
        return {**answer, "code": "other"} if answer["status"] == "refused" else answer


class TakesOneMore(Ledger):
    def debit(self, order: Order) -> Answer:
        return super().debit(replace(order, amount=order.amount + 1))


class PaysOneLess(Ledger):
    def credit(self, order: Order) -> Answer:
        return super().credit(replace(order, amount=order.amount - 1))


class TakesNoCents(Ledger):
    def debit(self, order: Order) -> Answer:
        return super().debit(order) if order.amount >= 100 else self._refused(order, "other")


class CorrectsUpwards(Ledger):
    def correct(self, order: Order) -> Answer:
        return super().correct(replace(order, amount=abs(order.amount)))


class CorrectsDownwards(Ledger):
    def correct(self, order: Order) -> Answer:
        return super().correct(order) if order.amount < 0 else self._refused(order, "other")


class ListsOtherReferences(Ledger):
    def movement(self, transaction: str) -> Answer:
        page = super().movement(transaction)
        return {**page, "items": [{**item, "reference": "L-1"} for item in page["items"]]}


class OneCurrencyForAll(Ledger):
    def debit(self, order: Order) -> Answer:
        return super().debit(replace(order, currency="EUR"))


class TakesLessThanNothing(Ledger):
    def debit(self, order: Order) -> Answer:
        with self._transaction():
            return self._move("debit", order, -order.amount)


class ListsNoRollbacks(Ledger):
    def _list(self, condition: str, values: tuple[object, ...]) -> Answer:
        page = super()._list(condition, values)
        return {**page, "items": [{**item, "status": "accepted"} for item in page["items"]]}


class ListsAnyTime(Ledger):
    def movements(self, since: str, until: str, cursor: int) -> Answer:
        return super().movements("0", "9", cursor)


class ListsOneLess(Ledger):
    def movements(self, since: str, until: str, cursor: int) -> Answer:
        page = super().movements(since, until, cursor)
        return {**page, "items": page["items"][:-1]}


class RollsBackByWager(WalletServer):
    def _do(self, do: Behaviour, call: str, document: Answer) -> Answer:
        wagers = self.__dict__.setdefault("wagers", {})
        if call == "debit":
            wagers[document["transaction"]] = document["wager"]
        if call == "rollback" and wagers.get(document["debit"], document["wager"]) != document["wager"]:
            document = {**document, "debit": str(uuid4())}
        return super()._do(do, call, document)


class CutsDecimals(WalletServer):
    def _do(self, do: Behaviour, call: str, document: Answer) -> Answer:
        whole, _, decimals = str(document.get("amount", "0.00")).partition(".")
        return super()._do(do, call, {**document, "amount": f"{whole}.{decimals[:2]}"})


class AllOrNothing(WalletServer):
    def _do(self, do: Behaviour, call: str, document: Answer) -> Answer:
        if call == "credits" and any(not self._ledger.movement(item["debit"])["items"] for item in document["items"]):
            refused = {"status": "refused", "code": "other"}
            return {"items": [{"transaction": item["transaction"], **refused} for item in document["items"]]}
        return super()._do(do, call, document)


class AnswersFifty(WalletServer):
    def _do(self, do: Behaviour, call: str, document: Answer) -> Answer:
        return super()._do(do, call, {**document, "items": document.get("items", [])[:50]})


class PaysTwiceInOneMessage(WalletServer):
    def _do(self, do: Behaviour, call: str, document: Answer) -> Answer:
        if call != "credits":
            return super()._do(do, call, document)
        ids = [item["transaction"] for item in document["items"]]
        items = [{**item, "transaction": str(uuid4())} for item in document["items"]]
        answer = super()._do(do, call, {**document, "items": items})
        return {"items": [{**item, "transaction": id_} for item, id_ in zip(answer["items"], ids, strict=True)]}


class KnowsItsMembers(WalletServer):
    def _do(self, do: Behaviour, call: str, document: Answer) -> Answer:
        if "later" in document:
            raise ValueError("an unknown member")
        return super()._do(do, call, document)


class AnswersAsTheDebit(WalletServer):
    def _do(self, do: Behaviour, call: str, document: Answer) -> Answer:
        answer = super()._do(do, call, document)
        return {**answer, "transaction": document["debit"]} if call == "rollback" else answer


class NeedsNoSignature(WalletServer):
    def _is_signed(self, scope: Message, method: str, body: bytes) -> bool:
        return True


class ListsForAnyone(WalletServer):
    def _is_signed(self, scope: Message, method: str, body: bytes) -> bool:
        return method == "GET" or super()._is_signed(scope, method, body)


class TakesAnyKey(WalletServer):
    """Verifies only if it knows the key."""

    def _is_signed(self, scope: Message, method: str, body: bytes) -> bool:
        named = dict(scope["headers"]).get(b"signature-input", b"").decode()
        strange = "keyid" in named and not any(keyid in named for keyid in self._casino)
        return strange or super()._is_signed(scope, method, body)


class TakesAnyAddress(WalletServer):
    def _is_signed(self, scope: Message, method: str, body: bytes) -> bool:
        paths = (scope["path"], "/v1/balance")
        return any(super(TakesAnyAddress, self)._is_signed({**scope, "path": path}, method, body) for path in paths)


def verifying_by(verifier: type[HTTPMessageVerifier]) -> type[WalletServer]:
    """Return a server that verifies in another way."""

    class Verifies(WalletServer):
        def _is_signed(self, scope: Message, method: str, body: bytes) -> bool:
            with patch.object(app, "HTTPMessageVerifier", verifier):
                return super()._is_signed(scope, method, body)

    return Verifies


class SignsNoRefusals(WalletServer):
    async def _answer(self, send: Send, answer: Answer, do: Behaviour = Behaviour.OBEY) -> None:
        await super()._answer(send, answer, Behaviour.UNSIGNED if answer.get("status") == "refused" else do)


class SignsLists(WalletServer):
    """Signs everything but lists."""

    async def _answer(self, send: Send, answer: Answer, do: Behaviour = Behaviour.OBEY) -> None:
        await super()._answer(send, answer, Behaviour.UNSIGNED if "next" in answer else do)


class ForgetsTheRequestOfBatches(WalletServer):
    async def _answer(self, send: Send, answer: Answer, do: Behaviour = Behaviour.OBEY) -> None:
        await super()._answer(send, {**answer, "request": None} if "items" in answer else answer, do)


class SaysYesToAnything(WalletServer):
    async def _serve(self, method: str, call: str, scope: Message, body: bytes, send: Send) -> None:
        try:
            json.loads(body or b"{}")["request"].encode()
        except (ValueError, KeyError, TypeError, AttributeError):
            await self._answer(send, {"status": "accepted", "reference": "T-0"})
        else:
            await super()._serve(method, call, scope, body, send)


def racing(call: str) -> type[WalletServer]:
    """Return a server that looks whether it knows an id, waits, and then does it whatever has happened meanwhile."""

    class Races(WalletServer):
        async def _meet(self, planned: Planned, given: str, document: Answer, send: Send) -> None:
            if given != call:
                await super()._meet(planned, given, document, send)
                return
            item = document["items"][0] if call == "credits" else document
            known = self.__dict__.setdefault("known", set())
            is_new = item["transaction"] not in known
            await asyncio.sleep(0.1)
            known.add(item["transaction"])
            if is_new:
                self._ledger.forget(item)
            await super()._meet(planned, given, document, send)

    return Races


class Forgetful(Ledger):
    """Can be made to forget what it did, though not the money."""

    def forget(self, item: Answer) -> None:
        self._database.execute("DELETE FROM movement WHERE id = ?", (item["transaction"],))
        self._database.execute("DELETE FROM cancelled WHERE id = ?", (item["transaction"],))


class LooksAtMoneyTooEarly(WalletServer):
    async def _meet(self, planned: Planned, call: str, document: Answer, send: Send) -> None:
        if call == "debit":
            balance = self._ledger.balance(document["player"], document["currency"])["balance"]["amount"]
            enough = float(balance) >= float(document["amount"])
            await asyncio.sleep(0.1)
            if enough:
                self._ledger.__class__ = GoesBelowZero
        await super()._meet(planned, call, document, send)
        self._ledger.__class__ = Ledger
