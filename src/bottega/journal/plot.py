"""The calibration curve as characters: said against seen."""

from typing import Any

from rich.table import Table

from bottega.journal.printing import console

HEIGHT = 10
WIDTH = 40


def print_calibration(report: dict[str, Any]) -> None:
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
    grid = [[" "] * (WIDTH + 1) for _ in range(HEIGHT + 1)]
    for column in range(WIDTH + 1):
        grid[round(HEIGHT * column / WIDTH)][column] = "·"
    for each in curve:
        row, column = round(HEIGHT * each["confirmed"]), round(WIDTH * each["mean_confidence"])
        grid[row][column] = "●"
    lines = [f"{100 * row // HEIGHT:>4} % │{''.join(grid[row])}" for row in range(HEIGHT, -1, -1)]
    return [
        "came true",
        *lines,
        "       └" + "─" * (WIDTH + 1),
        f"        0 %{'confidence':^{WIDTH - 8}}100 %",
    ]
