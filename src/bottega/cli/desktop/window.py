"""The window, as a program of its own: `python -m bottega.cli.desktop.window URL FOLDER ICON`.

It ends with 0 when it is closed, and otherwise if the toolkit could not open it.
"""

import importlib.util
import json
import signal
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

TITLE = "Bottega"
SMALLEST = (480, 360)


@dataclass
class Shape:
    """How the window was when it was last closed."""

    width: int = 1280
    height: int = 860
    maximized: bool = False

    @classmethod
    def remembered(cls, file: Path) -> "Shape":
        """Anything that is no shape means the usual one."""
        try:
            known = json.loads(file.read_text())
            width, height = int(known["width"]), int(known["height"])
            maximized = bool(known["maximized"])
        except (OSError, ValueError, KeyError, TypeError):
            return cls()
        return cls(max(width, SMALLEST[0]), max(height, SMALLEST[1]), maximized)

    def remember(self, file: Path) -> None:
        file.write_text(json.dumps(asdict(self)))


def open_window(url: str, folder: Path, icon: str) -> None:
    import webview

    file = folder / "window.json"
    shape = Shape.remembered(file)
    # What leads elsewhere asks for a new window, and gets the system's browser.
    webview.settings["OPEN_EXTERNAL_LINKS_IN_BROWSER"] = True
    webview.settings["ALLOW_DOWNLOADS"] = True
    window = webview.create_window(
        TITLE,
        url,
        width=shape.width,
        height=shape.height,
        maximized=shape.maximized,
        min_size=SMALLEST,
        text_select=True,
        zoomable=True,
    )
    follow(window, shape)
    signal.signal(signal.SIGTERM, lambda *_: window.destroy())
    webview.start(
        gui=toolkit(),
        # Signed in once is signed in, and the theme stays.
        private_mode=False,
        storage_path=str(folder / "web"),
        icon=icon,
    )
    shape.remember(file)


def toolkit() -> str | None:
    """Qt where we brought it; else pywebview finds out, and says much about what is missing."""
    has_qt = importlib.util.find_spec("PySide6") is not None
    return "qt" if sys.platform.startswith("linux") and has_qt else None


def follow(window: Any, shape: Shape) -> None:
    """Keep the shape as the window's; what it fills when maximized is not its own size."""

    def resized(width: int, height: int) -> None:
        if not shape.maximized:
            shape.width, shape.height = int(width), int(height)

    def maximized() -> None:
        shape.maximized = True

    def restored() -> None:
        shape.maximized = False

    window.events.resized += resized
    window.events.maximized += maximized
    window.events.restored += restored


if __name__ == "__main__":
    _, address, kept_in, picture = sys.argv
    # A desktop tells programs apart by the name that toolkits find here.
    sys.argv[:] = ["bottega"]
    open_window(address, Path(kept_in), picture)
