"""Totals of each preset and currency from the API's round history: money in minor units, returns as fractions."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from rich import box
from rich.table import Table

from baccarat.domain.rules.odds import expected_return
from baccarat.domain.rules.presets import rules_for
from casino.devstack.bots.payment_bot import Tally
from casino.kernel import money
from wallet.funding.events import Funding


@dataclass(slots=True)
class PresetTotals:
    """A preset's sums in one currency, money type and funding.

    `returned` includes stakes, net of commission, which counts when earned.
    """

    preset: str
    money_type: str
    currency: str
    funding: Funding
    rounds: int = 0
    wagers: int = 0
    handle: int = 0
    returned: int = 0
    commission: int = 0
    expected: Fraction = Fraction(0)
    seconds: float = 0.0

    @property
    def ggr(self) -> int:
        """Gross gaming revenue: handle less what was returned."""
        return self.handle - self.returned

    def add(self, round_: dict[str, Any]) -> None:
        """Add the wagers of one settled round that are in this money type."""
        results = [
            seat["result"] for seat in round_["seats"] if seat["result"] and seat["money_type"] == self.money_type
        ]
        self.rounds += bool(results)
        for result in results:
            self._add(result)

    def _add(self, result: dict[str, Any]) -> None:
        rules = rules_for(self.preset, currency=self.currency)
        self.wagers += 1
        self.handle += money.parse(result["staked"], self.currency)
        self.commission += money.parse(result["commission"], self.currency)
        self.returned += money.parse(result["returned"], self.currency)
        stakes = {spot["spot"]: money.parse(spot["stake"], self.currency) for spot in result["spots"]}
        self.expected += expected_return(rules, stakes)


def table(lines: list[PresetTotals]) -> Table:
    """Return a table with a row for each preset, currency, money type and funding, which are never added up."""
    output = Table(
        title="Rounds played", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
    output.add_column("preset")
    output.add_column("money")
    output.add_column("funding")
    for heading in ("rounds", "wagers", "handle", "returned", "commission", "GGR", "return", "theory", "rounds/s"):
        output.add_column(heading, justify="right")
    for line in lines:
        output.add_row(line.preset, f"{line.currency} {line.money_type}", line.funding.value, *_cells(line))
    return output


def payments(tally: Tally) -> str:
    """Summarize the payment bots in one line."""
    return (
        f"payments: deposits={tally.deposits} rebuys={tally.rebuys} limits reached={tally.limits_hit} "
        f"reconnected={tally.recoveries} withdrawals={tally.withdrawals}"
    )


def own_wallet(made: Mapping[str, Any]) -> str:
    """Summarize in one line what the seamless operator's own wallet did."""
    return f"own wallet: debits={made['debit']} credits={made['credit']} corrections={made['correction']}"


def _cells(line: PresetTotals) -> tuple[str, ...]:
    returned = Fraction(line.returned)
    return (
        str(line.rounds),
        str(line.wagers),
        money.format_amount(line.handle, line.currency),
        money.format_amount(line.returned, line.currency),
        money.format_amount(line.commission, line.currency),
        money.format_amount(line.ggr, line.currency),
        _percent(returned, line.handle),
        _percent(line.expected, line.handle),
        f"{line.rounds / line.seconds:.1f}" if line.seconds else "-",
    )


def _percent(part: Fraction, whole: int) -> str:
    if not whole:
        return "-"
    share = part / whole * 100
    return f"{Decimal(share.numerator) / Decimal(share.denominator):.2f}%"
