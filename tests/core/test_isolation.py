"""Programs that want out, loop, or eat the machine: each is run for real, and this process, its
files and its children must be as they were."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Coroutine
from pathlib import Path

import psutil
import pytest

from bottega.core.isolation import selftest
from bottega.core.isolation.launcher import REQUIRED, Measure
from bottega.core.isolation.machine import AT_ONCE, isolation, probe, run_isolated
from bottega.core.isolation.process import Finished, Limits, StopReason
from bottega.core.isolation.seccomp import build, numbers
from bottega.errors import Unavailable

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs are isolated on Linux")

SHORT = Limits(cpu_seconds=1, wall_seconds=2)

Run = Callable[..., Coroutine[None, None, Finished]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    async def run(source: str, limits: Limits = SHORT, stdin: bytes = b"") -> Finished:
        program = tmp_path / "program.py"
        program.write_text(textwrap.dedent(source))
        return await run_isolated(program, stdin, limits)

    return run


def children() -> list[psutil.Process]:
    """The isolated ones: other tests' servers are children of the same process."""
    return [child for child in psutil.Process().children(recursive=True) if _is_isolated(child)]


def _is_isolated(child: psutil.Process) -> bool:
    try:
        launched = "bottega.core.isolation.launcher" in " ".join(child.cmdline())
        return launched or child.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def test_a_program_gets_its_input_and_its_output_comes_back(run: Run) -> None:
    finished = await run(
        "import sys; print(sys.stdin.read()); print('oops', file=sys.stderr); sys.exit(3)",
        stdin=b"ciao",
    )
    assert (finished.exit_code, finished.signal, finished.stopped) == (3, None, None)
    assert (finished.stdout, finished.stderr) == (b"ciao\n", b"oops\n")


async def test_input_may_be_long_or_unwanted(run: Run) -> None:
    long = b"x" * 5_000_000
    finished = await run("import sys; print(len(sys.stdin.read()))", stdin=long)
    assert finished.stdout == b"5000000\n"
    assert (await run("import os; os.close(0); print('no, thanks')", stdin=long)).exit_code == 0


@pytest.mark.requirement("CO-01")
async def test_it_has_nothing_of_ours(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """No environment, no descriptor, no package, no privilege of the server's."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    held = os.open("/etc/passwd", os.O_RDONLY)
    os.set_inheritable(held, True)
    finished = await run("""
        import os, sys
        descriptors = []
        for number in range(3, 64):
            try:
                os.fstat(number)
                descriptors.append(number)
            except OSError:
                pass
        print(sorted(os.environ), descriptors, [m for m in sys.modules if "bottega" in m])
        try:
            import pydantic
        except ImportError:
            print("no packages")
    """)
    os.close(held)
    assert finished.stdout.decode().splitlines() == [
        "['HOME', 'LC_CTYPE', 'OPENBLAS_NUM_THREADS', 'TMPDIR'] [] []",
        "no packages",
    ]


@pytest.mark.requirement("CO-01")
async def test_an_endless_loop_is_stopped(run: Run) -> None:
    """Computing time is bounded, even for a program that ignores the first signal."""
    finished = await run("while True: pass", Limits(cpu_seconds=1, wall_seconds=20))
    assert finished.stopped == StopReason.CPU
    finished = await run(
        "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass",
        Limits(cpu_seconds=1, wall_seconds=20),
    )
    assert finished.stopped == StopReason.CPU
    assert not children()


@pytest.mark.requirement("CO-01")
async def test_a_program_that_only_waits_is_stopped(run: Run) -> None:
    """So is time on the clock."""
    finished = await run(
        "import time; print('zzz', flush=True); time.sleep(1000)", Limits(wall_seconds=0.5)
    )
    assert finished.stopped == StopReason.TIMEOUT
    assert finished.stdout == b"zzz\n"
    assert finished.duration < 5
    finished = await run(
        "import os, time; os.closerange(0, 9); time.sleep(1000)", Limits(wall_seconds=0.5)
    )
    assert finished.stopped == StopReason.TIMEOUT
    assert not children()


@pytest.mark.requirement("CO-01")
@pytest.mark.parametrize(
    "attack",
    [
        "import os\nwhile True: os.fork()",
        "import subprocess; subprocess.run(['true'])",
        "import os; os.system('true')",
        "import os; os.execv('/bin/true', ['true'])",
        "import os; os.posix_spawn('/bin/true', ['true'], {})",
        "import multiprocessing as m; p = m.get_context('fork').Process(); p.start()",
        "import os; os.kill(os.getppid(), 9)",
        "import os; os.kill(-1, 9)",
        "import os; os.killpg(0, 9)",
        "import socket; socket.create_connection(('127.0.0.1', 80))",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "import socket; socket.socket(socket.AF_UNIX)",
        "import socket; socket.getaddrinfo('example.org', 80)",
        "import socket as s; s.socketpair(s.AF_UNIX, s.SOCK_DGRAM)",
        "import os; os.chroot('/')",
        "import os; os.setuid(0); os.setresuid(0, 0, 0)",
        "import os; os.nice(-5)",
        "import os; os.chmod('/tmp', 0)",
        "import os; os.mkfifo('pipe')",
        "import fcntl, os; fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid())",
        "import fcntl; fcntl.ioctl(0, 0x8901, b'1234')",
    ],
)
async def test_reaching_for_other_processes_or_the_network_ends_it(run: Run, attack: str) -> None:
    """No process, no signal, no connection, no change of what it is."""
    finished = await run(f"{attack}\nprint('got away')")
    assert finished.stopped == StopReason.FORBIDDEN, finished
    assert finished.stdout == b""
    assert not children()


@pytest.mark.requirement("CO-01")
@pytest.mark.parametrize("call", ["ptrace", "mount", "keyctl", "bpf", "io_uring_setup", "setns"])
async def test_system_calls_by_number_are_no_way_round(run: Run, call: str) -> None:
    """Ctypes asks the same kernel."""
    number = numbers("fatal", os.uname().machine)[call]
    finished = await run(f"""
        import ctypes
        ctypes.CDLL(None).syscall({number}, 0, 0, 0, 0, 0)
        print("got away")
    """)
    assert (finished.stopped, finished.stdout) == (StopReason.FORBIDDEN, b"")


@pytest.mark.requirement("CO-01")
async def test_calls_that_are_merely_unknown_are_refused(run: Run) -> None:
    """What is not listed is not done: here memfd_create and personality."""
    if os.uname().machine != "x86_64":
        pytest.skip("the numbers are those of x86-64")
    finished = await run("""
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        for number in (319, 135, 0x40000000 + 57, 9999):
            print(libc.syscall(number, b"x", 0), ctypes.get_errno())
    """)
    assert finished.stdout == b"-1 1\n" * 4


@pytest.mark.requirement("CO-01")
async def test_files_outside_can_neither_be_read_nor_written(run: Run, tmp_path: Path) -> None:
    """Home, project, database, system files and /proc do not open, whatever the mode."""
    database = tmp_path / "bottega.db"
    database.write_text("all that is known")
    outside = [database, Path.home(), Path("/etc/passwd"), Path("/proc/self/environ")]
    outside += [Path(f"/proc/{os.getpid()}/mem"), Path(__file__), Path("/tmp"), Path("/")]
    # Whoever runs the tests may have no home.
    outside = [path for path in outside if path.exists()]
    finished = await run(f"""
        import os
        for path in {[str(path) for path in outside]}:
            for mode in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_TRUNC, os.O_TRUNC | 3):
                try:
                    os.open(path, mode)
                    print("opened", path, mode)
                except (PermissionError, IsADirectoryError):
                    pass
            if os.path.isdir(path):
                for harm in (lambda: os.listdir(path), lambda: open(path + "/new", "w"),
                             lambda: os.mkdir(path + "/new")):
                    try:
                        harm()
                        print("did", harm, path)
                    except PermissionError:
                        pass
        for harm in (os.unlink, lambda p: os.rename(p, p + "x"), lambda p: os.link(p, "here"),
                     lambda p: os.symlink(p, "here") or open("here"),
                     lambda p: os.truncate(p, 0), lambda p: os.utime(p), lambda p: os.chmod(p, 0)):
            try:
                harm({str(database)!r})
                print("did", harm)
            except PermissionError:
                pass
        print("done")
    """)
    assert (finished.stdout, finished.stderr) == (b"done\n", b"")
    assert database.read_text() == "all that is known"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bottega.db", "program.py"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to lose")
@pytest.mark.requirement("CO-01")
async def test_an_interpreter_in_somebodys_private_folder_can_be_read(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below the temporary folder, for example: root without its rights had no way in."""
    somebody = 12_345
    with tempfile.TemporaryDirectory() as folder:
        interpreter = copy_interpreter(Path(folder, "python"))
        for path in (Path(folder), *Path(folder).rglob("*")):
            os.chown(path, somebody, -1)
        monkeypatch.setattr(sys, "executable", str(interpreter))
        finished = await run("""
            import os, tempfile, textwrap
            with tempfile.NamedTemporaryFile() as file:
                print(os.__file__, os.getresuid()[1:], os.stat(file.name).st_uid)
        """)
        library = Path(folder, "python", "lib", f"python3.{sys.version_info.minor}", "os.py")
        said = f"{library} ({somebody}, {somebody}) {somebody}\n"
        assert (finished.stdout.decode(), finished.stderr) == (said, b"")


def copy_interpreter(folder: Path) -> Path:
    """The program and its standard library, without what is large."""
    large = shutil.ignore_patterns("site-packages", "dist-packages", "test", "config-*", "*.pyc")
    shutil.copytree(
        Path(os.__file__).parent, folder / "lib" / Path(os.__file__).parent.name, ignore=large
    )
    program = folder / "bin" / "python3"
    program.parent.mkdir()
    shutil.copy(Path(sys.executable).resolve(), program)
    return program


@pytest.mark.requirement("CO-01")
async def test_what_it_writes_is_small_and_gone_afterwards(run: Run, tmp_path: Path) -> None:
    """The scratch directory takes a megabyte in all, however many files."""
    finished = await run("""
        import os, tempfile
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"x" * 1000)
        try:
            for number in range(100):
                with open(f"{number}", "wb") as file:
                    file.write(b"x" * 100_000)
        except OSError as error:
            print(number, error.strerror)
        print(os.getcwd())
    """)
    said, directory = finished.stdout.decode().splitlines()
    assert int(said.split()[0]) in range(8, 11)
    assert not Path(directory).exists()


@pytest.mark.requirement("CO-01")
async def test_too_much_memory_is_refused(run: Run) -> None:
    """Ten gigabytes at once, or bit by bit."""
    at_once = await run("bytearray(10 * 1024 ** 3)")
    bit_by_bit = await run("heap = []\nwhile True: heap.append(bytearray(1_000_000))")
    assert (at_once.stopped, bit_by_bit.stopped) == (StopReason.MEMORY, StopReason.MEMORY)


@pytest.mark.requirement("CO-01")
async def test_threads_are_few(run: Run) -> None:
    """A thread bomb is bounded, small stacks or not."""
    finished = await run("""
        import os, sys, threading, time
        threading.stack_size(32768)
        started = 0
        try:
            while True:
                threading.Thread(target=time.sleep, args=(60,)).start()
                started += 1
        except RuntimeError:
            print(started, flush=True)
            os._exit(0)
    """)
    assert 4 < int(finished.stdout) <= 32


@pytest.mark.requirement("CO-01")
async def test_output_without_end_is_cut_and_stopped(run: Run) -> None:
    """The server keeps no more than it said it would."""
    for stream in ("stdout", "stderr"):
        finished = await run(f"import sys\nwhile True: sys.{stream}.write('x' * 100_000)")
        assert finished.stopped == StopReason.OUTPUT
        assert len(getattr(finished, stream)) == SHORT.output_bytes


@pytest.mark.requirement("CO-01")
async def test_a_recursion_that_breaks_the_interpreter_breaks_only_that_one(run: Run) -> None:
    """A crash is reported as one."""
    finished = await run("import ctypes; ctypes.string_at(0)")
    assert finished.stopped == StopReason.CRASH
    finished = await run("def f(): f()\nf()")
    assert finished.exit_code == 1
    assert b"RecursionError" in finished.stderr


@pytest.mark.requirement("CO-01")
async def test_twenty_at_once_take_turns(run: Run, tmp_path: Path) -> None:
    """However many are asked for, only a few run."""
    most = 0
    done = asyncio.Event()

    async def count() -> None:
        nonlocal most
        while not done.is_set():
            most = max(most, len(children()))
            await asyncio.sleep(0.005)

    counting = asyncio.create_task(count())
    finished = await asyncio.gather(*(run("print(sum(range(100_000)))") for _ in range(20)))
    done.set()
    await counting
    assert all(each.exit_code == 0 for each in finished)
    assert 1 <= most <= AT_ONCE


@pytest.mark.requirement("CO-01")
async def test_cancelling_leaves_no_process_and_no_directory(run: Run) -> None:
    """Who no longer waits keeps nothing running."""
    await isolation()
    running = asyncio.create_task(run("while True: pass", Limits()))
    while not children():
        await asyncio.sleep(0.01)
    process = children()[0]
    directory = Path(process.cwd())
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not process.is_running()
    assert not directory.exists()


@pytest.mark.requirement("CO-01")
async def test_a_program_does_not_outlive_a_killed_server(tmp_path: Path) -> None:
    """Kill -9 of the server ends it too."""
    program = tmp_path / "program.py"
    program.write_text("import time; time.sleep(1000)")
    server = subprocess.Popen(
        [
            *(sys.executable, "-c"),
            "import asyncio; from pathlib import Path; "
            "from bottega.core.isolation.machine import run_isolated; "
            "from bottega.core.isolation.process import Limits; "
            f"asyncio.run(run_isolated(Path({str(program)!r}), b'', Limits(wall_seconds=60)))",
        ],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    isolated = await asyncio.to_thread(_wait_for_sleeper, psutil.Process(server.pid))
    server.kill()
    server.wait()
    gone, _ = await asyncio.to_thread(psutil.wait_procs, [isolated], 10)
    assert gone == [isolated]


def _wait_for_sleeper(server: psutil.Process) -> psutil.Process:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for child in server.children():
            if "program.py" in " ".join(child.cmdline()):
                return child
        time.sleep(0.01)
    raise AssertionError("the program never started")


@pytest.mark.requirement("CO-02")
async def test_this_machine_is_found_fit(run: Run) -> None:
    """The probe tries every wall, once."""
    found = await isolation()
    assert found.available, found.why
    assert set(found.measures) >= REQUIRED
    assert await isolation() is found


@pytest.mark.requirement("CO-02")
def test_the_probe_notices_walls_that_give_way(tmp_path: Path) -> None:
    """Run with no isolation at all, its program finds the gaps."""
    secret = tmp_path / "secret"
    secret.touch()
    outside = subprocess.run(
        [sys.executable, selftest.__file__, "{}"], input=str(secret).encode(), capture_output=True
    )
    for gap in ("file outside could be read", "could be changed", "be listed", "socket could be"):
        assert gap in outside.stderr.decode()


@pytest.mark.requirement("CO-02")
@pytest.mark.parametrize("measure", sorted(REQUIRED))
async def test_without_a_wall_that_is_needed_nothing_runs(measure: Measure, tmp_path: Path) -> None:
    """A machine without seccomp or Landlock runs nothing, and says what is missing."""
    poor = await probe(without=[measure])
    assert not poor.available
    assert measure in poor.missing
    program = tmp_path / "program.py"
    program.write_text("print('ran')")
    with pytest.raises(Unavailable, match=f"not run.*{measure}"):
        await run_isolated(program, machine=poor)


@pytest.mark.requirement("CO-02")
async def test_other_systems_run_nothing() -> None:
    """Isolation is Linux's."""
    found = await probe(platform="darwin")
    assert not found.available
    assert found.why == "programs can be isolated on Linux only, and this is darwin"


@pytest.mark.requirement("CO-02")
async def test_without_namespaces_it_still_runs_but_writes_nothing() -> None:
    """What is only good to have is reported as missing."""
    found = await probe(without=[Measure.NAMESPACES])
    assert found.available
    assert set(found.missing) >= {Measure.NAMESPACES, Measure.SCRATCH}


@pytest.mark.requirement("CO-01")
@pytest.mark.parametrize("architecture", ["x86_64", "aarch64"])
def test_every_jump_of_the_filter_stays_inside(architecture: str) -> None:
    """The filter is a well-formed program on both architectures."""
    code = build(architecture, 1)
    assert len(code) < 4096
    for place, (_, yes, no, _) in enumerate(code):
        assert max(yes, no) < 256
        assert place + 1 + max(yes, no) < len(code) or (yes, no) == (0, 0)
