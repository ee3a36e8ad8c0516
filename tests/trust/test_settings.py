"""Settings come from the person, never from the folder that Bottega was started in."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bottega.config_file import read_config, write_config
from bottega.errors import ConfigurationError
from bottega.settings import MASK, Settings, config_path, load_settings, warnings_of

PLANTED = """
ANTHROPIC_BASE_URL=https://attacker.example
export HOST=0.0.0.0
BOTTEGA_TOKEN=the-attackers
DATABASE_URL=postgresql://attacker.example/all
BOTTEGA_SHELL=true
OTHER=1
"""

Write = Callable[[str], Path]


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: a repository that plants settings."""
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "stranger"
    folder.mkdir()
    (folder / ".env").write_text(PLANTED)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def write(stranger: Path) -> Write:
    def put(text: str) -> Path:
        path = config_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o600)
        return path

    return put


def bottega(*words: str, cwd: Path, input: str | None = None) -> subprocess.CompletedProcess[str]:
    source = Path(__file__).parents[2] / "src"
    return subprocess.run(
        [sys.executable, "-P", "-m", "bottega", *words],
        env={**os.environ, "PYTHONPATH": str(source)},
        cwd=cwd,
        input=input,
        capture_output=True,
        text=True,
    )


def test_a_projects_dotenv_configures_nothing(stranger: Path) -> None:
    settings = load_settings()
    assert settings.model_fields_set == set()
    assert (settings.host, settings.bottega_token) == ("127.0.0.1", None)
    assert (settings.anthropic_base_url, settings.database_url) == (None, None)


def test_that_it_is_ignored_is_said_with_the_names_and_no_value(stranger: Path) -> None:
    [told] = warnings_of(load_settings())
    for words in (str(stranger / ".env"), "HOST", "BOTTEGA_TOKEN", "bottega config set"):
        assert words in told
    assert "OTHER" not in told
    assert "attacker" not in told
    (stranger / ".env").write_text("OTHER=1\nDEBUG=1\n")
    assert warnings_of(load_settings()) == []


def test_doctor_says_it_too(stranger: Path, tmp_path: Path) -> None:
    data = {"DATA_DIR": str(tmp_path / "data"), "PORT": "0"}
    os.environ.update(data)
    try:
        told = json.loads(bottega("doctor", "--json", cwd=stranger).stdout)
    finally:
        for name in data:
            del os.environ[name]
    check = next(each for each in told if each["name"] == "Settings")
    assert check["state"] == "optional"
    assert ".env is not read" in check["next_step"]
    assert next(each for each in told if each["name"] == "Database")["says"].startswith("SQLite")


def test_the_persons_file_is_read_and_the_environment_beats_it(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write('port = 4000\nHOST = "::1"\nBottega_Shell = true\nbottega_model = "offline"\n')
    settings = load_settings()
    assert (settings.port, settings.host, settings.bottega_shell) == (4000, "::1", True)
    monkeypatch.setenv("PORT", "5000")
    monkeypatch.setenv("HOST", "")
    assert (load_settings().port, load_settings().host) == (5000, "::1")
    assert load_settings(port=6000).port == 6000


@pytest.mark.parametrize("given", ["relative/config", ""])
def test_a_relative_place_for_configuration_is_not_taken(
    stranger: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    """It would lie in the project."""
    monkeypatch.setenv("XDG_CONFIG_HOME", given)
    assert config_path() == Path.home() / ".config" / "bottega" / "config.toml"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prot = 1", "'prot'. Did you mean PORT?"),
        ("port = 1\nPORT = 2", "PORT is there twice"),
        ("port = 70000", "PORT=70000"),
        ('port = "many"', "PORT='many'"),
        ("[server]\nport = 1", "no setting 'server'"),
        ("port = ", "Invalid value"),
        ("bottega_token = 12345", f"BOTTEGA_TOKEN={MASK!r}"),
    ],
)
def test_a_wrong_line_is_named_with_its_file(write: Write, text: str, said: str) -> None:
    path = write(text)
    with pytest.raises(ConfigurationError) as refused:
        load_settings()
    assert said in refused.value.message
    assert str(path) in refused.value.message
    assert "12345" not in refused.value.message


def test_a_wrong_line_ends_the_start_with_exit_code_1(stranger: Path, write: Write) -> None:
    path = write("port = 70000")
    ended = bottega("serve", cwd=stranger)
    assert ended.returncode == 1
    assert "PORT=70000" in ended.stderr
    assert str(path) in ended.stderr.replace("\n", "")


def test_a_file_with_a_key_that_others_can_read_is_told(stranger: Path, write: Write) -> None:
    (stranger / ".env").unlink()
    path = write('anthropic_api_key = "sk-secret"')
    assert warnings_of(load_settings()) == []
    path.chmod(0o644)
    [told] = warnings_of(load_settings())
    assert f"chmod 600 {path}" in told
    write("port = 1").chmod(0o644)
    assert warnings_of(load_settings()) == []


def test_config_sets_shows_and_unsets(stranger: Path, tmp_path: Path) -> None:
    path = tmp_path / "config" / "bottega" / "config.toml"
    assert bottega("config", "path", cwd=stranger).stdout.strip() == str(path)
    for name, value in (
        ("ANTHROPIC_API_KEY", "sk-secret"),
        ("port", "4000"),
        ("BOTTEGA_SHELL", "yes"),
        ("database_url", "postgresql://me:hidden@db/bottega"),
    ):
        done = bottega("config", "set", name, value, cwd=stranger)
        assert done.returncode == 0, done.stderr
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    settings = load_settings()
    assert (settings.port, settings.bottega_shell) == (4000, True)
    assert settings.anthropic_api_key == "sk-secret"
    for words in (["config", "show"], ["config", "show", "--json"]):
        shown = bottega(*words, cwd=stranger).stdout
        assert "4000" in shown
        assert "config.toml" in shown
        assert "sk-secret" not in shown
        assert "hidden" not in shown
    assert bottega("config", "unset", "PORT", cwd=stranger).returncode == 0
    assert load_settings().port == 3000
    assert os.listdir(path.parent) == ["config.toml"]


@pytest.mark.parametrize(("name", "value"), [("PORT", "many"), ("PROT", "1"), ("PORT", "70000")])
def test_nothing_wrong_is_written(stranger: Path, name: str, value: str) -> None:
    done = bottega("config", "set", name, value, cwd=stranger)
    assert done.returncode == 1
    assert name in done.stderr
    assert not config_path().exists()


def test_a_key_can_be_given_without_the_shell_seeing_it(stranger: Path) -> None:
    done = bottega("config", "set", "OPENAI_API_KEY", cwd=stranger, input="sk-typed\n")
    assert done.returncode == 0, done.stderr
    assert "sk-typed" not in done.stdout
    assert load_settings().openai_api_key == "sk-typed"


def test_comments_and_other_settings_stay_when_one_is_set(write: Write) -> None:
    path = write('# mine\nHOST = "::1" # six\nport = 1\nbottega_model = """\noffline"""\n')
    known = Settings.model_fields
    write_config(path, read_config(path, known) | {"port": 2})
    assert path.read_text().startswith('# mine\nHOST = "::1" # six\n')
    assert read_config(path, known) == {"host": "::1", "port": 2, "bottega_model": "offline"}
    hostile = {"bottega_passcode": 'a"\\\n\x7f\u2028é = 1\n[x]', "port": 3}
    write_config(path, hostile)
    assert read_config(path, known) == hostile


LOOK = """
import importlib, os, pkgutil, sys
here, opened = os.getcwd() + "/", []
def hear(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        path = os.path.abspath(os.fsdecode(arguments[0]))
        if path.startswith(here):
            opened.append(path)
sys.addaudithook(hear)
import bottega
for found in pkgutil.walk_packages(bottega.__path__, "bottega."):
    if ".migrations." not in found.name and not found.name.endswith("__main__"):
        importlib.import_module(found.name)
for name in ("anthropic", "openai", "pydantic_ai.models.anthropic", "pydantic_ai.models.openai",
             "dbos", "alembic.command", "uvicorn", "mcp", "mcp.client", "mcp.server.mcpserver"):
    importlib.import_module(name)
from bottega.app import App
from bottega.settings import load_settings
App(load_settings())
print(*opened)
"""


def test_no_part_of_the_house_reads_the_folder_it_was_started_in(
    stranger: Path, tmp_path: Path
) -> None:
    """Not `.env`, nor the files by which libraries are configured, nor modules of known names."""
    for name in ("dbos-config.yaml", "alembic.ini", "pytest.ini", ".npmrc", ".netrc", "setup.cfg"):
        (stranger / name).write_text("planted: 1\n")
    (stranger / "pyproject.toml").write_text("[tool.alembic]\nscript_location = 'x'\n")
    for name in ("typer", "uvloop", "sitecustomize", "typing_extensions", "orjson"):
        (stranger / f"{name}.py").write_text("raise SystemExit('planted')\n")
    done = subprocess.run(
        [sys.executable, "-P", "-c", LOOK],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
            "DATA_DIR": str(tmp_path / "data"),
            "BOTTEGA_MODEL": "offline",
        },
        cwd=stranger,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_python_m_takes_no_module_from_the_working_directory(stranger: Path) -> None:
    for name in ("typer", "rich", "pydantic"):
        (stranger / f"{name}.py").write_text("raise SystemExit('planted')\n")
    done = subprocess.run(
        [sys.executable, "-m", "bottega", "version"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
        cwd=stranger,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
