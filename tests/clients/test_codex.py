"""The real Codex reads what `bottega connect` has written."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.clients.npm import installed
from tests.end_to_end.conftest import run_bottega

pytestmark = pytest.mark.clients


def test_codex_knows_the_server_until_it_is_taken_out(tmp_path: Path) -> None:
    codex = installed("@openai/codex@0.166.0") / "node_modules/.bin/codex"
    config = tmp_path / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text('# mine\nmodel = "gpt-5"\n')
    home = {"HOME": str(tmp_path), "DATA_DIR": str(tmp_path / "data")}

    def listed() -> list[dict[str, object]]:
        ran = subprocess.run(
            [codex, "mcp", "list", "--json"],
            env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        found: list[dict[str, object]] = json.loads(ran.stdout)
        return found

    run_bottega("connect", "codex", "--url", "http://127.0.0.1:3000", cwd=tmp_path, **home)
    [server] = listed()
    assert server["name"] == "bottega"
    transport = server["transport"]
    assert isinstance(transport, dict)
    assert (transport["type"], transport["url"]) == (
        "streamable_http",
        "http://127.0.0.1:3000/mcp",
    )
    run_bottega(
        *("connect", "codex", "--url", "http://127.0.0.1:3000", "--token"), cwd=tmp_path, **home
    )
    [server] = listed()
    assert isinstance(server["transport"], dict)
    assert server["transport"]["bearer_token_env_var"] == "BOTTEGA_TOKEN"
    run_bottega("connect", "codex", "--undo", cwd=tmp_path, **home)
    assert listed() == []
    assert config.read_text() == '# mine\nmodel = "gpt-5"\n'
