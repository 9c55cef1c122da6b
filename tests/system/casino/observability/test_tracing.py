"""Traces of real processes: a wager is one trace, from HTTP through the wake-up to the statements of the deal."""

import http.server
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.services import process_environment
from casino.devstack.system import HOST, commands
from tests.baccarat.api.people import company, tenant
from tests.baccarat.streaming.listening import Web
from tests.conftest import Database
from tests.processes import wait_until

pytest.importorskip("opentelemetry.instrumentation.psycopg", reason="opentelemetry is not installed")

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

PATIENCE = 120.0


class Collector:
    """Receives spans by OTLP over HTTP."""

    def __init__(self) -> None:
        self.url = ""
        self.spans: list[tuple[str, Span]] = []
        """Each with the name of its service."""

    def of(self, service: str, name: str) -> list[Span]:
        return [span for owner, span in self.spans if (owner, span.name) == (service, name)]

    def trace(self, span: Span) -> list[tuple[str, Span]]:
        return [(owner, each) for owner, each in self.spans if each.trace_id == span.trace_id]


@contextmanager
def collector() -> Generator[Collector]:
    """Run a collector until the block ends."""
    received = Collector()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            assert self.path == "/v1/traces"
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                names = {each.key: each.value.string_value for each in resource.resource.attributes}
                received.spans += [
                    (names["service.name"], span) for scope in resource.scope_spans for span in scope.spans
                ]
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    server = http.server.ThreadingHTTPServer((HOST, 0), Handler)
    received.url = f"http://{HOST}:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_wager_is_one_trace_from_http_through_the_wakeup_to_the_deals_statements(
    database: Database, tmp_path: Path
) -> None:
    table, (ann,) = company(tenant("lucky"), "mini", "ann")
    with collector() as received:
        traced = {"OTEL_EXPORTER_OTLP_ENDPOINT": received.url, "OTEL_BSP_SCHEDULE_DELAY": "100"}
        logs = {"LOG_FORMAT": "json", "LOG_LEVEL": "DEBUG", "REQUEST_LOG": "true"}
        worker = Child(
            name="worker",
            command=commands(port=0)["worker"],
            environment=process_environment("worker", {**database.environment, **traced}),
            log=tmp_path / "worker.log",
            folder=PROJECT,
        )
        try:
            worker.start()
            with Web(database, log=tmp_path / "web.log", **traced, **logs) as web:
                bet = {"stakes": [{"spot": "player", "amount": "10.00"}], "currency": "EUR"}
                headers = {"Authorization": f"Bearer {ann.credential}", "Idempotency-Key": "traced-wager"}
                answer = httpx.post(f"{web.url}/tables/{table}/deal", json=bet, headers=headers, timeout=PATIENCE)
                assert answer.status_code == 200, answer.text
                assert wait_until(lambda: received.of("casino-worker", "run/baccarat.deal_due"), seconds=PATIENCE)
                name = "POST api/v1/tables/<uuid:table>/deal"
                assert wait_until(lambda: received.of("casino-web", name), seconds=PATIENCE), received.spans
                (request,) = received.of("casino-web", name)
                wanted = {
                    ("casino-web", "INSERT"),
                    ("casino-web", "apply_async/baccarat.deal_due"),
                    ("casino-worker", "run/baccarat.deal_due"),
                    ("casino-worker", "SELECT"),
                }

                def whole() -> bool:
                    return wanted <= {(owner, span.name) for owner, span in received.trace(request)}

                assert wait_until(whole, seconds=PATIENCE), {(o, span.name) for o, span in received.trace(request)}
        finally:
            worker.kill()
    statements = {
        each.value.string_value for _, span in received.spans for each in span.attributes if each.key == "db.statement"
    }
    assert statements
    assert not [each for each in statements if str(table) in each or ann.credential in each], "no values, only SQL"
    lines = [json.loads(line) for line in (tmp_path / "web.log").read_text().splitlines() if line.startswith("{")]
    (logged,) = [line for line in lines if line.get("route") == name.partition(" ")[2]]
    assert logged["trace"] == request.trace_id.hex()
