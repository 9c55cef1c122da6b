"""What the sandbox provider tells of a whole period, in pages; and how it is made to tell it wrongly, for tests."""

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any, Final

from casino.devstack.provider.book import PaymentStore, SandboxPayment

Answer = tuple[int, object]
MAX_PAGE_SIZE: Final = 500
_KINDS: Final = {"deposits": "deposit", "payouts": "payout"}
_CHANGEABLE: Final = frozenset({"amount", "status", "currency", "at"})


def now() -> str:
    """Print the time, as records carry it."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class Records:
    """A book as its records tell it: with payments left out, made up or told otherwise, where that was asked for."""

    def __init__(self, book: PaymentStore) -> None:
        self._book = book
        self._omitted: set[tuple[str, str]] = set()
        self._changed: dict[tuple[str, str], dict[str, str]] = {}
        self._invented: list[SandboxPayment] = []

    def is_omitted(self, payment: SandboxPayment) -> bool:
        """Tell whether the provider denies that it has this payment."""
        return (payment.kind, payment.payment) in self._omitted

    def page(self, query: dict[str, list[str]]) -> Answer:
        """List what an account had taken on from a time on and before another, `limit` after `cursor`."""
        given = {name: values[0] for name, values in query.items()}
        try:
            since, until = datetime.fromisoformat(given["from"]), datetime.fromisoformat(given["to"])
            start, limit = int(given.get("cursor", "0")), min(MAX_PAGE_SIZE, max(1, int(given.get("limit", "100"))))
        except (KeyError, ValueError):
            return 400, {"error": "malformed"}
        told = [each for each in self._told() if each.account == given.get("account", "")]
        found = [each for each in told if since <= datetime.fromisoformat(each.at) < until]
        shown = found[start : start + limit]
        more = str(start + limit) if len(found) > start + limit else None
        return 200, {"items": [_record(each) for each in shown], "next": more}

    def distort(self, path: list[str], body: bytes) -> Answer:
        """Add a record of nothing, or have a payment told otherwise or not at all from now on."""
        try:
            given: dict[str, Any] = json.loads(body)
            if not path:
                self._invented.append(SandboxPayment(**{"at": now(), **given}))
                return 201, given
            kind, payment = path
            key = _KINDS[kind], payment
        except (ValueError, TypeError, KeyError):
            return 400, {"error": "malformed"}
        self._omitted.discard(key)
        if given.get("omit"):
            self._omitted.add(key)
        self._changed[key] = {name: value for name, value in given.items() if name in _CHANGEABLE}
        return 200, given

    def _told(self) -> list[SandboxPayment]:
        kept = [each for each in self._book.all() if each.at and not self.is_omitted(each)]
        changed = [replace(each, **self._changed.get((each.kind, each.payment), {})) for each in kept]
        invented = [each for each in self._invented if not self.is_omitted(each)]
        return sorted([*changed, *invented], key=lambda each: (each.at, each.payment))


def _record(payment: SandboxPayment) -> dict[str, str]:
    return {name: value for name, value in asdict(payment).items() if name not in {"reason", "account"}}
