"""`manage.py masked_words`: list or change the words masked in chats, for one operator or all."""

from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from baccarat.chat import queries, word_lists
from casino.events.store import Metadata
from casino.kernel.errors import Refusal
from casino.operators.services import find_operator

ACTOR: Final = "command:masked_words"


class Command(BaseCommand):
    help = "List the words that are masked in chats, add some or take some off; each change is recorded."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--operator", metavar="SLUG", help="an operator's own list; without it, the list of all")
        parser.add_argument("--add", nargs="+", default=[], metavar="WORD")
        parser.add_argument("--remove", nargs="+", default=[], metavar="WORD")
        parser.add_argument("--first", action="store_true", help="add a short list to begin with")

    def handle(self, *_args: Any, operator: str | None, add: list[str], remove: list[str], **options: Any) -> None:
        try:
            whose = None if operator is None else find_operator(slug=operator).id
            metadata = Metadata(str(whose or ""), ACTOR, "", "masked_words")
            for word in add:
                word_lists.add(operator=whose, word=word, metadata=metadata)
            for word in remove:
                word_lists.remove(operator=whose, word=word, metadata=metadata)
            if options["first"]:
                word_lists.add_starter_words(operator=whose, metadata=metadata)
        except Refusal as refusal:
            raise CommandError(f"{refusal.detail}. {refusal.remedy}") from None
        for line in queries.list_own_filter_words(operator=whose):
            self.stdout.write(line)
