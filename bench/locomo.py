"""Whether recall finds what long conversations said, beside plain full-text search.

    python -m bench.locomo FOLDER [--half first|second|all]

LoCoMo (Maharana et al., 2024): ten conversations over months, each turn a memory, and questions
with the turns that answer them. Measured is the share of those turns among the first ten recalled,
of categories 1 to 4 (those of 5 have none). FOLDER holds the ten JSON files, or `locomo10.json`,
of github.com/snap-research/locomo. Weights were chosen on the first five conversations; the last
five are for reporting alone.
"""

import argparse
import asyncio
import json
import random
import re
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.library_ingest import opened
from bottega.core.services import Core
from bottega.memory.room import Memory
from bottega.memory.schemas import MemoryInput

SHOWN = 10
HALVES = {"first": slice(0, 5), "second": slice(5, 10), "all": slice(0, 10)}
#: Enough for ten turns of any length: the budget is not what is measured.
BUDGET = 20_000
RESAMPLED = 1_000


@dataclass(frozen=True)
class Talk:
    turns: dict[str, str]
    questions: list[tuple[str, set[str]]]


def read(folder: Path) -> list[Talk]:
    whole = folder / "locomo10.json"
    if whole.is_file():
        held = [
            {**each["conversation"], "qa": each["qa"]} for each in json.loads(whole.read_text())
        ]
    else:
        held = [json.loads(path.read_text()) for path in sorted(folder.glob("[0-9]*.json"))]
    return [_talk(each) for each in held]


def _talk(held: dict[str, Any]) -> Talk:
    sessions = sorted(
        (name for name in held if re.fullmatch(r"session_\d+", name)),
        key=lambda name: int(name[8:]),
    )
    turns = {turn["dia_id"]: _said(turn) for name in sessions for turn in held[name]}
    asked = [
        (each["question"], set(re.findall(r"D\d+:\d+", " ".join(each["evidence"]))) & turns.keys())
        for each in held["qa"]
        if each["category"] in (1, 2, 3, 4) and each.get("evidence")
    ]
    return Talk(turns, [(question, evidence) for question, evidence in asked if evidence])


def _said(turn: dict[str, Any]) -> str:
    picture = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['speaker']}: {turn['text']}{picture}".strip()


async def main(folder: Path, half: str) -> None:
    ours: list[float] = []
    plain: list[float] = []
    took: list[float] = []
    for talk in read(folder)[HALVES[half]]:
        plain += by_full_text(talk)
        with tempfile.TemporaryDirectory() as data:
            async with opened(Path(data)) as core:
                ours += [share async for share in by_recall(core, talk, took)]
    table = Table("", f"evidence among the first {SHOWN}", "95 % interval")
    for name, shares in (("recall", ours), ("FTS5, any word", plain)):
        low, high = interval(shares)
        table.add_row(name, f"{statistics.mean(shares):.3f}", f"{low:.3f}–{high:.3f}")
    table.title = f"LoCoMo, {half}: {len(ours)} questions; recall p95 {p95(took):.0f} ms"
    Console().print(table)


async def by_recall(core: Core, talk: Talk, took: list[float]) -> Any:
    assert core.refiner is not None
    memory = Memory(core)
    await memory.start()
    await memory.opened()
    await core.refiner.start()
    given = [MemoryInput(content=text) for text in talk.turns.values()]
    await memory.memories.add_memories(given, "talk", "locomo")
    names = dict(zip(talk.turns.values(), talk.turns, strict=False))
    await core.refiner.settled()
    for question, evidence in talk.questions:
        began = time.perf_counter()
        found = await memory.recall.recall(question, budget=BUDGET)
        took.append((time.perf_counter() - began) * 1e3)
        shown = {names[ranked.item.content] for ranked in found.ranked[:SHOWN]}
        yield len(shown & evidence) / len(evidence)
    await core.refiner.stop()
    await memory.stop()


def by_full_text(talk: Talk) -> Iterator[float]:
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61')")
        database.executemany("INSERT INTO t VALUES (?)", [(text,) for text in talk.turns.values()])
        names = list(talk.turns)
        for question, evidence in talk.questions:
            words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
            rows = database.execute(
                "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (words, SHOWN)
            )
            yield len({names[row - 1] for (row,) in rows} & evidence) / len(evidence)


def interval(shares: Sequence[float]) -> tuple[float, float]:
    chance = random.Random(0)
    means = sorted(
        statistics.fmean(chance.choices(shares, k=len(shares))) for _ in range(RESAMPLED)
    )
    return means[RESAMPLED // 40], means[-RESAMPLED // 40]


def p95(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=HALVES, default="all")
    arguments = parser.parse_args()
    asyncio.run(main(arguments.folder, arguments.half))
