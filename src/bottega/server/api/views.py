"""What the operations of the core share: what they are asked of, rows seen through typed views,
and the usual limit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.settings import Settings

Limit = Annotated[int, Field(ge=1, le=500, description="How many at most.")]


@dataclass(frozen=True, slots=True)
class House:
    """What the operations of the core are asked of."""

    core: Core
    rooms: Sequence[Room]
    settings: Settings | None


class RowView(BaseModel):
    """Made from a row or a dataclass by its attributes."""

    model_config = ConfigDict(from_attributes=True)
