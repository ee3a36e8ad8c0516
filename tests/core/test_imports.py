"""Modules are loaded one at a time, whatever threads want them."""

import subprocess
import sys
from pathlib import Path

#: Tells how many are being loaded at the same moment.
SLOW = """
import sys, time
sys.loading = getattr(sys, "loading", 0) + 1
sys.most = max(getattr(sys, "most", 0), sys.loading)
time.sleep(0.2)
sys.loading -= 1
"""
IMPORT_BOTH = """
import asyncio, importlib, sys, threading
from concurrent.futures import ThreadPoolExecutor
from bottega.core.imports import import_one_at_a_time, load
if sys.argv[1] == "in turn":
    import_one_at_a_time()
    import_one_at_a_time()
at_once = threading.Barrier(2)
def enter(name):
    at_once.wait()
    importlib.import_module(name)
with ThreadPoolExecutor(2) as threads:
    for done in [threads.submit(enter, name) for name in ("slow.one", "slow.two")]:
        done.result()
ticks = 0
async def beside_the_loop():
    global ticks
    loading = asyncio.create_task(load("slow.three"))
    while not loading.done():
        ticks += 1
        await asyncio.sleep(0.01)
asyncio.run(beside_the_loop())
assert ticks > 3 and "slow.three" in sys.modules
print(sys.most)
"""


def count_loading_at_once(folder: Path, how: str) -> int:
    command = [sys.executable, "-c", IMPORT_BOTH, how]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_two_threads_load_modules_in_turn_and_the_loop_goes_on(tmp_path: Path) -> None:
    """That Python alone loads them together shows that there is something to see."""
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "__init__.py").touch()
    for name in ("one", "two", "three"):
        (tmp_path / "slow" / f"{name}.py").write_text(SLOW)
    assert count_loading_at_once(tmp_path, "alone") == 2
    assert count_loading_at_once(tmp_path, "in turn") == 1
