"""Sources as people see them."""

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel

from bottega.research.sources.definition import (
    CREDENTIAL,
    Auth,
    AuthType,
    HttpConfig,
    Origin,
    Source,
)
from bottega.research.sources.loading import BrokenSource


class Health(StrEnum):
    #: Not used yet since the house was opened.
    UNKNOWN = "unknown"
    OK = "ok"
    FAILING = "failing"
    #: A person must enter a credential or sign in.
    NEEDS_AUTH = "needs_auth"


class HealthView(BaseModel):
    health: Health = Health.UNKNOWN
    last_error: str | None = None
    tools: int | None = None
    checked_at: datetime | None = None


class SourceView(HealthView):
    slug: str
    name: str
    description: str = ""
    icon: str | None = None
    type: str = ""
    origin: Origin
    enabled: bool = False
    #: Nothing of a project's source runs before a person has enabled it.
    trusted: bool = True
    auth: AuthType = AuthType.NONE
    #: For OAuth.
    signed_in: bool | None = None
    #: Names of the credentials that it wants.
    credentials: list[str] = []
    #: What is wrong with its files, each with line and column.
    problems: list[str] = []


class Check(BaseModel):
    name: str
    passed: bool
    message: str


class TestReport(BaseModel):
    """What happened when a source was tried."""

    __test__ = False  # no test of ours, whatever pytest makes of the name

    slug: str
    passed: bool
    health: Health
    checks: list[Check]
    tools: list[str] = []
    #: What a person can do next.
    advice: list[str] = []
    duration_ms: int = 0


def source_view(
    source: Source, health: HealthView, *, enabled: bool, trusted: bool, signed_in: bool | None
) -> SourceView:
    config = source.config
    auth = config.auth if isinstance(config, HttpConfig) else Auth()
    if signed_in is False:
        health = health.model_copy(update={"health": Health.NEEDS_AUTH})
    return SourceView(
        **health.model_dump(),
        slug=source.slug,
        name=config.name,
        description=config.description,
        icon=config.icon,
        type=config.type,
        origin=source.origin,
        enabled=enabled,
        trusted=trusted,
        auth=auth.type,
        signed_in=signed_in,
        credentials=credential_names(source),
    )


def broken_view(broken: BrokenSource) -> SourceView:
    return SourceView(
        slug=broken.slug,
        name=broken.slug,
        origin=broken.origin,
        health=Health.FAILING,
        last_error=broken.error.message,
        problems=[f"{p.line}:{p.column}: {p.message}" for p in broken.error.problems],
    )


def credential_names(source: Source) -> list[str]:
    """Those that it names, in order."""
    config = source.config
    if isinstance(config, HttpConfig):
        named = [config.auth.credential, config.auth.client_secret]
        texts = config.headers.values()
    else:
        named, texts = [], config.env.values()
    found = [*filter(None, named), *(name for text in texts for name in CREDENTIAL.findall(text))]
    return list(dict.fromkeys(found))
