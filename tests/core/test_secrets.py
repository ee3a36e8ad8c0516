"""Credentials: encrypted at rest, safe between processes, never shown."""

import asyncio
import json
import multiprocessing
import stat
import sys
import types
from pathlib import Path

import pytest

from bottega.core.trust.secrets import MASK, Secrets
from bottega.errors import ConfigurationError, InvalidInput, Unavailable


async def test_a_secret_is_kept_listed_replaced_and_deleted(tmp_path: Path) -> None:
    secrets = Secrets(tmp_path)
    assert await secrets.names() == []
    assert await secrets.get("github") is None
    await secrets.set("github", "ghp_first")
    await secrets.set("gitlab", "glpat_value")
    await secrets.set("github", "ghp_second")
    assert await secrets.names() == ["github", "gitlab"]
    assert await Secrets(tmp_path).get("github") == "ghp_second"
    assert await secrets.delete("github") is True
    assert await secrets.delete("github") is False
    assert await Secrets(tmp_path).names() == ["gitlab"]


async def test_neither_names_nor_values_stand_in_any_file(tmp_path: Path) -> None:
    await Secrets(tmp_path).set("github-token", "ghp_very_secret")
    files = [path for path in tmp_path.iterdir() if path.is_file()]
    assert {path.name for path in files} == {
        "credentials.enc",
        "credentials.key",
        "credentials.lock",
    }
    for path in files:
        assert b"ghp_very_secret" not in path.read_bytes()
        assert b"github-token" not in path.read_bytes()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_a_key_file_that_others_may_read_is_closed_to_them(tmp_path: Path) -> None:
    await Secrets(tmp_path).set("a", "value-a")
    key = tmp_path / "credentials.key"
    key.chmod(0o644)
    assert await Secrets(tmp_path).get("a") == "value-a"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("wrong key", "is not its key"),
        ("no key", "key is missing"),
        ("broken key", "no valid key"),
        ("flipped bit", "damaged"),
        ("truncated", "damaged"),
        ("empty", "damaged"),
    ],
)
async def test_what_cannot_be_read_is_said_and_left_as_it_is(
    tmp_path: Path, damage: str, words: str
) -> None:
    secrets = Secrets(tmp_path)
    await secrets.set("a", "value-a")
    store, key = tmp_path / "credentials.enc", tmp_path / "credentials.key"
    token = store.read_bytes()
    if damage == "wrong key":
        await Secrets(tmp_path / "other").set("b", "value-b")
        key.write_bytes((tmp_path / "other" / "credentials.key").read_bytes())
    elif damage == "no key":
        key.unlink()
    elif damage == "broken key":
        key.write_bytes(b"not a key")
    elif damage == "flipped bit":
        store.write_bytes(token[:40] + bytes([token[40] ^ 1]) + token[41:])
    elif damage == "truncated":
        store.write_bytes(token[:-10])
    else:
        store.write_bytes(b"")
    before = {path: path.read_bytes() for path in (store, key) if path.exists()}

    for attempt in (secrets.get("a"), secrets.set("c", "value-c"), secrets.delete("a")):
        with pytest.raises(ConfigurationError, match=words) as caught:
            await attempt
        assert "value-a" not in str(caught.value)

    assert {path: path.read_bytes() for path in (store, key) if path.exists()} == before


async def test_a_broken_key_is_said_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "credentials.key").write_bytes(b"not a key")
    with pytest.raises(ConfigurationError, match="no valid key"):
        await Secrets(tmp_path).set("a", "value-a")
    assert not (tmp_path / "credentials.enc").exists()


async def test_a_write_that_fails_leaves_the_old_file_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = Secrets(tmp_path)
    await secrets.set("a", "value-a")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(Unavailable, match="disk is full"):
        await secrets.set("b", "value-b")
    monkeypatch.undo()
    assert await secrets.names() == ["a"]
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".new")]


def _set_many(directory: str, worker: int) -> None:
    async def run() -> None:
        secrets = Secrets(Path(directory))
        for number in range(5):
            await secrets.set(f"{worker}-{number}", f"value of {worker}-{number}")

    asyncio.run(run())


async def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [
        context.Process(target=_set_many, args=(str(tmp_path), number)) for number in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        await asyncio.to_thread(worker.join)
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert len(await Secrets(tmp_path).names()) == 20


async def test_tasks_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    secrets = Secrets(tmp_path)
    await asyncio.gather(*(secrets.set(f"s{n}", f"value-{n}") for n in range(10)))
    assert len(await secrets.names()) == 10


async def test_known_values_are_masked_in_text(tmp_path: Path) -> None:
    await Secrets(tmp_path).set("short", "abc")
    await Secrets(tmp_path).set("token", "s3cret-token")
    await Secrets(tmp_path).set("longer", "s3cret-token-of-more")
    secrets = Secrets(tmp_path)
    line = "GET /?key=s3cret-token-of-more and s3cret-token, abc"
    assert secrets.redact(line) == line
    await secrets.names()
    assert secrets.redact(line) == f"GET /?key={MASK} and {MASK}, abc"
    await secrets.delete("token")
    assert "s3cret-token" not in secrets.redact(line)


async def test_values_do_not_show_in_the_representation(tmp_path: Path) -> None:
    secrets = Secrets(tmp_path)
    await secrets.set("token", "s3cret-token")
    assert "s3cret-token" not in repr(secrets)
    assert "s3cret-token" not in str(secrets)


@pytest.mark.parametrize(("name", "value"), [("", "v"), ("n" * 201, "v"), ("n", "")])
async def test_an_empty_value_or_a_bad_name_is_refused(
    tmp_path: Path, name: str, value: str
) -> None:
    with pytest.raises(InvalidInput):
        await Secrets(tmp_path).set(name, value)
    assert list(tmp_path.iterdir()) == []


async def test_unicode_survives(tmp_path: Path) -> None:
    await Secrets(tmp_path).set("schlüssel", "wört ✓\n")
    assert json.dumps(await Secrets(tmp_path).get("schlüssel")) == json.dumps("wört ✓\n")


async def test_the_keychain_holds_the_key_instead_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries: dict[tuple[str, str], str] = {}
    keyring = types.ModuleType("keyring")
    vars(keyring)["get_password"] = lambda service, account: entries.get((service, account))
    vars(keyring)["set_password"] = lambda service, account, password: entries.update(
        {(service, account): password}
    )
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    await Secrets(tmp_path, keychain=True).set("token", "s3cret-token")
    assert list(entries) == [("bottega", str(tmp_path))]
    assert not (tmp_path / "credentials.key").exists()
    assert await Secrets(tmp_path, keychain=True).get("token") == "s3cret-token"


def test_choosing_a_keychain_that_is_not_installed_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(ConfigurationError, match="bottega\\[keychain\\]"):
        Secrets(tmp_path, keychain=True)
