"""How large a value from outside is, and whether it can be kept at all."""

import json
from typing import Any

from bottega.errors import InvalidInput, TooLarge


def check_size(what: str, value: Any, most: int) -> None:
    """`most` characters of JSON. Not-a-number is none, and PostgreSQL would not take it."""
    try:
        size = len(json.dumps(value, allow_nan=False))
    except ValueError:
        raise InvalidInput(f"{what} has a number that JSON does not know.") from None
    except RecursionError:
        raise InvalidInput(f"{what} is nested too deeply.") from None
    if size > most:
        raise TooLarge(f"{what} has {size:,} characters of JSON; {most:,} are taken.")
