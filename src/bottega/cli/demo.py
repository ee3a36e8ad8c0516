"""`bottega demo`: a short tour of what works here, offline, on data of its own."""

import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.rule import Rule

from bottega.cli.connection import Client, connect
from bottega.core.examples import example
from bottega.settings import Settings

console = Console()

LESSONS = [
    ("Split sums in whole cents and hand the remainder out one by one", ["money", "rounding"]),
    ("The login callback races with the token refresh; lock around both", ["auth", "race"]),
    ("Grid areas keep the dashboard from jumping when data arrives", ["css", "layout"]),
]
UNDER_WAY = ("queued", "running")
LIBRARY = "harbour"
ASKED = "how early must a visitor announce its arrival?"
CITED = "210.1"
CLAIMS = [
    "The skipper of a visitor announces the arrival at least two hours before the entrance.",
    "The skipper of a visitor announces the arrival at least one hour before the entrance.",
]
QUESTIONS = ["why is a cent missing after splitting a bill?", "users are logged out at random"]


def demo() -> None:
    """Tour what works here in a minute: no key, no network, nothing left behind.

    Every step asks the real product through its real routes, on a temporary directory.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            data_dir=Path(folder, "data"),
            project_dir=Path(folder),
            bottega_model="offline",
            _env_file=None,
        )
        with connect(settings) as house:
            for step in (remember, recall, cite, look_back):
                step(house)
    console.print("\n[green]That was it.[/green] Start your own with [bold]bottega serve[/bold].")


def remember(house: Client) -> None:
    tell("Remember", "What was learned in one task is kept for the next.")
    for content, tags in LESSONS:
        memory = house.post("/api/memories", json={"content": content, "tags": tags})
        console.print(f"  [green]+[/green] {memory['content']} [dim]{memory['id']}[/dim]")


def recall(house: Client) -> None:
    tell("Recall", "Asked in other words, the right one comes first.")
    for question in QUESTIONS:
        found = house.post("/api/memories/recall", json={"query": question})
        console.print(f"  [bold]{question}[/bold]")
        for item in found["items"][:1]:
            console.print(f"    → {item['content']} [dim]{item['score']:.2f}[/dim]")


def cite(house: Client) -> None:
    tell("Cite", "A folder of documents answers with references, and checks what is said of it.")
    library = f"/api/libraries/{LIBRARY}"
    house.post("/api/libraries", json={"name": LIBRARY, "title": "Rules of the harbour"})
    run = house.post(f"{library}/ingest", json={"folder": str(example("standards"))})["run_id"]
    while (told := house.get(f"{library}/ingests/{run}", wait=30))["status"] in UNDER_WAY:
        pass
    report = told["report"]
    console.print(f"  {report['added']} documents, {report['paragraphs']} paragraphs")
    found = house.get(f"{library}/search", query=ASKED, max_results=1)["hits"]
    console.print(f"  [bold]{ASKED}[/bold]")
    for hit in found:
        console.print(f"    → {hit['paragraph']['ref']} {hit['paragraph']['text']}")
    for claim in CLAIMS:
        asked = {"citations": [{"paragraph_ref": CITED, "claim": claim}]}
        detail = house.post(f"{library}/verify", json=asked)["citations"]["details"][0]
        mark = "[green]true[/green] " if detail["supports_claim"] else "[red]false[/red]"
        console.print(f"  {mark} {CITED}: {claim}")


def look_back(house: Client) -> None:
    tell("Look back", "What happened is in the event log, searchable.")
    events: list[dict[str, Any]] = house.get("/api/events/log", query="memory")
    for event in events[:3]:
        console.print(f"  {event['created_at'][11:19]} [bold]{event['topic']}[/bold]")


def tell(title: str, sentence: str) -> None:
    console.print(Rule(f"[bold]{title}[/bold]", align="left", style="dim"))
    console.print(f"[dim]{sentence}[/dim]")
