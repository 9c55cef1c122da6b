"""`manage.py replace_witness RELEASE-KEY NAME --reason REASON [--table ID]`: go on with another witness."""

from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from baccarat.domain.tables.witness_events import ReplacementReason
from baccarat.management.commands.stop import shell_metadata
from baccarat.services import witness_chains
from casino.events.store import Metadata
from casino.kernel.errors import Refusal
from casino.operators import memberships, notices
from casino.operators.change import change_stream
from casino.operators.models import Operator
from casino.witness.client import ChainRefused
from casino.witness.transport import WitnessAway

_REFUSED: Final = (Refusal, ChainRefused, WitnessAway)


class Command(BaseCommand):
    """One transaction for each table. Repeat it for the tables that were not ready.

    For the tables of a live operator the first time requests it; once two persons have confirmed that, a day is left.
    """

    help = (
        "Have tables use a chain of another witness, or a new one of the same, from their next commitment on. Rounds "
        "that follow from links of the ended chains are void, and public."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("release_key", help="the release key of the witness that is replaced, in hex")
        parser.add_argument("name", help="the name in WITNESSES of the witness that follows")
        parser.add_argument("--reason", required=True, choices=[reason.value for reason in ReplacementReason])
        parser.add_argument("--table", type=UUID, help="this table only (default: all that use the witness)")

    def handle(self, *_: Any, release_key: str, name: str, reason: str, table: UUID | None, **_options: Any) -> None:
        address = witness_chains.find_witness(name)
        if address is None:
            raise CommandError(f"WITNESSES has no witness {name!r} that gives out links.")
        why, refused, count = ReplacementReason(reason), 0, 0
        agreed: dict[UUID, Metadata | None] = {}
        for each, operator in witness_chains.list_tables(release_key):
            if table not in {None, each}:
                continue
            count += 1
            if operator not in agreed:
                agreed[operator] = self._find_agreement(operator, release_key=release_key, name=name, reason=why)
            metadata = agreed[operator]
            if metadata is None:
                refused += 1
                continue
            try:
                witness_chains.replace(
                    table=each,
                    operator=operator,
                    release_key=release_key,
                    address=address,
                    reason=why,
                    metadata=metadata,
                )
            except _REFUSED as error:
                refused += 1
                self.stderr.write(f"table {each}: {error.message() if isinstance(error, Refusal) else error}")
        self.stdout.write(f"replace_witness: replaced={count - refused} refused={refused}")
        if refused or not count:
            raise CommandError("Some tables were not replaced." if refused else "No table uses this witness.")

    def _find_agreement(self, operator: UUID, **named: Any) -> Metadata | None:
        """Return as whose the events are, None if a live operator's persons have yet to agree: it is requested then."""
        metadata = shell_metadata("switch", operator)
        if not Operator.objects.filter(pk=operator, sandbox=False).exists():
            return metadata
        agreed = witness_chains.find_agreement(operator=operator, **named)
        if agreed is not None:
            return replace(metadata, causation=change_stream(agreed.pk))
        change = witness_chains.request_replacement(operator=operator, **named, by=memberships.shell_actor())
        self.stdout.write(f"replace_witness: {notices.format_request(change)} Then run this again.")
        return None
