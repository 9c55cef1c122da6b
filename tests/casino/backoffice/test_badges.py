"""The counts of queues in the sidebar."""

from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpRequest
from django.test.utils import CaptureQueriesContext

from casino.backoffice import badges
from casino.significant import recorder
from tests.support.office import Office, open_office, staff

SEES = ("significant.acknowledge_significantevent", "wallet.change_withdrawal")


@pytest.fixture
def office(db: None) -> Office:
    return open_office()


def asked_by(name: str) -> HttpRequest:
    request = HttpRequest()
    request.user = User.objects.get(username=name)
    return request


def note(operator: UUID, times: int) -> None:
    told = recorder.NewSignificantEvent(
        kind=recorder.SignificantEventKind.NEGATIVE_BALANCE, operator=operator, subject="x:1", actor="system"
    )
    recorder.record_many([told] * times)


def test_one_query_counts_all_queues(office: Office) -> None:
    note(office.operator.id, 3)
    staff(*SEES, name="looker", works_for=office.operator.slug)
    request = asked_by("looker")
    with CaptureQueriesContext(connection) as captured:
        counts = badges.counts(request)
    counting = [query["sql"] for query in captured if "count(*)" in query["sql"]]
    assert (list(counts), len(counting)) == (["desk_inbox"], 1)
    assert counts["desk_inbox"] >= 3


def test_counting_stops_at_a_hundred(office: Office) -> None:
    note(office.operator.id, badges.MAX_COUNT)
    staff(*SEES, name="looker", works_for=office.operator.slug)
    assert badges.counts(asked_by("looker")) == {"desk_inbox": 100}
    assert [badges.text_of(count) for count in (99, 100, 250)] == ["99", "100+", "100+"]


def test_staff_without_operators_or_permission_see_no_count(office: Office) -> None:
    note(office.operator.id, 3)
    staff(*SEES, name="alone", works_for="nobody")
    staff(name="blind", works_for=office.operator.slug)
    assert [badges.counts(asked_by(name)) for name in ("alone", "blind")] == [{}, {}]
