"""`/api/settings`: what is set, and whether by the person or by default. Secrets are masked."""

from pydantic import BaseModel

from bottega.core.operations import Get, operation
from bottega.server.api.views import House
from bottega.settings import shown_value


class SettingView(BaseModel):
    name: str
    value: str | int | None
    #: Whether somebody set it, in the environment or `config.toml`; else it is the default.
    is_set: bool
    description: str


@operation(Get("/settings"))
async def list_settings(house: House) -> list[SettingView]:
    """Every setting with its value."""
    if (settings := house.settings) is None:
        return []
    return [
        SettingView(
            name=name.upper(),
            value=shown_value(name, getattr(settings, name)),
            is_set=name in settings.model_fields_set,
            description=field.description or "",
        )
        for name, field in type(settings).model_fields.items()
    ]
