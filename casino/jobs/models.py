"""When each periodic job is due, and which runner has it."""

from django.db import models
from django.db.models.functions import Now


class Job(models.Model):
    """A periodic job. Its lease ends at `leased_until` by the database's clock unless its runner renews it."""

    name = models.TextField(primary_key=True)
    due_at = models.DateTimeField(db_default=Now())
    holder = models.TextField(db_default="", help_text="The runner that has or had the lease.")
    leased_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name
