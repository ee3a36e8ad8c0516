"""What no room may touch, however its path is written and whatever link leads to it."""

import os
from pathlib import Path

import pytest

from bottega.core.files.closed import CLOSED, ClosedPaths, closed_below, is_closed_file
from bottega.core.files.project import ProjectFiles
from bottega.core.files.sandbox import Sandbox
from bottega.core.files.tree import scan_tree
from bottega.errors import Forbidden
from tests.core.files.test_sandbox_escapes import every_operation_is_refused
from tests.core.files.test_tree import make, outline

CLOSED_PATHS = [
    ".git",
    ".git/config",
    ".git/hooks/pre-commit",
    "vendor/lib/.git/config",
    ".bottega/sources/x/config.json",
    ".claude/journal/active.json",
    ".claude/settings.json",
    ".env",
    ".env.local",
    ".envrc",
    "deploy/.env.production",
    ".ssh/config",
    # The same, as other file systems would still find it.
    ".GIT/config",
    ".Env",
    ".g\u200cit/config",
    "\uff0egit/config",
    ".git./config",
    ".git /config",
    ".env::$DATA",
    "./.git/../.git/config",
    "src/../.env",
    "src//..//.git/config",
]

CLOSED_FILES = [
    *("server.pem", "tls/Server.KEY", "a.p12", "a.pfx", "release.jks", "prod.env"),
    *("id_rsa", "id_ed25519", "id_work", "id_rsa.bak", "ssh_host_ed25519_key"),
    *("credentials", "credentials.json", "Credentials.yml.enc", "credentials-prod.csv"),
    *(".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", ".htpasswd"),
    *("secrets.yaml", "secret.json", "client_secret_1.json", "service-account.json"),
]

OPEN_FILES = [
    *("main.py", "environment.py", "env.py", "gitlab.md", ".gitignore", ".github/a.yml"),
    *("id_map.py", "id_rsa.pub", "keys.py", "monkey", "credentials.py", "credentials.md"),
    *("secrets.py", "token.ts", "a.git/x", ".bottega-1", "public.key.md", "src/bottega/a.py"),
]


@pytest.mark.parametrize("path", CLOSED_PATHS)
async def test_a_closed_path_is_refused_by_every_operation(
    sandbox: Sandbox, root: Path, path: str
) -> None:
    make(root, ".git/config", ".env", ".bottega/sources/x/config.json")
    await every_operation_is_refused(sandbox, path, Forbidden, "is closed")
    await every_operation_is_refused(sandbox, f"{root}/{path}", Forbidden, "is closed")


@pytest.mark.parametrize("path", CLOSED_FILES)
async def test_a_file_that_holds_a_secret_by_its_name_is_refused(
    sandbox: Sandbox, root: Path, path: str
) -> None:
    make(root, path)
    for operation in (sandbox.read_text, sandbox.read_bytes, sandbox.exists, sandbox.remove):
        with pytest.raises(Forbidden, match="is closed"):
            await operation(path)
    with pytest.raises(Forbidden, match="is closed"):
        await sandbox.write(path, "mine")
    with pytest.raises(Forbidden, match="is closed"):
        await sandbox.write(f"new/{path}", "mine")
    assert (root / path).read_text() != "mine"


@pytest.mark.parametrize("path", OPEN_FILES)
async def test_what_only_looks_like_it_is_open(sandbox: Sandbox, path: str) -> None:
    await sandbox.write(path, "mine")
    assert (await sandbox.read_text(path)).content == "mine"
    assert not is_closed_file(path.rpartition("/")[2])


async def test_a_folder_may_be_called_like_a_secret_file(sandbox: Sandbox, root: Path) -> None:
    make(root, "specs/credentials/spec.md")
    assert (await sandbox.list("specs")).directories == ["credentials"]
    assert (await sandbox.list("specs/credentials")).files == ["spec.md"]


@pytest.mark.parametrize("absolute", [False, True], ids=["relative", "absolute"])
async def test_no_link_leads_to_what_is_closed(
    sandbox: Sandbox, root: Path, absolute: bool
) -> None:
    make(root, ".env", ".git/config", "keys/server.pem", "src/a.py")
    base = f"{root}/" if absolute else ""
    (root / "notes.txt").symlink_to(f"{base}.env")
    (root / "second.txt").symlink_to(f"{base}notes.txt")
    (root / "cert.txt").symlink_to(f"{base}keys/server.pem")
    (root / "history").symlink_to(f"{base}.git")
    (root / "round").symlink_to(f"{base}src/../.git")
    (root / "new.txt").symlink_to(f"{base}.env.new")
    for path in ("notes.txt", "second.txt", "cert.txt", "history/config", "round/config"):
        for operation in (sandbox.read_text, sandbox.read_bytes, sandbox.exists):
            with pytest.raises(Forbidden, match="is closed"):
                await operation(path)
        with pytest.raises(Forbidden, match="is closed"):
            await sandbox.write(path, "mine")
    for path in ("new.txt", "history/hooks/pre-commit"):
        with pytest.raises(Forbidden, match="is closed"):
            await sandbox.write(path, "mine")
    with pytest.raises(Forbidden, match="is closed"):
        await sandbox.list("history")
    assert not (root / ".env.new").exists()
    assert not (root / ".git/hooks").exists()


def test_the_tree_shows_nothing_that_is_closed(sandbox: Sandbox, root: Path) -> None:
    make(root, ".git/config", ".claude/a.md", ".bottega/a.md", ".env", "a/.env.local", "a/b.py")
    make(root, "a/id_rsa", "a/tls.pem", "credentials.json", "credentials.py", "\u200c.env")
    (root / "notes.txt").symlink_to(".env")
    (root / "history").symlink_to(".git")
    assert outline(scan_tree(sandbox.root)) == ["a/", "a/b.py", "credentials.py"]


async def test_a_closed_file_has_no_buffer(root: Path) -> None:
    files = ProjectFiles(root)
    for path in (".env", "id_rsa", ".git/config"):
        with pytest.raises(Forbidden, match="is closed"):
            files.update_buffer(path, "mine")
        with pytest.raises(Forbidden, match="is closed"):
            files.get_buffer(path)
        with pytest.raises(Forbidden, match="is closed"):
            await files.get_diff(path)
        with pytest.raises(Forbidden, match="is closed"):
            await files.save(path, "mine")
    assert not os.listdir(root)


async def test_a_data_directory_inside_the_project_is_closed_too(root: Path) -> None:
    make(root, "house/bottega.db", "src/a.py", "household/b.py")
    files = ProjectFiles(root, private=[root / "house", root.parent / "elsewhere"])
    with pytest.raises(Forbidden, match="is closed"):
        await files.sandbox.read_bytes("house/bottega.db")
    assert outline(await files.tree()) == ["household/", "household/b.py", "src/", "src/a.py"]


async def test_the_service_that_keeps_a_closed_folder_has_that_one_and_no_other(
    root: Path,
) -> None:
    owner = Sandbox(root, closed=ClosedPaths(owned=".claude/journal"))
    await owner.write(".claude/journal/active.json", "{}")
    for path in (".claude/settings.json", ".claude/journal/.git/config", ".git/config", ".env"):
        with pytest.raises(Forbidden, match="is closed"):
            await owner.write(path, "mine")
    with pytest.raises(Forbidden, match="is closed"):
        await Sandbox(root).read_text(".claude/journal/active.json")


def test_the_message_says_why_and_what_to_do() -> None:
    with pytest.raises(Forbidden) as refused:
        CLOSED.check("a/.env")
    for words in ("'a/.env' is closed", "keys or passwords", "another program"):
        assert words in refused.value.message


OBEYED = [
    *(".gitignore", "src/.gitattributes", ".mcp.json", ".cursor/mcp.json", ".VSCode/tasks.json"),
    *(".husky/pre-commit", ".github/workflows/x.yml", ".devcontainer/devcontainer.json"),
]


@pytest.mark.parametrize("path", OBEYED)
async def test_what_other_programs_obey_is_read_and_not_written(root: Path, path: str) -> None:
    make(root, path)
    sandbox = Sandbox(root, closed=closed_below(root, ()))
    before = await sandbox.read_text(path)
    with pytest.raises(Forbidden, match="is read-only here"):
        await sandbox.write(path, "mine")
    with pytest.raises(Forbidden, match="is read-only here"):
        await sandbox.remove(path)
    assert await sandbox.read_text(path) == before
