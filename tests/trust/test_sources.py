"""What a project brings to be started is started by nobody but the owner, as they saw it."""

import json
from pathlib import Path
from typing import Any

import pytest

from bottega.research.sources.folders import involved_files
from tests.trust.served_app import ServedApp, serve_app

SOURCES = "/api/research/sources"


def planted(mark: Path) -> str:
    args = ["-c", f"touch {mark}"]
    return json.dumps({"name": "X", "type": "stdio", "command": "/bin/sh", "args": args})


async def ask(served: ServedApp, what: str, headers: dict[str, str]) -> int:
    return (await served.http.post(f"{SOURCES}/x/{what}", headers=headers)).status_code


async def test_a_users_token_runs_no_command_as_the_server(tmp_path: Path) -> None:
    """The whole way: write the source, enable it, test it."""
    mark = tmp_path / "pwned"
    async with serve_app(tmp_path) as served:
        mallory = await served.colleague()
        body = {"path": ".bottega/sources/x/config.json", "content": planted(mark)}
        written = await served.http.put("/api/coach/files", json=body, headers=mallory.headers)
        assert written.status_code == 403
        assert not (served.project / ".bottega").exists()
        assert await ask(served, "enable", mallory.headers) == 404
    assert not mark.exists()


async def test_a_source_of_the_project_is_the_owners_to_start(tmp_path: Path) -> None:
    mark = tmp_path / "pwned"
    async with serve_app(tmp_path) as served:
        served.put(".bottega/sources/x/config.json", planted(mark))
        mallory = await served.colleague()
        for what in ("enable", "test", "sign-in", "disable", "test", "enable"):
            assert await ask(served, what, mallory.headers) == 403, what
        tools = await served.http.get(f"{SOURCES}/x/tools", headers=mallory.headers)
        assert tools.status_code == 403
        assert not mark.exists()
        # Not even when the owner has let it in.
        assert await ask(served, "enable", {}) == 200
        assert await ask(served, "test", mallory.headers) == 403
        assert not mark.exists()
        assert await ask(served, "test", {}) == 200
        assert mark.exists()


async def test_a_source_that_a_user_chose_before_is_not_theirs_any_more(tmp_path: Path) -> None:
    mark = tmp_path / "pwned"
    async with serve_app(tmp_path) as served:
        served.put(".bottega/sources/x/config.json", planted(mark))
        mallory = await served.colleague()
        assert await ask(served, "enable", {}) == 200
        choices = tmp_path / "data" / "research" / "source-choices"
        (choices / f"{mallory.user_id}.json").write_text((choices / "local.json").read_text())
        assert await ask(served, "test", mallory.headers) == 403
        seen = (await served.http.get(f"{SOURCES}/x", headers=mallory.headers)).json()
        assert (seen["trusted"], seen["enabled"]) == (False, False)
    assert not mark.exists()


async def test_trust_covers_every_file_of_the_sources_folder(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        folder = ".bottega/sources/x"
        args = ["lib/run.sh", "{project}/tools/serve.py", "--with=../../../more.py"]
        config = {"name": "X", "type": "stdio", "command": "/bin/sh", "args": args}
        small, more = served.put("tools/serve.py"), served.put("more.py")
        served.put(f"{folder}/config.json", json.dumps(config))
        program = served.put(f"{folder}/lib/run.sh", "exit 0\n")

        async def is_trusted() -> bool:
            return bool((await served.http.get(f"{SOURCES}/x")).json()["trusted"])

        async def changed_by(change: object) -> bool:
            assert await ask(served, "enable", {}) == 200
            assert await is_trusted()
            assert callable(change)
            change()
            return not await is_trusted() and await ask(served, "test", {}) == 403

        assert await changed_by(lambda: program.write_text(f"touch {tmp_path}/pwned\n"))
        assert await changed_by(lambda: served.put(f"{folder}/lib/more.sh"))
        assert await changed_by(lambda: program.chmod(0o755))
        assert await changed_by(lambda: (served.project / folder / "lib/more.sh").unlink())
        assert await changed_by(lambda: small.write_text("other"))
        assert await changed_by(lambda: more.write_text("other"))
        assert not (tmp_path / "pwned").exists()


async def test_a_source_with_a_link_out_of_its_folder_is_broken(tmp_path: Path) -> None:
    outside = tmp_path / "run.sh"
    outside.write_text("exit 0\n")
    async with serve_app(tmp_path) as served:
        config = served.put(".bottega/sources/x/config.json", planted(tmp_path / "pwned"))
        (config.parent / "run.sh").symlink_to(outside)
        refused = await served.http.post(f"{SOURCES}/x/enable")
        assert refused.status_code == 422
        assert "leads out of the folder" in refused.text
        assert await ask(served, "test", {}) == 403
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    ("config", "runs"),
    [
        ({"args": ["-c", "sh ../../../tools/run.sh"]}, "tools/run.sh"),
        ({"args": ["-c", "sh ../../../tools/run.sh"]}, "tools/lib/loaded_by_it.sh"),
        ({"args": ["-S", "sh {project}/tools/run.sh --quick"]}, "tools/run.sh"),
        (
            {"args": ["-m", "srv"], "env": {"PYTHONPATH": "/usr/lib:{project}/tools"}},
            "tools/run.sh",
        ),
        ({"args": ["serve"], "cwd": "../../../tools"}, "tools/run.sh"),
        ({"args": ["-m", "lib.t"], "cwd": "{project}/tools"}, "tools/lib/loaded_by_it.sh"),
        ({"args": ["{project}/serve.py"]}, "beside.py"),
    ],
)
def test_trust_covers_what_a_program_is_told_of_and_may_load(
    tmp_path: Path, config: dict[str, Any], runs: str
) -> None:
    folder = tmp_path / ".bottega/sources/x"
    for name in ("tools/run.sh", "tools/lib/loaded_by_it.sh", "serve.py", "beside.py", "docs/a.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("exit 0\n")
    folder.mkdir(parents=True)
    described = {"name": "X", "type": "stdio", "command": "/bin/sh", **config}
    (folder / "config.json").write_text(json.dumps(described))
    involved = set(involved_files(folder))
    assert tmp_path / runs in involved
    assert tmp_path / "docs/a.md" not in involved


@pytest.mark.parametrize(
    "args",
    [
        ["-c", "cd ../../../tools; sh run.sh"],
        ["-c", "sh ../../../to*/run.sh"],
        ["-c", "sh ../../../tools/$(echo run).sh"],
        ["-c", "import sys; sys.path.insert(0, '../../../tools'); import run"],
        ["-C", "../../..", "all"],
        ["../../../tools"],
        ["-C", "{project}"],
        ["-C{project}/tools"],
        ["{project}"],
    ],
)
def test_trust_covers_what_nobody_can_tell_a_program_runs(tmp_path: Path, args: list[str]) -> None:
    folder = tmp_path / ".bottega/sources/x"
    folder.mkdir(parents=True)
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/run.sh").write_text("exit 0\n")
    config = {"name": "X", "type": "stdio", "command": "/bin/sh", "args": args}
    (folder / "config.json").write_text(json.dumps(config))
    assert tmp_path / "tools/run.sh" in set(involved_files(folder))


def test_trust_covers_all_of_the_project_that_a_program_is_started_in(tmp_path: Path) -> None:
    folder = tmp_path / ".bottega/sources/x"
    folder.mkdir(parents=True)
    (tmp_path / "deep/a").mkdir(parents=True)
    (tmp_path / "deep/a/t.py").write_text("exit()\n")
    config = {"name": "X", "type": "stdio", "command": "{python}", "args": ["-m", "deep.a.t"]}
    (folder / "config.json").write_text(json.dumps(config | {"cwd": "{project}"}))
    assert tmp_path / "deep/a/t.py" in set(involved_files(folder))


def test_a_folder_that_a_program_works_on_is_not_what_it_runs(tmp_path: Path) -> None:
    folder = tmp_path / ".bottega/sources/x"
    folder.mkdir(parents=True)
    (tmp_path / "notes.md").write_text("mine")
    config = {"name": "X", "type": "stdio", "command": "serve-files", "args": ["{project}"]}
    (folder / "config.json").write_text(json.dumps(config))
    assert list(involved_files(folder)) == []
