"""`bottega research "question"`: a cited answer, or a refusal that says what is missing."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from typer.core import TyperGroup

from bottega.core.commands import AsJson, CommandGroup, call
from bottega.core.doors.client import Answer, present
from bottega.core.operations import Get
from bottega.errors import InvalidInput
from bottega.research import addresses, printing

#: Of other rooms, and of all runs.
LIBRARIES, RUN = Get("/libraries"), Get("/runs/{run_id}")
RUN_EVENTS = Get("/runs/{run_id}/events")
#: Spelt out: the modules that define it load the whole room.
Depth = Literal["quick", "standard", "deep"]
#: Where a run goes no further by itself.
RESTING = ("paused", "completed", "failed", "cancelled")
#: Seconds to wait for news of a run.
LOOK = 10
RunId = Annotated[str, typer.Argument(help="A run's id, as `runs` shows it.")]
Slug = Annotated[str, typer.Argument(help="The source, as `sources` shows it.")]
Out = Annotated[Path | None, typer.Option(help="Also write the answer to this file.")]


class QuestionFirst(TyperGroup):
    """What is no command is a question: `bottega research "What does a berth cost?"`."""

    # `Any` as click has it: typer brings a click of its own.
    def parse_args(self, ctx, args):  # type: ignore[no-untyped-def]
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = ["ask", *args]
        return super().parse_args(ctx, args)


commands = CommandGroup(
    'Cited answers from your libraries: `bottega research "question" --library NAME`.',
    cls=QuestionFirst,
)


@commands.command("ask")
def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    library: Annotated[
        str | None, typer.Option(help="The library to ask; the only one if there is one.")
    ] = None,
    depth: Annotated[Depth | None, typer.Option(help="How thorough.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not stop to ask.")] = False,
    out: Out = None,
    agent: Annotated[str, typer.Option(help="The agent that works on it.")] = "deep-research",
    follow: Annotated[str | None, typer.Option(help="The run this is about.")] = None,
    budget: Annotated[float | None, typer.Option(min=0, help="US dollars at most.")] = None,
    as_json: AsJson = False,
) -> None:
    """Ask a question: the answer cites every claim, or says what is missing."""
    if out is not None and not out.absolute().parent.is_dir():
        raise InvalidInput(f"There is no folder {out.absolute().parent} to write {out.name} to.")
    run: Answer = call(
        context,
        addresses.START_RUN,
        question=question,
        library=library or the_only_library(context),
        depth=depth,
        agent=agent,
        auto_proceed=yes or as_json,
        follow_up_of=follow,
        budget_usd=budget,
    )
    _go_on(context, run["id"], out, as_json=as_json)


@commands.command("resume")
def resume(
    context: typer.Context,
    run_id: RunId,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Go on with a run that waits for you, or watch one that is at work."""
    _go_on(context, run_id, out, as_json=as_json)


@commands.command("runs")
def list_runs(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many, newest first.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show what was asked, and what came of it."""
    found = call(context, addresses.LIST_RUNS, limit=limit)
    present(found, printing.print_runs, as_json=as_json)


@commands.command("answer")
def show_answer(context: typer.Context, run_id: RunId, as_json: AsJson = False) -> None:
    """Show the answer of a finished run again."""
    answer = call(context, addresses.READ_ANSWER, run_id=run_id)
    present(answer, printing.print_answer, as_json=as_json)


@commands.command("cancel")
def cancel(context: typer.Context, run_id: RunId, as_json: AsJson = False) -> None:
    """Stop a run for good. What it had found is kept."""
    answer = call(context, addresses.CANCEL_RUN, run_id=run_id)
    present(answer, printing.print_cancelled, as_json=as_json)


@commands.command("agents")
def list_agents(context: typer.Context, as_json: AsJson = False) -> None:
    """Show the agents there are, and what is wrong with broken ones."""
    present(call(context, addresses.LIST_AGENTS), printing.print_agents, as_json=as_json)


@commands.command("sources")
def list_sources(context: typer.Context, as_json: AsJson = False) -> None:
    """Show the sources there are, and how they do."""
    present(call(context, addresses.LIST_SOURCES), printing.print_sources, as_json=as_json)


@commands.command("test-source")
def try_source(
    context: typer.Context,
    slug: Slug,
    as_json: AsJson = False,
) -> None:
    """Try a source; exit code 1 if it does not work."""
    report = call(context, addresses.TEST_SOURCE, slug=slug)
    present(report, printing.print_test, as_json=as_json)
    if not report["passed"]:
        raise typer.Exit(1)


@commands.command("enable-source")
def enable_source(
    context: typer.Context,
    slug: Slug,
    off: Annotated[bool, typer.Option("--off", help="Switch it off again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Let conversations and agents use a source."""
    asked = addresses.DISABLE_SOURCE if off else addresses.ENABLE_SOURCE
    answer = call(context, asked, slug=slug)
    present({"sources": [answer]}, printing.print_sources, as_json=as_json)


def the_only_library(context: typer.Context) -> str:
    names = [library["name"] for library in call(context, LIBRARIES)["libraries"]]
    if len(names) == 1:
        return str(names[0])
    if not names:
        raise InvalidInput(
            "There is no library to ask yet. Make one: bottega library add NAME FOLDER"
        )
    raise InvalidInput(f"Which library? Say --library with one of: {', '.join(names)}.")


def _go_on(context: typer.Context, run_id: str, out: Path | None, *, as_json: bool) -> None:
    """Watch the run, pass on what the person replies, and show what it comes to."""
    position = 0
    while True:
        position, status = _watch(context, run_id, position, quiet=as_json)
        if status != "paused":
            break
        if as_json:
            present(_find(context, run_id), printing.print_nothing, as_json=True)
            return
        printing.print_question(_find(context, run_id)["waiting_for"])
        reply = printing.read_reply()
        if reply is None:
            printing.print_left(run_id)
            return
        _settle(context, run_id)
        call(context, addresses.REPLY_TO_RUN, run_id=run_id, text=reply, wait=False)
    if status != "completed":
        run = _find(context, run_id)
        present(run, printing.print_failure, as_json=as_json)
        raise typer.Exit(1)
    answer = call(context, addresses.READ_ANSWER, run_id=run_id)
    if answer["open_question"] and not as_json:
        # After leaving a run: what was asked instead, answered in its session.
        printing.print_chat(_settle(context, run_id)[-1]["text"])
        return
    if out is not None and answer["markdown"]:
        out.write_text(answer["markdown"], encoding="utf-8")
    present(answer, printing.print_answer, as_json=as_json)
    if out is not None and not as_json:
        printing.print_written(out)


def _find(context: typer.Context, run_id: str) -> Answer:
    run: Answer = call(context, addresses.SHOW_RUN, run_id=run_id)
    return run


def _settle(context: typer.Context, run_id: str) -> list[Answer]:
    """The run's conversation, when it works on nothing."""
    session = _find(context, run_id)["session_id"]
    said = call(context, addresses.READ_MESSAGES, session_id=session, wait=60)
    return list(said["messages"])


def _watch(context: typer.Context, run_id: str, position: int, *, quiet: bool) -> tuple[int, str]:
    """Show its stages as they come, until it needs somebody or has ended."""
    with printing.live_tree(quiet=quiet) as grow:
        while True:
            events = call(context, RUN_EVENTS, run_id=run_id, after=position, wait=LOOK)
            for event in events:
                position = event["position"]
                grow(event)
            may_rest = not events or events[-1]["type"] in RESTING
            status = call(context, RUN, run_id=run_id)["status"] if may_rest else "running"
            if status in RESTING:
                return position, status
