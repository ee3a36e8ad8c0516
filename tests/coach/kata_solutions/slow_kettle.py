import asyncio
from collections.abc import Awaitable, Callable


async def brew(kettle: Callable[[], Awaitable[str]], patience: float) -> str:
    try:
        async with asyncio.timeout(patience):
            return f"tea with {await kettle()}"
    except TimeoutError:
        return "juice"


WRONG = """
import asyncio


async def brew(kettle, patience):
    boiling = asyncio.ensure_future(kettle())
    done, _ = await asyncio.wait([boiling], timeout=patience)
    return f"tea with {boiling.result()}" if done else "juice"
"""

BREAKS = {
    "Catch one thing only": """
import asyncio


async def brew(kettle, patience):
    boiling = asyncio.ensure_future(kettle())
    try:
        return "tea with " + await asyncio.wait_for(boiling, patience)
    except OSError as error:
        if isinstance(error, TimeoutError):
            return "juice"
        raise
""",
    "A block with a deadline": """
import asyncio


async def brew(kettle, patience):
    try:
        return "tea with " + await asyncio.wait_for(kettle(), patience)
    except asyncio.TimeoutError:
        return "juice"
""",
}
