"""What the README shows is run as it stands."""

import re
import subprocess
import sys
from pathlib import Path

from tests.end_to_end.conftest import DEADLINE, Start

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_the_fifteen_lines_work(start_server: Start) -> None:
    found = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert found is not None
    server = start_server()
    program = found.group(1).replace("http://127.0.0.1:3000", server.url)
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "Cents are integers here" in ran.stdout
    searched = server.run("memory", "search", "rounding")
    assert "Cents are integers here" in searched.stdout
