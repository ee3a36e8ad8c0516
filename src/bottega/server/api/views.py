"""What the routes of the core share: rows seen through typed views, and the usual limit."""

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict

Limit = Annotated[int, Query(ge=1, le=500, description="How many at most.")]


class View(BaseModel):
    """Made from a row or a dataclass by its attributes."""

    model_config = ConfigDict(from_attributes=True)
