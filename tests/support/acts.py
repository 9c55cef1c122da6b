"""What tests set up as if enough persons had agreed, so that the audit finds nothing in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

from django.db import transaction

from casino.significant import act_log
from casino.significant.act_log import Agreement


@contextmanager
def agreed() -> Iterator[None]:
    """Let the acts of the block be those of two persons, and rows that it writes without an act be one of theirs."""
    with transaction.atomic(), act_log.by_agreement(Agreement(uuid4(), ("staff:1", "staff:2"))):
        yield
        act_log.done("auth.add_user", kind=None, operator=None, subject="test", actor="staff:1")
