"""Sources as people see them."""

from collections.abc import Sequence
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
from bottega.research.sources.launch import Launch
from bottega.research.sources.loading import FILE, BrokenSource


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


class SourceDetail(SourceView):
    """A source with what a person has to know before they trust it."""

    #: Where it is defined.
    file: str
    #: `guide.md`, for people and prompts.
    guide: str = ""
    #: What would be started, word by word, and where.
    program: list[str] = []
    cwd: str | None = None
    #: What would be asked.
    url: str | None = None
    #: What the program gets in its environment, or the address in its headers, as the file has it:
    #: credentials by their names. A person's own file may hold secrets, so its values stay there.
    given: dict[str, str | None] = {}
    #: Those of its credentials that are there.
    stored: list[str] = []


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


def source_detail(view: SourceView, launch: Launch, stored: Sequence[str]) -> SourceDetail:
    source = launch.source
    config = source.config
    given = config.headers if isinstance(config, HttpConfig) else config.env
    is_private = source.origin is Origin.OWN
    return SourceDetail(
        **view.model_dump(),
        file=str(source.folder / FILE),
        guide=source.guide,
        program=list(launch.program),
        cwd=str(launch.cwd) if launch.cwd else None,
        url=config.url if isinstance(config, HttpConfig) else None,
        given={name: None if is_private else value for name, value in given.items()},
        stored=list(stored),
    )


def broken_detail(broken: BrokenSource) -> SourceDetail:
    return SourceDetail(**broken_view(broken).model_dump(), file=str(broken.folder / FILE))


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
