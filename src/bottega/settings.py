"""What a person can set, by environment variable or `.env`. Only the composition root reads it."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from bottega.errors import ConfigurationError


def _expand(path: Path) -> Path:
    return path.expanduser().absolute()


Directory = Annotated[Path, AfterValidator(_expand)]


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_file=".env", env_file_encoding="utf-8", extra="ignore", case_sensitive=False
    )

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
        "wordllama",
        description="`wordllama`, `fastembed:MODEL`, `sentence-transformers:MODEL` or "
        "`openai:MODEL`.",
    )
    bottega_entailment: bool = Field(
        True,
        description="Judge citations with the small local model of the extra `entailment` as well, "
        "where it is installed.",
    )
    bottega_propose_after: int = Field(
        2, ge=1, description="How often a test fails before the board proposes a change for it."
    )
    bottega_shell: bool = Field(
        False,
        description="Let assistants that may execute use `bash`. They can read what you can read.",
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
        1_000, ge=1, description="Requests a second allowed for one client, on average."
    )
    otel_exporter_otlp_endpoint: str | None = Field(
        None, description="Where to send traces as well. Default: nowhere; they stay local."
    )

    @field_validator("*", mode="before")
    @classmethod
    def _empty_is_unset(cls, value: object, info: ValidationInfo) -> object:
        """`KEY=` in a `.env` means unset, save for the project: there it is a slip (FR-005)."""
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


def load_settings(**overrides: object) -> Settings:
    """Read the settings; a wrong one raises a `ConfigurationError` with its name (FR-005)."""
    try:
        given = {name: value for name, value in overrides.items() if value is not None}
        settings = Settings(**given)  # type: ignore[arg-type]
    except ValidationError as error:
        raise ConfigurationError("; ".join(_explain(error))) from None
    _check_project(settings)
    return settings


def _explain(error: ValidationError) -> list[str]:
    return [
        f"{str(item['loc'][0]).upper()}={item.get('input')!r}: {item['msg']}"
        for item in error.errors()
    ]


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
