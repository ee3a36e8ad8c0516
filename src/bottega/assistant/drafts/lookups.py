"""The tools to call before an answer: for skills tier by tier, files and past sessions, or for a
handoff to another agent when the person asks for one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bottega.assistant.drafts.knowledge import rank
from bottega.assistant.drafts.phrases import has_any, topic_of
from bottega.assistant.drafts.playbook import Play, Playbook, SkillReading, SourceKind
from bottega.assistant.drafts.reviews import paths_in
from bottega.assistant.drafts.situation import Situation, is_from_the_loop
from bottega.assistant.plugins.definition import Plugin
from bottega.assistant.workspace.texts import words_of
from bottega.conversation.tools import tool_name
from bottega.core.readers.embedder import Embedder

#: Words that point to what was done before.
PAST = (
    "last week",
    "last time",
    "last lesson",
    "last session",
    "previous*",
    "as before",
    "earlier session*",
    "we did",
)
MOST_DEEPER = 2

_FURTHER = re.compile(r"^- (\S+/\S+\.md)$", re.MULTILINE)
#: How people ask for somebody else.
VERBS = ("hand*", "pass*", "give*", "send*", "transfer*", "ask*", "let*", "review*", "get*")
#: Letters of a name that a word must share: `review` and `reviewer`.
LEAST_SHARED = 5


@dataclass(frozen=True, slots=True)
class Lookup:
    tool: str
    arguments: dict[str, Any]


async def find_lookups(
    situation: Situation, playbook: Playbook, embedder: Embedder
) -> list[Lookup]:
    """What is still to be looked up, all at once; nothing is asked for twice."""
    wanted = [
        *await _skills(situation, playbook, embedder),
        *_files(situation, playbook),
        *_past(situation),
    ]
    made = [(result.tool, dict(result.arguments)) for result in situation.results]
    new = [each for each in wanted if (each.tool, each.arguments) not in made]
    if not new:
        deeper = [Lookup("read_skill", {"skill": each}) for each in _deeper(situation, playbook)]
        new = [each for each in deeper if (each.tool, each.arguments) not in made]
    return [each for each in new if each.tool in situation.tools]


async def _skills(situation: Situation, playbook: Playbook, embedder: Embedder) -> list[Lookup]:
    """The nearest to the request; with any of them read, the choice is made."""
    names = list(situation.skills)
    if not names or any(situation.read("read_skill")):
        return []
    query = f"{situation.request} {playbook.meta.about}"
    lines = [f"{name.replace('-', ' ')}: {line}" for name, line in situation.skills.items()]
    scores = await rank(query, lines, embedder)
    order = sorted(range(len(names)), key=lambda number: (-scores[number], number))
    first = [name for name in _fitting(situation, playbook.meta.first) if name in names]
    chosen = list(dict.fromkeys((*first, *(names[number] for number in order))))
    return [Lookup("read_skill", {"skill": name}) for name in chosen[: playbook.meta.skills]]


def _files(situation: Situation, playbook: Playbook) -> Iterator[Lookup]:
    """Of the class and the topic, for their line numbers; and what the request names."""
    for path in (*situation.of(SourceKind.CLASS), *situation.of(SourceKind.TOPICS)):
        yield Lookup("read_file", {"path": path})
    if playbook.meta.plays is not Play.DRAFT:
        for path in document_paths(situation):
            yield Lookup("read_file", {"path": path})


def document_paths(situation: Situation) -> Sequence[str]:
    """The files that the request is about: those it names, else the nearest by its name."""
    if named := paths_in(situation.request):
        return [path.removeprefix("workspace/") for path in named]
    if situation.document:
        return []
    asked = words_of(situation.request)
    shared = {path: len(asked & words_of(path)) for path in situation.other_files}
    best = max(shared.values(), default=0)
    # Names begin with their date: of several that are as near, the last is the newest.
    nearest = sorted(path for path, count in shared.items() if count == best)
    return nearest[-1:] if best else []


def _past(situation: Situation) -> Iterator[Lookup]:
    if has_any(situation.request, PAST):
        arguments = {"query": _one_word(topic_of(situation.request, situation.class_id))}
        if situation.class_id:
            arguments["class_id"] = situation.class_id
        yield Lookup("search_sessions", arguments)


def _deeper(situation: Situation, playbook: Playbook) -> list[str]:
    """Reference files of the skills that were read, where what is known asks for them."""
    read = situation.of(SourceKind.SKILLS)
    offered = [path for text in read.values() for path in _FURTHER.findall(text)]
    if any("/" in name for name in read) or not offered:
        return []
    fitting = _fitting(situation, playbook.meta.deeper)
    return [each for each in fitting if each in offered][:MOST_DEEPER]


def _fitting(situation: Situation, readings: Sequence[SkillReading]) -> list[str]:
    known = (
        situation.request,
        situation.said,
        situation.text_of(SourceKind.CLASS, SourceKind.MEMORY),
    )
    about = "\n".join(known)
    return [each.read for each in readings if not each.when or has_any(about, each.when)]


def _one_word(topic: str) -> str:
    """The longest: a search wants every word, and a topic is worded differently each time."""
    return max(words_of(topic), key=lambda word: (len(word), word), default=topic)


def find_handoff(situation: Situation, plugin: Plugin) -> Lookup | None:
    """To the agent that the request names, if there is something to hand over."""
    request = situation.request
    is_asked = not is_from_the_loop(situation.prompt) and bool(situation.document)
    if not is_asked or not has_any(request, VERBS):
        return None
    for name, agent in plugin.agents.items():
        tool = tool_name(name)
        was_called = any(result.tool == tool for result in situation.results)
        if tool in situation.tools and not was_called and _is_named(request, name):
            return Lookup(tool, _context(situation, agent.meta.description or name))
    return None


def _is_named(request: str, agent: str) -> bool:
    words = [word for word in agent.split("-") if len(word) >= LEAST_SHARED]
    return has_any(request, [f"{word[:LEAST_SHARED]}*" for word in words])


def _context(situation: Situation, task: str) -> dict[str, list[str] | str]:
    title = next(
        (line.lstrip("# ") for line in situation.document.split("\n") if line.startswith("# ")),
        "the draft",
    )
    said = [situation.said] if situation.said else []
    return {
        "decisions": [f"The draft stands as it is in the conversation: {title}", *said],
        "constraints": [f"Made for {situation.class_id}"] if situation.class_id else [],
        "reason": f"The person asked: {' '.join(situation.request.split())[:500]} ({task[:500]})",
        "open_questions": [],
    }
