"""A process of ours that reads many live streams and notes when each mark arrives. It knows no Django."""

import asyncio
import re
import threading
import time
from collections.abc import Coroutine
from typing import Any

from casino.devstack.system import HOST
from tests.nightly.bench.measure import percentile
from tests.nightly.bench.worker import serve

AT_ONCE = 20
"""Streams that are being opened at the same time."""

PATIENCE = 120.0
"""Seconds that all streams together have to begin."""

ARRIVAL = 10.0
"""Seconds that the last message has to arrive."""

_MARK = re.compile(rb'"mark":(\d+)[^0-9]')
_LONGEST_MARK = 32


class Stream(asyncio.Protocol):
    """One stream; a mark that is cut in two is found with the next bytes."""

    def __init__(self, arrived: dict[int, list[float]]) -> None:
        self.begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._arrived = arrived
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        """Note the marks in what came."""
        now, text = time.monotonic(), self._rest + data
        if not self.begun.done() and b"event: snapshot" in text:
            self.begun.set_result(None)
        last = 0
        for match in _MARK.finditer(text):
            self._arrived.setdefault(int(match[1]), []).append(now)
            last = match.end()
        self._rest = text[max(last, len(text) - _LONGEST_MARK) :]

    def connection_lost(self, error: Exception | None) -> None:
        """End the wait for a beginning that never came."""
        del error
        if not self.begun.done():
            self.begun.cancel()


class Readers:
    """All streams, on an event loop in a thread of its own."""

    def __init__(self) -> None:
        self.arrived: dict[int, list[float]] = {}
        self._transports: list[asyncio.BaseTransport] = []
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    def listen(self, *, port: int, streams: list[tuple[str, str]]) -> int:
        """Open the streams, each for a token at a table, and return how many began."""
        return int(self._run(self._listen(port, streams)))

    def took(self, *, marks: list[dict[str, Any]], expected: int) -> dict[str, float]:
        """Wait for the marks and return how many came, and the median and 99th percentile in ms."""
        numbers, until = [mark["number"] for mark in marks], time.monotonic() + ARRIVAL
        while sum(len(self.arrived.get(number, ())) for number in numbers) < expected and time.monotonic() < until:
            time.sleep(0.05)
        latencies = [(at - mark["moment"]) * 1000 for mark in marks for at in self.arrived.get(mark["number"], ())]
        return {"arrived": len(latencies), "p50": percentile(latencies, 0.5), "p99": percentile(latencies, 0.99)}

    def close(self) -> bool:
        """Close all streams."""
        for transport in self._transports:
            self._loop.call_soon_threadsafe(transport.close)
        self._transports = []
        return True

    async def _listen(self, port: int, streams: list[tuple[str, str]]) -> int:
        turns = asyncio.Semaphore(AT_ONCE)

        async def one(token: str, table: str) -> bool:
            async with turns:
                transport, stream = await self._loop.create_connection(lambda: Stream(self.arrived), HOST, port)
                self._transports.append(transport)
                head = (f"GET /api/v1/stream?table={table} HTTP/1.1", f"Host: {HOST}", f"Authorization: Bearer {token}")
                transport.write("\r\n".join((*head, "", "")).encode())
                try:
                    await asyncio.wait_for(stream.begun, PATIENCE)
                except (TimeoutError, asyncio.CancelledError):
                    return False
                return True

        return sum(await asyncio.gather(*(one(token, table) for token, table in streams)))

    def _run(self, work: Coroutine[Any, Any, int]) -> int:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


if __name__ == "__main__":
    readers = Readers()
    serve({"listen": readers.listen, "took": readers.took, "close": readers.close})
