"""Running a Python program that nobody trusts, so that nothing outside of it can tell.

The program is one process that can do little more than compute. Four walls stand around it, and
none relies on another:

- **seccomp**: the kernel refuses every call but those that a Python program needs to run by
  itself. No process, no connection, no signal to another; trying ends the program.
- **Landlock**: of all files, only the interpreter's own and the system's libraries can be read.
- **limits**: time, memory, threads, open files, output.
- **namespaces**, where the machine gives them: a network without a device, and a small scratch
  directory in memory, the only place that can be written.

Where seccomp or Landlock is not to be had (another system, an old kernel, a strict container)
nothing is run at all: `machine.py` finds that out by trying, and raises `Unavailable`.

What remains: the program can ask whether a path exists and how big it is (Landlock does not hide
that), and it keeps one core busy until its time is up.

`machine.run_isolated` is what others call. `launcher.py`, and the measures that it takes, run
inside, so they import little.
"""
