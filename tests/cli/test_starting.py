"""Commands start fast: what only the server needs is not loaded for them."""

import subprocess
import sys

SERVERS_OWN = ("fastapi", "sqlalchemy", "numpy", "pydantic_ai", "mcp")
LOOK = """
import sys
from bottega.cli.main import add_rooms
add_rooms()
print(*sorted(set(sys.argv[1:]) & set(sys.modules)))
"""


def test_a_command_loads_nothing_that_only_the_server_needs() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", LOOK, *SERVERS_OWN], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.split() == []
