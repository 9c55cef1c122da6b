"""What was played, per preset, from the API's own round history: money in minor units, returns as fractions."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from rich.table import Table

from baccarat.domain.rules.odds import expected_return
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.wagers import Spot
from casino.devstack.bots.saver import Tally
from casino.kernel import money


@dataclass(slots=True)
class PresetTotals:
    """A preset's sums in one kind of money. `payouts` include stakes; `commission` counts when earned."""

    preset: str
    money_type: str
    currency: str
    rounds: int = 0
    wagers: int = 0
    handle: int = 0
    payouts: int = 0
    commission: int = 0
    expected: Fraction = Fraction(0)
    seconds: float = 0.0

    @property
    def ggr(self) -> int:
        """What stays with the house: handle less payouts plus commission."""
        return self.handle - self.payouts + self.commission

    def add(self, round_: dict[str, Any]) -> None:
        """Add one settled round, as far as it was played with this kind of money."""
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
        back = money.parse(result["returned"], self.currency)
        held = 0 if result["commission_deferred"] else money.parse(result["commission"], self.currency)
        self.payouts += back + held
        stakes = {Spot(spot["spot"]): money.parse(spot["stake"], self.currency) for spot in result["spots"]}
        self.expected += expected_return(rules, stakes)


def table(lines: list[PresetTotals]) -> Table:
    """Lay the lines out, one preset and money_type a row; real and play money are never added up."""
    shown = Table(title="What was played", title_justify="left")
    shown.add_column("preset")
    shown.add_column("money")
    for heading in ("rounds", "wagers", "handle", "payouts", "commission", "GGR", "return", "theory", "rounds/s"):
        shown.add_column(heading, justify="right")
    for line in lines:
        shown.add_row(line.preset, line.money_type, *_cells(line))
    return shown


def payments(tally: Tally) -> str:
    """Say in a line what became of those whose money comes and goes by payments."""
    return (
        f"payments: deposits={tally.deposits} rebuys={tally.rebuys} limits hit={tally.limits_hit} "
        f"dropped out and restored={tally.recoveries} withdrawals={tally.withdrawals}"
    )


def _cells(line: PresetTotals) -> tuple[str, ...]:
    back = Fraction(line.payouts - line.commission)
    return (
        str(line.rounds),
        str(line.wagers),
        money.format_amount(line.handle, line.currency),
        money.format_amount(line.payouts, line.currency),
        money.format_amount(line.commission, line.currency),
        money.format_amount(line.ggr, line.currency),
        _percent(back, line.handle),
        _percent(line.expected, line.handle),
        f"{line.rounds / line.seconds:.1f}" if line.seconds else "-",
    )


def _percent(part: Fraction, whole: int) -> str:
    if not whole:
        return "-"
    share = part / whole * 100
    return f"{Decimal(share.numerator) / Decimal(share.denominator):.2f}%"
