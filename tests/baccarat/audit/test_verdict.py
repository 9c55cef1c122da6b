"""The checks of one round: all hold if it is untouched, and each kind of tampering fails its own check."""

# ruff: noqa: S608  (SQL made of constants)

from typing import Any
from uuid import UUID

from django.test import Client

from baccarat.audit.verdict import RoundVerdict, check_round
from baccarat.domain.postings import TableAccounts
from casino.checkpoints import signing
from casino.events.sql import fetch
from tests.baccarat.audit.playing import tamper
from tests.support.office import page_of, superuser


def settled() -> tuple[UUID, TableAccounts]:
    """Play a round with a shoe of its own, and return it with its table."""
    round_, operator, table, currency = fetch(
        "SELECT id, operator_id, table_id, currency FROM baccarat_round "
        "WHERE phase = 'settled' AND starts_with(rules_label, 'mini@') ORDER BY id LIMIT 1"
    )[0]
    return round_, TableAccounts(operator=operator, table=table, currency=currency)


def body_of(client: Client, page: str) -> str:
    answer = client.get(page)
    assert answer.status_code == 200
    return answer.content.decode()


def failed_checks(verdict: RoundVerdict) -> set[str]:
    return {check.name for check in verdict.checks if check.holds is False}


def test_each_check_of_a_round_fails_on_its_own_kind_of_tampering(played: Any) -> None:
    round_, place = settled()
    verdict = check_round(round_, accounts=place)
    assert verdict.holds
    assert {check.name: check.holds for check in verdict.checks} == {
        "Digests of the chain": True,
        "Rules, cards, payouts and commission": True,
        "Cards from the committed seed": True,
        "Ledger entries": True,
        "Rows of the lists": True,
        "Signed checkpoint": None,
    }

    opening = f"stream = 'table-{place.table}' AND type = 'TableOpened'"
    ((next_shoe,),) = fetch(f"SELECT data->'next_shoe'->>'shoe' FROM events_event WHERE {opening}")
    for shoe, expected in ((place.table, {"Cards from the committed seed"}), (next_shoe, set())):
        changed = f"jsonb_set(data::jsonb, '{{next_shoe,shoe}}', '\"{shoe}\"')"
        tamper(played, f"UPDATE events_event SET data = {changed} WHERE {opening}")
        assert failed_checks(check_round(round_, accounts=place)) >= expected

    signing.sign_now()
    assert check_round(round_, accounts=place).checks[-1].holds
    with played.owner() as owner:
        owner.execute("ALTER TABLE checkpoints_checkpoint DISABLE TRIGGER USER")
    tamper(played, "UPDATE checkpoints_checkpoint SET root = decode(repeat('00', 32), 'hex')")
    assert failed_checks(check_round(round_, accounts=place)) == {"Signed checkpoint"}

    tamper(played, f"UPDATE baccarat_round SET cards = 'Ah 2h 3h 4h' WHERE id = '{round_}'")
    assert failed_checks(check_round(round_, accounts=place)) == {"Signed checkpoint", "Rows of the lists"}

    where = f"stream = 'round-{round_}' AND type = 'WagerConfirmed'"
    entry = f"SELECT entry.cause FROM wallet_entry entry JOIN events_event event ON event.id = cause WHERE {where}"
    tamper(played, f"UPDATE wallet_posting SET amount = amount * 2 WHERE entry_id IN ({entry})")
    assert "Ledger entries" in failed_checks(check_round(round_, accounts=place))

    dealt = f"stream = 'round-{round_}' AND type = 'CardsDealt'"
    card = "CASE data->'cards'->>0 WHEN 'Ah' THEN 'Kh' ELSE 'Ah' END"
    exchanged = f"jsonb_set(data::jsonb, '{{cards,0}}', to_jsonb({card}))"
    tamper(played, f"UPDATE events_event SET data = {exchanged} WHERE {dealt}")
    assert "Cards from the committed seed" in failed_checks(check_round(round_, accounts=place))

    other = "CASE data->>'outcome' WHEN 'tie' THEN 'banker' ELSE 'tie' END"
    tamper(played, f"UPDATE events_event SET data = jsonb_set(data::jsonb, '{{outcome}}', to_jsonb({other})) "
                   f"WHERE stream = 'round-{round_}' AND type = 'RoundSettled'")  # fmt: skip
    verdict = check_round(round_, accounts=place)
    assert {"Digests of the chain", "Rules, cards, payouts and commission"} <= failed_checks(verdict)
    assert not verdict.holds

    assert "Rules, cards, payouts and commission" in failed_checks(check_round(UUID(int=7), accounts=place))


def test_the_admin_page_of_a_tampered_round_opens_and_shows_failed_checks(played: Any) -> None:
    round_, _ = settled()
    page, client = page_of("baccarat_round", round_), superuser()
    assert "All checks hold" in body_of(client, page)
    dealt = f"stream = 'round-{round_}' AND type = 'CardsDealt'"
    longer = """data::jsonb->'cards' || '["Kh", "2d"]'"""
    for statement in (
        f"UPDATE events_event SET data = jsonb_set(data::jsonb, '{{cards}}', {longer}) WHERE {dealt}",
        f"UPDATE events_event SET data = jsonb_set(data::jsonb, '{{cards,0}}', '\"Zz\"') WHERE {dealt}",
        f"UPDATE events_event SET data = '{{}}' WHERE {dealt}",
        f"UPDATE baccarat_round SET cards = 'Zz', outcome = 'nobody' WHERE id = '{round_}'",
    ):
        tamper(played, statement)
        body = body_of(client, page)
        assert "c-proofs-bad" in body, statement
        if longer in statement:
            assert "These cards are not what the rules would have dealt" in body
