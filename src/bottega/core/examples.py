"""The examples that ship with the product."""

from pathlib import Path

import bottega


def examples() -> Path:
    """Their folder, as it is installed or in the project's own."""
    package = Path(bottega.__file__).parent
    installed = package / "examples"
    return installed if installed.is_dir() else package.parents[1] / "examples"
