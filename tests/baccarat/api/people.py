"""Operators and players who know the service by HTTP alone: real addresses, real credentials, every answer checked."""

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client, override_settings

from baccarat.services import dealing
from casino.devstack.person import Person
from casino.events.store import Metadata
from casino.kernel import money
from casino.kernel.money import MoneyType
from casino.kernel.persons import normalise_subject
from casino.operators import changes
from casino.operators.assertions import HEADER, register_key
from casino.operators.models import AssertionKey, ChangeName, StaffSubject
from casino.operators.services import create_operator, get_operator
from tests.baccarat.api import contract
from tests.support.acts import agreed, caused_by, permit_every_act
from tests.support.instant import INSTANT
from tests.support.keys import issue_key
from wallet.adjustments import services as adjustments
from wallet.adjustments.events import AdjustmentDirection, AdjustmentReason
from wallet.funding import services as funding
from wallet.funding.events import Funding
from wallet.payments import deposits, methods
from wallet.payments.methods import MethodOffer
from wallet.payments.provider_reports import PaymentKind, ProviderReport, ProviderStatus
from wallet.payments.terms import DepositTerms
from wallet.responsible_gaming import play_money
from wallet.responsible_gaming import services as protection

JSON = "application/json"
LONG_TURN = {"turn_seconds": 3600}
EMPTY = "0 0"
"""What is said of a table whose rows were all rolled back."""
LAST_USED = {"operators_apikey", "operators_playersession"}
STAFF_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
"""Signs for everybody on the staff of every sandbox here."""
COUNTER = "counter"
"""A provider of deposits that nobody asks."""
NOWHERE = "0199f3a2-0000-7000-8000-000000000404"


@lru_cache(maxsize=1)
def _client() -> Client:
    """Return the handler of every request. It is cached: loading the middleware takes longer than most responses."""
    return Client(raise_request_exception=False)


@dataclass(frozen=True, slots=True)
class Caller:
    """Someone with a credential."""

    credential: str

    def get(self, path: str, **query: Any) -> Any:
        """Send a GET and return the response."""
        return self.send("get", path, data=query)

    def post(self, path: str, body: Any = None, *, key: str | None = None, **headers: str) -> Any:
        """Send a POST, with a new idempotency key unless one is passed, and return the response."""
        headers["Idempotency-Key"] = key or uuid.uuid4().hex
        return self.send("post", path, data=json.dumps(body or {}), content_type=JSON, headers=headers)

    def raw(self, path: str, body: bytes, *, content_type: str = JSON, **headers: str) -> Any:
        """Send a POST of bytes with exactly these headers, and return the response."""
        return self.send("generic", path, data=body, content_type=content_type, headers=headers)

    def send(self, method: str, path: str, *, headers: dict[str, str] | None = None, **options: Any) -> Any:
        """Send a request and hold the answer against the document."""
        client = _client()
        url = path if path.startswith("/") else f"/api/v1/{path}"
        given = {"Authorization": f"Bearer {self.credential}"} if self.credential else {}
        first = ("POST", url) if method == "generic" else (url,)
        answer = getattr(client, method)(*first, headers={**given, **(headers or {})}, **options)
        contract.check("post" if method == "generic" else method, url.split("?")[0], answer)
        return answer

    def read(self, path: str, **query: Any) -> Any:
        """Return the body of a GET that must succeed."""
        return _granted(self.get(path, **query))

    def do(self, path: str, body: Any = None, **options: str) -> Any:
        """Return the body of a POST that must succeed."""
        return _granted(self.post(path, body, **options))

    def pages(self, path: str, *, limit: int = 2, **query: Any) -> list[dict[str, Any]]:
        """All items of a list, in small pages."""
        page = self.read(path, limit=limit, **query)
        items = list(page["items"])
        while page["next"] is not None:
            page = self.read(path, limit=limit, cursor=page["next"], **query)
            items.extend(page["items"])
        return items


@dataclass(frozen=True, slots=True)
class Gambler(Caller):
    """A player in the browser, known by a token."""

    id: str

    def balances(self) -> dict[tuple[str, str], str]:
        """Balances by account and money_type."""
        items = self.read("me/balances")["items"]
        return {(line["account"], line["money_type"]): line["balance"]["amount"] for line in items}


@dataclass(frozen=True, slots=True)
class Tenant(Caller):
    """An operator's server, known by its key."""

    id: str
    slug: str
    currency: str = "EUR"
    players: list[Gambler] = field(default_factory=list)

    def post(self, path: str, body: Any = None, *, key: str | None = None, person: str = "", **headers: str) -> Any:
        """Send a POST as a person on the operator's staff, or as nobody."""
        if person:
            headers[HEADER] = self.assertion(person, "POST", path, json.dumps(body or {}).encode())
        return Caller.post(self, path, body, key=key, **headers)

    def agree(self, path: str, body: Any) -> Any:
        """Have one person request a change and another confirm it, and return what holds at once, without the delay."""
        change = self.do(path, body, person="ann")["id"]
        with override_settings(CHANGE_DELAY_HOURS=0):
            return self.do(f"changes/{change}/confirm", person="ben")

    def webhook(self, url: str, *types: str) -> dict[str, Any]:
        """Register a webhook, to which one person sends the feed and another agrees."""
        made: dict[str, Any] = self.do("webhooks", {"url": url, "types": list(types)}, person="ann")
        if made["change"] is not None:
            self.do(f"changes/{made['change']}/confirm", person="ben")
        return made

    def assertion(self, person: str, method: str, path: str, body: bytes, **claims: Any) -> str:
        """Sign an assertion of a person on the operator's staff."""
        url = path if path.startswith("/") else f"/api/v1/{path}"
        return self.person(person).sign(method, url, body, **claims)

    def person(self, name: str) -> Person:
        """Return a person, who at a live operator has an account of the staff and a key of their own."""
        subject = normalise_subject(name)
        if subject is None or get_operator(uuid.UUID(self.id)).sandbox:
            return Person(self.id, name, STAFF_KEY)
        person = Person(self.id, name, own_key(subject))
        if not AssertionKey.objects.filter(operator_id=self.id, key_id=person.key_id).exists():
            register_person(self.id, subject, person.jwk)
        if not StaffSubject.objects.filter(operator_id=self.id, subject=subject).exists():
            with agreed():
                user = User.objects.create_superuser(f"{subject}-{uuid.uuid4().hex[:8]}")
                permit_every_act(user)
                StaffSubject.objects.create(user=user, operator_id=self.id, subject=subject)
        return person

    def actor(self, name: str) -> str:
        """Return how events name a person."""
        self.person(name)
        linked = StaffSubject.objects.filter(operator_id=self.id, subject=normalise_subject(name)).first()
        return f"desk:{normalise_subject(name)}" if linked is None else f"staff:{linked.user_id}"

    def player(self, nickname: str, *, funds: str = "10000.00") -> Gambler:
        """Register a player, by default with money of both types, and obtain the token."""
        player = self.do("players", {"reference": uuid.uuid4().hex, "nickname": nickname})["id"]
        if funds:
            self.fund(player, funds)
        token = self.do(f"players/{player}/sessions", {"ttl_seconds": 3600})["token"]
        gambler = Gambler(token, player)
        self.players.append(gambler)
        return gambler

    def fund(self, player: str, amount: str, *, currency: str = "") -> None:
        """Have a player deposit this much, and top up the play money to it."""
        currency = currency or self.currency
        fund({"operator": uuid.UUID(self.id), "player": uuid.UUID(player), "currency": currency}, amount)

    def table(self, preset: str, **changes: Any) -> str:
        """Open a table, without the Caller's ceremony and a show unless the rules ask for them, and return its id."""
        changes["rules"] = {"caller": False, **INSTANT, **changes.get("rules", {})}
        body = {
            "name": "A table", "preset": preset, "currency": self.currency, "money_types": ["real", "play"],
            "accept_player_edge": True, **changes,
        }  # fmt: skip
        return self.open_table(body)

    def open_table(self, body: dict[str, Any]) -> str:
        """Open a table, on which two persons agree where they have to, and return its id."""
        opened = self.do("tables", body, person="ann")
        if "subject" not in opened:
            return str(opened["id"])
        confirmed = self.do(f"changes/{opened['id']}/confirm", person="ben")
        return str(confirmed["subject"].partition(":")[2])


def own_key(subject: str) -> Ed25519PrivateKey:
    """Return the key of a person at a live operator."""
    return Ed25519PrivateKey.from_private_bytes(sha256(subject.encode()).digest())


def tenant(slug: str, *, sandbox: bool = False) -> Tenant:
    """Create a live operator, whose players' money is real, with a key, as the command does."""
    slug, name = f"{slug}-{uuid.uuid4().hex[:8]}", slug.title()
    operator = create_operator(slug=slug, name=name, currencies=["EUR"], sandbox=sandbox)
    credential = ".".join(issue_key(operator=operator.id))
    made = Tenant(credential, str(operator.id), slug)
    if sandbox:
        register_person(made.id, "", Person(made.id, "", STAFF_KEY).jwk)
    return made


def register_person(operator: str, subject: str, jwk: dict[str, str]) -> None:
    """Register a key that signs for a person, or for anybody, as two members of staff do."""
    by = {"requested_by": "staff:1", "confirmed_by": "staff:2"}
    with agreed():
        register_key(operator=uuid.UUID(operator), name=subject or "Staff", jwk=jwk, subject=subject, **by)


def sandbox_tenant(slug: str) -> Tenant:
    """Create an operator that tries things out: one person is enough, cards can be forced, and money is given away."""
    return tenant(slug, sandbox=True)


@transaction.atomic
def fund(who: dict[str, Any], amount: str) -> None:
    """Top up a player's play money, and let as much real money come: by a deposit, or where there is none, by hand."""
    minor = money.parse(amount, who["currency"])
    operator = {"operator": who["operator"]}
    by = {"metadata": Metadata(operator=str(who["operator"]), actor="test", causation="")}
    in_currency = {**operator, "currency": who["currency"]}
    if play_money.play_money_cap(**in_currency) != minor:
        wanted = {"currency": who["currency"], "cap": minor}
        with agreed(ChangeName.PLAY_MONEY_CAP, f"operator:{who['operator']}", **operator, details=wanted) as agreement:
            cause = caused_by(agreement, who["operator"])
            protection.set_play_money_cap(**operator, **wanted, metadata=cause)
    play_money.top_up(**who, **by)
    if funding.current(who["operator"]) is Funding.HOUSE:
        deposit = deposits.request(**who, method=method_of(**in_currency), amount=minor, **by)
        completed = ProviderReport(
            PaymentKind.DEPOSIT, deposit, f"tx-{deposit}", ProviderStatus.COMPLETED, minor, who["currency"]
        )
        assert deposits.apply(completed, provider=COUNTER) == deposits.APPLIED
        return
    credit = {"money_type": MoneyType.REAL, "direction": AdjustmentDirection.CREDIT, "amount": minor}
    told = {"reason": AdjustmentReason.GOODWILL, "note": "To play with"}
    first = Metadata(operator=str(who["operator"]), actor="staff:1", causation="")
    changes.confirm(adjustments.request(**who, **credit, **told, metadata=first).pk, by="staff:2")


def method_of(*, operator: uuid.UUID, currency: str) -> uuid.UUID:
    """Return an operator's way to deposit any amount of a currency without a fee; there is none to withdraw."""
    for method in methods.list_methods(operator=operator):
        if (method.offer.provider, method.offer.terms.currency) == (COUNTER, currency):
            return method.id
    terms = DepositTerms(currency=currency, minimum=1, maximum=10**12, fee_fixed=0, fee_ppm=0)
    offer = MethodOffer("Counter", COUNTER, terms, processing_seconds=60, supports_withdrawals=False, enabled=True)
    provider = override_settings(
        PAYMENT_PROVIDERS={COUNTER: "http://127.0.0.1:9"}, PAYMENT_SECRETS={COUNTER: ["s" * 40]}
    )
    with provider, agreed():
        return methods.create(operator=operator, offer=offer, actor="staff:1").id


def sit(player: Gambler, table: str, seat: int = 1, *, buy_in: str = "1000.00", money_type: str = "real") -> Any:
    """Sit down."""
    body = {"seat": seat, "buy_in": buy_in, "currency": "EUR", "money_type": money_type}
    return player.do(f"tables/{table}/seat", body)


def bet(who: Gambler, table: str, /, **stakes: str) -> Any:
    """Confirm a whole wager in one step."""
    wager = [{"spot": spot, "amount": amount} for spot, amount in stakes.items()]
    return who.do(f"tables/{table}/deal", {"stakes": wager, "currency": "EUR"})


def answered(send: Callable[[], Any]) -> Any:
    """Send a request until its answer is not a 503, as clients do that are told to try again with the same key."""
    while (answer := send()).status_code == 503:
        assert int(answer["Retry-After"]) > 0
    return answer


def company(house: Tenant, preset: str, *names: str) -> tuple[str, list[Gambler]]:
    """Return a table and its players in seats from 1 on, all in the open round, whose turn is long."""
    table = house.table(preset, rules=LONG_TURN)
    players = [house.player(name) for name in names]
    for seat, player in enumerate(players, 1):
        sit(player, table, seat)
    players[0].do(f"tables/{table}/pass")  # the first one's sitting down opened a round for one
    deal_all()
    return table, players


def deal_all() -> int:
    """Deal until nothing is due."""
    total = 0
    while moved := dealing.deal_due():
        total += moved
    return total


def whole_database() -> dict[str, str]:
    """How many rows each table that has any holds, and a digest of all they say but when a session was last used."""
    parts = [
        f"SELECT '{name}', count(*) || ' ' || coalesce(sum(hashtextextended({_words(name)}, 0)), 0) FROM {name} r"  # noqa: S608
        for name in _written()
    ]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts))
        return {name: rows for name, rows in cursor.fetchall() if rows != EMPTY}


def _words(table: str) -> str:
    return "(to_jsonb(r) - '{last_used_at,previous_used_at}'::text[])::text" if table in LAST_USED else "r::text"


def _written() -> list[str]:
    """Tables that take up room: the others hold no row."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' "
            "AND has_table_privilege(oid, 'SELECT') AND pg_relation_size(oid) > 0 ORDER BY relname"
        )
        return [name for (name,) in cursor.fetchall()]


def _granted(answer: Any) -> Any:
    assert answer.status_code < 300, answer.content.decode()
    return answer.json()
