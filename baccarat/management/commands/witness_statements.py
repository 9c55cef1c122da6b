"""`manage.py witness_statements`: what witnesses signed for this house, as `manage.py witness --compare` reads it."""

import json
from itertools import chain

from django.core.management.base import BaseCommand

from baccarat.audit.statements import list_notes, list_statements


class Command(BaseCommand):
    """One JSON object on each line: chains, links with the results of their rounds, and checkpoints."""

    help = "Print what witnesses signed for this house, with the results of the rounds, for `witness --compare`."
    requires_system_checks = ()

    def handle(self, **_: object) -> None:
        for line in chain(list_statements(), list_notes()):
            self.stdout.write(json.dumps(line))
