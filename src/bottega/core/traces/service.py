"""Spans around what the server does.

    with traces.span("execute_tool recall", SpanKind.TOOL, session_id=session.id) as span:
        span.set_attribute("gen_ai.tool.name", "recall")

A span costs the caller some 30 µs: it is cleaned of secrets and written behind the call. Session,
user and run pass from a span to those within it. The tracer provider is our own and not the
process's global one; libraries that can be traced are handed `traces.provider`.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from bottega.core.db.database import Database
from bottega.core.db.write_behind import WriteBehind
from bottega.core.traces.store import (
    KIND,
    RUN,
    SESSION,
    USER,
    Rows,
    SpanKind,
    StoredTraces,
    to_attribute,
    to_row,
)
from bottega.core.trust.redaction import Redact

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan, Span, TracerProvider
    from opentelemetry.trace import Tracer

#: Longer texts are cut, so that one prompt cannot fill the table.
MAX_ATTRIBUTE_LENGTH = 50_000
#: Seconds a span waits for company: whoever reads flushes first, so only the batches grow.
LINGER = 0.5
_INHERITED = (SESSION, USER, RUN)


class Traces(StoredTraces):
    def __init__(
        self,
        database: Database,
        *,
        otlp_endpoint: str | None = None,
        redact: Redact = lambda text: text,
    ) -> None:
        """`redact` masks known secret values (`Secrets.redact`)."""
        super().__init__(database)
        self._otlp_endpoint = otlp_endpoint
        self._redact = redact
        self._behind: WriteBehind[ReadableSpan] = WriteBehind(
            self._write, name="spans", linger=LINGER
        )

    @cached_property
    def provider(self) -> "TracerProvider":
        from bottega.core.traces.provider import make_provider

        return make_provider(
            self._behind.put, self._otlp_endpoint, self._redact, MAX_ATTRIBUTE_LENGTH
        )

    @cached_property
    def _tracer(self) -> "Tracer":
        return self.provider.get_tracer("bottega")

    @contextmanager
    def span(
        self,
        name: str,
        kind: SpanKind,
        *,
        session_id: str | None = None,
        user_id: str | None = None,
        run_id: str | None = None,
        attributes: Mapping[str, object] | None = None,
        **more: object,
    ) -> Iterator["Span"]:
        """A span around a block; an exception that leaves the block marks it and goes on.

        `attributes` takes dotted names such as `gen_ai.tool.name`, keywords take plain ones.
        """
        from opentelemetry.sdk.trace import ReadableSpan
        from opentelemetry.trace import get_current_span

        named = {**attributes, **more} if attributes else more
        given = {key: to_attribute(value) for key, value in named.items()}
        parent = get_current_span()
        if isinstance(parent, ReadableSpan) and parent.attributes:
            above = parent.attributes
            given |= {key: above[key] for key in _INHERITED if key in above}
        ids = ((SESSION, session_id), (USER, user_id), (RUN, run_id))
        given |= {key: value for key, value in ids if value is not None}
        given[KIND] = kind.value
        with self._tracer.start_as_current_span(name, attributes=given) as span:
            yield span  # type: ignore[misc]

    async def start(self) -> None:
        await self._behind.start()

    async def stop(self) -> None:
        await self._behind.stop()
        if "provider" in self.__dict__:
            # Sends what waits for the OTLP endpoint, which may take its time to answer.
            await asyncio.to_thread(self.provider.shutdown)

    async def flush(self) -> None:
        """Return when every span ended so far can be read back."""
        await self._behind.flush()

    async def _write(self, spans: "Sequence[ReadableSpan]") -> None:
        await self.add(await asyncio.to_thread(self._rows, spans))

    def _rows(self, spans: "Sequence[ReadableSpan]") -> Rows:
        return [to_row(span, self._redact) for span in spans]
