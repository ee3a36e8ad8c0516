"""Commands of the documentation that this test does not run, each with its reason and its proof.

A command is excused if it begins with the words of a row. `bottega` commands are held to the
command line's own parser all the same, and `make` targets to the Makefile.
"""

import re
from dataclasses import dataclass

from tests.docs.pages import ROOT

LANDING = ".ci/run"


@dataclass(frozen=True)
class Excuse:
    #: What the command begins with, as a regular expression.
    begins: str
    why: str
    #: The file that does run it, or something that stands for it.
    proof: str


EXCUSES = (
    Excuse(r"make (test|check|format|docs|web)\b", "is how the tests themselves are run", LANDING),
    Excuse(r"make test-clients\b", "needs npm packages", "tests/clients/test_claude_code.py"),
    Excuse(r"make bench\b", "measures for minutes", "bench/__main__.py"),
    Excuse(r"make chaos\b", "kills for minutes", "tests/trust/test_chaos.py"),
    Excuse(r"make pictures\b", "needs a minute and Chromium", "tests/docs/test_recording.py"),
    Excuse(r"make (run|demo)\b", "sets up an environment first", "tests/end_to_end/test_cli.py"),
    Excuse(r"(\w+=\S+ )*bottega (serve|worker|mcp)\b", "stays", "tests/end_to_end/test_server.py"),
    Excuse(r"bottega desktop\b", "opens a window", "tests/clients/test_desktop.py"),
    Excuse(r"bottega demo\b", "is toured by its own test", "tests/end_to_end/test_cli.py"),
    Excuse(r"claude\b", "needs Claude Code", "tests/clients/test_claude_code.py"),
    Excuse(r"codex\b", "needs Codex", "tests/clients/test_codex.py"),
    Excuse(r"bottega board archive\b", "needs OpenSpec", "tests/clients/test_openspec.py"),
    Excuse(r"createdb\b", "needs a PostgreSQL server", "tests/end_to_end/test_keeping.py"),
    Excuse(
        r"(export )?DATABASE_URL=postgresql:",
        "needs a PostgreSQL server",
        "tests/end_to_end/test_keeping.py",
    ),
    Excuse(r"export \w+_(API_KEY|TOKEN)=", "needs a secret", "tests/core/llm"),
    Excuse(
        r"(sudo )?(systemctl|journalctl|loginctl)\b",
        "changes the machine",
        "tests/packaging/test_service.py",
    ),
    Excuse(r"(\w+=\S+ )*docker\b", "needs an engine", "tests/packaging/test_container.py"),
    Excuse(r"(pipx|pip|uv|npm)\b", "installs packages", "tests/clients/test_installing.py"),
    Excuse(r"make package\b", "is built by its own test", "tests/packaging/test_wheel.py"),
)


def excuse_of(command: str) -> Excuse | None:
    return next((each for each in EXCUSES if re.match(each.begins, command)), None)


def is_proven(excuse: Excuse) -> bool:
    return (ROOT / excuse.proof).exists()
