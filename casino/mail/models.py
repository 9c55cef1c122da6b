"""E-mails that wait, or that were sent."""

from django.db import models
from django.db.models.functions import Now


class Email(models.Model):
    """An e-mail of plain text. It is tried when it is due, until it is sent; it must hold no secret."""

    id = models.BigAutoField(primary_key=True)
    address = models.EmailField()
    subject = models.TextField()
    body = models.TextField()
    created_at = models.DateTimeField(db_default=Now())
    due_at = models.DateTimeField(db_default=Now(), help_text="While it is tried, when another process may try it.")
    attempts = models.IntegerField(default=0)
    error = models.TextField(blank=True, default="", help_text="Why the last attempt failed.")
    sent_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "e-mail"
        indexes = [
            models.Index(fields=["due_at"], condition=models.Q(sent_at=None), name="mail_email_due"),
            models.Index(fields=["sent_at"], name="mail_email_sent"),
        ]

    def __str__(self) -> str:
        return f"e-mail {self.pk}"
