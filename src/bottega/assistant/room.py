"""What the assistant adds to the house."""

from bottega.assistant.desk import open_desk
from bottega.assistant.mcp_tools import assistant_tools
from bottega.assistant.routes import router
from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.memory.room import Memory


def build(core: Core, memory: Memory) -> Room:
    desk = open_desk(core)
    memory.recall.add_store(desk.memory_store)
    return Room(
        name="assistant",
        tools=assistant_tools(desk),
        routes=[router(desk)],
        start=desk.start,
        stop=desk.stop,
    )
