"""Checkpoints in the admin: the list, and the status of each."""

import pytest
from django.urls import reverse

from casino.checkpoints import signing
from casino.checkpoints.models import Checkpoint
from tests.casino.checkpoints.signing_here import log_of
from tests.support.office import superuser

pytestmark = pytest.mark.django_db


def test_a_checkpoint_is_listed_found_by_size_and_compared_with_the_log(place, settings):
    log_of(300)
    signing.sign_now()
    log_of(1, stream="round-2")
    settings.CHECKPOINT_STORAGE = ""
    checkpoint = signing.sign_now()
    client = superuser()
    listed = client.get(reverse("admin:checkpoints_checkpoint_changelist"), {"q": "301"})
    assert [row.pk for row in listed.context["cl"].result_list] == [301]
    address = reverse("admin:checkpoints_checkpoint_change", args=[301])
    page = client.get(address).content.decode()
    for text in (checkpoint.root.hex(), settings.LOG_ORIGIN, "agrees", "by the trusted key", "copied"):
        assert text in page
    settings.CHECKPOINT_KEYS = "other:" + "77" * 32
    assert "not by a trusted key" in client.get(address).content.decode()
    settings.CHECKPOINT_KEYS = "none"
    assert "no key to check with here" in client.get(address).content.decode()
    assert Checkpoint.objects.count() == 2
