"""Which of the memories that a search found really help with the issue at hand (FR-110)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, Field

from bottega.coach.model_calls import as_json
from bottega.coach.word_index import stems
from bottega.core.llm.tasks import Task, Tier
from bottega.core.text.words import stem
from bottega.memory.schemas import MemoryResult

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")

#: Shared words from which on a memory is about the same thing, or at least touches it.
SAME, TOUCHING = 3, 2
MOST_KEPT = 5


class Relevance(StrEnum):
    DIRECT = "direct"
    RELATED = "related"
    CONTEXTUAL = "contextual"


class RelevantMemory(BaseModel):
    content: str = Field(description="The memory's own text.")
    relevance: Relevance
    connection: str
    use_in_coaching: str


class DiscardedMemory(BaseModel):
    content: str
    reason: str


class FilteredMemories(BaseModel):
    relevant_memories: list[RelevantMemory]
    discarded: list[DiscardedMemory]


@dataclass(frozen=True, slots=True)
class FilterInput:
    issue_summary: str
    plan: str
    candidates: Sequence[MemoryResult]


def prompt(asked: FilterInput) -> str:
    candidates = [
        {"content": memory.content, "metadata": memory.metadata.model_dump(mode="json")}
        for memory in asked.candidates
    ]
    return as_json(
        issue_summary=asked.issue_summary,
        plan_summary=asked.plan,
        candidate_memories=candidates,
    )


def offline(asked: FilterInput) -> FilteredMemories:
    """By the words that a memory shares with the issue and the plan, nearest memory first."""
    here = stems(asked.issue_summary, asked.plan)
    kept: list[RelevantMemory] = []
    discarded: list[DiscardedMemory] = []
    for memory in asked.candidates:
        shared = _shared_words(memory, here)
        if len(shared) >= TOUCHING and len(kept) < MOST_KEPT:
            kept.append(_relevant(memory, shared))
        else:
            reason = f"Only {shared[0]!r} in common." if len(shared) == 1 else "Another matter."
            discarded.append(DiscardedMemory(content=memory.content, reason=reason))
    kept.sort(key=lambda memory: list(Relevance).index(memory.relevance))
    return FilteredMemories(relevant_memories=kept, discarded=discarded)


def _shared_words(memory: MemoryResult, here: frozenset[str]) -> list[str]:
    """As the memory writes them, in its order."""
    words = f"{memory.content} {memory.metadata.tags}".replace(",", " ").split()
    shared: dict[str, str] = {}
    for word in words:
        bare = word.strip(".,:;!?()[]`'\"“”").lower()
        if stems(bare) & here:
            shared.setdefault(stem(bare), bare)
    return list(shared.values())


def _relevant(memory: MemoryResult, shared: Sequence[str]) -> RelevantMemory:
    named = " and ".join(filter(None, (", ".join(shared[:-1][:3]), shared[-1])))
    return RelevantMemory(
        content=memory.content,
        relevance=Relevance.DIRECT if len(shared) >= SAME else Relevance.RELATED,
        connection=f"Both are about {named}.",
        use_in_coaching="Remind of it before the first phase, and ask what carries over.",
    )


memory_filter = Task(
    "memory_retrieval_filter", Tier.FAST, INSTRUCTIONS, prompt, FilteredMemories, offline
)
