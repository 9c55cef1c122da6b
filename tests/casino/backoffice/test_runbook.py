"""The runbook in the admin: where links of alerts lead, for staff only."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from casino.observability.conditions import CONDITIONS, anchor, runbook_path
from tests.support.office import staff

pytestmark = pytest.mark.django_db


def test_a_link_leads_through_the_login_to_the_section_of_its_condition() -> None:
    path = runbook_path("tables_without_witness")
    answer = Client().get(path)
    assert answer["location"] == f"{reverse('admin:login')}?next={path}"
    client = staff()
    assert client.get(path)["location"] == f"{reverse('admin:runbook')}#tables-without-a-witness"
    assert client.get("/admin/runbook/connections/")["location"] == f"{reverse('admin:runbook')}#connections"


def test_the_page_has_an_anchor_for_every_condition_and_every_link_in_it() -> None:
    page = staff().get(reverse("admin:runbook")).content.decode()
    ids = re.findall(r'<h[23] id="([^"]+)"', page)
    assert len(ids) == len(set(ids)) > len(CONDITIONS) / 2
    assert {anchor(name) for name in CONDITIONS} <= set(ids)
    document = page[page.index("c-document") :]
    assert {link for link in re.findall(r'href="#([^"]+)"', document) if link != "main"} - set(ids) == set()
    assert "<td><code>manage.py status</code> says <code>No worker runs</code></td>" in document


def test_the_page_is_for_staff_only() -> None:
    assert Client().get(reverse("admin:runbook")).status_code == 302
