"""Kill switches: what is confirmed concludes, nothing new starts, and whoever comes after a stop was judged by it."""

import itertools
import threading
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import Group, User
from django.db import transaction

from baccarat.audit import engine
from baccarat.audit.rebuild import play_projector
from baccarat.domain.rounds.state import Phase
from baccarat.domain.rules.table_rules import Ratio
from baccarat.domain.tables.kill_switch import (
    AlreadyStopped,
    DepositsNotInScope,
    GamingIsStopped,
    NotStopped,
    OperatorIsStopped,
    OrderIsForThePlatform,
    PlayIsStopped,
    PlayStopped,
    RulesAreStopped,
    StopLifted,
    StopMessageTooLong,
    StopOfHigherRank,
    StopOrderTooLong,
    StopRank,
    StopReasonMissing,
    StopScope,
    TableIsStopped,
    UnknownStopSubject,
)
from baccarat.queries import tables
from baccarat.services import kill_switch
from baccarat.storage.models import KillSwitch
from casino.crypto import crypto_shredding
from casino.events import sealer
from casino.events.projections import Row
from casino.events.rebuild import check
from casino.events.sql import database_now, fetch
from casino.events.store import Metadata
from casino.kernel.errors import Refusal
from casino.operators import changes
from casino.operators import services as operators
from casino.operators.models import Operator, StaffMembership
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.staff.duties import Role
from tests.conftest import Database
from tests.support.house import BUY_IN, FUNDS, At, House, deal_all
from tests.support.spots import spots_of
from tests.support.tables import digest_of
from tests.wallet.payments.counter import method, use_provider
from wallet.ledger import player_accounts as wallet
from wallet.payments import deposits
from wallet.payments.refusals import DepositsAreStopped
from wallet.responsible_gaming import projection as responsible_gaming
from wallet.responsible_gaming.refusals import PlayerIsBlocked

B = "banker"
WHY = "The cards look odd."
BY = Metadata(operator="", actor="shell:ops", causation="test", correlation="test")
_slugs = itertools.count()


@pytest.fixture
def casino(house: House) -> Generator[House]:
    """Yield an operator with players, and resume all gaming at the end."""
    del house
    yield registered()
    if fetch("SELECT FROM baccarat_killswitch WHERE id = 'gaming' AND active"):
        kill_switch.resume(scope=StopScope.GAMING, reason="over", metadata=BY)


def registered() -> House:
    operator = operators.create_operator(slug=f"stops-{next(_slugs)}", name="S", currencies=["EUR"], sandbox=True)
    return House(operator=operator.id)


def guest(house: House, table: UUID) -> At:
    player = wallet.register_player(
        operator=house.operator, reference=f"p{next(_slugs)}", nickname="P", currency="EUR", metadata=house.metadata
    )
    house.credit(player.id, FUNDS)
    return house.guest(table, player.id)


def seated(house: House, preset: str = "mini", **rules: Any) -> At:
    at = guest(house, house.table(preset, **rules))
    at.sit()
    return at


def subject(at: At, scope: StopScope) -> str:
    return {
        StopScope.GAMING: "",
        StopScope.OPERATOR: str(at.guest.operator),
        StopScope.RULES: digest_of(at.guest.table),
        StopScope.TABLE: str(at.guest.table),
        StopScope.PLAYER: str(at.player),
    }[scope]


def stop(at: At, scope: StopScope, **more: Any) -> Row:
    return kill_switch.stop(scope=scope, subject=subject(at, scope), reason=WHY, metadata=BY, **more)


def resume(at: At, scope: StopScope, **more: Any) -> Row:
    return kill_switch.resume(scope=scope, subject=subject(at, scope), reason="Looked at.", metadata=BY, **more)


@pytest.mark.parametrize("scope", [StopScope.GAMING, StopScope.OPERATOR])
def test_deposits_stop_too_by_choice_and_go_on_when_play_does(
    casino: House, scope: StopScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = seated(casino)
    use_provider(monkeypatch)
    card = method(operator=casino.operator).id
    wish = {"operator": casino.operator, "player": at.player, "currency": "EUR", "method": card, "amount": 1000}

    assert not stop(at, scope).deposits
    deposits.request(**wish, metadata=BY)
    assert stop(at, scope, deposits=True).deposits
    with pytest.raises(DepositsAreStopped):
        deposits.request(**wish, metadata=BY)
    with pytest.raises(DepositsAreStopped):
        deposits.repeat(operator=casino.operator, player=at.player, currency="EUR", metadata=BY)
    with pytest.raises(AlreadyStopped):
        stop(at, scope, deposits=True)

    resume(at, scope)
    deposits.request(**wish, metadata=BY)
    casino.agree(at.guest.table)


@pytest.mark.parametrize("scope", [StopScope.RULES, StopScope.TABLE, StopScope.PLAYER])
def test_a_stop_that_reaches_no_deposit_cannot_stop_them(casino: House, scope: StopScope) -> None:
    at = seated(casino)

    with pytest.raises(DepositsNotInScope):
        stop(at, scope, deposits=True)

    at.new_game()


REFUSALS: dict[StopScope, type[Refusal]] = {
    StopScope.GAMING: GamingIsStopped,
    StopScope.OPERATOR: OperatorIsStopped,
    StopScope.RULES: RulesAreStopped,
    StopScope.TABLE: TableIsStopped,
    StopScope.PLAYER: PlayerIsBlocked,
}


@pytest.mark.parametrize("scope", StopScope)
def test_each_switch_lets_nothing_new_start_and_a_resume_lets_play_go_on(casino: House, scope: StopScope) -> None:
    at = seated(casino)
    other = guest(casino, at.guest.table if scope is not StopScope.PLAYER else casino.table("mini"))
    if scope is StopScope.PLAYER:
        other = casino.guest(other.guest.table, at.player)
    moves: tuple[Callable[[], Any], ...] = (
        at.new_game,
        at.rebet_and_deal,
        lambda: at.place(B, 500),
        lambda: at.deal({B: 500}),
        other.sit,
    )

    row = stop(at, scope)

    assert (row.active, crypto_shredding.decrypt_text(row.reason), row.by) == (True, WHY, "shell:ops")
    for move in moves:
        with pytest.raises(REFUSALS[scope]):
            move()
    assert casino.state(at.guest.table).round is None
    resume(at, scope)
    at.deal({B: 500})
    deal_all()
    assert casino.last(at.guest.table).phase is Phase.SETTLED


def test_a_confirmed_wager_is_dealt_settled_and_may_leave_while_chips_that_lie_can_only_come_back(
    casino: House,
) -> None:
    table = casino.table("atlantic_city")
    ann, bob = (guest(casino, table) for _ in range(2))
    ann.sit(1)
    bob.sit(2)
    ann.pass_turn()
    deal_all()
    ann.deal({B: 2500})
    bob.place(B, 500)

    stop(ann, StopScope.TABLE, message="Back at nine.")

    with pytest.raises(TableIsStopped, match=r"Back at nine\."):
        bob.deal()
    bob.clear()
    bob.pass_turn()
    deal_all()
    assert casino.last(table).phase is Phase.SETTLED
    assert casino.state(table).round is None
    assert bob.leave()["you"] is None
    stop_ = tables.load_table(table=table, operator=casino.operator, viewer=ann.player).stop
    assert stop_ is not None
    assert (stop_.scope, stop_.player_message) == ("table", "Back at nine.")
    casino.agree(table)


def test_the_widest_of_several_switches_is_what_a_table_says_and_each_must_be_released(casino: House) -> None:
    at = seated(casino)
    for scope in (StopScope.TABLE, StopScope.OPERATOR):
        stop(at, scope)

    with pytest.raises(OperatorIsStopped):
        at.new_game()
    resume(at, StopScope.OPERATOR)
    with pytest.raises(TableIsStopped):
        at.new_game()
    resume(at, StopScope.TABLE)
    at.new_game()


def test_a_table_that_opens_while_its_operator_is_stopped_opens_stopped(casino: House) -> None:
    at = seated(casino)
    stop(at, StopScope.OPERATOR)

    fresh = guest(casino, casino.table("classic"))

    with pytest.raises(OperatorIsStopped):
        fresh.sit()
    resume(at, StopScope.OPERATOR)
    fresh.sit()


def test_a_message_to_players_has_an_end(casino: House) -> None:
    at = seated(casino)

    with pytest.raises(StopMessageTooLong):
        stop(at, StopScope.TABLE, message="x" * (kill_switch.MAX_MESSAGE_LENGTH + 1))

    stop(at, StopScope.TABLE, message="x" * kill_switch.MAX_MESSAGE_LENGTH)


def test_a_stop_reaches_nobody_elses_tables(casino: House) -> None:
    at, elsewhere = seated(casino), seated(registered())
    stop(at, StopScope.OPERATOR)
    with pytest.raises(OperatorIsStopped):
        at.new_game()
    elsewhere.new_game()


def test_a_stop_of_rules_spares_other_rules_of_the_same_name(casino: House) -> None:
    faulty, others = seated(casino, spots=spots_of("mini", tie=Ratio(9, 1))), seated(casino)
    stop(faulty, StopScope.RULES)
    with pytest.raises(RulesAreStopped):
        faulty.new_game()
    others.new_game()
    with pytest.raises(RulesAreStopped):
        seated(registered(), spots=spots_of("mini", tie=Ratio(9, 1)))


def test_a_switch_needs_a_reason_and_a_subject_and_is_thrown_and_released_in_turn(casino: House) -> None:
    at = seated(casino)
    for reason in ("", "  ", "x" * 501):
        with pytest.raises(StopReasonMissing):
            kill_switch.stop(scope=StopScope.TABLE, subject=subject(at, StopScope.TABLE), reason=reason, metadata=BY)
    for scope, name in ((StopScope.TABLE, "no-id"), (StopScope.RULES, "mini@1"), (StopScope.PLAYER, str(UUID(int=1)))):
        with pytest.raises(UnknownStopSubject):
            kill_switch.stop(scope=scope, subject=name, reason=WHY, metadata=BY)
    with pytest.raises(NotStopped):
        resume(at, StopScope.TABLE)
    stop(at, StopScope.TABLE)
    with pytest.raises(AlreadyStopped):
        stop(at, StopScope.TABLE)


def test_an_operator_stops_its_own_alone_and_resumes_only_what_it_stopped(casino: House) -> None:
    at, other = seated(casino), registered().operator
    desk = Metadata(operator=str(casino.operator), actor="operator:op_1", causation="", correlation="c")
    name = subject(at, StopScope.TABLE)
    for scope, asks in (
        (StopScope.TABLE, other),
        (StopScope.GAMING, casino.operator),
        (StopScope.RULES, casino.operator),
    ):
        with pytest.raises(UnknownStopSubject):
            kill_switch.stop(scope=scope, subject=subject(at, scope), operator=asks, reason=WHY, metadata=desk)
    kill_switch.stop(scope=StopScope.TABLE, subject=name, operator=casino.operator, reason=WHY, metadata=desk)
    kill_switch.resume(scope=StopScope.TABLE, subject=name, operator=casino.operator, reason=WHY, metadata=desk)
    stop(at, StopScope.TABLE)
    with pytest.raises(StopOfHigherRank):
        kill_switch.resume(scope=StopScope.TABLE, subject=name, operator=casino.operator, reason=WHY, metadata=desk)


def acting(actor: str) -> Metadata:
    return replace(BY, actor=actor)


def member(*operators: UUID, role: Role = Role.DUTY_MANAGER) -> str:
    """Return a member of staff of these operators as an actor."""
    user = User.objects.create_user(f"member-{next(_slugs)}", is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    StaffMembership.objects.bulk_create(StaffMembership(user=user, operator_id=each) for each in operators)
    return f"staff:{user.pk}"


def own_member(house: House) -> str:
    """Return a member of staff of an operator that is not the only one."""
    registered()
    return member(house.operator)


def platform_member() -> str:
    return member(*Operator.objects.values_list("id", flat=True))


@pytest.mark.parametrize("scope", [StopScope.OPERATOR, StopScope.TABLE, StopScope.PLAYER])
def test_a_stop_is_lifted_by_the_rank_that_set_it_or_a_higher_one_and_says_by_whom(
    casino: House, scope: StopScope
) -> None:
    at = seated(casino)
    named = {"scope": scope, "subject": subject(at, scope), "reason": WHY}
    own, platform = own_member(casino), platform_member()
    order = {"order": "MGA/2031/7", "metadata": acting(platform)}

    lower: list[dict[str, Any]] = [{"metadata": acting(own)}, {"operator": casino.operator, "metadata": acting(own)}]
    for stopper, rank, refused in (
        ({"metadata": acting(own)}, StopRank.OPERATOR, []),
        ({"metadata": acting(platform)}, StopRank.PLATFORM, lower),
        (order, StopRank.REGULATOR, [*lower, {"metadata": acting(platform)}, {"metadata": acting("shell:ops")}]),
    ):
        assert kill_switch.stop(**named, **stopper).rank == rank
        for lifter in refused:
            with pytest.raises(StopOfHigherRank):
                kill_switch.resume(**named, **lifter)
        row = kill_switch.resume(**named, **stopper)
        assert (row.active, row.by, row.rank) == (False, stopper["metadata"].actor, rank)
    kill_switch.stop(**named, metadata=acting(own))
    assert kill_switch.resume(**named, metadata=acting(platform)).by == platform


def test_a_floor_manager_lifts_what_floor_managers_stopped_and_nothing_of_a_duty_manager(casino: House) -> None:
    at = seated(casino)
    named = {"scope": StopScope.TABLE, "subject": subject(at, StopScope.TABLE), "reason": WHY}
    registered()
    floor, other = (member(casino.operator, role=Role.FLOOR_MANAGER) for _ in range(2))
    everywhere = member(*Operator.objects.values_list("id", flat=True), role=Role.FLOOR_MANAGER)
    for of_table in (floor, everywhere):
        assert kill_switch.stop(**named, metadata=acting(of_table)).rank == StopRank.TABLE
        assert not kill_switch.resume(**named, metadata=acting(other)).active
    kill_switch.stop(**named, metadata=acting(floor))
    assert kill_switch.stop(**named, metadata=acting(own_member(casino))).rank == StopRank.OPERATOR
    for of_table in (floor, everywhere):
        with pytest.raises(StopOfHigherRank):
            kill_switch.resume(**named, metadata=acting(of_table))
    assert kill_switch.resume(**named, metadata=acting(platform_member())).rank == StopRank.PLATFORM
    with pytest.raises(OrderIsForThePlatform):
        kill_switch.stop(**named, order="MGA/2031/7", metadata=acting(everywhere))


def test_duty_managers_of_every_operator_lift_what_stopped_by_itself_until_there_is_a_further_operator(
    casino: House,
) -> None:
    at = seated(casino)
    named = {"scope": StopScope.TABLE, "subject": subject(at, StopScope.TABLE), "reason": WHY}
    manager = platform_member()
    kill_switch.stop_table_behind(UUID(named["subject"]), reason="It is behind")
    assert kill_switch.resume(**named, metadata=acting(manager)).rank == StopRank.PLATFORM
    kill_switch.stop_table_behind(UUID(named["subject"]), reason="It is behind")
    registered()
    with pytest.raises(StopOfHigherRank):
        kill_switch.resume(**named, metadata=acting(manager))


def test_only_the_platforms_staff_carry_out_orders_of_a_regulator(casino: House) -> None:
    at = seated(casino)
    named = {"scope": StopScope.TABLE, "subject": subject(at, StopScope.TABLE), "reason": WHY}
    with pytest.raises(OrderIsForThePlatform):
        kill_switch.stop(**named, order="MGA/2031/7", metadata=acting(own_member(casino)))
    with pytest.raises(StopOrderTooLong):
        kill_switch.stop(**named, order="x" * 101, metadata=acting(platform_member()))
    at.new_game()


def test_a_higher_rank_stops_again_what_a_lower_one_might_resume(casino: House) -> None:
    at, own = seated(casino), acting(own_member(casino))
    for scope in (StopScope.TABLE, StopScope.PLAYER):
        named = {"scope": scope, "subject": subject(at, scope), "reason": WHY}
        kill_switch.stop(**named, metadata=own)
        stop(at, scope)
        for again in (own, BY):
            with pytest.raises(AlreadyStopped):
                kill_switch.stop(**named, metadata=again)
        with pytest.raises(StopOfHigherRank):
            kill_switch.resume(**named, metadata=own)
        resume(at, scope)
    at.new_game()
    casino.agree(at.guest.table)


def live(slug: str) -> House:
    operator = operators.create_operator(slug=slug, name="L", currencies=["EUR"], sandbox=False)
    return House(operator=operator.id)


@pytest.mark.django_db
def test_a_command_lifts_no_stop_at_a_live_operator_until_two_persons_confirm() -> None:
    house = live("shelled")
    named = {"scope": StopScope.OPERATOR, "subject": str(house.operator), "reason": WHY}
    staff = [platform_member() for _ in range(2)]
    kill_switch.stop(**named, metadata=BY)
    with pytest.raises(ChangeNeedsSecondPerson):
        kill_switch.resume(**named, metadata=BY)
    change = kill_switch.request_resume(**named, by=BY.actor)
    assert change.summary == "Resume play of operator L"
    with pytest.raises(ChangeNeedsSecondPerson):
        changes.confirm(change.pk, by=BY.actor)

    assert changes.confirm(change.pk, by=staff[0]).status == "requested"
    with pytest.raises(ChangeNeedsSecondPerson):
        changes.confirm(change.pk, by=staff[0])
    assert KillSwitch.objects.get(subject=str(house.operator)).active
    assert changes.confirm(change.pk, by=staff[1]).status == "effective"
    row = KillSwitch.objects.get(subject=str(house.operator))
    assert (row.active, row.by, row.agreed_by) == (False, "shell:ops", ", ".join(staff))


def test_a_live_operators_stop_that_one_person_lifted_is_a_finding_of_the_audit(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    del database
    house = live("alone")
    named = {"scope": StopScope.OPERATOR, "subject": str(house.operator), "reason": WHY}
    kill_switch.stop(**named, metadata=BY)
    monkeypatch.setattr(kill_switch, "needs_change", lambda *_, **__: False)  # a service that was tampered with
    kill_switch.resume(**named, metadata=acting(platform_member()))
    sealer.seal_all()

    # "row was changed by no act" is of the memberships, which the test writes itself.
    found = {finding.kind for finding in engine.run_audit().findings}
    assert found - {"row was changed by no act"} == {"stop lifted by too few persons"}


def test_a_live_operators_stop_that_was_lifted_by_an_invented_change_is_a_finding_of_the_audit(
    database: Database,
) -> None:
    del database
    house, by = live("invented"), platform_member()
    named = {"scope": StopScope.OPERATOR, "subject": str(house.operator)}
    kill_switch.stop(**named, reason=WHY, metadata=BY)
    lifted = StopLifted(
        **named, operator=house.operator, reason=WHY, rank=StopRank.PLATFORM, regulator_order="", by=by,
        agreed_by=(platform_member(),), change=uuid4(), at=database_now(),
    )  # fmt: skip
    with transaction.atomic():
        kill_switch._lift(lifted, acting(by))  # a service that was tampered with
    sealer.seal_all()

    # "row was changed by no act" is of the memberships, which the test writes itself.
    found = {finding.kind for finding in engine.run_audit().findings}
    assert found - {"row was changed by no act"} == {"done without its change"}


def test_a_stop_that_a_lower_rank_lifted_is_a_finding_of_the_audit(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    del database
    house = registered()
    at = seated(house)
    stop(at, StopScope.TABLE)
    own = own_member(house)
    monkeypatch.setattr(StopRank, "covers", lambda *_: True)  # a service that was tampered with
    kill_switch.resume(scope=StopScope.TABLE, subject=subject(at, StopScope.TABLE), reason=WHY, metadata=acting(own))
    monkeypatch.undo()
    sealer.seal_all()

    # "row was changed by no act" is of the memberships, which the test writes itself.
    found = {finding.kind for finding in engine.run_audit().findings}
    assert found - {"row was changed by no act"} == {"stop lifted by a lower rank"}


def test_who_when_and_why_are_significant_events_and_players_are_told_neither_who_nor_why(casino: House) -> None:
    at = seated(casino)
    stop(at, StopScope.TABLE)
    resume(at, StopScope.TABLE)

    rows = fetch(
        "SELECT kind, actor, reason FROM significant_significantevent WHERE subject = %s ORDER BY number",
        [f"table:{at.guest.table}"],
    )
    assert rows == [("table_stopped", "shell:ops", WHY), ("gaming_resumed", "shell:ops", "Looked at.")]
    assert "reason" not in str(tables.load_table(table=at.guest.table, operator=casino.operator, viewer=at.player))


def test_of_fifty_wagers_at_once_with_a_stop_none_commits_after_it_unjudged(
    casino: House, in_threads: Callable[..., list[Any]]
) -> None:
    players = [seated(casino) for _ in range(49)]
    begin = threading.Barrier(50)

    def act(number: int) -> Any:
        begin.wait()
        return stop(players[0], StopScope.OPERATOR) if number == 25 else players[number - (number > 25)].deal({B: 500})

    results = in_threads(50, act)

    faults = [each for each in results if isinstance(each, Exception) and not isinstance(each, PlayIsStopped)]
    assert faults == []
    (ordered,) = fetch(
        "SELECT array_agg(type ORDER BY id) FROM events_event WHERE type = 'WagerConfirmed' AND stream = ANY ("
        "SELECT 'round-' || r.id FROM baccarat_round r WHERE r.operator_id = %s)",
        [casino.operator],
    )
    taken = [at for at in players if casino.game(at) < BUY_IN]
    assert len(ordered[0] or []) == len(taken)
    for at in taken:
        events = [event for _, _, event in casino.events(at.guest.table)]
        stopped = next(place for place, event in enumerate(events) if isinstance(event, PlayStopped))
        assert "WagerConfirmed" not in [type(event).__name__ for event in events[stopped:]]
    for at in players:
        with pytest.raises(OperatorIsStopped):
            at.deal({B: 500})
    deal_all()
    casino.agree(*(at.guest.table for at in players[:5]))


def test_switches_are_audited_and_rebuilt_and_play_behind_their_back_is_found(database: Database) -> None:
    house = registered()
    at = seated(house)
    for scope in (StopScope.TABLE, StopScope.PLAYER, StopScope.GAMING):
        stop(at, scope)
    resume(at, StopScope.GAMING)
    sealer.seal_all()
    assert [finding.kind for finding in engine.run_audit().findings] == []
    assert check(play_projector(), responsible_gaming.PROJECTOR).changed == ()

    with database.owner() as owner:
        owner.execute("UPDATE baccarat_killswitch SET active = false WHERE scope = 'table'")
        owner.execute("UPDATE baccarat_table SET state = jsonb_set(state::jsonb, '{stops}', '[]')")
        owner.execute("UPDATE wallet_playerrestrictions SET state = jsonb_set(state, '{block}', 'null')")
    at.deal({B: 500})
    sealer.seal_all()
    found = {finding.kind for finding in engine.run_audit().findings}
    assert {"play while stopped", "row differs"} <= found
