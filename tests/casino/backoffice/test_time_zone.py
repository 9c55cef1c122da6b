"""Times of pages and pickers follow the time zone that a member of staff has chosen; days of reports do not."""

from datetime import UTC, datetime

import pytest
from django import forms
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from casino.backoffice import html
from casino.backoffice.forms import time_field
from casino.reports.models import Report
from casino.staff.models import SignIn, StaffTimeZone
from tests.support.office import client_of, open_office, staff, superuser

pytestmark = pytest.mark.django_db
BEFORE, AFTER = datetime(2026, 10, 25, 0, 30, tzinfo=UTC), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
"""Half an hour before and after the clocks of Berlin go back, at which they show the same."""


class Form(forms.Form):
    at = time_field("Due")


def choose(client: Client, zone: str) -> None:
    assert client.post(reverse("admin:time_zone"), {"zone": zone}).status_code == 302


def logins(client: Client) -> str:
    return client.get(reverse("admin:staff_signin_changelist")).content.decode()


def test_each_member_of_staff_reads_times_in_the_zone_chosen_and_in_utc_without_one() -> None:
    SignIn.objects.create(user_id=1, second_factor=False, at=BEFORE)
    berlin, other = superuser(), staff("staff.view_signin")
    choose(berlin, "Europe/Berlin")

    assert "2026-10-25 02:30:00 <small>CEST</small>" in logins(berlin)
    assert "2026-10-25 00:30:00 <small>UTC</small>" in logins(client_of(User.objects.create_superuser("utc")))
    assert 'value="Europe/Berlin" selected' in berlin.get(reverse("admin:time_zone")).content.decode()
    assert 'value="UTC" selected' in other.get(reverse("admin:time_zone")).content.decode()


def test_an_hour_that_the_clocks_show_twice_is_told_apart_by_its_zone() -> None:
    with timezone.override("Europe/Berlin"):
        assert html.plain_moment(BEFORE) == "2026-10-25 02:30:00 CEST"
        assert html.plain_moment(AFTER) == "2026-10-25 02:30:00 CET"
        assert 'datetime="2026-10-25T01:30:00+00:00"' in html.moment(AFTER)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-10-25T01:59:59", datetime(2026, 10, 24, 23, 59, 59, tzinfo=UTC)),
        ("2026-10-25T03:00", datetime(2026, 10, 25, 2, 0, tzinfo=UTC)),
        ("2026-10-25T02:30+02:00", BEFORE),
        ("2026-10-25T02:30:00+01:00", AFTER),
        ("2026-10-25T02:30:00", None),  # twice
        ("2026-03-29T02:30:00", None),  # never
    ],
)
def test_a_picked_time_is_one_instant_or_refused(text: str, at: datetime | None) -> None:
    with timezone.override("Europe/Berlin"):
        form = Form({"at": text})
        assert form.is_valid() == (at is not None)
        assert form.cleaned_data.get("at") == at
        assert form["at"].label == "Due (Europe/Berlin)"
        assert f'value="{text.removesuffix("+02:00").removesuffix("+01:00")}' in str(form["at"])


def test_a_report_is_of_the_interval_picked_in_the_zone_and_its_days_are_the_operators() -> None:
    office = open_office()
    client, page = superuser(), reverse("admin:reports_report_create")
    choose(client, "America/New_York")
    fields = {
        "operator": office.operator.slug,
        "name": "revenue",
        "since": "2026-03-08T01:00",
        "until": "2026-03-08T03:00",
    }
    assert "From, for an interval (America/New_York)" in client.get(page).content.decode()

    client.post(page, {**fields, "period": "interval"})
    client.post(page, {**fields, "period": "day", "date": "2026-03-08"})

    spans = Report.objects.order_by("period").values_list("since", "until")
    day, interval = ([each.replace(tzinfo=None) for each in span] for span in spans)
    assert interval == [datetime(2026, 3, 8, 6), datetime(2026, 3, 8, 7)]  # noqa: DTZ001  (the clocks go forward)
    assert day == [datetime(2026, 3, 8), datetime(2026, 3, 9)]  # noqa: DTZ001  (of UTC, the operator's)


def test_the_link_from_a_day_leads_to_its_rounds_in_any_zone() -> None:
    office = open_office()
    client, day = superuser(), timezone.now().date().isoformat()
    choose(client, "Asia/Kathmandu")
    figures = client.get(reverse("admin:desk_day"), {"operator": str(office.operator.pk), "day": day})
    assert "in UTC, the operator&#x27;s time zone" in figures.content.decode()
    begin = f"{day}T00:00:00+00:00"
    answer = client.get(reverse("admin:desk_search"), {"operator": str(office.operator.pk), "since": begin})
    assert f'value="{day}T05:45:00"' in answer.content.decode()
    assert answer.context["form"].cleaned_data["since"].isoformat() == begin
    assert [section.title for section in answer.context["sections"]] == ["Rounds"]


def test_a_zone_that_does_not_exist_is_refused_and_one_that_has_gone_is_utc() -> None:
    client = superuser()
    assert client.post(reverse("admin:time_zone"), {"zone": "Mars/Olympus"}).status_code == 200
    assert not StaffTimeZone.objects.exists()
    StaffTimeZone.objects.create(user=User.objects.get(), name="Europe/Atlantis")
    SignIn.objects.create(user_id=1, second_factor=False, at=BEFORE)
    assert "2026-10-25 00:30:00 <small>UTC</small>" in logins(client)
