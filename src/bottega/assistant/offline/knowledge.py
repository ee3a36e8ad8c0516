"""What a template is filled with, from what the agent knows."""

import json
from collections.abc import Sequence

from bottega.assistant.hooks.statements import statements
from bottega.assistant.offline.phrases import has_any
from bottega.assistant.offline.playbook import Origin, Playbook
from bottega.assistant.offline.situation import Situation
from bottega.assistant.offline.statements import find
from bottega.assistant.offline.template import Known, names_in
from bottega.assistant.offline.timing import divide, find_whole
from bottega.assistant.offline.topic import topic_of
from bottega.assistant.workspace.topics import words_of
from bottega.core.embeddings import Embedder

#: Past sessions that are named.
MOST_PAST = 3


async def gather(situation: Situation, playbook: Playbook | None, embedder: Embedder) -> Known:
    topic = topic_of(situation.request, situation.class_id)
    values = {
        "topic": topic,
        "Topic": topic[:1].upper() + topic[1:],
        "class": situation.class_id or "your class",
        "request": " ".join(situation.request.split()),
        "said": " ".join(situation.said.split()),
        "skills": ", ".join(situation.of(Origin.SKILLS)) or "none",
        "files": ", ".join((*situation.files, *situation.memory)) or "none",
        "past": _past(situation),
    }
    flags = {name for name in ("said", "past") if values[name]}
    flags |= {"class"} if situation.class_id else set()
    if playbook is None:
        return Known(values, flags)
    meta = playbook.meta
    about = "\n".join(_known_texts(situation))
    lines = [line for line in about.split("\n") if line.strip()]
    for name, phrases in meta.flags.items():
        if any(has_any(line, phrases) for line in lines):
            flags.add(name)
    query = f"{topic}. {situation.request} {situation.said}"
    lists = {
        name: [each.values() for each in await find(wanted, situation, query, embedder)]
        for name, wanted in meta.lists.items()
    }
    return Known({**values, **_timings(situation, playbook)}, flags, lists)


def _timings(situation: Situation, playbook: Playbook) -> dict[str, str]:
    timing = playbook.meta.timing
    if timing is None:
        return {}
    topics = list(situation.of(Origin.TOPICS))
    subjects = {word: path for path in (*topics, *situation.other_files) for word in _names(path)}
    subject = next((word for path in topics[:1] for word in _names(path)), "")
    whole = find_whole(
        timing,
        [situation.said, situation.request],
        [situation.text_of(origin) for origin in (Origin.CLASS, Origin.MEMORY, Origin.PERSON)],
        subjects,
        subject,
    )
    minutes = divide(timing, whole, _known_texts(situation))
    # The template may add some up: {minutes:explain+practise}.
    wanted = {name for name in names_in(playbook.body) if name.startswith("minutes:")}
    sums = {
        name: sum(minutes.get(part, 0) for part in name.removeprefix("minutes:").split("+"))
        for name in wanted
    }
    return {"length": str(whole)} | {name: str(total) for name, total in sums.items()}


def _known_texts(situation: Situation) -> list[str]:
    """What was just said goes before what was learned, and that before what files say."""
    return [
        situation.said,
        situation.request,
        *("\n".join(each.text for each in statements(text)) for text in situation.memory.values()),
        situation.text_of(Origin.CLASS),
    ]


def _names(path: str) -> Sequence[str]:
    """`history` for `curriculum/cfe-history.md`."""
    stem = path.rsplit("/", 1)[-1].removesuffix(".md")
    return sorted(words_of(stem.replace("-", " ")), key=len)[-1:]


def _past(situation: Situation) -> str:
    """Titles and days of the sessions that a search found."""
    found: list[str] = []
    for _, text in situation.read("search_sessions"):
        sessions = json.loads(text) if text.startswith("[") else []
        found += [f"{each['title']} ({each['updated_at'][:10]})" for each in sessions]
    return "; ".join(found[:MOST_PAST])
