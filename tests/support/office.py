"""A house that has played a little of everything, and staff who look at it through the admin."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.utils import quote
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.urls import reverse

from baccarat.storage.models import Round
from casino.backoffice.base import ReadOnlyAdmin
from casino.events import sealer
from casino.operators import services, sessions
from casino.operators.models import Operator, Player, StaffMembership
from casino.staff import addresses
from tests.support.acts import agreed, permit_every_act
from tests.support.house import At, House, deal_all
from tests.support.keys import issue_key
from wallet.ledger import player_accounts as wallet

admin.autodiscover()  # as casino.urls does, which only web loads


@dataclass(frozen=True, slots=True)
class Office:
    """An operator with a key, and tables of two kinds with rounds played, in play and suspended."""

    operator: Operator
    house: House
    key: str
    player: Player
    token: str
    single: At
    company: list[At]

    def play(self, rounds: int = 1) -> None:
        """Everyone bets on Banker, and the rounds are dealt and sealed."""
        for _ in range(rounds):
            for at in (self.single, *self.company):
                at.deal({"banker": 10_000})
            deal_all()
        sealer.seal_all()

    def sit_down(self, seats: int) -> None:
        """More players at the long table, from the next free seat on; the others pass, so that all are in its round."""
        first = len(self.company) + 1
        table = self.company[0].guest.table
        for at in self.company:
            at.pass_turn()
        self.company.extend(self.house.seated(table, seat) for seat in range(first, first + seats))
        deal_all()

    def suspended(self) -> Round:
        """Make the single player's next round impossible to deal: its shoe's seed is gone."""
        self.single.deal({"tie": 10_000})
        with connection.cursor() as cursor:
            cursor.execute(
                "DELETE FROM baccarat_shoesecret WHERE shoe_id IN "
                "(SELECT (round_state->'opened'->>'shoe')::uuid FROM baccarat_table WHERE id = %s)",
                [self.single.guest.table],
            )
        deal_all()
        return Round.objects.get(table_id=self.single.guest.table, suspension_reason__isnull=False)

    def settled(self, at: At) -> Round:
        """Return the table's last settled round."""
        return Round.objects.filter(table_id=at.guest.table, phase="settled").order_by("-number")[0]


def open_office(slug: str = "lucky") -> Office:
    """Play a few rounds at two tables of a new operator."""
    operator = services.create_operator(slug=slug, name="Lucky", currencies=["EUR"], sandbox=False)
    key, _ = issue_key(operator=operator.id, label="web")
    house = House(operator=operator.id)
    player = wallet.register_player(
        operator=operator.id, reference=f"{slug}-alice", nickname="Alice", currency="EUR", metadata=house.metadata
    )
    house.credit(player.id, 5_000_000)
    token = sessions.open_session(operator=operator.id, player=player.id, seconds=3600).token
    single = house.guest(house.table("mini"), player.id)
    single.sit(1)
    company = house.company(house.table("big_table"), 2)
    office = Office(operator, house, key, player, token, single, company)
    office.play(2)
    return office


def superuser() -> Client:
    """Return a client with all permissions, who sees everything."""
    with agreed():
        root = User.objects.create_superuser("root", "root@example.com", "a-long-password")
        permit_every_act(root)
    return client_of(root)


def staff(*permissions: str, name: str = "staff", works_for: str | None = None) -> Client:
    """Return a client of staff with only these permissions (app.codename), of one operator or of all."""
    with agreed():
        user = User.objects.create_user(name, f"{name}@example.com", "a-long-password", is_staff=True)
        operators = Operator.objects.all() if works_for is None else Operator.objects.filter(slug=works_for)
        StaffMembership.objects.bulk_create(StaffMembership(user=user, operator=operator) for operator in operators)
        for permission in permissions:
            app, codename = permission.split(".")
            user.user_permissions.add(Permission.objects.get(content_type__app_label=app, codename=codename))
    return client_of(user)


def client_of(user: User) -> Client:
    """Return a client that is logged in, by a user who has confirmed the e-mail address."""
    addresses.record_confirmed(user)
    client = Client()
    client.force_login(user)
    return client


def shown() -> list[ReadOnlyAdmin]:
    """List every read-only part of the admin."""
    return [part for part in admin.site._registry.values() if isinstance(part, ReadOnlyAdmin)]


def address(part: ReadOnlyAdmin, page: str, row: Any = None) -> str:
    """Return the address of a part's page: changelist, add, change, delete, history."""
    args = [] if row is None else [quote(row.pk)]
    return reverse(f"admin:{part.opts.app_label}_{part.opts.model_name}_{page}", args=args)


def page_of(model: str, identity: UUID | int | str) -> str:
    """Return the address of one row's page; `model` is app_model."""
    return reverse(f"admin:{model}_change", args=[quote(identity)])
