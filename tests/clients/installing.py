"""Bottega as people install it: by pipx or uv, in a home of its own, on a machine without Node."""

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
NODE = ("node", "npm", "npx", "corepack", "yarn")
#: A person's pip or uv may be told where packages come from.
KEPT = ("PIP_", "UV_", "SSL_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


def programs(*packages: str) -> Path:
    """The `bin` of an environment with these packages, made once."""
    home = Path(sys.prefix) / "clients" / "-".join(package.split("==")[0] for package in packages)
    if not (home / "done").exists():
        venv.create(home, with_pip=True, clear=True)
        pip = str(home / "bin" / "pip")
        subprocess.run([pip, "install", "--quiet", *packages], env=own_environment(), check=True)
        (home / "done").touch()
    return home / "bin"


def own_environment() -> dict[str, str]:
    """This process's, without what would show other environments its packages."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def path_without_node(folder: Path) -> Path:
    """A folder with every program of the PATH but Node's."""
    folder.mkdir()
    for place in map(Path, os.environ["PATH"].split(os.pathsep)):
        for program in place.iterdir() if place.is_dir() else ():
            if not program.name.startswith(NODE) and not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)
    return folder


def make_wheel(sources: Path, into: Path, **settings: str) -> Path:
    builder = programs("pipx==1.18.4", "build==1.6.1") / "python"
    subprocess.run(
        [builder, "-m", "build", "--wheel", "--outdir", into, sources],
        env=own_environment() | settings,
        capture_output=True,
        timeout=600,
        check=True,
    )
    [wheel] = into.glob("*.whl")
    return wheel


@dataclass(frozen=True)
class Machine:
    """Somebody's: nothing of this machine's settings reaches it."""

    folder: Path

    @classmethod
    def made(cls, folder: Path) -> "Machine":
        for name in ("home", "empty"):
            (folder / name).mkdir(parents=True)
        path_without_node(folder / "programs")
        return cls(folder)

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def data(self) -> Path:
        return self.home / ".bottega"

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
        return kept | {
            "HOME": str(self.home),
            "PATH": str(self.folder / "programs"),
            "PIPX_HOME": str(self.folder / "pipx"),
            "PIPX_BIN_DIR": str(self.folder / "bin"),
            "PIPX_MAN_DIR": str(self.folder / "man"),
            "UV_TOOL_DIR": str(self.folder / "uv"),
            "UV_TOOL_BIN_DIR": str(self.folder / "bin"),
            "UV_CACHE_DIR": str(self.folder / "uv-cache"),
            "UV_FIND_LINKS": os.environ.get("PIP_FIND_LINKS", ""),
            "UV_SYSTEM_CERTS": "1",
            "PORT": "0",
            "TERM": "dumb",
            "COLUMNS": "200",
        }

    @property
    def bottega(self) -> Path:
        return self.folder / "bin" / "bottega"

    def install(self, wheel: str, constraints: Path, *options: str) -> None:
        pipx = programs("pipx==1.18.4", "build==1.6.1") / "pipx"
        pip = f"--pip-args=-c {constraints}"
        ran = self._run(pipx, "install", *options, pip, wheel, seconds=900)
        assert ran.returncode == 0, ran.stdout + ran.stderr

    def install_with_uv(self, wheel: str, constraints: Path) -> None:
        uv = programs("uv==0.13.7") / "uv"
        options = ("--constraints", str(constraints), "--python", sys.executable)
        ran = self._run(uv, "tool", "install", wheel, *options, seconds=900)
        assert ran.returncode == 0, ran.stdout + ran.stderr

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A `bottega` command, in an empty directory."""
        return self._run(self.bottega, *arguments, seconds=180)

    def says(self, *arguments: str) -> str:
        ran = self.run(*arguments)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def _run(
        self, program: Path, *arguments: str, seconds: int
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [program, *arguments],
            cwd=self.folder / "empty",
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            stdin=subprocess.DEVNULL,
        )
