import asyncio
from collections.abc import Awaitable, Callable


async def ask_all(
    stations: dict[str, Callable[[], Awaitable[float]]],
) -> tuple[dict[str, float], dict[str, str]]:
    answers = await asyncio.gather(*(ask() for ask in stations.values()), return_exceptions=True)
    named = dict(zip(stations, answers, strict=True))
    failures = {name: str(each) for name, each in named.items() if isinstance(each, Exception)}
    readings = {name: each for name, each in named.items() if isinstance(each, float)}
    return readings, failures


WRONG = """
async def ask_all(stations):
    readings, failures = {}, {}
    for name, ask in stations.items():
        try:
            readings[name] = await ask()
        except Exception as error:
            failures[name] = str(error)
    return readings, failures
"""

BY_HAND = """
import asyncio


async def ask_all(stations):
    tasks = {name: asyncio.create_task(ask()) for name, ask in stations.items()}
    readings, failures = {}, {}
    for name, task in tasks.items():
        try:
            readings[name] = await task
        except Exception as error:
            failures[name] = str(error)
    return readings, failures
"""

BREAKS = {"No tasks by hand": BY_HAND, "No try": BY_HAND}
