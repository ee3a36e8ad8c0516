"""What a person can set: by environment variable, or in their `config.toml` (`config_file.py`).

Never by a file of the working directory, which may be a stranger's project. Only the composition
root reads it.
"""

import os
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from bottega.config_file import is_open_to_others, names_in_dotenv, read_config
from bottega.errors import ConfigurationError

#: Never shown.
SECRETS = frozenset({"anthropic_api_key", "openai_api_key", "bottega_token", "bottega_passcode"})
MASK = "••••"


def _expand(path: Path) -> Path:
    return path.expanduser().absolute()


Directory = Annotated[Path, AfterValidator(_expand)]


class Settings(BaseSettings):
    model_config = SettingsConfigDict(extra="ignore", case_sensitive=False)

    port: int = Field(3000, ge=0, le=65535, description="Port of the server; 0 picks a free one.")
    host: str = Field(
        "127.0.0.1", description="Address to bind. Wider than loopback needs a token."
    )
    project_dir: Directory | None = Field(
        None, description="The project worked on. Default: the current directory."
    )
    projects_dir: Directory | None = Field(
        None, description="A folder whose sub-folders are projects for the board."
    )
    data_dir: Directory = Field(
        Path("~/.bottega"), validate_default=True, description="Where Bottega keeps its data."
    )
    database_url: str | None = Field(
        None, description="`postgresql://…` for several machines. Default: SQLite in `DATA_DIR`."
    )
    chromadb_url: str | None = Field(
        None, description="A Chroma server for memories. Default: vectors in the database."
    )

    anthropic_api_key: str | None = Field(None, description="Key for Anthropic's models.")
    anthropic_base_url: str | None = Field(None, description="Another address of that API.")
    openai_api_key: str | None = Field(None, description="Key for OpenAI's or a compatible API.")
    openai_base_url: str | None = Field(
        None, description="Address of an OpenAI-compatible API: Ollama, vLLM, llama.cpp."
    )
    bottega_model: str = Field(
        "auto",
        description="`auto`, `anthropic`, `openai`, `offline`, or `provider:model` such as "
        "`anthropic:claude-sonnet-4-5-20250929`.",
    )
    bottega_fast_model: str | None = Field(None, description="`provider:model` for quick tasks.")
    bottega_strong_model: str | None = Field(None, description="`provider:model` for hard tasks.")

    bottega_token: str | None = Field(None, description="Bearer token that clients must send.")
    bottega_passcode: str | None = Field(None, description="Passcode that the web app asks for.")
    bottega_allowed_hosts: str = Field(
        "", description="More `Host` names to answer to, separated by commas."
    )

    bottega_vectors: Literal["auto", "embedded"] = Field(
        "auto",
        description="`auto` is pgvector on PostgreSQL; `embedded` does without that extension.",
    )
    bottega_embedder: str = Field(
        "granite",
        description="`granite` (static vectors at once, those of a small model behind), "
        "`wordllama` (static vectors only), `fastembed:MODEL`, `sentence-transformers:MODEL` or "
        "`openai:MODEL`.",
    )
    bottega_propose_after: int = Field(
        2, ge=1, description="How often a test fails before the board proposes a change for it."
    )
    bottega_shell: bool = Field(
        False,
        description="Let assistants that may execute use `bash`. They can read what you can read.",
    )
    bottega_ignored_files: bool = Field(
        False, description="Let rooms read and write files of the project that `.gitignore` hides."
    )
    bottega_log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="How much to log."
    )
    bottega_log_format: Literal["console", "json"] = Field(
        "console", description="Log lines for people or for machines."
    )
    bottega_max_body_bytes: int = Field(
        10_000_000, ge=1_000, description="Largest request body or WebSocket frame."
    )
    bottega_rate_limit: int = Field(
        1_000, ge=1, description="Requests a second allowed for one caller, on average."
    )
    bottega_trusted_proxies: str = Field(
        "",
        description="Addresses and networks of reverse proxies whose `X-Forwarded-For`, `-Proto` "
        "and `-Host` are believed, separated by commas.",
    )
    bottega_max_connections: int = Field(
        2_000,
        ge=1,
        description="Open connections; beyond them the owner and `/health` are still served.",
    )
    bottega_max_connections_per_address: int = Field(
        1_000, ge=1, description="Open connections of one address that is no trusted proxy."
    )
    bottega_max_requests_per_user: int = Field(
        100, ge=1, description="Requests that a user other than the owner may have under way."
    )
    bottega_max_websockets_per_user: int = Field(
        50, ge=1, description="Open WebSockets of a user other than the owner."
    )
    bottega_max_streams_per_user: int = Field(
        50, ge=1, description="Open event streams of a user other than the owner."
    )
    bottega_max_mcp_sessions_per_user: int = Field(
        100,
        ge=1,
        description="Open MCP sessions of a user other than the owner; idle ones make room.",
    )
    bottega_max_runs_per_user: int = Field(
        20, ge=1, description="Queued, running and paused runs of a user other than the owner."
    )
    bottega_max_spend_per_user: float | None = Field(
        None,
        ge=0,
        description="US dollars that models may cost in a day (UTC) for a user other than the "
        "owner. Default: no limit.",
    )
    bottega_half_open_seconds: float = Field(
        10.0,
        gt=0,
        le=300,
        description="Seconds that a request's headers may take, and its body stand still.",
    )
    bottega_secrets: Literal["redact", "refuse", "keep"] = Field(
        "redact",
        description="What becomes of keys and passwords in texts that are written down: `redact` "
        "hides them, `refuse` turns the text down, `keep` leaves them.",
    )
    bottega_keep_traces_days: int = Field(
        30, ge=0, description="Days that traces are kept; 0 is for ever, here and below."
    )
    bottega_keep_events_days: int = Field(
        180, ge=0, description="Days of the event log. Imported transcripts stay."
    )
    bottega_keep_runs_days: int = Field(
        30,
        ge=0,
        description="Days of what runs told on their way. What was asked, replied and answered "
        "stays, and so does all of research.",
    )
    bottega_keep_hooks_days: int = Field(
        30, ge=0, description="Days of what agents' hooks reported. Your prompts stay."
    )
    bottega_keep_actions_days: int = Field(180, ge=0, description="Days of the action log.")
    bottega_keep_megabytes: int = Field(
        400,
        ge=0,
        description="Most of these logs together: beyond, the oldest go sooner. 0 is no limit.",
    )
    otel_exporter_otlp_endpoint: str | None = Field(
        None, description="Where to send traces as well. Default: nowhere; they stay local."
    )

    @field_validator("*", mode="before")
    @classmethod
    def _empty_is_unset(cls, value: object, info: ValidationInfo) -> object:
        """`KEY=` means unset, save for the project: there it is a slip (FR-005)."""
        if value != "" or info.field_name is None:
            return value
        if info.field_name == "project_dir":
            raise ValueError("is empty. Set it to an existing directory, or unset it")
        return cls.model_fields[info.field_name].default

    @property
    def project(self) -> Path:
        return self.project_dir or Path.cwd()

    @property
    def database(self) -> str:
        return self.database_url or f"sqlite:///{self.data_dir / 'bottega.db'}"


def config_path() -> Path:
    """Where the person's file is, whether or not it exists."""
    given = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    # A relative one would lie in the working directory, which may be a stranger's project.
    base = given if given.is_absolute() else Path.home() / ".config"
    return base / "bottega" / "config.toml"


def load_settings(**overrides: object) -> Settings:
    """Read the settings: `overrides` before the environment, the environment before the file.

    A wrong one raises a `ConfigurationError` with its name and, if it came from there, the file's
    (FR-005).
    """
    path = config_path()
    given: dict[str, Any] = {name: value for name, value in overrides.items() if value is not None}
    from_file = _from_file(path, given)
    try:
        settings = Settings(**from_file, **given)
    except ValidationError as error:
        raise ConfigurationError("; ".join(_explain(error, from_file, path))) from None
    _check_project(settings)
    return settings


def check_setting(name: str, value: Any) -> Any:
    """The value that a setting would have; `ConfigurationError` for a wrong name or value."""
    lower = name.lower()
    if lower not in Settings.model_fields:
        raise ConfigurationError(f"There is no setting {name!r}. `bottega config show` names them.")
    try:
        return getattr(Settings.model_validate({lower: value}), lower)
    except ValidationError as error:
        mine = [item for item in _explain(error) if item.startswith(f"{lower.upper()}=")]
        if not mine:
            return value
        raise ConfigurationError("; ".join(mine)) from None


def warnings_of(settings: Settings) -> list[str]:
    """What whoever starts Bottega should know of where its settings are, and are not."""
    path = config_path()
    told = [
        f"{folder / '.env'} is not read: {', '.join(names)} in it configure nothing here. Set them "
        f"in the environment or with `bottega config set`, which writes {path}."
        for folder in dict.fromkeys([Path.cwd(), settings.project])
        if (names := names_in_dotenv(folder, Settings.model_fields))
    ]
    if is_open_to_others(path) and _holds_a_secret(read_config(path, Settings.model_fields)):
        told.append(f"{path} holds a key, and others can read or change it: `chmod 600 {path}`.")
    return told


def named_in_environment() -> set[str]:
    """The settings that variables decide. An empty one says nothing, save of the project."""
    return {
        name.lower()
        for name, value in os.environ.items()
        if name.lower() in Settings.model_fields and (value or name.lower() == "project_dir")
    }


def shown_value(name: str, value: Any) -> str | int | None:
    """A setting's value as it may be shown."""
    if value is None or isinstance(value, int):
        return value
    if name in SECRETS:
        return MASK
    text = str(value)
    return text.replace(f":{password}@", f":{MASK}@") if (password := _password(text)) else text


def _password(text: str) -> str | None:
    """Addresses of databases and proxies may carry one."""
    try:
        return urlsplit(text).password
    except ValueError:
        return None


def _holds_a_secret(settings: dict[str, Any]) -> bool:
    return any(name in SECRETS or _password(str(value)) for name, value in settings.items())


def _from_file(path: Path, given: dict[str, Any]) -> dict[str, Any]:
    """What the file says of that which nothing else does."""
    elsewhere = named_in_environment() | given.keys()
    settings = read_config(path, Settings.model_fields)
    return {name: value for name, value in settings.items() if name not in elsewhere}


def _explain(
    error: ValidationError, from_file: dict[str, Any] | None = None, path: Path | None = None
) -> list[str]:
    told = []
    for item in error.errors():
        name = str(item["loc"][0])
        value = MASK if name in SECRETS else item.get("input")
        where = f" (in {path})" if from_file and name in from_file else ""
        told.append(f"{name.upper()}={value!r}: {item['msg']}{where}")
    return told


def _check_project(settings: Settings) -> None:
    for name, path in (
        ("PROJECT_DIR", settings.project_dir),
        ("PROJECTS_DIR", settings.projects_dir),
    ):
        if path is not None and not path.is_dir():
            raise ConfigurationError(
                f"{name}={str(path)!r} does not exist or is not a directory. "
                f"Set {name} to an existing directory, or unset it."
            )
