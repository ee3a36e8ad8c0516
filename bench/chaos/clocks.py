"""A wall clock that jumps, for the processes under test alone: sleeps and timeouts stay real.

libfaketime 0.9 breaks `time.sleep` of a Python that sleeps until a monotonic moment, so this is a
library of our own, compiled where there is a C compiler. It adds what a file says to the wall clock
and leaves every other clock alone.
"""

import mmap
import random
import shutil
import struct
import subprocess
from pathlib import Path

#: Names the file, in the environment of a process.
VARIABLE = "BENCH_CLOCK"
#: Seconds that the clock is ahead, or behind: minutes, hours, days.
REACHES = (600.0, 7_200.0, 90_000.0, 3 * 86_400.0, 20 * 86_400.0)

SOURCE = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *ahead;

/* A fork gets its environment after it began: until then it has no file, and the real time. */
static int64_t seconds_ahead(void) {
    if (!ahead) {
        const char *name = getenv("BENCH_CLOCK");
        int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
        if (file < 0) return 0;
        void *page = mmap(0, 8, PROT_READ, MAP_SHARED, file, 0);
        close(file);
        if (page == MAP_FAILED) return 0;
        ahead = page;
    }
    return *ahead;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += seconds_ahead();
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int failed = (int)syscall(SYS_gettimeofday, now, zone);
    if (!failed && now) now->tv_sec += seconds_ahead();
    return failed;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
"""


class Clock:
    """The clock of all processes of a storm, as on one machine."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "clock"
        self.file.write_bytes(struct.pack("q", 0))
        with self.file.open("r+b") as file:
            self._page = mmap.mmap(file.fileno(), 8)

    @property
    def ahead(self) -> int:
        """Seconds."""
        return int(struct.unpack("q", self._page[:8])[0])

    def set(self, ahead: float) -> None:
        self._page[:8] = struct.pack("q", int(ahead))

    def jump(self, random_: random.Random) -> None:
        """By minutes, hours or days, forwards or backwards, or back to the truth."""
        ahead = random_.choice(REACHES) * random_.uniform(-1, 1)
        self.set(0 if self.ahead and random_.random() < 0.3 else ahead)


def compile_library(folder: Path) -> Path | None:
    """To be preloaded; `None` where there is no compiler for it."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    library = folder / "clock.so"
    command = [compiler, "-shared", "-fPIC", "-O2", "-x", "c", "-", "-o", str(library)]
    made = subprocess.run(command, input=SOURCE.encode(), capture_output=True, check=False)
    return library if made.returncode == 0 else None
