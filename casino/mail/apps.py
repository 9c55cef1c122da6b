from django.apps import AppConfig


class MailConfig(AppConfig):
    name = "casino.mail"
    label = "mail"

    def ready(self) -> None:
        """Check that e-mails are sent in time."""
        from casino.observability import health

        oldest = "SELECT extract(epoch FROM clock_timestamp() - min(created_at)) FROM mail_email WHERE sent_at IS NULL"
        health.watch("mail", oldest, limit=900.0)
