"""`manage.py masked_words`: list or change the words masked in chats, for one operator or all."""

from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from baccarat.chat import moderation, queries
from casino.events.store import Metadata
from casino.kernel.errors import Refusal
from casino.operators.services import find_operator

ACTOR: Final = "command:masked_words"


class Command(BaseCommand):
    help = "List, add or remove words that are masked in chats; each change is recorded."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--operator", metavar="SLUG", help="an operator's own list; by default the list for everybody"
        )
        parser.add_argument("--add", nargs="+", default=[], metavar="WORD")
        parser.add_argument("--remove", nargs="+", default=[], metavar="WORD")
        parser.add_argument("--first", action="store_true", help="add a short starter list")

    def handle(self, *_args: Any, operator: str | None, add: list[str], remove: list[str], **options: Any) -> None:
        try:
            owner = None if operator is None else find_operator(slug=operator).id
            metadata = Metadata(str(owner or ""), ACTOR, "", "masked_words")
            for word in add:
                moderation.add_filter_word(operator=owner, word=word, metadata=metadata)
            for word in remove:
                moderation.remove_filter_word(operator=owner, word=word, metadata=metadata)
            if options["first"]:
                moderation.add_starter_words(operator=owner, metadata=metadata)
        except Refusal as refusal:
            raise CommandError(f"{refusal.detail}. {refusal.remedy}") from None
        for line in queries.list_own_filter_words(operator=owner):
            self.stdout.write(line)
