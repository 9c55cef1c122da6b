"""E-mails that wait, or that were sent."""

from django.db import models
from django.db.models.functions import Now

from casino.events.outbox import Waiting


class Email(Waiting):
    """An e-mail of plain text. It is tried when it is due, until it is sent; it must hold no secret."""

    id = models.BigAutoField(primary_key=True)
    address = models.EmailField()
    subject = models.TextField()
    body = models.TextField()
    created_at = models.DateTimeField(db_default=Now())
    sent_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "e-mail"
        indexes = [
            models.Index(fields=["due_at"], condition=models.Q(due_at__isnull=False), name="mail_email_due"),
            models.Index(fields=["sent_at"], name="mail_email_sent"),
        ]

    def __str__(self) -> str:
        return f"e-mail {self.pk}"
