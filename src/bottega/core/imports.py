"""One import at a time, in the whole process; the slow ones beside the event loop.

Much is imported when it is first needed, on the loop and in threads of ours and of libraries.
Python locks each module by itself: two threads that enter a package with a circle of imports at
different places would wait for each other for ever, and to prevent that Python hands one of them a
module that is half loaded ("cannot import name … from partially initialized module"). With one
lock around all loading only one thread ever holds any of these locks, so that cannot happen,
whoever imports what.
"""

import asyncio
import importlib
import importlib._bootstrap
import threading
from collections.abc import Callable
from typing import Any

#: Seconds after which an import goes on without its turn: some module's import may wait for a
#: thread that imports something itself, and half a module is better than a process that hangs.
PATIENCE = 60.0

_turn = threading.RLock()


def import_one_at_a_time() -> None:
    """From now on all threads of the process load modules in turn; calling it twice is fine."""
    load: Callable[..., Any] = vars(importlib._bootstrap)["_find_and_load"]
    if not getattr(load, "takes_turns", False):
        # What `import`, `importlib` and libraries all come to, for modules that are not loaded yet.
        vars(importlib._bootstrap)["_find_and_load"] = _taking_turns(load)


def _taking_turns(load: Callable[..., Any]) -> Callable[..., Any]:
    def load_in_turn(*arguments: Any) -> Any:
        has_turn = _turn.acquire(timeout=PATIENCE)
        try:
            return load(*arguments)
        finally:
            if has_turn:
                _turn.release()

    vars(load_in_turn)["takes_turns"] = True
    return load_in_turn


async def load(*modules: str) -> None:
    """Import these beside the loop, so that it goes on; then `import` finds them at once."""
    for module in modules:
        await asyncio.to_thread(importlib.import_module, module)
