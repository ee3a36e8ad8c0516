"""The OpenTelemetry end: spans go to a sink of ours and, when configured, to an OTLP endpoint.

Imported on first use, because the SDK takes a tenth of a second to load.
"""

from collections.abc import Callable, Sequence

from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Status

from bottega.core.trust.redaction import Redact, clean


def make_provider(
    sink: Callable[[ReadableSpan], None],
    otlp_endpoint: str | None,
    redact: Redact,
    max_attribute_length: int,
) -> TracerProvider:
    provider = TracerProvider(
        resource=Resource({SERVICE_NAME: "bottega"}),
        span_limits=SpanLimits(max_span_attribute_length=max_attribute_length),
        shutdown_on_exit=False,
    )
    provider.add_span_processor(_Sink(sink))
    if otlp_endpoint:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        endpoint = f"{otlp_endpoint.rstrip('/')}/v1/traces"
        # Also the longest that stopping waits for an endpoint that is away.
        exporter = _CleanExporter(OTLPSpanExporter(endpoint, timeout=3), redact)
        provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


class _Sink(SpanProcessor):
    def __init__(self, put: Callable[[ReadableSpan], None]) -> None:
        self._put = put

    def on_end(self, span: ReadableSpan) -> None:
        self._put(span)


class _CleanExporter(SpanExporter):
    """Sends spans on without what `redaction` holds back."""

    def __init__(self, exporter: SpanExporter, redact: Redact) -> None:
        self._exporter = exporter
        self._redact = redact

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return self._exporter.export([self._cleaned(span) for span in spans])

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def _redacted(self, text: str | None) -> str | None:
        return None if text is None else self._redact(text)

    def _cleaned(self, span: ReadableSpan) -> ReadableSpan:
        events = [
            type(event)(event.name, clean(event.attributes or {}, self._redact), event.timestamp)
            for event in span.events
        ]
        return ReadableSpan(
            name=span.name,
            context=span.context,
            parent=span.parent,
            resource=span.resource,
            attributes=clean(span.attributes or {}, self._redact),
            events=events,
            links=span.links,
            kind=span.kind,
            status=Status(span.status.status_code, self._redacted(span.status.description)),
            start_time=span.start_time,
            end_time=span.end_time,
            instrumentation_scope=span.instrumentation_scope,
        )
