"""manage.py export_player: everything about one player, as a ZIP."""

from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from casino.compliance import player_export
from casino.kernel.errors import Refusal
from casino.operators.services import find_operator


class Command(BaseCommand):
    """Writes the file."""

    help = "Writes everything that there is about one player into a ZIP of JSON."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Take an operator's slug, a player's id and the name of a file."""
        parser.add_argument("operator", help="the operator's slug")
        parser.add_argument("player", type=UUID)
        parser.add_argument("file", type=Path)

    def handle(self, **options: Any) -> None:
        """Export a player. Raises CommandError for one that is not there."""
        try:
            operator = find_operator(slug=options["operator"]).id
            pieces = player_export.export(operator=operator, player=options["player"], now=timezone.now())
        except Refusal as refusal:
            raise CommandError(refusal.message()) from None
        with options["file"].open("wb") as file:
            file.writelines(pieces)
        self.stdout.write(f"Written to {options['file']}.")
