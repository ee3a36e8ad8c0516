"""What a source's `config.json` says: how an MCP server is reached and what it needs."""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from bottega.core.definitions.folders import Origin

SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
#: A credential by its name; the value is in the house's secrets and nowhere else.
CREDENTIAL = re.compile(r"\$\{credential:([A-Za-z0-9][A-Za-z0-9._-]{0,63})\}")
_PLACEHOLDER = re.compile(r"\$\{[^}]*\}?")
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
Seconds = Annotated[float, Field(gt=0, le=3_600)]
CredentialName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
HeaderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,127}$")]


def _without_credential(value: str) -> str:
    if CREDENTIAL.search(value):
        raise ValueError(
            "credentials reach a source by 'env', 'headers' or 'auth' only: here every program on "
            "the machine, or every log on the way, could read them"
        )
    return value


def _with_known_placeholders(value: str) -> str:
    for found in _PLACEHOLDER.findall(value):
        if not CREDENTIAL.fullmatch(found):
            raise ValueError(f"unknown placeholder {found!r}; write ${{credential:name}}")
    return value


Open = Annotated[str, Field(max_length=4_000), AfterValidator(_without_credential)]
#: May name credentials, which are filled in when the source is started.
Closed = Annotated[str, Field(max_length=4_000), AfterValidator(_with_known_placeholders)]


class AuthType(StrEnum):
    NONE = "none"
    #: `Authorization: Bearer …`
    BEARER = "bearer"
    #: A header of the source's own.
    HEADER = "header"
    OAUTH = "oauth"


class Auth(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    type: AuthType = AuthType.NONE
    #: For bearer and header: the name of the credential.
    credential: CredentialName | None = None
    header: HeaderName | None = None
    #: For OAuth, all optional: without a client id we register ourselves.
    scopes: Annotated[list[Open], Field(max_length=50)] = []
    client_id: Open | None = Field(None, alias="clientId")
    client_secret: CredentialName | None = Field(None, alias="clientSecretCredential")

    @model_validator(mode="after")
    def _has_what_its_type_needs(self) -> "Auth":
        if self.type in (AuthType.BEARER, AuthType.HEADER) and self.credential is None:
            raise ValueError(f"auth of type {self.type.value!r} needs the name of a 'credential'")
        if self.type is AuthType.HEADER and self.header is None:
            raise ValueError("auth of type 'header' needs the 'header' that carries the credential")
        return self


class SourceConfig(BaseModel):
    """What sources of both types say."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1, max_length=100)]
    description: Annotated[str, Field(max_length=2_000)] = ""
    icon: Annotated[str, Field(max_length=200)] | None = None
    #: Unless a person decides otherwise.
    enabled: bool = True
    #: How long it may take to come up, and to answer a call.
    start_timeout: Seconds = Field(30.0, alias="startTimeout")
    timeout: Seconds = 60.0


class StdioConfig(SourceConfig):
    """A program that we start. `{python}`, `{project}`, `{data}` and `{folder}` stand for our own
    interpreter, the project, the data directory and the folder of this file."""

    type: Literal["stdio"]
    command: Annotated[Open, Field(min_length=1)]
    args: Annotated[list[Open], Field(max_length=100)] = []
    env: Annotated[dict[VariableName, Closed], Field(max_length=100)] = {}
    #: Relative to the folder of this file, which is also the default.
    cwd: Open | None = None


class HttpConfig(SourceConfig):
    type: Literal["http"]
    url: Annotated[Open, Field(pattern=r"^https?://[^\s/@]+(/\S*)?$")]
    headers: Annotated[dict[HeaderName, Closed], Field(max_length=50)] = {}
    auth: Auth = Auth()

    @model_validator(mode="after")
    def _sends_no_secret_in_the_clear(self) -> "HttpConfig":
        has_secret = self.auth.type is not AuthType.NONE or any(
            CREDENTIAL.search(value) for value in self.headers.values()
        )
        address = urlsplit(self.url)
        if has_secret and address.scheme == "http" and address.hostname not in LOOPBACK:
            raise ValueError(f"credentials go over https only, not to {self.url!r}")
        return self


AnyConfig = StdioConfig | HttpConfig


@dataclass(frozen=True, slots=True)
class McpSource:
    slug: str
    config: AnyConfig
    folder: Path
    origin: Origin
    #: `guide.md`: how to use it, for people and prompts.
    guide: str = ""
    #: Nothing that came with a project runs before its owner has trusted it as it is.
    is_trusted: bool = True
