"""Staff are shown by their logins, whatever stands around them."""

import pytest
from django.contrib.auth.models import User
from django.utils.html import format_html
from django.utils.safestring import SafeString

from casino.backoffice import html

pytestmark = pytest.mark.django_db


def test_numbers_of_staff_become_logins_and_others_stay() -> None:
    ann = User.objects.create_user("ann")
    assert html.with_logins(f"By staff:{ann.pk} and staff:{ann.pk}9.") == f"By ann and staff:{ann.pk}9."
    assert html.with_logins("player:7") == "player:7"


def test_a_login_can_bring_no_markup_into_what_is_safe() -> None:
    eve = User.objects.create_user("<b>eve")
    shown = html.with_logins(format_html("<i>staff:{}</i>", eve.pk))
    assert shown == "<i>&lt;b&gt;eve</i>"
    assert isinstance(shown, SafeString)
    assert not isinstance(html.with_logins(f"staff:{eve.pk}"), SafeString)
