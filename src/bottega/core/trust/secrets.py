"""Credentials of sources, encrypted at rest, and kept out of what people read.

`{DATA_DIR}/credentials.enc` is one Fernet token; its key is a file that only its owner may read,
or an entry of the operating system's keychain. A file that cannot be read is never overwritten:
what is in it may still be saved with the right key.
"""

import asyncio
import fcntl
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bottega.core.files.failures import explained
from bottega.errors import ConfigurationError, InvalidInput

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

MASK = "•••"
#: Shorter values stand in too many innocent words to be masked.
SHORTEST_MASKED = 6
MAX_NAME = 200


class KeyStore(Protocol):
    """Where the encryption key is kept."""

    def load(self) -> bytes | None:
        """The key; `None` if there is none yet."""
        ...

    def store(self, key: bytes) -> None: ...

    def describe(self) -> str:
        """Where that is, for error messages."""
        ...


class Secrets:
    def __init__(self, data_dir: Path, *, keychain: bool = False) -> None:
        self._directory = data_dir
        self._file = data_dir / "credentials.enc"
        self._key_store: KeyStore = (
            Keychain(str(data_dir)) if keychain else KeyFile(data_dir / "credentials.key")
        )
        self._known: frozenset[str] = frozenset()
        self._pattern: re.Pattern[str] | None = None

    def __repr__(self) -> str:
        return f"Secrets({str(self._file)!r})"

    async def get(self, name: str) -> str | None:
        return (await asyncio.to_thread(self._read)).get(name)

    async def names(self) -> list[str]:
        """The names in order. Also makes `redact` know every value."""
        return sorted(await asyncio.to_thread(self._read))

    async def set(self, name: str, value: str) -> None:
        if not name or len(name) > MAX_NAME:
            raise InvalidInput(f"A secret needs a name of 1 to {MAX_NAME} characters.")
        if not value:
            raise InvalidInput(f"The secret {name!r} is empty. Give a value, or delete it.")
        await asyncio.to_thread(self._change, name, value)

    async def delete(self, name: str) -> bool:
        """Whether there was one."""
        return await asyncio.to_thread(self._change, name, None)

    def redact(self, text: str) -> str:
        """The text with every secret value seen so far masked: for logs, traces and events."""
        return self._pattern.sub(MASK, text) if self._pattern else text

    def _read(self) -> dict[str, str]:
        try:
            token = self._file.read_bytes()
        except FileNotFoundError:
            return {}
        secrets = self._decrypt(token)
        self._remember(secrets)
        return secrets

    def _change(self, name: str, value: str | None) -> bool:
        with self._locked():
            secrets = self._read()
            existed = name in secrets
            if value is None:
                if not existed:
                    return False
                del secrets[name]
            else:
                secrets[name] = value
            with explained("write", self._file.name):
                _write_private(self._file, self._encrypt(secrets))
            self._remember(secrets)
            return existed

    def _encrypt(self, secrets: dict[str, str]) -> bytes:
        from cryptography.fernet import Fernet

        key = self._key_store.load()
        if key is None:
            key = Fernet.generate_key()
            self._key_store.store(key)
        return self._cipher(key).encrypt(json.dumps(secrets).encode())

    def _decrypt(self, token: bytes) -> dict[str, str]:
        from cryptography.fernet import InvalidToken

        key = self._key_store.load()
        if key is None:
            raise self._unusable(f"its key is missing from {self._key_store.describe()}")
        try:
            data = json.loads(self._cipher(key).decrypt(token))
        except InvalidToken:
            reason = f"it is damaged, or {self._key_store.describe()} is not its key"
            raise self._unusable(reason) from None
        return {str(name): str(value) for name, value in data.items()}

    def _cipher(self, key: bytes) -> "Fernet":
        from cryptography.fernet import Fernet

        try:
            return Fernet(key)
        except ValueError:
            raise self._unusable(f"{self._key_store.describe()} holds no valid key") from None

    def _unusable(self, reason: str) -> ConfigurationError:
        return ConfigurationError(
            f"The credentials in {str(self._file)!r} cannot be used: {reason}. Nothing was "
            "changed. Restore the key or the file from a backup, or move both away and enter the "
            "credentials again."
        )

    def _remember(self, secrets: dict[str, str]) -> None:
        seen = self._known.union(secrets.values())
        if seen == self._known:
            return
        self._known = seen
        # Longest first: a value that contains another must go as a whole.
        values = sorted((v for v in seen if len(v) >= SHORTEST_MASKED), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, values))) if values else None

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One change at a time, between threads and processes."""
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        lock = os.open(self._directory / "credentials.lock", flags, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


class KeyFile:
    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> bytes | None:
        try:
            with self._path.open("rb") as file:
                if os.fstat(file.fileno()).st_mode & 0o077:
                    os.fchmod(file.fileno(), 0o600)
                return file.read().strip()
        except FileNotFoundError:
            return None

    def store(self, key: bytes) -> None:
        _write_private(self._path, key)

    def describe(self) -> str:
        return repr(str(self._path))


class Keychain:
    """The operating system's keychain, by the optional package `keyring`."""

    def __init__(self, account: str, service: str = "bottega") -> None:
        self._account = account
        self._service = service
        try:
            import keyring
        except ImportError:
            raise ConfigurationError(
                "The keychain was chosen for the credentials' key, but the package `keyring` is "
                "not installed. Install `bottega[keychain]`, or use the key file."
            ) from None
        self._keyring = keyring

    def load(self) -> bytes | None:
        found: str | None = self._keyring.get_password(self._service, self._account)
        return None if found is None else found.encode()

    def store(self, key: bytes) -> None:
        self._keyring.set_password(self._service, self._account, key.decode())

    def describe(self) -> str:
        return f"the keychain entry {self._service!r}"


def _write_private(path: Path, data: bytes) -> None:
    """Replace a file all at once; nobody but its owner may read it, at any moment."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    directory = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
