"""`make bench`: every benchmark in turn, or the ones named: `python -m bench files mcp`."""

import asyncio
import importlib
import inspect
import sys
from pathlib import Path


def names() -> list[str]:
    return sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))


def main() -> None:
    chosen = sys.argv[1:] or names()
    unknown = set(chosen) - set(names())
    if unknown:
        sys.exit(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(names())}")
    for name in chosen:
        print(f"\n── {name} " + "─" * (70 - len(name)))
        run = importlib.import_module(f"bench.{name}").main
        result = run()
        if inspect.isawaitable(result):
            asyncio.run(_finish(result))


async def _finish(work: object) -> None:
    await work  # type: ignore[misc]


if __name__ == "__main__":
    main()
