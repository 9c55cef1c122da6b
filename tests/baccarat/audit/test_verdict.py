"""The verdict on one round: green for what nobody touched, red with the reason for each thing that was."""

# ruff: noqa: S608  (SQL made of this page's constants)

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
    """A settled round with a shoe of its own, and where it was played."""
    round_, operator, table, currency = fetch(
        "SELECT id, operator_id, table_id, currency FROM baccarat_round "
        "WHERE phase = 'settled' AND starts_with(rules, 'mini@') ORDER BY id LIMIT 1"
    )[0]
    return round_, TableAccounts(operator=operator, table=table, currency=currency)


def body_of(client: Client, page: str) -> str:
    answer = client.get(page)
    assert answer.status_code == 200
    return answer.content.decode()


def broken(verdict: RoundVerdict) -> set[str]:
    return {check.name for check in verdict.checks if check.holds is False}


def test_a_round_is_judged_by_what_stands_about_it(played: Any) -> None:
    round_, place = settled()
    judged = check_round(round_, accounts=place)
    assert judged.holds
    assert {check.name: check.holds for check in judged.checks} == {
        "Digests of the chain": True,
        "Rules, cards, payouts and commission": True,
        "Cards from the committed seed": True,
        "Ledger entries": True,
        "What lists show": True,
        "Signed checkpoint": None,
    }

    opening = f"stream = 'table-{place.table}' AND type = 'TableOpened'"
    ((named,),) = fetch(f"SELECT data->'next_shoe'->>'shoe' FROM events_event WHERE {opening}")
    for shoe, reds in ((place.table, {"Cards from the committed seed"}), (named, set())):
        put = f"jsonb_set(data, '{{next_shoe,shoe}}', '\"{shoe}\"')"
        tamper(played, f"UPDATE events_event SET data = {put} WHERE {opening}")
        assert broken(check_round(round_, accounts=place)) >= reds

    signing.sign_now()
    assert check_round(round_, accounts=place).checks[-1].holds
    with played.owner() as owner:
        owner.execute("ALTER TABLE checkpoints_checkpoint DISABLE TRIGGER USER")
    tamper(played, "UPDATE checkpoints_checkpoint SET root = decode(repeat('00', 32), 'hex')")
    assert broken(check_round(round_, accounts=place)) == {"Signed checkpoint"}

    tamper(played, f"UPDATE baccarat_round SET cards = 'Ah 2h 3h 4h' WHERE id = '{round_}'")
    assert broken(check_round(round_, accounts=place)) == {"Signed checkpoint", "What lists show"}

    where = f"stream = 'round-{round_}' AND type = 'WagerConfirmed'"
    entry = f"SELECT entry.id FROM wallet_entry entry JOIN events_event event ON event.id = cause WHERE {where}"
    tamper(played, f"UPDATE wallet_posting SET amount = amount * 2 WHERE entry_id IN ({entry})")
    assert "Ledger entries" in broken(check_round(round_, accounts=place))

    dealt = f"stream = 'round-{round_}' AND type = 'CardsDealt'"
    swapped = "jsonb_set(jsonb_set(data, '{cards,0}', data->'cards'->1), '{cards,1}', data->'cards'->0)"
    tamper(played, f"UPDATE events_event SET data = {swapped} WHERE {dealt}")
    assert "Cards from the committed seed" in broken(check_round(round_, accounts=place))

    other = "CASE data->>'outcome' WHEN 'tie' THEN 'banker' ELSE 'tie' END"
    tamper(played, f"UPDATE events_event SET data = jsonb_set(data, '{{outcome}}', to_jsonb({other})) "
                   f"WHERE stream = 'round-{round_}' AND type = 'RoundSettled'")  # fmt: skip
    judged = check_round(round_, accounts=place)
    assert {"Digests of the chain", "Rules, cards, payouts and commission"} <= broken(judged)
    assert not judged.holds

    assert "Rules, cards, payouts and commission" in broken(check_round(UUID(int=7), accounts=place))


def test_the_page_of_a_round_that_was_tampered_with_is_there_and_red(played: Any) -> None:
    round_, _ = settled()
    page, client = page_of("baccarat_round", round_), superuser()
    assert "All checks hold" in body_of(client, page)
    dealt = f"stream = 'round-{round_}' AND type = 'CardsDealt'"
    two_more = """'["Kh", "2d"]'"""
    for deed in (
        f"UPDATE events_event SET data = jsonb_set(data, '{{cards}}', data->'cards' || {two_more}) WHERE {dealt}",
        f"UPDATE events_event SET data = jsonb_set(data, '{{cards,0}}', '\"Zz\"') WHERE {dealt}",
        f"UPDATE events_event SET data = '{{}}' WHERE {dealt}",
        f"UPDATE baccarat_round SET cards = 'Zz', outcome = 'nobody' WHERE id = '{round_}'",
        f"UPDATE baccarat_round SET state = '{{}}' WHERE id = '{round_}'",
    ):
        tamper(played, deed)
        assert "c-proofs-bad" in body_of(client, page), deed
