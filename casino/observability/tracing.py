"""Traces of OpenTelemetry, from HTTP through Celery to SQL: where settings.OTEL_EXPORTER_OTLP_ENDPOINT is set.

Needs the extra `tracing`. The library reads its other variables by itself, such as OTEL_TRACES_SAMPLER.
"""

from casino.observability.logging import read_trace_with


def instrument() -> None:
    """Let the libraries begin spans; call it before Django loads its middleware. They go nowhere until `export`."""
    from opentelemetry import trace
    from opentelemetry.instrumentation.celery import CeleryInstrumentor
    from opentelemetry.instrumentation.django import DjangoInstrumentor
    from opentelemetry.instrumentation.psycopg import PsycopgInstrumentor

    for instrumentor in (DjangoInstrumentor, CeleryInstrumentor, PsycopgInstrumentor):
        instrumentor().instrument()

    def trace_id() -> str:
        context = trace.get_current_span().get_span_context()
        return format(context.trace_id, "032x") if context.is_valid else ""

    read_trace_with(trace_id)


def export(process: str) -> None:
    """Send the spans of this process; call it in each, because the thread that sends does not survive a fork."""
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": f"casino-{process}"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
