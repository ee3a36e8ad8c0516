"""What a scripted model was told, and what the ledger has of it."""

import json
from typing import Any

from pydantic_ai.messages import ModelRequest
from sqlalchemy import select

from bottega.core.llm.ledger import ApiCall
from bottega.core.llm.testing.scripted import ScriptedModel
from tests.coach.house import House


def told_to(model: ScriptedModel, call: int = 0) -> tuple[str, dict[str, Any]]:
    """The instructions and the prompt of a call."""
    [request] = [told for told in model.conversations[call] if isinstance(told, ModelRequest)]
    [text] = [part.content for part in request.parts if part.part_kind == "user-prompt"]
    assert isinstance(text, str)
    return request.instructions or "", json.loads(text)


async def calls(house: House) -> list[ApiCall]:
    """Oldest first."""
    await house.core.ledger.flush()
    async with house.core.database.read() as session:
        return list(await session.scalars(select(ApiCall).order_by(ApiCall.created_at)))
