"""`/api/settings`: what is set, and whether by the person or by default. Secrets are masked."""

from typing import Any
from urllib.parse import urlsplit

from fastapi import APIRouter
from pydantic import BaseModel

from bottega.settings import Settings

SECRETS = frozenset({"anthropic_api_key", "openai_api_key", "bottega_token", "bottega_passcode"})
MASK = "••••"


class SettingView(BaseModel):
    name: str
    value: str | int | None
    #: Whether somebody set it, in the environment or `.env`; else it is the default.
    is_set: bool
    description: str


def settings_routes(settings: Settings) -> APIRouter:
    router = APIRouter(tags=["settings"])

    @router.get("/settings")
    async def list_settings() -> list[SettingView]:
        """Every setting with its value."""
        return [
            SettingView(
                name=name.upper(),
                value=show(name, getattr(settings, name)),
                is_set=name in settings.model_fields_set,
                description=field.description or "",
            )
            for name, field in type(settings).model_fields.items()
        ]

    return router


def show(name: str, value: Any) -> str | int | None:
    if value is None or isinstance(value, int):
        return value
    if name in SECRETS:
        return MASK
    return _without_password(str(value))


def _without_password(text: str) -> str:
    """Addresses of databases and proxies may carry a password."""
    try:
        password = urlsplit(text).password
    except ValueError:
        return text
    return text.replace(f":{password}@", f":{MASK}@") if password else text
