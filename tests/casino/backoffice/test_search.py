"""The search page: exact results, by indexes, of one's own operators."""

import re
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from baccarat.storage.models import Round, Table, Wager
from casino.backoffice.pages import search
from casino.staff.models import AccessLogEntry
from tests.support.office import Office, open_office, page_of, staff, superuser
from wallet.models import Entry

pytestmark = pytest.mark.django_db

NEEDED = ("baccarat.view_round", "baccarat.view_wager")
BIG = ("baccarat_round", "baccarat_wager", "events_event", "events_seal", "wallet_entry", "wallet_posting",
       "wallet_deposit", "wallet_withdrawal", "wallet_transfer", "wallet_adjustment", "operators_player",
       "significant_significantevent")  # fmt: skip


@pytest.fixture
def office() -> Office:
    return open_office()


def sections(client: Client, **asked: Any) -> dict[str, Any]:
    answer = client.get(reverse("admin:desk_search"), asked)
    assert answer.status_code == 200
    return {section.title: section for section in answer.context["sections"]}


def links(grid: Any, header: str) -> list[str]:
    column = list(grid.headers).index(header)
    return [re.findall('href="([^"]+)"', str(row[column]))[0] for row in grid.rows]


def test_an_id_a_number_or_a_reference_finds_its_page(office: Office) -> None:
    client, round_ = superuser(), office.settled(office.single)
    entry = Entry.objects.latest("pk")
    for word, expected in (
        (str(round_.pk), reverse("admin:baccarat_round_change", args=[round_.pk])),
        (str(round_.table_id), reverse("admin:baccarat_table_change", args=[round_.table_id])),
        (str(office.player.id), reverse("admin:operators_player_change", args=[office.player.id])),
        (office.player.reference, reverse("admin:operators_player_change", args=[office.player.id])),
        (str(entry.pk), reverse("admin:wallet_entry_change", args=[entry.pk])),
        (str(round_.number), reverse("admin:baccarat_round_change", args=[round_.pk])),
    ):
        found = sections(client, term=word)
        assert expected in links(found[f"“{word}”"], "Match"), word
    reference = office.player.reference
    assert "Alice" in str(sections(client, term=reference)[f"“{reference}”"].rows[0])
    assert sections(client, term="nothing-like-it")["“nothing-like-it”"].rows == []


@pytest.mark.parametrize("spelling", ["Alice", "aLICE", "ＡＬＩＣＥ"])  # noqa: RUF001  (full width)
def test_a_player_is_found_by_the_whole_nickname_in_whatever_spelling(office: Office, spelling: str) -> None:
    other, page = open_office("other"), page_of("operators_player", office.player.id)
    client = staff("operators.view_player", "baccarat.view_round", "baccarat.view_wager", works_for="lucky")
    assert links(sections(client, term=spelling)[f"“{spelling}”"], "Match") == [page]
    assert sections(client, term="Alic")["“Alic”"].rows == []
    listed = client.get(reverse("admin:operators_player_changelist"), {"q": spelling}).content.decode()
    assert page in listed
    assert page_of("operators_player", other.player.id) not in listed
    wagers = sections(client, player=spelling)["Wagers"]
    assert set(links(wagers, "Player")) == {page}
    picked = client.get(reverse("admin:desk_pick"), {"kinds": "player", "term": spelling}).json()["results"]
    assert [each["id"] for each in picked] == [str(office.player.id)]


def test_wagers_are_found_by_player_amount_spot_outcome_and_time(office: Office) -> None:
    client = superuser()
    all_ = list(Wager.objects.order_by("-round_id", "seat"))
    assert len(sections(client, player=str(office.player.id))["Wagers"].rows) == 2
    assert len(sections(client, player=office.player.reference)["Wagers"].rows) == 2
    assert len(sections(client, minimum="100", maximum="100.00", currency="eur")["Wagers"].rows) == len(all_)
    assert sections(client, minimum="100.01", currency="EUR")["Wagers"].rows == []
    assert sections(client, spot="tie")["Wagers"].rows == []
    assert len(sections(client, spot="banker")["Wagers"].rows) == len(all_)
    offered = client.get(reverse("admin:desk_search")).context["form"].fields["spot"].choices
    assert offered == [("", "Any"), ("player", "Player"), ("banker", "Banker"), ("tie", "Tie")]
    won = Round.objects.filter(outcome="banker").values("pk")
    by_banker = sections(client, spot="banker", outcome="banker")["Wagers"].rows
    assert len(by_banker) == Wager.objects.filter(round_id__in=won).count()
    later = all_[0].confirmed_at + timedelta(hours=1)
    assert sections(client, spot="banker", since=later.strftime("%Y-%m-%dT%H:%M:%S"))["Wagers"].rows == []
    assert len(sections(client, spot="banker", until=later.strftime("%Y-%m-%dT%H:%M:%S"))["Wagers"].rows) == len(all_)


def test_rounds_are_found_by_table_and_outcome(office: Office) -> None:
    table = Table.objects.get(pk=office.single.guest.table)
    rows = sections(superuser(), table=str(table.pk))["Rounds"].rows
    assert len(rows) == Round.objects.filter(table_id=table.pk).count()
    tied = sections(superuser_again(), table=table.name, outcome="tie")["Rounds"].rows
    assert len(tied) == Round.objects.filter(outcome="tie").count()


def superuser_again() -> Client:
    return staff(*NEEDED, name="again")


def test_each_page_continues_after_the_previous_one(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PAGE_SIZE", 2)
    monkeypatch.setattr(search, "MAX_SEATS", 1)
    office.play(2)
    client, seen, before = superuser(), [], ""
    for _ in range(20):
        grid = sections(client, spot="banker", before=before)["Wagers"]
        seen += [(link, str(row[1])) for link, row in zip(links(grid, "Round"), grid.rows, strict=True)]
        if not grid.note:
            break
        before = parse_qs(re.findall('href="[?]([^"]+)"', str(grid.note))[0].replace("&amp;", "&"))["before"][0]
    assert len(seen) == len(set(seen)) == Wager.objects.count()
    assert [link for link, _ in seen] == sorted((link for link, _ in seen), reverse=True)

    rounds, before = [], ""
    for _ in range(20):
        grid = sections(client, outcome="", table="A table", before=before)["Rounds"]
        rounds += links(grid, "Round")
        if not grid.note:
            break
        before = parse_qs(re.findall('href="[?]([^"]+)"', str(grid.note))[0].replace("&amp;", "&"))["before"][0]
    assert len(rounds) == len(set(rounds)) == Round.objects.count()


def test_a_search_covers_only_ones_own_operators_and_is_logged(office: Office) -> None:
    rival = open_office("rival")
    client = staff(*NEEDED, "operators.view_player", name="own", works_for="rival")
    round_ = office.settled(office.single)
    assert sections(client, term=str(round_.pk))[f"“{round_.pk}”"].rows == []
    assert sections(client, player=str(office.player.id))["Wagers"].rows == []
    assert sections(client, player=office.player.reference)["Wagers"].rows == []
    assert sections(client, operator=str(office.operator.id))["Rounds"].rows == []
    assert len(sections(client, spot="banker")["Wagers"].rows) == Wager.objects.filter(
        operator_id=rival.operator.id
    ).count()  # fmt: skip
    assert AccessLogEntry.objects.filter(subject=f"player:{office.player.id}").exists()
    assert staff("baccarat.view_round", name="half").get(reverse("admin:desk_search")).status_code == 403


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"minimum": "5"}, "Enter the currency, too."),
        ({"minimum": "five", "currency": "EUR"}, "c-wrong"),
        ({"since": "yesterday"}, "c-wrong"),
        ({"since": "2026-11-02", "until": "2026-11-01"}, "The range ends before it begins."),
        ({"minimum": "5", "maximum": "4", "currency": "EUR"}, "The range ends before it begins."),
        ({"term": "\0"}, "c-wrong"),
        ({"operator": "lucky"}, "c-wrong"),
        ({"outcome": "draw"}, "c-wrong"),
        ({"before": "x", "outcome": "tie"}, "No round matches."),
        ({}, "What are you looking for?"),
    ],
)
def test_an_invalid_value_shows_an_error_beside_its_field(asked: dict[str, str], says: str) -> None:
    assert says in superuser().get(reverse("admin:desk_search"), asked).content.decode()


def test_no_search_scans_a_big_table(office: Office) -> None:
    client, round_ = superuser(), office.settled(office.single)
    office.play(1)
    asked: list[dict[str, str]] = [
        {"term": str(round_.pk)}, {"term": str(office.player.id)}, {"term": "1"}, {"player": str(office.player.id)},
        {"minimum": "50", "currency": "EUR"}, {"spot": "tie", "outcome": "banker"}, {"table": str(round_.table_id)},
        {"outcome": "tie", "since": "2026-01-01T00:00", "until": "2027-01-01T00:00"},
    ]  # fmt: skip
    with CaptureQueriesContext(connection) as captured:
        for each in asked:
            sections(client, **each)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        for query in {one["sql"] for one in captured.captured_queries if one["sql"].startswith("SELECT")}:
            cursor.execute(f"EXPLAIN {query}")
            plan = "\n".join(line for (line,) in cursor.fetchall())
            assert not re.search(rf"Seq Scan on ({'|'.join(BIG)})", plan), f"{query}\n{plan}"


def test_a_search_needs_no_more_queries_for_more_rows(office: Office) -> None:
    client = superuser()

    def cost(**asked: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            sections(client, **asked)
        return len(captured)

    few = [cost(spot="banker"), cost(table="A table"), cost(player=str(office.player.id))]
    office.play(3)
    assert [cost(spot="banker"), cost(table="A table"), cost(player=str(office.player.id))] == few
    assert max(few) <= 22
    assert cost(term=str(office.player.id)) <= 48
