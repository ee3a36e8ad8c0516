"""`/api/retention`: what is kept how long, how much there is, how it grows; and pruning it."""

from pydantic import BaseModel, Field

from bottega.core.operations import Get, Post, operation
from bottega.core.retention import PrunedLog, RetentionReport
from bottega.core.roles import Right
from bottega.server.api.views import House


class PruneRequest(BaseModel):
    dry_run: bool = Field(False, description="Only say what would go; nothing is changed.")


@operation(Get("/retention"), needs=Right.ADMINISTER)
async def show_retention(house: House) -> RetentionReport:
    """What is kept how long, its size, its growth and what it will be in a year."""
    return await house.core.retention.report()


@operation(Post("/retention/prune", optional_body=True), needs=Right.ADMINISTER)
async def prune(house: House, asked: PruneRequest) -> list[PrunedLog]:
    """Delete what is older than it is kept, as the server does once a day."""
    return await house.core.retention.prune(dry_run=asked.dry_run)
