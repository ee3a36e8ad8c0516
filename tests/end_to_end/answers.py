"""Answers of a model on loopback, told apart by what each task expects."""

import json
from collections.abc import Callable

from bottega.core.llm.testing import Received


def expecting(key: str) -> Callable[[Received], bool]:
    """Requests whose answer must have this field."""

    def accepts(request: Received) -> bool:
        beside_the_prompt = {
            k: v for k, v in request.body.items() if k not in ("messages", "system")
        }
        return f'"{key}"' in json.dumps(beside_the_prompt)

    return accepts
