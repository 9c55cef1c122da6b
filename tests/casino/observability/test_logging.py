"""Staff are shown by their logins, whatever stands around them."""

import pytest
from django.contrib.auth.models import User
from django.utils.html import format_html
from django.utils.safestring import SafeString

from casino.backoffice import staff_names

pytestmark = pytest.mark.django_db


def test_numbers_of_staff_become_logins_and_others_stay() -> None:
    ann = User.objects.create_user("ann")
    assert staff_names.named(f"By staff:{ann.pk} and staff:{ann.pk}9.") == f"By ann and staff:{ann.pk}9."
    assert staff_names.named("player:7") == "player:7"


def test_a_login_can_bring_no_markup_into_what_is_safe() -> None:
    eve = User.objects.create_user("<b>eve")
    shown = staff_names.named(format_html("<i>staff:{}</i>", eve.pk))
    assert shown == "<i>&lt;b&gt;eve</i>"
    assert isinstance(shown, SafeString)
    assert not isinstance(staff_names.named(f"staff:{eve.pk}"), SafeString)
