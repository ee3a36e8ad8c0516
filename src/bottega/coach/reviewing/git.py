"""What git knows of a project's past. It is only asked, briefly, and runs nothing of the project's:
no hooks, no file system monitor, no external diff, no text conversion."""

import os
from datetime import datetime
from pathlib import Path

import structlog

from bottega.core.programs import inherited, run

#: Seconds for one question.
PATIENCE = 10.0
LONGEST_ANSWER = 1024 * 1024

log = structlog.get_logger()


class Git:
    def __init__(self, root: Path, program: str = "git") -> None:
        self._root = root
        self._start = (
            program,
            "--no-optional-locks",
            "--literal-pathspecs",
            *("-c", "core.fsmonitor=false"),
            *("-c", f"core.hooksPath={os.devnull}"),
        )

    async def commit_before(self, moment: datetime | None) -> str | None:
        """The last commit before then; None without git or a repository.

        In a repository that is younger it is the newest commit, and without any the empty tree.
        """
        if await self._ask("rev-parse", "--git-dir") is None:
            return None
        if moment is not None:
            found = await self._ask("rev-list", "-1", f"--before={moment.isoformat()}", "HEAD")
            if found:
                return found.decode().strip()
        newest = await self._ask("rev-parse", "--verify", "--quiet", "HEAD")
        found = newest or await self._ask("hash-object", "-t", "tree", os.devnull)
        return found.decode().strip() if found else None

    async def changed_since(self, commit: str) -> list[str]:
        """Paths that differ from then, seen from the project's root; new files too."""
        differing = await self._ask(
            *("diff", "--name-only", "-z", "--relative", "--no-renames", "--no-color"),
            *("--no-ext-diff", "--no-textconv", "--ignore-submodules=all", commit),
        )
        untracked = await self._ask("ls-files", "--others", "--exclude-standard", "-z")
        names = b"".join(answer or b"" for answer in (differing, untracked)).split(b"\0")
        return [name.decode(errors="replace") for name in names if name]

    async def content(self, commit: str, path: str) -> bytes | None:
        """The file as it was then; None if there was none."""
        return await self._ask("cat-file", "blob", f"{commit}:./{path}")

    async def _ask(self, *arguments: str) -> bytes | None:
        """What it answers; None if it fails, takes too long or says too much."""
        try:
            answer = await run(
                (*self._start, *arguments),
                self._root,
                PATIENCE,
                max_output=LONGEST_ANSWER,
                # Nothing may point it elsewhere, and it may neither fetch nor ask for a password.
                environment=inherited(
                    without="GIT_", GIT_NO_LAZY_FETCH="1", GIT_TERMINAL_PROMPT="0"
                ),
            )
        except TimeoutError:
            log.warning("git.too_slow", question=arguments[0], seconds=PATIENCE)
            return None
        except OSError as error:
            log.info("git.unavailable", why=str(error))
            return None
        if answer.flooded:
            log.warning("git.too_long", question=arguments[0])
            return None
        return answer.output if answer.code == 0 else None
