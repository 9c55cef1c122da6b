"""`manage.py odds PRESET [--currency EUR] [--json]`: a preset's odds, computed from first principles."""

import json
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from baccarat.domain.rules.cards import unshuffled_shoe
from baccarat.domain.rules.counting import OUTCOMES, play_out
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.odds import (
    OddsSheet,
    SpotOdds,
    describe_commission,
    format_decimal,
    format_fraction,
    notes,
    odds_document,
    odds_sheet,
)
from baccarat.domain.rules.presets import PRESETS, rules_for
from baccarat.domain.rules.spots import line_in_words, spot_title
from casino.kernel.errors import Refusal

PRESET_NAMES = ", ".join(PRESETS)


class Command(BaseCommand):
    help = f"Print the exact odds of a table preset: {PRESET_NAMES}."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("preset", metavar="PRESET", help=f"one of: {PRESET_NAMES}")
        parser.add_argument("--currency", default="EUR", help="ISO 4217 code (default: EUR)")
        parser.add_argument("--simulate", type=int, metavar="ROUNDS", help="also simulate this many rounds, to compare")
        parser.add_argument("--json", action="store_true", help="print JSON, with exact fractions as n/d")

    def handle(self, *_args: Any, preset: str, currency: str, **options: Any) -> None:
        try:
            sheet = odds_sheet(rules_for(preset, currency=currency))
        except Refusal as refusal:
            raise CommandError(refusal.message()) from refusal
        simulated = None if options["simulate"] is None else simulate(sheet.rules.decks, options["simulate"])
        if options["json"]:
            self.stdout.write(
                json.dumps(odds_document(sheet) | ({"simulated": simulated} if simulated else {}), indent=2)
            )
            return
        screen = cast("IO[str]", self.stdout)
        console = Console(file=screen, no_color=bool(options["no_color"]), highlight=False)
        _print(sheet, console)
        if simulated:
            console.print(_simulated(sheet, simulated))


def simulate(decks: int, rounds: int) -> dict[Outcome, int]:
    """Deal at least this many rounds from shuffled shoes, each to its last six cards, and count outcomes."""
    if rounds < 1:
        raise CommandError("--simulate takes a number of rounds, 1 or more.")
    shoe, random, counts = list(unshuffled_shoe(decks)), Random(), dict.fromkeys(OUTCOMES, 0)  # noqa: S311  (a simulation, not a table)
    while sum(counts.values()) < rounds:
        random.shuffle(shoe)
        for outcome, count in play_out(shoe).items():
            counts[outcome] += count
    return counts


def _simulated(sheet: OddsSheet, dealt: dict[Outcome, int]) -> Table:
    table = Table("outcome", title=f"Simulated: {sum(dealt.values()):,} rounds", title_justify="left")
    for heading in ("rounds", "share", "exact share"):
        table.add_column(heading, justify="right")
    exact = sheet.counts
    draws = {Outcome.BANKER: exact.banker, Outcome.PLAYER: exact.player, Outcome.TIE: exact.tie}
    for outcome, count in draws.items():
        shares = Fraction(dealt[outcome], sum(dealt.values())), Fraction(count, exact.total)
        table.add_row(
            outcome.capitalize(), f"{dealt[outcome]:,}", *(format_decimal(share, places=6) for share in shares)
        )
    return table


def _print(sheet: OddsSheet, console: Console) -> None:
    rules = sheet.rules
    preset = PRESETS[rules.preset]
    console.print(f"[bold]{preset.title}[/] ({rules.preset}, version {rules.version}), {rules.decks} decks")
    console.print(f"Commission: {describe_commission(rules)}")
    console.print(_counts(sheet))
    console.print(_lines(sheet))
    console.print(_decimals(sheet))
    console.print(_fractions(sheet))
    for note in notes(sheet):
        console.print(f"- {note}")


def _counts(sheet: OddsSheet) -> Table:
    table = Table("outcome", title="Ordered six-card draws", title_justify="left")
    table.add_column("draws", justify="right")
    exact = sheet.counts
    for outcome, count in (("Banker", exact.banker), ("Player", exact.player), ("Tie", exact.tie)):
        table.add_row(outcome, f"{count:,}")
    table.add_section()
    table.add_row("all", f"{exact.total:,}")
    return table


def _decimals(sheet: OddsSheet) -> Table:
    table = Table("", title="Odds", title_justify="left")
    for odds in sheet.spots:
        table.add_column(spot_title(odds.spot), justify="right")
    for names_and_values in zip(*[_measures(odds) for odds in sheet.spots], strict=True):
        table.add_row(names_and_values[0][0], *[format_decimal(value) for _, value in names_and_values])
    return table


def _lines(sheet: OddsSheet) -> Table:
    table = Table("spot", "line", title="Pay lines: the first that holds decides", title_justify="left")
    table.add_column("chance", justify="right")
    for odds in sheet.spots:
        for each in odds.lines:
            table.add_row(spot_title(odds.spot), line_in_words(each.line), format_decimal(each.chance))
        table.add_section()
    return table


def _fractions(sheet: OddsSheet) -> Table:
    table = Table("spot", "measure", title="Exact fractions", title_justify="left", show_lines=False)
    table.add_column("fraction", overflow="fold")
    for odds in sheet.spots:
        for measure, value in _measures(odds):
            table.add_row(spot_title(odds.spot), measure, format_fraction(value))
        table.add_section()
    return table


def _measures(odds: SpotOdds) -> Iterator[tuple[str, Fraction]]:
    yield from (("win", odds.win), ("lose", odds.lose), ("push", odds.push))
    for where, figures in (("", odds.exact), (" at minimum", odds.at_minimum)):
        yield f"return{where}", figures.rtp
        yield f"house edge{where}", figures.edge
        yield f"variance{where}", figures.variance
