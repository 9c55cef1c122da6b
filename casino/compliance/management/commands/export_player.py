"""`manage.py export_player`: everything about one player, as a ZIP of JSON files."""

from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from casino.compliance import exports
from casino.kernel.errors import Refusal
from casino.operators.services import find_operator


class Command(BaseCommand):
    help = "Write everything about one player to a ZIP of JSON files."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("operator", help="the operator's slug")
        parser.add_argument("player", type=UUID)
        parser.add_argument("file", type=Path)

    def handle(self, **options: Any) -> None:
        try:
            operator = find_operator(slug=options["operator"]).id
            pieces = exports.export_player(
                operator=operator, player=options["player"], now=timezone.now(), files=exports.player_files()
            )
        except Refusal as refusal:
            raise CommandError(refusal.message()) from None
        with options["file"].open("wb") as file:
            file.writelines(pieces)
        self.stdout.write(f"Written to {options['file']}.")
