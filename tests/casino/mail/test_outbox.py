"""E-mails are sent after the transaction that they tell of, retried, and never lost."""

import smtplib
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.db import transaction
from django.utils import timezone

from casino.events.sql import execute
from casino.mail import outbox
from casino.mail.models import Email


def waiting(number: int = 1) -> None:
    for each in range(number):
        outbox.send(address="ann@example.com", subject=f"Note\n{each}", body="Text")


class Refusing(EmailBackend):
    """A mail server that refuses this often."""

    times = 0

    def send_messages(self, messages: Any) -> int:
        if Refusing.times:
            Refusing.times -= 1
            raise smtplib.SMTPServerDisconnected("gone")
        sent: int = super().send_messages(messages)
        return sent


@pytest.fixture
def refusing(settings: Any) -> type[Refusing]:
    settings.EMAIL_BACKEND = f"{__name__}.Refusing"
    return Refusing


@pytest.mark.django_db
def test_an_email_is_sent_once_with_an_id_of_its_own_and_no_line_break_in_its_subject(settings: Any) -> None:
    settings.DEFAULT_FROM_EMAIL = "Casino <staff@casino.example>"
    waiting()
    assert [outbox.send_due(), outbox.send_due()] == [1, 0]
    (message,) = mail.outbox
    number = Email.objects.get().pk
    assert (message.to, message.subject, message.body) == (["ann@example.com"], "Note 0", "Text")
    assert message.message()["Message-ID"] == f"<casino-{number}@casino.example>"
    assert Email.objects.get().sent_at is not None


@pytest.mark.django_db
def test_what_is_rolled_back_tells_nobody() -> None:
    with transaction.atomic():
        waiting()
        transaction.set_rollback(True)
    assert outbox.send_due() == 0


@pytest.mark.django_db
def test_an_email_that_was_refused_waits_longer_each_time_and_is_sent_in_the_end(refusing: type[Refusing]) -> None:
    refusing.times = 9
    waiting()
    for pause in (1, 2, 4, 8, 16, 32, 60, 60, 60):
        assert [outbox.send_due(), outbox.send_due()] == [0, 0]
        email = Email.objects.get()
        assert email.error == "SMTPServerDisconnected: gone"
        assert pause - 0.1 <= (email.due_at - timezone.now()).total_seconds() / 60 <= pause * 1.1
        execute("UPDATE mail_email SET due_at = clock_timestamp()")
    assert outbox.send_due() == 1
    assert Email.objects.get().error == ""


@pytest.mark.django_db
def test_an_address_that_no_header_can_hold_holds_up_no_other() -> None:
    outbox.send(address="ann@example.com\nBcc: eve@example.com", subject="Note", body="Text")
    waiting()
    assert outbox.send_due() == 1
    assert [email.error.partition(":")[0] for email in Email.objects.order_by("id")] == ["BadHeaderError", ""]


@pytest.mark.django_db
def test_one_address_that_is_refused_holds_up_no_other(refusing: type[Refusing]) -> None:
    refusing.times = 1
    waiting(3)
    assert outbox.send_due() == 2
