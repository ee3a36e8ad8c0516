"""What nobody waits for is loaded behind the open door, and a moment after it opened."""

import asyncio

#: Seconds in which whoever waited for the start has the processor to themselves.
HEAD_START = 0.5


async def head_start() -> None:
    await asyncio.sleep(HEAD_START)
