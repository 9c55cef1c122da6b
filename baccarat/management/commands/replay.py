"""`manage.py replay ROUND`: rebuild one round from its events and describe each step."""

import json
import sys
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from baccarat.audit.round_replay import NoSuchRound, RoundReplay, find_round, replay_round
from baccarat.management.commands.audit import findings_table


class Command(BaseCommand):
    help = "Describe one round from its events: bets, cards, payouts, commission, seed; exit 1 if the record differs."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("round", metavar="ROUND", help="a round's id, or TABLE#NUMBER")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *_args: Any, round: str, **options: Any) -> None:  # noqa: A002  (the field's word)
        try:
            replay = replay_round(find_round(round))
        except NoSuchRound as error:
            raise CommandError(str(error)) from error
        except Exception as error:  # damaged events may raise anything
            raise CommandError(f"The events can't be replayed: {error!r}") from error
        if options["json"]:
            self.stdout.write(json.dumps(replay.document(), indent=2))
        else:
            screen = cast("IO[str]", self.stdout)
            _print(replay, Console(file=screen, no_color=bool(options["no_color"]), highlight=False, markup=False))
        if replay.findings:
            sys.exit(1)


def _print(replay: RoundReplay, console: Console) -> None:
    title = f"Round {replay.round}, number {replay.number} of table {replay.table}"
    table = Table("#", "event", "what happened", title=title, title_justify="left")
    table.columns[2].overflow = "fold"
    shown_version = 0
    for line in replay.lines:
        new = line.version != shown_version
        table.add_row(str(line.version) if new else "", line.event if new else "", line.text)
        shown_version = line.version
    console.print(table)
    console.print(replay.fairness)
    if replay.findings:
        console.print(findings_table(replay.findings))
    console.print(replay.verdict())
