"""The journal on a terminal. Green came true, red did not, yellow is to be looked at."""

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bottega.core.doors.client import Answer
from bottega.core.text.words import shorten

console = Console()
COLOURS = {
    "confirmed": "green",
    "falsified": "red",
    "abandoned": "dim",
    "gold": "bold yellow",
    "silver": "white",
    "bronze": "dim",
}
BAR = 40
PLOT_HEIGHT = 10
PLOT_WIDTH = 40


def print_entries(found: Answer) -> None:
    if not found["results"]:
        console.print(
            "No entries here. Agents begin them with the [bold]start_ghap[/bold] tool; "
            "[bold]bottega journal import[/bold] brings in others."
        )
        return
    table = Table("id", "goal", "domain", "outcome", "tier", "begun", box=None)
    table.columns[0].no_wrap = True
    for entry in found["results"]:
        table.add_row(
            entry["id"],
            escape(first_line(entry["goal"])),
            entry["domain"],
            coloured(entry["outcome_status"] or "open"),
            coloured(entry["confidence_tier"] or "–"),
            entry["created_at"][:10],
        )
    console.print(table)


def print_entry(entry: Answer) -> None:
    console.print(f"[bold]{escape(entry['goal'])}[/bold]", highlight=False)
    table = Table(box=None, show_header=False)
    for name in ("id", "domain", "strategy", "hypothesis", "action", "prediction", "confidence"):
        _row(table, name, entry[name])
    _row(table, "iterations", entry["iteration_count"])
    for before in entry["history"]:
        _row(
            table,
            "before",
            before["hypothesis"] + (f" – {before['note']}" if before["note"] else ""),
        )
    _row(table, "outcome", entry["outcome_status"] or "open")
    _row(table, "result", entry["outcome_result"])
    _row(table, "surprise", entry["surprise"])
    if cause := entry["root_cause"]:
        _row(table, "root cause", f"{cause['category']}: {cause['description']}")
    if lesson := entry["lesson"]:
        _row(table, "what worked", lesson["what_worked"])
        _row(table, "takeaway", lesson["takeaway"])
    for ran in entry["evidence"]:
        _row(
            table,
            "evidence",
            f"{ran['kind']} {'passed' if ran['passed'] else 'failed'}: {ran['command']}",
        )
    _row(table, "tier", entry["confidence_tier"])
    console.print(table)


def print_search(found: Answer) -> None:
    if not found["results"]:
        console.print("No experience comes close. Try other words, or another --axis.")
        return
    table = Table("score", "goal", "lesson", "outcome", "tier", "id", box=None)
    table.columns[5].no_wrap = True
    for each in found["results"]:
        lesson = each["lesson"] or {"what_worked": each["outcome_result"]}
        table.add_row(
            f"{each['score']:.2f}",
            escape(first_line(each["goal"])),
            escape(first_line(lesson["what_worked"])),
            coloured(each["outcome_status"]),
            coloured(each["confidence_tier"]),
            each["id"],
        )
    console.print(table)


def print_clusters(found: Answer) -> None:
    if not found["clusters"]:
        console.print("No clusters: the experiences have little in common on this axis.")
        return
    largest = found["clusters"][0]["size"]
    table = Table("cluster", "size", "", "weight", box=None)
    for each in found["clusters"]:
        bar = "█" * max(1, round(BAR * each["size"] / largest))
        size, weight = str(each["size"]), f"{each['avg_weight']:.2f}"
        table.add_row(each["cluster_id"], size, f"[cyan]{bar}[/cyan]", weight)
    console.print(table)
    console.print(f"[dim]{found['noise_count']} in no cluster.[/dim]")


def print_members(found: Answer) -> None:
    table = Table("goal", "lesson", "outcome", "tier", "id", box=None)
    table.columns[4].no_wrap = True
    for each in found["members"]:
        lesson = each["lesson"] or {"what_worked": each["outcome_result"]}
        table.add_row(
            escape(first_line(each["goal"])),
            escape(first_line(lesson["what_worked"])),
            coloured(each["outcome_status"]),
            coloured(each["confidence_tier"]),
            each["id"],
        )
    console.print(table)


def print_values(found: Answer) -> None:
    if not found["results"]:
        console.print(
            "No values yet. [bold]bottega journal clusters[/bold] shows what they can rest on; "
            "[bold]bottega journal values --store TEXT --cluster ID[/bold] stores one."
        )
        return
    table = Table("value", "cluster", "size", "similarity", "since", box=None)
    for value in found["results"]:
        table.add_row(
            escape(value["text"]),
            value["cluster_id"],
            str(value["cluster_size"]),
            f"{value['similarity_to_centroid']:.2f}",
            value["created_at"][:10],
        )
    console.print(table)


def print_stored(value: Answer) -> None:
    console.print(f"[green]Stored[/green] {value['id']}: {escape(value['text'])}", soft_wrap=True)


def print_context(found: Answer) -> None:
    if not found["items"]:
        console.print("Nothing learned so far bears on this.")
        return
    for item in found["items"]:
        console.print(f"[bold]{item['kind']}[/bold] {escape(item['content'])}", highlight=False)
        console.print(f"[dim]{escape(item['evidence'])}[/dim]\n", highlight=False)
    if found["left_out"]:
        console.print(f"[dim]{found['left_out']} more: raise --budget to see them.[/dim]")


def print_synced(done: Answer) -> None:
    console.print(
        f"[green]Stored[/green] {done['stored']} waiting, made {done['reindexed']} vectors again."
    )
    for entry_id, why in done["failed"].items():
        console.print(f"[red]{entry_id}[/red] {escape(why)}", soft_wrap=True)


def print_calibration(report: Answer) -> None:
    if report["overall"] is None:
        console.print(
            "No prediction with a confidence has come to its end yet. Give start_ghap a "
            "[bold]confidence[/bold] from 0 to 1."
        )
        return
    table = Table("domain", "predictions", "Brier score", box=None)
    for each in [report["overall"], *report["domains"]]:
        name = each["domain"] or "[bold]all[/bold]"
        table.add_row(name, str(each["count"]), f"{each['brier_score']:.3f}")
    console.print(table)
    console.print("[dim]0 is perfect; 0.25 is what a coin gets.[/dim]\n")
    for line in plot(report["overall"]["curve"]):
        console.print(line, highlight=False, markup=False)


def plot(curve: list[dict[str, Any]]) -> list[str]:
    """● what came true of what was said; · where it would be if said were seen."""
    grid = [[" "] * (PLOT_WIDTH + 1) for _ in range(PLOT_HEIGHT + 1)]
    for column in range(PLOT_WIDTH + 1):
        grid[round(PLOT_HEIGHT * column / PLOT_WIDTH)][column] = "·"
    for each in curve:
        row, column = (
            round(PLOT_HEIGHT * each["confirmed"]),
            round(PLOT_WIDTH * each["mean_confidence"]),
        )
        grid[row][column] = "●"
    lines = [
        f"{100 * row // PLOT_HEIGHT:>4} % │{''.join(grid[row])}"
        for row in range(PLOT_HEIGHT, -1, -1)
    ]
    return [
        "came true",
        *lines,
        "       └" + "─" * (PLOT_WIDTH + 1),
        f"        0 %{'confidence':^{PLOT_WIDTH - 8}}100 %",
    ]


def print_done(what: str) -> Callable[[Answer], None]:
    return lambda entry: console.print(f"[green]{what}[/green] {entry['id']}.", soft_wrap=True)


def coloured(word: str) -> str:
    colour = COLOURS.get(word)
    return f"[{colour}]{word}[/{colour}]" if colour else word


def first_line(text: str) -> str:
    return shorten(text.splitlines()[0], 80)


def _row(table: Table, label: str, value: object) -> None:
    if value is not None:
        table.add_row(f"[dim]{label}[/dim]", escape(str(value)))
