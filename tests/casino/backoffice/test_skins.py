"""Skins, created, changed and removed in the admin."""

import io
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image

from baccarat.services import skins
from baccarat.storage.models import Skin
from casino.operators.models import Operator
from casino.significant.models import SignificantEvent
from tests.support.office import page_of, staff

pytestmark = pytest.mark.django_db
PERMISSIONS = ("operators.view_operator", *(f"baccarat.{verb}_skin" for verb in ("view", "add", "change", "delete")))
NAMES = ("lucky", "rival")
CLOTH = {"felt-1": "#7b2d5b", "felt-2": "#571f41", "felt-3": "#2c0f21", "print": "#fbe9f2"}


@pytest.fixture
def house() -> UUID:
    """Create an operator, and a rival."""
    lucky, _ = (Operator.objects.create(id=uuid4(), slug=slug, name=slug, currencies=["EUR"]).id for slug in NAMES)
    return lucky


def picture(size: tuple[int, int] = (40, 20)) -> SimpleUploadedFile:
    data = io.BytesIO()
    Image.new("RGB", size, "#fbe9f2").save(data, "PNG")
    return SimpleUploadedFile("logo.png", data.getvalue(), content_type="image/png")


def send(client: Client, model: str, name: str, row: object, data: Any = None) -> str:
    return client.post(reverse(f"admin:{model}_{name}", args=[row]), data or {}, follow=True).content.decode()


def reasons() -> list[str]:
    return [event.reason for event in SignificantEvent.objects.order_by("number")]


def test_an_administrator_creates_changes_and_removes_a_skin(house: UUID) -> None:
    client = staff(*PERMISSIONS, works_for="lucky")
    send(client, "operators_operator", "skin", house, {"name": "night"})
    skin = Skin.objects.get()
    assert (skin.name, skin.properties, bytes(skin.logo)) == ("night", {}, b"")
    shown = send(client, "baccarat_skin", "set", skin.pk, {**CLOTH, "round": "4", "logo": picture()})
    skin.refresh_from_db()
    assert skin.properties == {**CLOTH, "round": 4}
    assert Image.open(io.BytesIO(bytes(skin.logo))).size == (40, 20)
    assert 'style="background: #571f41"' in shown
    assert 'src="data:image/png;base64,' in shown
    send(client, "baccarat_skin", "set", skin.pk, {**CLOTH, "print": "#FFFFFF"})
    kept = Skin.objects.get()
    assert (kept.properties["print"], skins.RADIUS in kept.properties) == ("#ffffff", False)
    assert bytes(kept.logo) == bytes(skin.logo)
    send(client, "baccarat_skin", "set", skin.pk, {**CLOTH, "no_logo": "on"})
    assert bytes(Skin.objects.get().logo) == b""
    send(client, "operators_operator", "skin", house, {"name": "night"})
    assert Skin.objects.get().properties == CLOTH  # a second tab takes nothing away
    listed = send(client, "baccarat_skin", "remove", skin.pk)
    assert "Removed the skin night." in listed
    assert not Skin.objects.exists()
    assert reasons() == [*4 * ["A skin was set"], "A skin was removed"]
    assert {event.actor.partition(":")[0] for event in SignificantEvent.objects.all()} == {"staff"}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"print": "#571f42"}, "has a contrast of"),
        ({"print": ""}, "needs"),
        ({"print": "white"}, "six digits"),
        ({"round": "25"}, "less than or equal to 24"),
        ({"logo": SimpleUploadedFile("logo.png", b"<svg onload=alert(1)>")}, "logo is not accepted"),
        ({"logo": picture((1100, 20))}, "1100 by 20 pixels"),
    ],
)
def test_what_is_refused_changes_nothing_and_says_why(house: UUID, changes: dict[str, Any], says: str) -> None:
    skin = skins.change(operator=house, name="night", colours=CLOTH, radius=4, logo=b"", by="test")
    client = staff(*PERMISSIONS, works_for="lucky")
    before = reasons()
    body = send(client, "baccarat_skin", "set", skin.pk, {**CLOTH, "round": "4", **changes})
    assert says in body
    assert Skin.objects.get().properties == {**CLOTH, "round": 4}
    assert reasons() == before


def test_a_refused_form_keeps_what_was_typed(house: UUID) -> None:
    skin = skins.change(operator=house, name="night", colours=CLOTH, radius=4, logo=b"", by="test")
    client = staff(*PERMISSIONS, works_for="lucky")
    body = send(client, "baccarat_skin", "set", skin.pk, {**CLOTH, "print": "#571f42", "back": "#123456"})
    assert 'value="#571f42"' in body
    assert 'value="#123456"' in body
    assert 'enctype="multipart/form-data"' in body


def test_staff_without_the_permission_or_of_another_operator_change_no_skin(house: UUID) -> None:
    skin = skins.change(operator=house, name="night", colours=CLOTH, radius=4, logo=b"", by="test")
    rival = staff(*PERMISSIONS, name="rival", works_for="rival")
    looker = staff("baccarat.view_skin", name="looker", works_for="lucky")
    assert "night" in looker.get(page_of("baccarat_skin", skin.pk)).content.decode()
    assert "night" not in rival.get(reverse("admin:baccarat_skin_changelist")).content.decode()
    for client in (rival, looker):
        for name in ("set", "remove"):
            send(client, "baccarat_skin", name, skin.pk, {"back": "#123456"})
    assert Skin.objects.get().properties == {**CLOTH, "round": 4}
