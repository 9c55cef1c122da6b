"""What a witness does: makes chains, gives out their links in order against signed closings, cosigns checkpoints.

Each call is one transaction: it checks, inserts and flushes before it answers. Requests that are not signed by a
configured house change nothing; refused ones that are signed are kept as evidence.
"""

import secrets
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from casino.crypto import ed25519
from casino.witness import statements
from casino.witness.houses import House, Refused
from casino.witness.links import ChainSecret
from casino.witness.records import (
    Chain,
    PublicRecords,
    current_generation,
    find_given,
    find_number,
    get_chain,
    list_open,
    next_number,
)
from casino.witness.statements import (
    ChainCreation,
    ChainHeader,
    ClosingRequest,
    InvalidStatement,
    Release,
    Retirement,
    RetirementReason,
)
from casino.witness.store import CannotStart, ClockBehind, Store

MAX_OPEN_CHAINS: Final = 2
"""The active chain of a table and its successor."""
_UNSIGNED: Final = frozenset({"malformed", "unknown_chain", "wrong_signature"})
"""Results of items that no house has signed."""
_BLOCKING: Final = """
SELECT 1 FROM chain WHERE origin = ? AND game_table = ? AND NOT retired AND house_signature IS NOT NULL AND number < (
    SELECT number FROM chain WHERE id = ?)
"""


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """An item of a batch with the house's signature."""

    request: ClosingRequest
    signature: bytes


@dataclass(frozen=True, slots=True)
class PresentedRelease:
    """The newest release that a client holds, with the header of its chain, both as they were signed."""

    header: bytes
    header_signature: bytes
    release: bytes
    signature: bytes


class Witness:
    """One witness over its store and the houses that it serves, by origin."""

    def __init__(self, store: Store, houses: Mapping[str, House], *, restored: bool = False) -> None:
        """Start, and retire all chains if the store is a restored copy. Raises CannotStart."""
        self.store = store
        self.houses = houses
        self.records = PublicRecords(store)
        self._retire_if_restored(restored=restored)

    def create(self, creation: ChainCreation, signature: bytes) -> dict[str, Any]:
        """Make chain `number` of a table, or return the one that was made. Raises Refused."""
        if creation.release_key != self.store.identity.release_key:
            raise Refused(403, "other_witness", "The request is for a witness with another release key.")
        self._require_closing_key(creation.origin, creation.closing_key, creation.serialize(), signature)
        chain = find_number(self.store.read(), creation)
        if chain is None:
            secret = ChainSecret.derive(secrets.token_bytes(32), height=creation.height)
            with self.store.transaction() as database:
                chain = find_number(database, creation) or self._add_chain(database, creation, secret)
        return self.records.present_chain(chain)

    def activate(self, chain_id: bytes, house_signature: bytes) -> dict[str, Any]:
        """Take the house's signature of a chain's header. Raises Refused."""
        with self.store.transaction() as database:
            chain = get_chain(database, chain_id)
            self._require_closing_key(chain.origin, chain.closing_key, chain.header, house_signature)
            if chain.house_signature is None:
                database.execute("UPDATE chain SET house_signature = ? WHERE id = ?", [house_signature, chain.id])
        return self.records.chain(chain_id)

    def retire(self, chain_id: bytes, signature: bytes) -> dict[str, Any]:
        """Retire a chain at its house's request, by a statement. Raises Refused."""
        with self.store.transaction() as database:
            chain = get_chain(database, chain_id)
            request = statements.retire_request(chain.id)
            self._require_closing_key(chain.origin, chain.closing_key, request, signature)
            if not chain.retired:
                self._retire(database, chain, RetirementReason.HOUSE, signature)
        return self.records.chain(chain_id)

    def release(self, items: Sequence[SignedRequest | None], newest: PresentedRelease | None) -> list[dict[str, Any]]:
        """Give out links, and return a result for each item, in order; None is an item that could not be read.

        `newest` is the newest release that the client holds; if this witness does not know it, it was restored. Raises
        Refused for the batch.
        """
        if newest is not None:
            self._require_memory(newest)
        with self.store.transaction() as database:
            results = [self._release(database, item) for item in items]
        if all(result.get("code") in _UNSIGNED for result in results):
            raise Refused(403, "wrong_signature", "No item is signed by the closing key of its chain.", results=results)
        return results

    def restart_generation(self, *, after: int = 0) -> None:
        """Retire every chain by a statement of a new generation, which is above `after`."""
        recorded = self.store.recorded_epoch() or self.store.epoch()
        self.store.start_generation(max(after, recorded.generation, self.store.epoch().generation) + 1)
        with self.store.transaction() as database:
            for chain in list_open(database):
                self._retire(database, chain, RetirementReason.RESTORED, b"")

    def _retire_if_restored(self, *, restored: bool) -> None:
        stored, recorded = self.store.epoch(), self.store.recorded_epoch()
        if recorded is None and stored.commits and not restored:
            raise CannotStart(
                f"{self.store.generation_file} is missing: this may be a restored copy. Start with --restored, which "
                "retires all chains, or put the file back."
            )
        if restored or (recorded is not None and recorded > stored):
            self.restart_generation()

    def _require_closing_key(self, origin: str, key: bytes, message: bytes, signature: bytes) -> None:
        house = self.houses.get(origin)
        if house is None or key not in house.closing_keys or not ed25519.is_signed(message, signature, public=key):
            raise Refused(403, "wrong_signature", "The request is not signed by a closing key of this origin.")

    def _add_chain(self, database: sqlite3.Connection, creation: ChainCreation, secret: ChainSecret) -> Chain:
        of_table = [creation.origin, creation.table.bytes]
        opened, last = database.execute(
            "SELECT count(*) FILTER (WHERE NOT retired), coalesce(max(number), 0) FROM chain "
            "WHERE origin = ? AND game_table = ?",
            of_table,
        ).fetchone()
        if opened >= MAX_OPEN_CHAINS:
            raise Refused(409, "too_many_chains", "The table has an active chain and a successor already.")
        if creation.number <= last:
            raise Refused(409, "number_passed", "The table has a chain of a higher number.", last_number=last)
        header = ChainHeader(
            origin=creation.origin,
            table=creation.table,
            number=creation.number,
            generation=current_generation(database),
            height=creation.height,
            root=secret.root,
            closing_key=creation.closing_key,
            release_key=self.store.identity.release_key,
            max_unpinned_s=creation.max_unpinned_s,
            created_ms=self._now_ms(database),
        )
        row = self._row_of(header, secret)
        names, places = ", ".join(row), ", ".join(f":{name}" for name in row)
        database.execute(f"INSERT INTO chain ({names}) VALUES ({places})", row)  # noqa: S608
        return get_chain(database, header.chain)

    def _row_of(self, header: ChainHeader, secret: ChainSecret) -> dict[str, Any]:
        data = header.serialize()
        return {
            "id": header.chain,
            "origin": header.origin,
            "game_table": header.table.bytes,
            "number": header.number,
            "generation": header.generation,
            "size": header.size,
            "closing_key": header.closing_key,
            "max_unpinned_s": header.max_unpinned_s,
            "header": data,
            "signature": ed25519.sign(self.store.identity.release_private, data),
            "secret": secret.secret,
            "block_roots": secret.block_roots,
        }

    def _release(self, database: sqlite3.Connection, item: SignedRequest | None) -> dict[str, Any]:
        if item is None:
            return _refused("malformed", "The item is malformed.")
        request = item.request
        try:
            chain = get_chain(database, request.chain)
            self._require_closing_key(chain.origin, chain.closing_key, request.serialize(), item.signature)
        except Refused as error:
            return error.as_json()
        row = find_given(database, chain, request.index)
        if row is None:
            return self._give_out(database, chain, item)
        given = Release.parse(row[2])
        presented = self.records.present_given(chain, request.index, row)
        if (given.kind, given.digest) == (request.kind, request.digest):
            return {"status": "released", **presented}
        refusal = _refused("index_used", "The index was used for another closing.", existing=presented)
        return self._keep_refusal(database, chain, item, refusal)

    def _give_out(self, database: sqlite3.Connection, chain: Chain, item: SignedRequest) -> dict[str, Any]:
        request = item.request
        if chain.retired:
            refusal = _refused("chain_retired", "The chain gives out no more links.")
            return self._keep_refusal(database, chain, item, refusal)
        if request.index != chain.next_index:
            refusal = _refused("not_next_index", "Links are given out in order.", next_index=chain.next_index)
            return self._keep_refusal(database, chain, item, refusal)
        blocking = database.execute(_BLOCKING, [chain.origin, chain.table, chain.id]).fetchone()
        if chain.house_signature is None or blocking is not None:
            return _refused("chain_not_active", "The house has not signed the chain, or an earlier one is active.")
        now = self._now_ms(database)
        (pinned,) = database.execute(
            "SELECT cosigned_ms FROM checkpoint WHERE origin = ? ORDER BY number DESC LIMIT 1", [chain.origin]
        ).fetchone() or [0]
        if now - pinned > chain.max_unpinned_s * 1000:
            return _refused("unpinned", "The newest checkpoint that this witness cosigned is too old.")
        number, previous = next_number(database, chain.origin)
        drawn = statements.link(chain.secret, request.index)
        release = Release(chain.id, request.index, request.kind, request.digest, drawn, now, number, previous)
        body = release.serialize()
        row = self._add_statement(
            database, chain, number=number, index=request.index, body=body, request_signature=item.signature
        )
        last = request.index + 1 == chain.size
        database.execute(
            "UPDATE chain SET next_index = ?, retired = ? WHERE id = ?", [request.index + 1, int(last), chain.id]
        )
        return {"status": "released", **self.records.present_given(chain, request.index, row)}

    def _retire(
        self, database: sqlite3.Connection, chain: Chain, reason: RetirementReason, request_signature: bytes
    ) -> None:
        number, previous = next_number(database, chain.origin)
        retirement = Retirement(
            origin=chain.origin,
            generation=current_generation(database),
            chain=chain.id,
            next_index=chain.next_index,
            reason=reason,
            time_ms=self._now_ms(database),
            number=number,
            previous=previous,
        )
        body = retirement.serialize()
        self._add_statement(database, chain, number=number, index=None, body=body, request_signature=request_signature)
        database.execute("UPDATE chain SET retired = 1 WHERE id = ?", [chain.id])

    def _add_statement(
        self,
        database: sqlite3.Connection,
        chain: Chain,
        *,
        number: int,
        index: int | None,
        body: bytes,
        request_signature: bytes,
    ) -> tuple[Any, ...]:
        signature = ed25519.sign(self.store.identity.release_private, body)
        row = (current_generation(database), number, body, signature, request_signature)
        database.execute(
            "INSERT INTO statement (generation, number, body, signature, request_signature, origin, chain, link_index) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [*row, chain.origin, chain.id, index],
        )
        return row

    def _keep_refusal(
        self, database: sqlite3.Connection, chain: Chain, item: SignedRequest, refusal: dict[str, Any]
    ) -> dict[str, Any]:
        database.execute(
            "INSERT INTO refusal (origin, code, request, signature, received_ms) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            [chain.origin, refusal["code"], item.request.serialize(), item.signature, self._now_ms(database)],
        )
        return refusal

    def _require_memory(self, newest: PresentedRelease) -> None:
        """Start a new generation if this witness signed the release and does not know it. Raises Refused."""
        key, database = self.store.identity.release_key, self.store.read()
        try:
            header = statements.verify_header(newest.header, newest.header_signature, release_key=key)
            release = Release.parse(newest.release)
        except InvalidStatement:
            return  # another witness's, or nobody's
        is_own = ed25519.is_signed(newest.release, newest.signature, public=key) and release.chain == header.chain
        row = database.execute(
            "SELECT body FROM statement WHERE chain = ? AND link_index = ?", [release.chain, release.index]
        ).fetchone()
        if not is_own or header.generation < current_generation(database) or row == (newest.release,):
            return
        self.restart_generation(after=header.generation)
        raise Refused(409, "witness_restored", "This witness was restored from a copy: its chains are retired.")

    def _now_ms(self, database: sqlite3.Connection) -> int:
        try:
            return self.store.now_ms(database)
        except ClockBehind as error:
            raise Refused(503, "clock_behind", str(error)) from error


def _refused(code: str, detail: str, **more: object) -> dict[str, Any]:
    return {"status": "refused", "code": code, "detail": detail, **more}
