"""The examples that come with the house."""

from pathlib import Path

import bottega


def example(name: str) -> Path:
    """The folder of an example, as it is installed or in the project's folder."""
    package = Path(bottega.__file__).parent
    installed = package / "examples" / name
    return installed if installed.is_dir() else package.parents[1] / "examples" / name
