"""A report to read: in markdown, or as tables for a terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bottega.assistant.evals.findings import Kind
from bottega.assistant.evals.report import CaseResult, Report, VariantSummary

if TYPE_CHECKING:
    from rich.table import Table

#: Notes of a case that are shown; all are in the JSON.
MOST_NOTES = 3
LONGEST_NOTE = 160

VARIANT_HEADS = (
    "variant",
    "cases",
    "score",
    "Δ",
    "structural",
    "judged",
    "behavioural",
    "cost",
    "Δ cost",
    "tokens",
    "seconds",
)
CASE_HEADS = ("case", "variant", "status", "score", "cost", "seconds", "what to look at")


def as_markdown(report: Report) -> str:
    blocks = ["# Evals", _opening(report), "## Variants", _table(VARIANT_HEADS, _rows(report))]
    for summary in report.variants[1:]:
        if summary.criterion_deltas:
            blocks += [f"### What {summary.name} changes", _deltas(summary)]
    blocks += ["## Cases", _table(CASE_HEADS, [_case(result) for result in report.results])]
    return "\n\n".join(blocks) + "\n"


def as_tables(report: Report) -> "list[Table]":
    """For a terminal: the variants, then the cases."""
    from rich.table import Table

    tables = []
    cases = [_case(result) for result in report.results]
    for title, heads, rows in (
        ("Variants", VARIANT_HEADS, _rows(report)),
        ("Cases", CASE_HEADS, cases),
    ):
        table = Table(title=title)
        for head in heads:
            table.add_column(head)
        for row in rows:
            table.add_row(*row)
        tables.append(table)
    return tables


def _opening(report: Report) -> str:
    count = f"{len(report.results)} results over {len(report.variants)} variants."
    played = "No model played: these are offline drafts." if report.offline else ""
    skipped = [f"- Not asked: {each}" for each in report.skipped]
    return "\n".join((f"{count} {played}".strip(), *(["", *skipped] if skipped else [])))


def _rows(report: Report) -> list[list[str]]:
    return [
        [
            each.name,
            str(each.cases),
            _score(each.score),
            _delta(each.score_delta),
            *(_score(each.by_kind[kind]) for kind in Kind),
            _dollars(each.cost + each.judge_cost),
            "" if each.cost_delta is None else f"{each.cost_delta:+.4f}",
            f"{each.input_tokens + each.output_tokens:,}",
            f"{each.seconds:.1f}",
        ]
        for each in report.variants
    ]


def _case(result: CaseResult) -> list[str]:
    weak = [each for each in result.findings if each.score is not None and each.score < 1]
    notes = [f"{each.criterion}: {each.note}".rstrip(": ") for each in weak[:MOST_NOTES]]
    return [
        result.case,
        result.variant,
        result.status or "failed",
        _score(result.score),
        _dollars(result.cost + result.judge_cost),
        f"{result.seconds:.1f}",
        _cell("; ".join(notes)),
    ]


def _deltas(summary: VariantSummary) -> str:
    ordered = sorted(summary.criterion_deltas.items(), key=lambda item: (item[1], item[0]))
    return "\n".join(f"- {_cell(criterion)}: {delta:+.2f}" for criterion, delta in ordered)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    line = " ".join(text.split()).replace("|", "/")
    return line if len(line) <= LONGEST_NOTE else line[: LONGEST_NOTE - 1] + "…"


def _score(score: float | None) -> str:
    return "–" if score is None else f"{score:.2f}"


def _delta(delta: float | None) -> str:
    return "" if delta is None else f"{delta:+.2f}"


def _dollars(cost: float) -> str:
    return f"${cost:.4f}"
