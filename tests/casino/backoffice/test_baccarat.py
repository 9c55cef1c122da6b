"""Pages of rounds, tables and wagers."""

from html import unescape
from typing import Any, get_args
from uuid import UUID

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.urls import reverse

from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.events import RoundEvent
from baccarat.domain.rules.cards import FULL_DECK, Card, UnknownCard, card_name
from baccarat.domain.rules.deal import describe_steps, replay
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.tables.events import TableEvent
from baccarat.queries.narrative import SENTENCES, NarratedTable, sentences
from baccarat.storage.models import Round, Wager
from casino.backoffice.game import cards_in_line, draw_card, draw_hand, event_grid
from casino.events import store
from casino.events.records import RecordedEvent
from casino.events.sql import execute
from casino.kernel.money import MoneyType, format_amount
from tests.support import hidden
from tests.support.hidden import leaks
from tests.support.office import Office, open_office, page_of, shown, staff, superuser

ALICE = UUID(int=1)


@pytest.fixture
def office(db: None) -> Office:
    return open_office()


def body_of(client: Client, page: str) -> str:
    answer = client.get(page)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def test_a_round_shows_its_cards_and_the_rules_that_drew_them(office: Office) -> None:
    round_ = office.settled(office.company[0])
    dealt = replay([Card(card) for card in round_.cards.split()])

    body = body_of(superuser(), page_of("baccarat_round", round_.pk))

    assert body.count('<svg class="c-card') == len(dealt.cards)
    assert body.count("c-sideways") == len(dealt.cards) - 4
    for card in dealt.cards:
        assert f'aria-label="{card_name(card)}"' in body
    for step in describe_steps(dealt):
        assert body.count(step.text) == 1


def test_a_round_shows_every_wager_and_its_result(office: Office) -> None:
    round_ = office.settled(office.company[0])
    wagers = list(Wager.objects.filter(round_id=round_.pk))

    body = body_of(superuser(), page_of("baccarat_round", round_.pk))

    assert len(wagers) == 2
    for wager in wagers:
        assert f"{format_amount(wager.returned or 0, 'EUR')} <small>EUR</small>" in body
        assert page_of("operators_player", wager.player_id) in body
    became = {"banker": "won", "player": "lost", "tie": "pushed"}[round_.outcome or ""]
    assert f"100.00 EUR on Banker {became}" in body


def test_a_round_shows_its_ledger_and_its_timeline_with_positions(office: Office) -> None:
    round_ = office.settled(office.single)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT e.id, s.position, w.cause FROM events_event e JOIN events_seal s ON s.event_id = e.id "
            "LEFT JOIN wallet_entry w ON w.cause = e.id WHERE e.stream = %s",
            [f"round-{round_.pk}"],
        )
        events = cursor.fetchall()

    body = body_of(superuser(), page_of("baccarat_round", round_.pk))

    for event, position, entry in events:
        assert page_of("events_event", event) in body
        assert f"#{position}" in body
        assert entry is None or page_of("wallet_entry", entry) in body
    assert len([entry for *_, entry in events if entry is not None]) == 2
    assert "Seat 1 confirmed its wager at " in body
    assert "100.00 on Banker (real money)." in body
    assert "Its shoe " in body


def test_a_round_in_play_shows_no_card_and_no_seed(office: Office) -> None:
    office.single.new_game()
    office.single.place("tie", 500)
    round_ = Round.objects.get(table_id=office.single.guest.table, ended_at=None)

    body = body_of(superuser(), page_of("baccarat_round", round_.pk))

    assert '<svg class="c-card' not in body
    assert "not revealed by this round" in body
    assert "5.00 EUR on Tie" in body


def of_every_kind(part: Any) -> list[Any]:
    """Return the newest row of each type or kind, or the newest few rows."""
    rows, named = part.model._default_manager.order_by("-pk"), {field.name for field in part.model._meta.fields}
    kind = next((name for name in ("type", "kind") if name in named), None)
    return list(rows[:4] if kind is None else rows.order_by(kind, "-pk").distinct(kind))


def test_no_page_contains_an_unrevealed_seed(office: Office) -> None:
    office.single.new_game()
    with connection.cursor() as cursor:
        cursor.execute("SELECT shoe_id, ciphertext, nonce FROM baccarat_shoesecret")
        kept = cursor.fetchall()
    secrets = hidden.in_play()
    sealed = [bytes(part).hex() for _, *parts in kept for part in parts]
    client = superuser()
    # Of the single table and the long shoe in play, whose next rounds draw by two more, and of the next ones of both.
    assert len(secrets) == 6

    for part in shown():
        for row in of_every_kind(part):
            body = client.get(part.page_url(row)).content
            assert leaks(body, secrets) == [], part.opts.label
            assert not any(secret in body.decode().lower() for secret in sealed), part.opts.label
        listed = client.get(reverse(f"admin:{part.opts.app_label}_{part.opts.model_name}_changelist"))
        assert leaks(listed.content, secrets) == []
        assert not any(secret in listed.content.decode().lower() for secret in sealed)


def test_a_suspended_round_shows_the_reason_and_is_resumed_with_the_permission(office: Office) -> None:
    round_ = office.suspended()
    page, resume = page_of("baccarat_round", round_.pk), reverse("admin:baccarat_round_resume", args=[round_.pk])
    client = staff("baccarat.view_round", "baccarat.change_round")
    shown_at_first = body_of(client, page)
    assert "has no readable seed" in shown_at_first
    assert resume in shown_at_first

    assert client.get(resume).status_code == 405
    answer = client.post(resume, follow=True)

    assert f"Round {round_.number} will be dealt again." in answer.content.decode()
    assert Round.objects.get(pk=round_.pk).suspension_reason is None
    assert resume not in answer.content.decode()
    assert LogEntry.objects.get().object_id == str(round_.pk)
    last = store.read(f"round-{round_.pk}")[-1]
    assert last.type == "RoundResumed"
    assert b"staff:" in last.metadata


def test_a_suspended_round_is_on_the_first_page_and_in_the_sidebar(office: Office) -> None:
    round_ = office.suspended()

    front = body_of(superuser(), reverse("admin:index"))

    assert page_of("baccarat_round", round_.pk) in front
    assert "has no readable seed" in front


def test_resuming_a_round_needs_a_permission_of_its_own(office: Office) -> None:
    round_ = office.suspended()
    resume = reverse("admin:baccarat_round_resume", args=[round_.pk])
    client = staff("baccarat.view_round")

    assert resume not in body_of(client, page_of("baccarat_round", round_.pk))
    assert client.post(resume).status_code == 403
    assert Round.objects.get(pk=round_.pk).suspension_reason is not None


def test_only_a_suspended_round_is_resumed(office: Office) -> None:
    round_ = office.settled(office.single)

    answer = superuser().post(reverse("admin:baccarat_round_resume", args=[round_.pk]), follow=True)

    assert "error" in {message.level_tag for message in answer.context["messages"]}
    assert not LogEntry.objects.exists()


def test_a_table_shows_rules_seats_shoe_rounds_and_accounts(office: Office) -> None:
    table = office.company[0].guest.table

    body = body_of(superuser(), page_of("baccarat_table", table))

    assert "5/100 commission, exact, set aside until the shoe ends or the player leaves" in body
    assert "25.00, 100.00, 500.00, 1000.00" in body
    assert "cards used" in body
    assert page_of("baccarat_round", office.settled(office.company[0]).pk) in body
    assert "game of" in body
    assert "Seat 1 taken with 10000.00 EUR of real money." in body
    assert "Next commitment" in body


def test_the_first_page_hides_play_without_the_permission(office: Office) -> None:
    client = staff("wallet.view_entry")

    front = body_of(client, reverse("admin:index"))

    assert "Latest rounds" not in front
    assert "Suspended rounds" not in front


def test_every_event_of_the_game_has_a_sentence() -> None:
    assert set(SENTENCES) == {*get_args(RoundEvent), *get_args(TableEvent)}


def describe(event: object, currency: str = "EUR") -> str:
    return " ".join(sentences(event, NarratedTable("A table", rules_for("mini", currency=currency))))


def test_sentences_have_amounts_of_the_tables_currency() -> None:
    placed = re.ChipsPlaced(seat=3, spot="banker", amount=2_500)

    assert describe(placed) == "Seat 3 placed 25.00 on Banker."
    assert describe(placed, "JPY") == "Seat 3 placed 2500 on Banker."


def test_sentences_show_a_wager_raised_to_the_minimum(office: Office) -> None:
    confirmed = re.WagerConfirmed(
        wager=ALICE,
        seat=1,
        player=ALICE,
        money_type=MoneyType.REAL,
        stakes={"player": 500, "tie": 700},
        raised={"player": 400},
        confirmed_at=office.operator.created_at,
    )

    assert describe(confirmed).endswith("5.00 on Player, 7.00 on Tie (real money). Seat 1 was raised to the minimum of "
                                        "5.00: 4.00 on Player added.")  # fmt: skip


def test_an_unknown_event_is_still_listed(office: Office) -> None:
    strange = RecordedEvent(1, 1, "round-x", 1, "RoundDanced", 1, b"{}", b"{}", office.operator.created_at)

    row = event_grid("Timeline", [strange], NarratedTable("A table", rules_for("mini", currency="EUR"))).rows[0]

    assert "can't be read" in str(row[2])


@pytest.mark.parametrize("card", FULL_DECK)
def test_a_card_is_drawn_in_the_colour_of_its_suit(card: Card) -> None:
    drawn = draw_card(card)

    assert drawn.red == (card[1] in "dh")
    assert drawn.rank == ("10" if card[0] == "T" else card[0])
    assert drawn.name == card_name(card)


def test_only_a_third_card_lies_sideways() -> None:
    assert [card.sideways for card in draw_hand(["9h", "Ks", "2c"])] == [False, False, True]


def test_an_invalid_card_is_not_drawn() -> None:
    with pytest.raises(UnknownCard):
        cards_in_line(["<b"])


def test_a_rounds_page_has_a_verdict_a_replay_and_an_access_log(office: Office) -> None:
    round_ = office.settled(office.company[0])
    body = body_of(superuser(), page_of("baccarat_round", round_.pk))
    assert "All checks hold" in body
    for check in ("Digests of the chain", "Ledger entries", "Cards from the committed seed"):
        assert check in body
    assert body.count("<li data-player=") > 10
    assert f'data-player="{len(replay([Card(card) for card in round_.cards.split()]).player)}"' in body
    assert "Disclosure: what each party saw, and when" in body
    assert "Balance before" in body


def test_a_rounds_page_shows_a_failed_check_in_red(office: Office) -> None:
    round_ = office.settled(office.single)
    turned = "UPDATE baccarat_round SET outcome = CASE outcome WHEN 'tie' THEN 'player' ELSE 'tie' END WHERE id = %s"
    execute(turned, [round_.pk])
    body = body_of(superuser(), page_of("baccarat_round", round_.pk))
    assert "That commitment was published one round ahead, at " in body
    assert " seconds before the first wager." in body
    assert "This record does not hold" in body
    assert "Lists have" in body


def test_a_round_without_cards_shows_its_steps_so_far(office: Office) -> None:
    aside = office.suspended()
    body = body_of(superuser(), page_of("baccarat_round", aside.pk))
    assert "<h2>Replay" in body
    assert "data-replay" in body


def test_a_button_makes_a_link_to_the_dispute_pack_and_shows_it_once(office: Office) -> None:
    round_ = office.settled(office.single)
    address = reverse("admin:baccarat_round_pack", args=[round_.pk])
    client = staff("baccarat.view_round", "baccarat.share_dispute_pack", name="officer")
    body = client.post(address).content.decode()
    token = body.split("/dispute-packs/")[1].split('"')[0]
    assert client.get(f"/api/v1/dispute-packs/{token}").status_code == 200
    assert not LogEntry.objects.filter(change_message__contains=token).exists()
    assert LogEntry.objects.get().change_message == "Made a link to the dispute pack"
    looker = staff("baccarat.view_round", name="looker")
    assert looker.post(address).status_code == 403
    assert "Make a link" not in body_of(looker, page_of("baccarat_round", round_.pk))
