"""A source made ready to be reached: placeholders filled in, credentials fetched.

What is in a `Launch` is secret: it is never logged, stored or shown.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bottega.core.secrets import Secrets
from bottega.research.sources.definition import (
    CREDENTIAL,
    AuthType,
    HttpConfig,
    Source,
    StdioConfig,
)
from bottega.research.sources.failures import NeedsAuth


@dataclass(frozen=True, slots=True)
class Launch:
    """Equal launches reach the same thing in the same way: a changed credential makes another."""

    source: Source
    user_id: str
    program: tuple[str, ...] = ()
    cwd: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def slug(self) -> str:
        return self.source.slug


def own_credential(user_id: str, name: str) -> str:
    """What a person's own is called among the secrets."""
    return f"{user_id}/{name}"


@dataclass(frozen=True, slots=True)
class Launches:
    secrets: Secrets
    data_dir: Path
    project: Path | None

    async def prepare(self, source: Source, user_id: str) -> Launch:
        """Raises `NeedsAuth` with the name of a credential that is not there."""
        if isinstance(source.config, StdioConfig):
            return await self._prepare_program(source, source.config, user_id)
        return await self._prepare_address(source, source.config, user_id)

    def sketch(self, source: Source, user_id: str) -> Launch:
        """What would be reached, without anybody's credentials: this may be shown."""
        config = source.config
        if not isinstance(config, StdioConfig):
            return Launch(source, user_id)
        program = (config.command, *config.args)
        return Launch(
            source,
            user_id,
            program=tuple(self._filled(source, word) for word in program),
            cwd=source.folder / self._filled(source, config.cwd or "."),
        )

    async def credential(self, source: Source, user_id: str, name: str) -> str:
        """The person's own before the house's."""
        for stored in (own_credential(user_id, name), name):
            if value := await self.secrets.get(stored):
                return value
        raise NeedsAuth(
            source.slug,
            f"needs the credential {name!r}, which is not stored. Enter it under that name.",
            credential=name,
        )

    async def has_credential(self, source: Source, user_id: str, name: str) -> bool:
        try:
            return bool(await self.credential(source, user_id, name))
        except NeedsAuth:
            return False

    async def _prepare_program(self, source: Source, config: StdioConfig, user_id: str) -> Launch:
        environment = {
            name: await self._with_credentials(source, user_id, self._filled(source, value))
            for name, value in config.env.items()
        }
        return replace(self.sketch(source, user_id), environment=environment)

    async def _prepare_address(self, source: Source, config: HttpConfig, user_id: str) -> Launch:
        headers = {
            name: await self._with_credentials(source, user_id, value)
            for name, value in config.headers.items()
        }
        auth = config.auth
        if auth.credential is not None:
            value = await self.credential(source, user_id, auth.credential)
            if auth.type is AuthType.BEARER:
                headers["Authorization"] = f"Bearer {value}"
            elif auth.header is not None:
                headers[auth.header] = value
        return Launch(source, user_id, headers=headers)

    async def _with_credentials(self, source: Source, user_id: str, text: str) -> str:
        names = set(CREDENTIAL.findall(text))
        values = {name: await self.credential(source, user_id, name) for name in names}
        return CREDENTIAL.sub(lambda found: values[found[1]], text)

    def _filled(self, source: Source, text: str) -> str:
        for name, value in self._words(source).items():
            text = text.replace("{" + name + "}", value)
        return text

    def _words(self, source: Source) -> dict[str, str]:
        return {
            "python": sys.executable,
            "project": str(self.project or source.folder),
            "data": str(self.data_dir),
            "folder": str(source.folder),
        }
