"""The one place that starts git, and how it is kept from starting anything of a project's.

A repository's own configuration names programs: filters, text conversions, monitors, hooks,
helpers, files to include. Git always reads it, and no list of overrides is ever complete. So git
never sees it: each question is asked in a directory of our own, which has the repository's objects,
references and index by link, and a configuration that we wrote. `.gitattributes` may still ask for
a filter, but nothing says which program that would be. The person's and the machine's configuration
are left out as well, and so is everything in the environment that could lead git elsewhere.

Only questions: what is asked here must change nothing.
"""

import asyncio
import os
import re
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import structlog

from bottega.core.programs import inherited, located, run

#: Seconds for one question.
PATIENCE = 10.0
LONGEST_ANSWER = 1024 * 1024
#: Of a file that says where something is.
_LONGEST_POINTER = 4096
_LONGEST_CONFIG = 1024 * 1024

_CONFIGURATION = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8").replace("{devnull}", os.devnull)
)
_KEPT: dict[str, str] = _CONFIGURATION["kept"]
_OVERRIDES: dict[str, str] = _CONFIGURATION["overrides"]
_QUIETLY = ("--no-pager", "--no-optional-locks")

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Repository:
    #: The directory that the project's files are seen from.
    work_tree: Path
    #: HEAD and index.
    own: Path
    #: Objects, references and configuration; another directory for a linked worktree.
    common: Path


async def ask(
    project: Path, *arguments: str, program: str = "git", seconds: float = PATIENCE
) -> bytes | None:
    """What git answers in a project; None if it fails, takes too long or says too much, if there
    is no git, or if the project is in no repository."""
    repository = await asyncio.to_thread(find_repository, project)
    if repository is None:
        return None
    command = (program, *_QUIETLY, "--literal-pathspecs", *arguments)
    try:
        with _isolated(repository) as environment:
            answer = await run(
                command, project, seconds, max_output=LONGEST_ANSWER, environment=environment
            )
    except TimeoutError:
        log.warning("git.too_slow", question=arguments[0], seconds=seconds)
        return None
    except OSError as error:
        log.info("git.unavailable", why=str(error))
        return None
    if answer.flooded:
        log.warning("git.too_long", question=arguments[0])
        return None
    return answer.output if answer.code == 0 else None


def ask_now(
    project: Path, *arguments: str, given: bytes = b"", none: int = 0, seconds: float = PATIENCE
) -> bytes | None:
    """The same, blocking, with something to read. `none` is the exit code for an empty answer."""
    repository = find_repository(project)
    if repository is None:
        return None
    try:
        with _isolated(repository) as environment:
            answer = subprocess.run(  # noqa: S603 - arguments of ours, no shell
                [located("git"), *_QUIETLY, *arguments],
                input=given,
                capture_output=True,
                cwd=project,
                env=environment,
                timeout=seconds,
                check=False,
            )
    except subprocess.TimeoutExpired:
        log.warning("git.too_slow", question=arguments[0], seconds=seconds)
        return None
    except OSError as error:
        log.info("git.unavailable", why=str(error))
        return None
    return answer.stdout if answer.returncode in (0, none) else None


def environment_for_others() -> dict[str, str]:
    """Our environment for a program that may start git: with the project's configuration, which we
    cannot keep from it, but with nothing in force there that starts a program by itself."""
    settings = {"GIT_CONFIG_COUNT": str(len(_OVERRIDES))}
    for number, (name, value) in enumerate(_OVERRIDES.items()):
        settings |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return inherited(without="GIT_", **settings, GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0")


def find_repository(project: Path) -> Repository | None:
    """The repository that a project is in. Blocking.

    None as well for one that leads to another's: a `.git` that names a directory which does not
    know of it, or whose objects and references are links to somewhere else.
    """
    project = project.resolve()
    for folder in (project, *project.parents):
        git = folder / ".git"
        if not git.is_symlink() and git.is_dir():
            found = Repository(folder, git, git)
        elif not git.is_symlink() and git.is_file():
            linked = _linked(folder, git)
            if linked is None:
                return None
            found = linked
        else:
            continue
        return found if _is_trusted(found, project) else None
    return None


def _linked(folder: Path, file: Path) -> Repository | None:
    """A worktree's or a submodule's, which keep their `.git` elsewhere and know where they are."""
    pointer = _pointer(file)
    if not pointer.startswith("gitdir:"):
        return None
    own = (folder / pointer.removeprefix("gitdir:").strip()).resolve()
    if back := _pointer(own / "gitdir"):
        common = (own / _pointer(own / "commondir")).resolve()
        is_known = (own / back).resolve() == file and own.parent == common / "worktrees"
        return Repository(folder, own, common) if is_known else None
    tree = _settings(own / "config").get("core.worktree")
    is_known = tree is not None and (own / tree).resolve() == folder
    return Repository(folder, own, own) if is_known else None


def _is_trusted(repository: Repository, project: Path) -> bool:
    """Whether it is the project's own: not somebody else's above it, not put together by links."""
    with suppress(OSError):
        owners = {os.geteuid(), project.stat().st_uid}
        is_ours = repository.common.stat().st_uid in owners
        parts = [repository.own / "HEAD", repository.own / "index"]
        parts += [repository.common / name for name in ("objects", "refs", "packed-refs")]
        return is_ours and not any(part.is_symlink() for part in parts)
    return False


@contextmanager
def _isolated(repository: Repository) -> Iterator[Mapping[str, str]]:
    """The environment in which git sees the repository and nothing of its configuration."""
    own, common = repository.own, repository.common
    with tempfile.TemporaryDirectory(prefix="bottega-git-") as name:
        place = Path(name)
        (place / "HEAD").write_text(_pointer(own / "HEAD") + "\n")
        (place / "config").write_text(_CONFIGURATION["ours"] + _kept(common / "config"))
        (place / "info").mkdir()
        links = {each: common / each for each in ("objects", "refs", "packed-refs", "reftable")}
        links |= {"shallow": common / "shallow", "info/exclude": common / "info" / "exclude"}
        links |= {each.name: each for each in [own / "index", *own.glob("sharedindex.*")]}
        for link, target in links.items():
            if target.exists():
                (place / link).symlink_to(target)
        yield inherited(
            without="GIT_",
            GIT_DIR=name,
            GIT_WORK_TREE=str(repository.work_tree),
            GIT_CONFIG_NOSYSTEM="1",
            GIT_CONFIG_GLOBAL=os.devnull,
            GIT_ATTR_NOSYSTEM="1",
            GIT_NO_LAZY_FETCH="1",
            GIT_NO_REPLACE_OBJECTS="1",
            GIT_OPTIONAL_LOCKS="0",
            GIT_TERMINAL_PROMPT="0",
        )


def _kept(config: Path) -> str:
    settings = _settings(config)
    return "".join(
        "[{}]\n\t{} = {}\n".format(*name.split("."), settings[name])
        for name, values in _KEPT.items()
        if name in settings and re.fullmatch(values, settings[name])
    )


def _settings(config: Path) -> dict[str, str]:
    """The plain settings of a configuration file, without what it includes; lower case names."""
    found: dict[str, str] = {}
    section = ""
    for line in _read(config, _LONGEST_CONFIG).splitlines():
        if header := re.fullmatch(r"\s*\[([A-Za-z0-9.-]+)\]\s*", line):
            section = header[1].lower()
        elif line.lstrip().startswith("["):
            section = ""
        elif section and (setting := re.fullmatch(r"\s*([A-Za-z0-9-]+)\s*=\s*(.*?)\s*", line)):
            found[f"{section}.{setting[1].lower()}"] = setting[2].strip('"')
    return found


def _pointer(file: Path) -> str:
    return _read(file, _LONGEST_POINTER).strip()


def _read(file: Path, most: int) -> str:
    # A pipe would keep us waiting for ever.
    with suppress(OSError):
        if file.is_file():
            with file.open(encoding="utf-8", errors="surrogateescape") as stream:
                return stream.read(most)
    return ""
