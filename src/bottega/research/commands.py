"""`bottega research "question"`: a cited answer, or a refusal that says what is missing."""

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote

import typer
from typer.core import TyperGroup

from bottega.core.client import Api
from bottega.core.terminal import Answer, present
from bottega.errors import InvalidInput
from bottega.research import printing

PATH = "/api/research"
#: Spelt out: the modules that define it load the whole room.
Depth = Literal["quick", "standard", "deep"]
#: Seconds to wait for news of a run.
LOOK = 10


class QuestionFirst(TyperGroup):
    """What is no command is a question: `bottega research "What does a berth cost?"`."""

    # `Any` as click has it: typer brings a click of its own.
    def parse_args(self, ctx, args):  # type: ignore[no-untyped-def]
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = ["ask", *args]
        return super().parse_args(ctx, args)


commands = typer.Typer(
    cls=QuestionFirst,
    help='Cited answers from your libraries: `bottega research "question" --library NAME`.',
    no_args_is_help=True,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
RunId = Annotated[str, typer.Argument(help="A run's id, as `runs` shows it.")]


@commands.command("ask")
def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    library: Annotated[
        str | None, typer.Option(help="The library to ask; the only one if there is one.")
    ] = None,
    depth: Annotated[Depth | None, typer.Option(help="How thorough.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not stop to ask.")] = False,
    out: Annotated[Path | None, typer.Option(help="Also write the answer to this file.")] = None,
    agent: Annotated[str, typer.Option(help="The agent that works on it.")] = "deep-research",
    follow: Annotated[str | None, typer.Option(help="The run this is about.")] = None,
    budget: Annotated[float | None, typer.Option(min=0, help="US dollars at most.")] = None,
    as_json: AsJson = False,
) -> None:
    """Ask a question: the answer cites every claim, or says what is missing."""
    asking = api(context)
    if out is not None and not out.absolute().parent.is_dir():
        raise InvalidInput(f"There is no folder {out.absolute().parent} to write {out.name} to.")
    run: Answer = asking.post(
        f"{PATH}/runs",
        json={
            "question": question,
            "library": library or the_only_library(asking),
            "depth": depth,
            "agent": agent,
            "auto_proceed": yes or as_json,
            "follow_up_of": follow,
            "budget_usd": budget,
        },
    )
    _go_on(asking, run["id"], out, as_json=as_json)


@commands.command("resume")
def resume(
    context: typer.Context,
    run_id: RunId,
    out: Annotated[Path | None, typer.Option(help="Also write the answer to this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Go on with a run that waits for you, or watch one that is at work."""
    _go_on(api(context), run_id, out, as_json=as_json)


@commands.command("runs")
def list_runs(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many, newest first.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show what was asked, and what came of it."""
    present(api(context).get(f"{PATH}/runs", limit=limit), printing.print_runs, as_json=as_json)


@commands.command("answer")
def show_answer(context: typer.Context, run_id: RunId, as_json: AsJson = False) -> None:
    """Show the answer of a finished run again."""
    answer = api(context).get(f"{path_of(run_id)}/answer")
    present(answer, printing.print_answer, as_json=as_json)


@commands.command("cancel")
def cancel(context: typer.Context, run_id: RunId, as_json: AsJson = False) -> None:
    """Stop a run for good. What it had found is kept."""
    answer = api(context).post(f"{path_of(run_id)}/cancel")
    present(answer, printing.print_cancelled, as_json=as_json)


@commands.command("agents")
def list_agents(context: typer.Context, as_json: AsJson = False) -> None:
    """Show the agents there are, and what is wrong with broken ones."""
    present(api(context).get(f"{PATH}/agents"), printing.print_agents, as_json=as_json)


@commands.command("sources")
def list_sources(context: typer.Context, as_json: AsJson = False) -> None:
    """Show the sources there are, and how they do."""
    present(api(context).get(f"{PATH}/sources"), printing.print_sources, as_json=as_json)


@commands.command("test-source")
def try_source(
    context: typer.Context,
    slug: Annotated[str, typer.Argument(help="The source, as `sources` shows it.")],
    as_json: AsJson = False,
) -> None:
    """Try a source; exit code 1 if it does not work."""
    report = api(context).post(f"{PATH}/sources/{quote(slug, safe='')}/test")
    present(report, printing.print_test, as_json=as_json)
    if not report["passed"]:
        raise typer.Exit(1)


@commands.command("enable-source")
def enable_source(
    context: typer.Context,
    slug: Annotated[str, typer.Argument(help="The source, as `sources` shows it.")],
    off: Annotated[bool, typer.Option("--off", help="Switch it off again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Let conversations and agents use a source."""
    verb = "disable" if off else "enable"
    answer = api(context).post(f"{PATH}/sources/{quote(slug, safe='')}/{verb}")
    present({"sources": [answer]}, printing.print_sources, as_json=as_json)


def api(context: typer.Context) -> Api:
    client: Api = context.obj
    return client


def path_of(run_id: str) -> str:
    return f"{PATH}/runs/{quote(run_id, safe='')}"


def the_only_library(asking: Api) -> str:
    names = [library["name"] for library in asking.get("/api/libraries")["libraries"]]
    if len(names) == 1:
        return str(names[0])
    if not names:
        raise InvalidInput(
            "There is no library to ask yet. Make one: bottega library add NAME FOLDER"
        )
    raise InvalidInput(f"Which library? Say --library with one of: {', '.join(names)}.")


def _go_on(asking: Api, run_id: str, out: Path | None, *, as_json: bool) -> None:
    """Watch the run, pass on what the person replies, and show what it comes to."""
    position = 0
    while True:
        position, status = _watch(asking, run_id, position, quiet=as_json)
        if status != "paused":
            break
        if as_json:
            present(asking.get(path_of(run_id)), printing.print_nothing, as_json=True)
            return
        printing.print_question(asking.get(path_of(run_id))["waiting_for"])
        reply = printing.read_reply()
        if reply is None:
            printing.print_left(run_id)
            return
        _settle(asking, run_id)
        asking.post(f"{path_of(run_id)}/messages", json={"text": reply, "wait": False})
    if status != "completed":
        run = asking.get(path_of(run_id))
        present(run, printing.print_failure, as_json=as_json)
        raise typer.Exit(1)
    answer = asking.get(f"{path_of(run_id)}/answer")
    if answer["open_question"] and not as_json:
        _show_chat(asking, run_id)
        return
    if out is not None and answer["markdown"]:
        out.write_text(answer["markdown"], encoding="utf-8")
    present(answer, printing.print_answer, as_json=as_json)
    if out is not None and not as_json:
        printing.print_written(out)


def _show_chat(asking: Api, run_id: str) -> None:
    """After leaving a run: what was asked instead, answered in its session."""
    printing.print_chat(_settle(asking, run_id)[-1]["text"])


def _settle(asking: Api, run_id: str) -> list[Answer]:
    """The run's conversation, when it works on nothing."""
    session = asking.get(path_of(run_id))["session_id"]
    said: list[Answer] = asking.get(f"{PATH}/sessions/{session}/messages", wait=60)["messages"]
    return said


def _watch(asking: Api, run_id: str, position: int, *, quiet: bool) -> tuple[int, str]:
    """Show its stages as they come, until it needs somebody or has ended."""
    path = f"/api/runs/{quote(run_id, safe='')}"
    with printing.live_tree(quiet=quiet) as grow:
        while True:
            events = asking.get(f"{path}/events", after=position, wait=LOOK)
            for event in events:
                position = event["position"]
                grow(event)
            status = asking.get(path)["status"] if _may_rest(events) else "running"
            if status in ("paused", "completed", "failed", "cancelled"):
                return position, status


def _may_rest(events: list[Answer]) -> bool:
    return not events or events[-1]["type"] in ("paused", "completed", "failed", "cancelled")
