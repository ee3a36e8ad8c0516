"""Every event that is published is declared, and nothing is declared that is not published."""

import ast
import importlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import bottega
from bottega.core.topics import TOPICS, Topic, read_topics

SOURCE = Path(bottega.__file__).parent
#: Functions that publish, or that make an event to be published.
PUBLISHING = {"Event", "agent_event", "work_events", "event", "add", "_tell", "_publish", "_change"}
CALLS = re.compile(rf"\b(?:{'|'.join(PUBLISHING - {'add'})}|news\.add|emit|telling\.tell)\(")
DOTTED = re.compile(r"[a-z]+\.[a-z_]+")


def declared() -> dict[str, Topic]:
    written = {path.parent for path in SOURCE.glob("*/topics.toml")}
    topics = [topic for folder in written for topic in read_topics(str(folder / "room.py"))]
    for path in SOURCE.glob("*/topics.py"):
        if path.parent not in written:
            topics += importlib.import_module(f"bottega.{path.parent.name}.topics").TOPICS
    assert len({topic.name for topic in topics}) == len(topics), "a topic is declared twice"
    assert set(TOPICS) <= set(topics)
    return {topic.name: topic for topic in topics}


def unlike_its_topic(topic: str, payload: Mapping[str, Any]) -> str | None:
    """What of an event is not as declared."""
    known = declared()
    found = known.get(topic) or known.get(f"{topic.partition('.')[0]}.*")
    if found is None or found.name == "run.*":
        return f"{topic} is not declared"
    has = set(payload)
    if topic.startswith("run.") and topic != "run.delta":
        has = {f"payload.{name}" for name in payload["payload"]}
    strange = has - {name.removesuffix("?") for name in found.fields}
    missing = {name for name in found.fields if not name.endswith("?")} - has
    if strange or missing:
        return f"{topic}: strange {sorted(strange)}, missing {sorted(missing)}"
    return None


def published() -> Iterator[str]:
    """Topics that stand in a call which publishes."""
    texts_of_files = (path.read_text() for path in SOURCE.rglob("*.py"))
    for source in filter(CALLS.search, texts_of_files):
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            called = ast.unparse(node.func).rpartition(".")
            constants = [each.value for each in node.args if isinstance(each, ast.Constant)]
            texts = [text for text in constants if isinstance(text, str)]
            if called[2] in PUBLISHING:
                yield from (text for text in texts if DOTTED.fullmatch(text))
            elif called[2] == "emit" or called[0] == "telling":
                yield from (f"run.{text}" for text in texts[:1])


def test_every_event_in_the_source_is_declared() -> None:
    assert set(published()) - set(declared()) == set()


def test_every_declared_event_is_in_the_source() -> None:
    sources = [path.read_text() for path in SOURCE.rglob("*.py") if path.name != "topics.py"]
    quoted = set(re.findall(r'"([a-z_.]+)"', "\n".join(sources)))
    names = {name for name in declared() if not name.endswith(".*")}
    # Made from parts: `run.` and a type, `conversation.` and what is shown.
    whole = {name for name in names if not name.startswith(("run.", "conversation."))}
    assert whole <= quoted
    assert {name.partition(".")[2] for name in names - whole} - {"delta"} <= quoted
