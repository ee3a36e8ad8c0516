"""`bottega connect`, as a person types it, in a home of their own."""

import json
import os
import resource
import stat
import subprocess
import sys
import threading
import tomllib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bottega.cli.main import cli
from bottega.errors import BottegaError
from tests.end_to_end.conftest import run_bottega

URL = "http://127.0.0.1:4000"
ENDPOINT = f"{URL}/mcp"
#: Each client and scope with its file, in the home `~` or the project `.`.
FILES = {
    ("claude-code", "user"): "~/.claude.json",
    ("claude-code", "project"): "./.mcp.json",
    ("cursor", "user"): "~/.cursor/mcp.json",
    ("cursor", "project"): "./.cursor/mcp.json",
    ("vscode", "user"): "~/.config/Code/User/mcp.json",
    ("vscode", "project"): "./.vscode/mcp.json",
    ("codex", "user"): "~/.codex/config.toml",
    ("codex", "project"): "./.codex/config.toml",
}
MOVED = (
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "XDG_CONFIG_HOME",
    "BOTTEGA_URL",
    "BOTTEGA_TOKEN",
    "PORT",
    "HOST",
)
COMMENTED = """{
\t// The ones that I use every day
\t"mcpServers": {
\t\t"other": { "command": "npx", "args": ["-y", "other",], }, // keep
\t},
\t/* and the rest */ "theme": "dark"
}"""


@pytest.fixture(autouse=True)
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a project; no Claude Code on the path."""
    for name in MOVED:
        monkeypatch.delenv(name, raising=False)
    for folder in ("home", "project", "bin"):
        (tmp_path / folder).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path


def file_of(house: Path, client: str, scope: str) -> Path:
    path = FILES[client, scope]
    return house / path.replace("~", "home").replace("./", "project/")


def connect(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["connect", *arguments], env={"COLUMNS": "300"})


def done(*arguments: str) -> str:
    result = connect(*arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


def refusal(*arguments: str) -> str:
    result = connect(*arguments)
    assert isinstance(result.exception, BottegaError), result.output
    return result.exception.message


def snapshot(house: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(house)): path.read_bytes()
        for path in sorted(house.rglob("*"))
        if path.is_file()
    }


def servers(path: Path) -> dict[str, object]:
    text = path.read_text()
    document = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    [found] = document.values()
    return dict(found)


@pytest.mark.parametrize(("client", "scope"), FILES)
def test_a_client_is_connected_where_it_looks_and_disconnected_without_a_trace(
    client: str, scope: str, house: Path
) -> None:
    before = snapshot(house)
    assert ENDPOINT in done(client, "--url", URL, "--scope", scope)

    typed = {"type": "http"} if client in ("claude-code", "vscode") else {}
    assert servers(file_of(house, client, scope)) == {"bottega": {**typed, "url": ENDPOINT}}
    assert "already" in done(client, "--url", URL, "--scope", scope)
    assert "Disconnected" in done(client, "--undo", "--scope", scope)
    assert snapshot(house) == before
    assert "not connected" in done(client, "--undo", "--scope", scope)


#: How each program is told to send the token that it finds in the environment.
TOKENS: dict[str, dict[str, object]] = {
    "claude-code": {"headers": {"Authorization": "Bearer ${BOTTEGA_TOKEN}"}},
    "cursor": {"headers": {"Authorization": "Bearer ${env:BOTTEGA_TOKEN}"}},
    "vscode": {"headers": {"Authorization": "Bearer ${env:BOTTEGA_TOKEN}"}},
    "codex": {"bearer_token_env_var": "BOTTEGA_TOKEN"},
}


@pytest.mark.parametrize(("client", "scope"), FILES)
def test_a_token_is_named_in_the_file_and_never_written(
    client: str, scope: str, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOTTEGA_TOKEN", "open-sesame")
    before = snapshot(house)
    done(client, "--url", URL, "--scope", scope)
    assert "the file names the variable" in done(client, "--url", URL, "--scope", scope, "--token")
    found = servers(file_of(house, client, scope))["bottega"]
    assert isinstance(found, dict)
    assert TOKENS[client].items() <= found.items()
    assert found["url"] == ENDPOINT
    assert not any(b"open-sesame" in content for content in snapshot(house).values())
    assert "Disconnected" in done(client, "--undo", "--scope", scope)
    assert snapshot(house) == before


class Strict(BaseHTTPRequestHandler):
    """A server that asks for a token."""

    def do_GET(self) -> None:
        is_known = self.headers["Authorization"] == "Bearer open-sesame"
        self.send_response(200 if is_known else 401)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_a_server_that_asks_for_a_token_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Strict) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = ("cursor", "--url", f"http://127.0.0.1:{server.server_port}")
        assert "connect again with `--token`" in done(*address)
        assert "BOTTEGA_TOKEN is not set in this shell" in done(*address, "--token")
        done("cursor", "--undo")
        monkeypatch.setenv("BOTTEGA_TOKEN", "another")
        assert "does not know the token" in done(*address, "--token")
        done("cursor", "--undo")
        monkeypatch.setenv("BOTTEGA_TOKEN", "open-sesame")
        said = done(*address, "--token")
        server.shutdown()
    assert "does not know" not in said
    assert "is not set" not in said


def test_comments_layout_and_rights_stay_and_a_copy_is_kept(house: Path) -> None:
    file = file_of(house, "cursor", "user")
    file.parent.mkdir()
    file.write_text(COMMENTED)
    file.chmod(0o600)
    said = done("cursor", "--url", URL)

    text = file.read_text()
    assert text == COMMENTED.replace(
        "// keep\n",
        '// keep\n\t\t"bottega": {\n\t\t\t"url": "http://127.0.0.1:4000/mcp"\n\t\t},\n',
    )
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    copy = file.with_name("mcp.json.before-bottega")
    assert copy.read_text() == COMMENTED
    assert str(copy) in said
    done("cursor", "--undo")
    assert file.read_text() == COMMENTED
    assert sorted(file.parent.iterdir()) == [file]


def test_what_was_changed_since_stays_changed(house: Path) -> None:
    file = file_of(house, "cursor", "user")
    file.parent.mkdir()
    file.write_text(COMMENTED)
    done("cursor", "--url", URL)
    file.write_text(file.read_text().replace('"dark"', '"light"'))
    done("cursor", "--undo")

    assert file.read_text() == COMMENTED.replace('"dark"', '"light"')
    assert file.with_name("mcp.json.before-bottega").read_text() == COMMENTED
    assert "4000/mcp" in file.with_name("mcp.json.before-bottega-2").read_text()


def test_another_address_takes_the_place_of_the_first_and_undo_restores_what_was_before(
    house: Path,
) -> None:
    file = file_of(house, "vscode", "project")
    file.parent.mkdir()
    file.write_text('{"servers": {}}')
    done("vscode", "--url", URL)
    done("vscode", "--url", "http://127.0.0.1:5000/mcp/coach")

    assert servers(file)["bottega"] == {"type": "http", "url": "http://127.0.0.1:5000/mcp/coach"}
    done("vscode", "--undo")
    assert file.read_text() == '{"servers": {}}'
    assert sorted(file.parent.iterdir()) == [file]


def test_codex_keeps_its_other_tables_and_comments(house: Path) -> None:
    file = file_of(house, "codex", "user")
    file.parent.mkdir()
    before = '# mine\nmodel = "x"\r\n\r\n[mcp_servers.other]\ncommand = "npx" # fast\n[tui]\na = 1'
    file.write_bytes(before.encode())
    done("codex", "--url", URL)
    file.write_bytes(file.read_bytes() + b"\n[last]\nb = 2\n")
    done("codex", "--undo")

    assert file.read_bytes().decode() == before + "\r\n\n[last]\nb = 2\n"


def test_a_link_leads_to_the_file_that_is_changed(house: Path) -> None:
    real = house / "dotfiles" / "cursor.json"
    real.parent.mkdir()
    real.write_text("{}")
    link = file_of(house, "cursor", "user")
    link.parent.mkdir()
    link.symlink_to(real)
    done("cursor", "--url", URL)

    assert link.is_symlink()
    assert "bottega" in real.read_text()
    done("cursor", "--undo")
    assert link.is_symlink()
    assert real.read_text() == "{}"


@pytest.mark.parametrize(
    ("client", "content", "why"),
    [
        ("cursor", b'{"mcpServers": {', "line 1"),
        ("cursor", b"[]", "not an object"),
        ("cursor", b'{"mcpServers": []}', "'mcpServers' is not an object"),
        ("cursor", b'{"mcpServers": {}, "mcpServers": {}}', "twice"),
        ("cursor", b'{"a": 1} trailing', "more after its end"),
        ("cursor", b"// nothing but this", "line 1"),
        ("cursor", b"\xff\xfe{}", "not UTF-8"),
        ("cursor", b"[" * 100_000, "nested too deeply"),
        ("codex", b"model = ", "not TOML"),
        ("codex", b"mcp_servers = 3", "not a table"),
        ("codex", b"mcp_servers = { other = { url = 'x' } }", "not TOML"),
    ],
)
def test_a_file_that_is_not_understood_is_left_alone_with_the_line_to_paste(
    client: str, content: bytes, why: str, house: Path
) -> None:
    file = file_of(house, client, "user")
    file.parent.mkdir()
    file.write_bytes(content)
    before = snapshot(house)
    said = refusal(client, "--url", URL)

    assert why in said
    pasted = said.partition("This is what belongs into it:\n")[2]
    document = tomllib.loads(pasted) if client == "codex" else json.loads(pasted)
    [found] = document.values()
    assert found == {"bottega": {"url": ENDPOINT}}
    assert snapshot(house) == before


def test_the_list_says_which_file_is_not_understood(house: Path) -> None:
    file = file_of(house, "codex", "user")
    file.parent.mkdir()
    file.write_text("[mcp_servers")
    listed = done()

    assert "is left as it is: it is not TOML" in listed
    assert listed.count("not connected") == len(FILES) - 1


def test_an_entry_of_somebodys_own_is_not_touched(house: Path) -> None:
    file = file_of(house, "cursor", "user")
    file.parent.mkdir()
    file.write_text('{"mcpServers": {"bottega": {"url": "http://far/mcp", "headers": {"a": "b"}}}}')
    before = snapshot(house)

    assert "not put there by this command" in refusal("cursor", "--url", URL)
    assert "remove it by hand" in refusal("cursor", "--undo")
    assert snapshot(house) == before


def test_a_home_that_cannot_be_written_is_said_with_the_line_to_paste(house: Path) -> None:
    """Even root can make no folder where a file is."""
    (house / "home" / ".cursor").write_text("a file")
    before = snapshot(house)
    said = refusal("cursor", "--url", URL)

    assert "Nothing was changed" in said
    assert '"url": "http://127.0.0.1:4000/mcp"' in said
    assert snapshot(house) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_leaves_no_half_file(house: Path) -> None:
    file = file_of(house, "cursor", "user")
    file.parent.mkdir()
    file.write_text("{}")
    file.parent.chmod(0o500)
    before = snapshot(house)
    said = refusal("cursor", "--url", URL)

    assert '"url": "http://127.0.0.1:4000/mcp"' in said
    assert snapshot(house) == before


@pytest.mark.parametrize(
    "url", [" ", "ftp://x", "http://", "127.0.0.1:3000", "http://a b", "http://x:y"]
)
def test_an_address_that_is_none_is_refused(url: str, house: Path) -> None:
    before = snapshot(house)
    assert "is no server's address" in refusal("cursor", "--url", url)
    assert snapshot(house) == before


def test_the_address_comes_from_the_environment_or_the_settings(
    house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORT", "4567")
    monkeypatch.setenv("HOST", "0.0.0.0")
    assert "http://127.0.0.1:4567/mcp" in done("cursor")
    monkeypatch.setenv("BOTTEGA_URL", "http://[::1]:9999/")
    assert "http://[::1]:9999/mcp" in done("codex")
    listed = done()
    assert "http://127.0.0.1:4567/mcp" in listed
    assert "http://[::1]:9999/mcp" in listed


def program(house: Path, script: str) -> None:
    path = house / "bin" / "claude"
    path.write_text(f"#!{sys.executable}\n{script}")
    path.chmod(0o755)


def test_an_old_claude_code_is_named_and_nothing_is_left_behind(house: Path) -> None:
    program(house, "import sys; sys.exit(\"error: unknown option '--transport'\")")
    file_of(house, "claude-code", "user").write_text('{"numStartups": 3}')
    before = snapshot(house)
    said = refusal("claude-code", "--url", URL)

    assert "unknown option '--transport'" in said
    assert "update it" in said
    assert snapshot(house) == before


def test_a_claude_code_that_cannot_be_started_is_named(house: Path) -> None:
    path = house / "bin" / "claude"
    path.write_text("#!/nowhere/at/all\n")
    path.chmod(0o755)
    assert "cannot be run" in refusal("claude-code", "--url", URL)
    assert not file_of(house, "claude-code", "user").exists()


def test_undo_without_a_name_asks_for_one() -> None:
    assert "Say what to disconnect" in refusal("--undo")


def test_what_failed_half_way_names_the_copy(house: Path) -> None:
    """It takes the old entry out, and then does not put the new one in."""
    file = file_of(house, "claude-code", "user")
    done("claude-code", "--url", URL)
    before = file.read_text()
    program(
        house,
        "import os, sys\n"
        "if sys.argv[2] == 'add': sys.exit('no')\n"
        "open(os.path.expanduser('~/.claude.json'), 'w').write('{}')",
    )
    said = refusal("claude-code", "--url", "http://127.0.0.1:5000")

    copy = file.with_name(".claude.json.before-bottega")
    assert f"The file as it was before: {copy}" in said
    assert copy.read_text() == before


def test_what_is_to_be_pasted_reaches_the_terminal_as_it_is(house: Path) -> None:
    file = file_of(house, "codex", "user")
    file.parent.mkdir()
    file.write_text("mcp_servers = 3")
    home = {"HOME": str(house / "home"), "DATA_DIR": str(house / "data")}
    ran = run_bottega("connect", "codex", cwd=house, **home)

    assert ran.returncode == 1
    assert "[mcp_servers.bottega]\n" in ran.stderr


def test_a_disk_that_is_full_leaves_the_file_whole_and_nothing_beside_it(house: Path) -> None:
    """There is room for the copy, and not for the new file."""
    file = file_of(house, "cursor", "user")
    file.parent.mkdir()
    file.write_text("{}")
    before = snapshot(house)
    ran = subprocess.run(
        [sys.executable, "-B", "-m", "bottega", "connect", "cursor", "--url", URL],
        env={**os.environ, "HOME": str(house / "home")},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ran.returncode == 1
    assert "cannot be written: File too large. Nothing was changed." in ran.stderr
    assert snapshot(house) == before
