"""Memory: what one session learned, another recalls in other words."""

from bottega.cli.demo.doors import Doors
from bottega.cli.demo.guide import Guide

FACTS = [
    ("Split sums in whole cents and hand the remainder out one by one", ["money", "rounding"]),
    ("The login callback races with the token refresh; lock around both", ["auth", "race"]),
    ("Grid areas keep the dashboard from jumping when data arrives", ["css", "layout"]),
]
QUESTIONS = ["why is a cent missing after splitting a bill?", "users are logged out at random"]
EARLIER = "cents get lost when a sum is divided"
SHOWN = 3


async def visit(doors: Doors, guide: Guide) -> None:
    with guide.step("An agent keeps what it learned", "MCP"):
        for content, tags in FACTS:
            await doors.agent.call("remember", content=content, tags=tags)
    for question in QUESTIONS:
        with guide.step(f"Another asks: {question}", "MCP"):
            found = await doors.agent.call("recall", query=question)
        first = found["items"][0]
        guide.shows(f"→ {first['content']} ({first['score']:.2f})")
    with guide.step(f"A person asks all rooms: {EARLIER}", "REST"):
        recalled = await doors.rest.post("/api/memories/recall", json={"query": EARLIER})
    best = recalled["items"][:SHOWN]
    guide.lists([(item["store"], item["content"].partition("\n")[0]) for item in best])
    guide.leaves(f"{len(FACTS)} memories and those that the rooms kept", "/memory")
