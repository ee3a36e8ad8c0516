"""`bottega journal`: read what was learned, form values, and keep the journal in order."""

from typing import Annotated
from urllib.parse import quote

import typer

from bottega.core.client import Api
from bottega.core.terminal import present
from bottega.journal import printing
from bottega.journal.enums import Axis, Domain, EvidenceKind, Outcome
from bottega.journal.jsonlines import export_file, import_file
from bottega.journal.plot import print_calibration

commands = typer.Typer(
    help="Goals, hypotheses, predictions, and what was learned.", no_args_is_help=True
)
commands.command("export")(export_file)
commands.command("import")(import_file)

PATH = "/api/journal"

EntryId = Annotated[str, typer.Argument(help="The entry's id, as `list` shows it.")]
Project = Annotated[str | None, typer.Option(help="Another project's journal.")]
Session = Annotated[str | None, typer.Option(help="The session whose open entry is meant.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
InDomain = Annotated[Domain | None, typer.Option(help="Only of this domain.")]
WithOutcome = Annotated[Outcome | None, typer.Option(help="Only with this outcome.")]


@commands.command("list")
def list_entries(
    context: typer.Context,
    domain: InDomain = None,
    outcome: WithOutcome = None,
    since: Annotated[str | None, typer.Option(help="An ISO 8601 date, UTC.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many, newest first.")] = 20,
    project: Project = None,
    as_json: AsJson = False,
) -> None:
    """Show entries, newest first."""
    found = api(context).get(
        f"{PATH}/entries",
        domain=domain,
        outcome=outcome,
        since=since,
        limit=limit,
        project=project,
    )
    present(found, printing.print_entries, as_json=as_json)


@commands.command("show")
def show(
    context: typer.Context, id: EntryId, project: Project = None, as_json: AsJson = False
) -> None:
    """Show one entry whole."""
    entry = api(context).get(entry_path(id), project=project)
    present(entry, printing.print_entry, as_json=as_json)


@commands.command("search")
def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What it is about, in your own words.")],
    axis: Annotated[Axis, typer.Option(help="The side to compare.")] = Axis.FULL,
    domain: InDomain = None,
    outcome: WithOutcome = None,
    limit: Annotated[int, typer.Option(min=1, max=50, help="How many, best first.")] = 10,
    project: Project = None,
    as_json: AsJson = False,
) -> None:
    """Find experiences by words and meaning."""
    found = api(context).get(
        f"{PATH}/search",
        query=query,
        axis=axis,
        domain=domain,
        outcome=outcome,
        limit=limit,
        project=project,
    )
    present(found, printing.print_search, as_json=as_json)


@commands.command("clusters")
def clusters(
    context: typer.Context,
    cluster_id: Annotated[str | None, typer.Argument(help="Show this cluster's members.")] = None,
    axis: Annotated[Axis, typer.Option(help="The side to compare.")] = Axis.FULL,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many members.")] = 20,
    project: Project = None,
    as_json: AsJson = False,
) -> None:
    """Show groups of alike experiences, or one group's members."""
    if cluster_id is None:
        found = api(context).get(f"{PATH}/clusters", axis=axis, project=project)
        present(found, printing.print_clusters, as_json=as_json)
        return
    path = f"{PATH}/clusters/{quote(cluster_id, safe='')}"
    found = api(context).get(path, limit=limit, project=project)
    present(found, printing.print_members, as_json=as_json)


@commands.command("values")
def values(
    context: typer.Context,
    axis: Annotated[Axis | None, typer.Option(help="Only of this axis.")] = None,
    store: Annotated[str | None, typer.Option(help="Store this value, if it is valid.")] = None,
    cluster: Annotated[str | None, typer.Option(help="The cluster it rests on.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many.")] = 20,
    project: Project = None,
    as_json: AsJson = False,
) -> None:
    """Show values, those of the largest clusters first; or store one."""
    if store is None:
        found = api(context).get(f"{PATH}/values", axis=axis, limit=limit, project=project)
        present(found, printing.print_values, as_json=as_json)
        return
    if cluster is None:
        raise typer.BadParameter("A value rests on a cluster: name it with --cluster.")
    own_axis = axis or cluster.removeprefix("cluster_").rpartition("_")[0]
    new = {"text": store, "cluster_id": cluster, "axis": own_axis}
    value = api(context).post(f"{PATH}/values", json=new)
    present(value, printing.print_stored, as_json=as_json)


@commands.command("context")
def assemble(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="The task at hand.")],
    domain: InDomain = None,
    budget: Annotated[int, typer.Option(min=50, help="How many tokens it may take.")] = 1000,
    as_json: AsJson = False,
) -> None:
    """Show the lessons and values worth knowing before a task."""
    asked = {"query": query, "domain": domain, "budget_tokens": budget}
    found = api(context).post(f"{PATH}/context", json=asked)
    present(found, printing.print_context, as_json=as_json)


@commands.command("calibration")
def calibration(context: typer.Context, project: Project = None, as_json: AsJson = False) -> None:
    """Show how well confidence foretold what happened."""
    report = api(context).get(f"{PATH}/calibration", project=project)
    present(report, print_calibration, as_json=as_json)


@commands.command("evidence")
def evidence(
    context: typer.Context,
    kind: Annotated[EvidenceKind, typer.Argument(help="What ran.")],
    command: Annotated[str, typer.Argument(help="The command that ran.")],
    passed: Annotated[bool, typer.Option("--passed/--failed", help="How it ended.")],
    summary: Annotated[str | None, typer.Option(help="What it printed, in short.")] = None,
    session: Session = None,
    entry: Annotated[str | None, typer.Option(help="A resolved entry, by its id.")] = None,
    as_json: AsJson = False,
) -> None:
    """Attach a test or build that ran to the open entry. For hooks; it resolves nothing."""
    ran = {"kind": kind, "command": command, "passed": passed, "summary": summary}
    asked = {"evidence": ran, "session_id": session, "entry_id": entry}
    attached = api(context).post(f"{PATH}/evidence", json=asked)
    present(attached, printing.print_done("Attached to"), as_json=as_json)


@commands.command("orphans")
def orphans(context: typer.Context, as_json: AsJson = False) -> None:
    """Show open entries that nobody works on any more."""
    found = api(context).get(f"{PATH}/orphans")
    present(found, printing.print_entries, as_json=as_json)


@commands.command("adopt")
def adopt(
    context: typer.Context, id: EntryId, session: Session = None, as_json: AsJson = False
) -> None:
    """Go on with an orphan."""
    entry = api(context).post(f"{entry_path(id)}/adopt", json={"session_id": session})
    present(entry, printing.print_done("Adopted"), as_json=as_json)


@commands.command("abandon")
def abandon(
    context: typer.Context,
    id: EntryId,
    because: Annotated[str | None, typer.Option(help="Why nobody goes on with it.")] = None,
    as_json: AsJson = False,
) -> None:
    """End an orphan; it is kept as abandoned."""
    asked = {"result": because} if because else {}
    ended = api(context).post(f"{entry_path(id)}/abandon", json=asked)
    present(ended, printing.print_done("Abandoned"), as_json=as_json)


@commands.command("sync")
def sync(context: typer.Context, as_json: AsJson = False) -> None:
    """Store what was resolved but not stored, and make lost vectors again."""
    done = api(context).post(f"{PATH}/sync")
    present(done, printing.print_synced, as_json=as_json)
    if done["failed"]:
        raise typer.Exit(1)


def api(context: typer.Context) -> Api:
    asked: Api = context.obj
    return asked


def entry_path(id: str) -> str:
    return f"{PATH}/entries/{quote(id, safe='')}"
