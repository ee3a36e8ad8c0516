"""What commands of every room have in common when they print."""

import json
import sys
from collections.abc import Callable
from typing import Any

#: What the API answered, decoded.
Answer = dict[str, Any]


def present(answer: Answer, show: Callable[[Answer], None], *, as_json: bool) -> None:
    """As JSON for scripts, or as `show` prints it for people."""
    if as_json:
        sys.stdout.write(json.dumps(answer, indent=2, ensure_ascii=False) + "\n")
    else:
        show(answer)
