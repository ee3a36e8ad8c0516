"""`bottega transcripts`: what Claude Code and Codex wrote down, taken in to be searched."""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from bottega.cli.transfer import bars, user_named
from bottega.core.doors.client import Answer, present
from bottega.errors import NotFound
from bottega.settings import Settings, load_settings

if TYPE_CHECKING:
    from bottega.core.transcripts.importer import Transcripts

commands = typer.Typer(help="Take in what Claude Code and Codex wrote down.", no_args_is_help=True)
console = Console()

MOST_SKIPPED_SHOWN = 20
Tell = Callable[[str, int, int], None]


@commands.callback()
def group() -> None:
    # Without it, a group of one command would be that command.
    pass


@commands.command("import")
def import_transcripts(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files, or folders to look through. Default: CLAUDE_CONFIG_DIR or ~/.claude, its "
            "`projects`; and CODEX_HOME or ~/.codex, its `sessions`.",
            show_default=False,
        ),
    ] = None,
    user: Annotated[str, typer.Option(help="Whose they are: a user's name.")] = "local",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Make sessions, messages and events of transcripts, each message once.

    Run it again whenever there is more: what is known is skipped, a sitting that went on is
    continued. Files that are no transcripts are named with the reason. What looks like a secret is
    hidden. Nothing is changed in the files.
    """
    wanted = paths or usual_places()
    missing = [path for path in wanted if not path.exists()]
    if missing and paths:
        raise NotFound(f"There is no file or folder {str(missing[0])!r}.")
    there = [path for path in wanted if path.exists()]
    if not there:
        raise NotFound(
            f"There are no transcripts in {' or '.join(map(str, wanted))}. Name files or folders: "
            "bottega transcripts import PATH"
        )
    with bars() as tell:
        done = asyncio.run(_import(load_settings(), there, user, tell))
    present(done, _print_done, as_json=as_json)


def usual_places() -> list[Path]:
    claude = os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude"
    codex = os.environ.get("CODEX_HOME") or "~/.codex"
    return [Path(claude).expanduser() / "projects", Path(codex).expanduser() / "sessions"]


async def _import(settings: Settings, paths: Sequence[Path], user: str, tell: Tell) -> Answer:
    from bottega.app import build_core
    from bottega.core.transcripts.files import find_files
    from bottega.core.transcripts.importer import Transcripts

    core = build_core(settings)
    await core.database.start()
    try:
        user_id = await user_named(core.database, user)
        # Makes the redaction know every stored secret.
        await core.secrets.names()
        transcripts = Transcripts(core.database, core.secrets.redact)
        files = await asyncio.to_thread(find_files, paths)
        done: Answer = {"files": len(files), "sessions": 0, "imported": 0, "known": 0}
        done |= {"unreadable_lines": 0, "skipped": []}
        for number, file in enumerate(files, 1):
            await _take_in(transcripts, file, user_id, done)
            tell("transcripts", number, len(files))
    finally:
        await core.database.stop()
    return done


async def _take_in(transcripts: "Transcripts", file: Path, user_id: str, done: Answer) -> None:
    from bottega.core.transcripts.files import NotATranscript, read_transcripts

    try:
        found, unreadable = await asyncio.to_thread(read_transcripts, file)
        done["unreadable_lines"] += unreadable
        for transcript in found:
            taken = await transcripts.take_in(transcript, user_id)
            done["sessions"] += taken.is_new
            done["imported"] += taken.imported
            done["known"] += taken.known
    except NotATranscript as reason:
        done["skipped"].append({"file": str(file), "reason": str(reason)})
    except RecursionError:
        done["skipped"].append({"file": str(file), "reason": "it is nested too deeply"})


def _print_done(done: Answer) -> None:
    console.print(
        f"[green]Imported[/green] {done['imported']} messages, {done['sessions']} new sessions, "
        f"from {done['files']} files; known already: {done['known']}.",
        soft_wrap=True,
    )
    if done["unreadable_lines"]:
        console.print(f"[yellow]{done['unreadable_lines']} lines could not be read.[/yellow]")
    skipped = done["skipped"]
    for each in skipped[:MOST_SKIPPED_SHOWN]:
        console.print(
            f"  [yellow]skipped[/yellow] {each['file']}: {each['reason']}", soft_wrap=True
        )
    if len(skipped) > MOST_SKIPPED_SHOWN:
        console.print(f"  and {len(skipped) - MOST_SKIPPED_SHOWN} more; --json names them all.")
