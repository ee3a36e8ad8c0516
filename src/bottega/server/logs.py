"""Log lines, for people or for machines; what libraries log comes out the same way."""

import logging
import sys
from typing import Any, Literal, TextIO

import structlog

#: These say at `info` what we say ourselves.
QUIETER = (
    "uvicorn",
    "uvicorn.error",
    "uvicorn.access",
    "httpx",
    "httpcore",
    "mcp",
    "asyncio",
    "alembic",
)


def configure_logging(
    level: Literal["debug", "info", "warning", "error"] = "info",
    format: Literal["console", "json"] = "console",
    stream: TextIO | None = None,
) -> None:
    """Set up logging for the process. To `stderr`, because MCP over stdio owns `stdout`."""
    stream = stream or sys.stderr
    number = logging.getLevelNamesMapping()[level.upper()]
    before: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    after = _rendering(format, stream)
    structlog.configure(
        processors=[*before, *after],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(stream),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=before,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *after],
        )
    )
    logging.basicConfig(handlers=[handler], level=number, force=True)
    for name in QUIETER:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(max(number, logging.WARNING))


def _rendering(format: Literal["console", "json"], stream: TextIO) -> list[Any]:
    if format == "json":
        return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    # Its own traces show the variables of every frame: slow to write, and full of secrets.
    plain = structlog.dev.plain_traceback
    return [structlog.dev.ConsoleRenderer(colors=stream.isatty(), exception_formatter=plain)]
