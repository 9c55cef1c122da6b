"""Lists: searches, filters and counted rows."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin import AdminSite
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from baccarat.storage.models import Round
from casino.backoffice import base
from casino.backoffice.base import as_number, as_uuid
from casino.backoffice.filters import first_serial
from casino.events.ids import first_id
from casino.events.models import Event, Subscription
from casino.staff.models import AccessLogEntry
from tests.support.office import Office, address, open_office, shown, superuser

pytestmark = pytest.mark.django_db


@pytest.fixture
def office() -> Office:
    office = open_office()
    Subscription.objects.create(name="reports", position=3)
    return office


FOUND_BY = [
    ("events.event", "round-{round}"),
    ("events.event", "{round}"),
    ("baccarat.round", "{round}"),
    ("baccarat.round", "{table}"),
    ("baccarat.table", "{table}"),
    ("baccarat.wager", "{player}"),
    ("baccarat.wager", "{round}"),
    ("wallet.account", "{player}"),
    ("wallet.account", "{table}"),
    ("operators.player", "lucky-alice"),
    ("operators.player", "{player}"),
    ("operators.operator", "luc"),
    ("operators.apikey", "lucky"),
]
NONSENSE = ("nothing", "%", "'", "9" * 30, "\N{SUPERSCRIPT TWO}", "x" * 500)


def test_a_list_counts_only_the_rows_that_its_pages_reach(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "MAX_LISTED", 5)
    client = superuser()

    with CaptureQueriesContext(connection) as captured:
        body = client.get(reverse("admin:events_event_changelist")).content.decode()

    counts = [query["sql"] for query in captured if "COUNT(" in query["sql"]]
    assert counts
    assert all("LIMIT" in sql for sql in counts)
    assert "The first 5 events; filter or search for the others" in body


def rows_of(part: Any, **query: str) -> list[Any]:
    """Return the rows of a list for a query, without rendering it."""
    request = RequestFactory().get(address(part, "changelist"), query)
    request.user = User(is_active=True, is_staff=True, is_superuser=True)
    return list(part.get_changelist_instance(request).result_list)


def part_of(label: str) -> Any:
    return next(part for part in shown() if part.opts.label_lower == label)


def test_a_search_finds_exactly_what_matches(office: Office) -> None:
    open_office("other")
    settled = office.settled(office.single)
    names = {"round": settled.pk, "table": office.single.guest.table, "player": office.player.pk}

    for label, term in FOUND_BY:
        part = part_of(label)
        assert 0 < len(rows_of(part, q=term.format(**names))) < part.model._default_manager.count(), (label, term)


def test_a_search_for_nonsense_finds_nothing(office: Office) -> None:
    for part in shown():
        if part.search_fields:
            assert [rows_of(part, q=term) for term in NONSENSE] == [[]] * len(NONSENSE), part.opts.label


def test_every_choice_of_every_filter_works(office: Office) -> None:
    client = superuser()

    for part in shown():
        if part.model is AccessLogEntry:
            continue  # each look adds a row
        every = len(rows_of(part))
        specs = client.get(address(part, "changelist")).context["cl"].filter_specs
        for spec in specs:
            for value, _ in spec.lookup_choices:
                assert len(rows_of(part, **{spec.parameter_name: value})) <= every
            assert len(rows_of(part, **{spec.parameter_name: "nonsense"})) == every


def test_a_filter_keeps_exactly_what_it_names(office: Office) -> None:
    def kept(label: str, **query: str) -> int:
        return len(rows_of(part_of(label), **query))

    rounds = Round.objects.count()
    assert kept("baccarat.round", within="1h") == rounds
    assert kept("baccarat.round", operator=str(office.operator.pk)) == rounds
    assert kept("baccarat.round", preset="mini") == Round.objects.filter(rules_label="mini@1").count() < rounds
    assert kept("baccarat.round", phase="running") == Round.objects.filter(ended_at=None).count() < rounds
    assert kept("wallet.account", money_type="play") < kept("wallet.account", money_type="real")
    assert kept("events.event", seal="waiting") == 0


def test_the_first_id_since_a_time_is_the_one_that_a_scan_finds(office: Office) -> None:
    events = list(Event.objects.order_by("id").values_list("id", "recorded_at"))
    moments = [moment for _, moment in events]

    for when in (*moments, moments[0] - timedelta(days=1), moments[-1] + timedelta(seconds=1)):
        scanned = next((key for key, moment in events if moment >= when), events[-1][0] + 1)
        found = first_serial("events_event", when)
        assert not [key for key, moment in events if moment >= when and key < found]
        assert found <= scanned


def test_ids_begin_with_their_time(office: Office) -> None:
    now = timezone.now()

    assert not Round.objects.filter(id__gte=first_id(now + timedelta(minutes=1))).exists()
    assert Round.objects.filter(id__gte=first_id(now - timedelta(days=1))).count() == Round.objects.count()


@pytest.mark.parametrize(
    ("term", "number"), [("12", 12), ("#12", 12), ("-1", None), ("1e3", None), ("9" * 19, None), ("", None)]
)
def test_a_term_is_a_number_only_if_it_fits_a_bigint(term: str, number: int | None) -> None:
    assert as_number(term) == number


def test_a_term_is_an_id_only_if_it_is_a_uuid() -> None:
    assert as_uuid("nonsense") is None
    assert str(as_uuid("01a1fcd6-f8a1-7aa2-a4a1-eb9d826de166")) == "01a1fcd6-f8a1-7aa2-a4a1-eb9d826de166"


def test_a_page_without_sections_cannot_be_registered() -> None:
    class Incomplete(base.ReadOnlyAdmin):
        pass

    with pytest.raises(TypeError, match="sections"):
        AdminSite("other").register(Group, Incomplete)
