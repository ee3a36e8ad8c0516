from collections.abc import Callable
from functools import wraps
from typing import Any


def ring_again(times: int, on: type[Exception]) -> Callable[..., Any]:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def patiently(*args: Any, **kwargs: Any) -> Any:
            for _ in range(times - 1):
                try:
                    return function(*args, **kwargs)
                except on:
                    continue
            return function(*args, **kwargs)

        return patiently

    return decorate


WRONG = """
def ring_again(times, on):
    def decorate(function):
        def patiently(*args, **kwargs):
            for _ in range(times):
                try:
                    return function(*args, **kwargs)
                except on:
                    continue
        return patiently
    return decorate
"""

COUNTING = """
def ring_again(times, on):
    def decorate(function):
        def patiently(*args, **kwargs):
            tries = 0
            while True:
                tries += 1
                try:
                    return function(*args, **kwargs)
                except on:
                    if tries == times:
                        raise
        return patiently
    return decorate
"""

BREAKS = {"Keep the name": COUNTING, "Ring with a for": COUNTING}
