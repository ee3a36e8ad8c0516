"""Ingest: a folder or some uploads become documents of a library, in a durable run.

The files are taken a batch at a time, each batch one step of the run: a crash costs the batch that
was in flight, and that one finds what it had done already by the hashes of its files.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path, PurePath

from pydantic import BaseModel
from sqlalchemy import select, update

from bottega.core.clock import new_id
from bottega.core.events import Event
from bottega.core.runs import RunContext
from bottega.core.services import Core
from bottega.errors import BottegaError, InvalidInput, NotFound
from bottega.library.documents import repository
from bottega.library.documents.service import Libraries
from bottega.library.documents.tables import UPLOADED, Library
from bottega.library.graph.service import SemanticLinks
from bottega.library.ingest.files import (
    FoundFiles,
    SourceFile,
    StoredVersion,
    Uploads,
    check_names,
    find_files,
    in_folder,
    read_files,
)
from bottega.library.ingest.schemas import IngestProgress, IngestReport, Oddity
from bottega.library.ingest.store import DocumentStore
from bottega.library.parsers.document import Kind

KIND = "library_ingest"
PROGRESS = "progress"
#: Among so many events at the end of a run is the last that tells how far it is.
LAST_EVENTS = 20
#: What is read and stored at once: a moment's work, and a transaction that others can wait for.
BATCH_BYTES = 1_000_000
BATCH_FILES = 200
#: What a report lists; while a run goes on only its counts are told.
LISTS = {"rejected", "skipped", "problems"}


class IngestOrder(BaseModel):
    """The input of an ingest run."""

    library_id: str
    library: str
    #: A folder; uploads have none.
    root: str = ""
    are_uploads: bool = False
    #: What a file's path in the library begins with.
    prefix: str
    kind: Kind | None = None
    #: These files of the root; without, all of it, and what is there no more is removed.
    files: list[str] | None = None

    def place(self, path: str) -> str:
        return f"{self.prefix}{path}"

    def covers(self, path: str) -> bool:
        """Whether a document of the library came from this root."""
        is_elsewhere = path.startswith(UPLOADED) or PurePath(path).is_absolute()
        return path.startswith(self.prefix) if self.prefix else not is_elsewhere


class Ingest:
    def __init__(self, core: Core, libraries: Libraries) -> None:
        self._core = core
        self._store = DocumentStore(core, libraries.indexes)
        self._uploads = Uploads(core.database, core.runs)
        core.runs.register(KIND, self._ingest)
        SemanticLinks(core).register()

    async def folder(self, library: Library, path: Path | str, *, kind: Kind | None = None) -> str:
        """Start an ingest of a folder or of one file; returns the run's id.

        Raises `InvalidInput` if there is neither.
        """
        given, is_file = await asyncio.to_thread(_resolve, Path(path))
        root = given.parent if is_file else given
        if library.root is None and not is_file:
            library.root = str(root)
            async with self._core.database.write() as session:
                changed = update(Library).where(Library.id == library.id).values(root=library.root)
                await session.execute(changed)
        order = IngestOrder(
            library_id=library.id,
            library=library.name,
            root=str(root),
            prefix=_prefix(root, library.root),
            kind=kind,
            files=[given.name] if is_file else None,
        )
        return await self._core.runs.start(KIND, order, user_id=library.user_id)

    async def rebuild(self) -> None:
        """Write the indexes of every library again."""
        async with self._core.database.read() as session:
            ids = (await session.scalars(select(Library.id))).all()
        for library_id in ids:
            await self._store.rebuild(library_id)

    async def upload(
        self, library: Library, files: Sequence[tuple[str, bytes]], kind: Kind | None = None
    ) -> str:
        """Start an ingest of uploaded files, given as names and contents; returns the run's id."""
        names = [name for name, _ in files]
        check_names(names)
        await self._uploads.forget_left_over(library.id)
        run_id = new_id("run_")
        await self._uploads.keep(library.id, run_id, files)
        order = IngestOrder(
            library_id=library.id,
            library=library.name,
            are_uploads=True,
            prefix=UPLOADED,
            kind=kind,
            files=names,
        )
        return await self._core.runs.start(KIND, order, user_id=library.user_id, run_id=run_id)

    async def progress(self, run_id: str, user_id: str | None = None) -> IngestProgress:
        run = await self._core.runs.get(run_id, user_id=user_id)
        if run.kind != KIND:
            raise NotFound(f"The run {run_id!r} is no ingest.")
        last = await self._core.runs.events(run_id, after=max(run.position - LAST_EVENTS, 0))
        told = next((each.payload for each in reversed(last) if each.type == PROGRESS), {})
        return IngestProgress(
            run_id=run_id,
            library=run.input["library"],
            status=run.status,
            done=told.get("done", 0),
            total=told.get("total", 0),
            report=IngestReport.model_validate(run.output or told.get("report", {})),
            error=run.error["message"] if run.error else None,
        )

    async def progress_in(self, library: Library, run_id: str, user_id: str) -> IngestProgress:
        """Raises `NotFound` if the ingest is another library's."""
        progress = await self.progress(run_id, user_id)
        if progress.library != library.name:
            raise NotFound(f"The library {library.name!r} has no ingest {run_id!r}.")
        return progress

    async def wait(self, run_id: str) -> IngestReport:
        """Wait for the run's end; returns its report, or raises its error."""
        report: IngestReport = await self._core.runs.result(run_id)
        return report

    async def _ingest(self, run: RunContext, order: IngestOrder) -> IngestReport:
        try:
            report = await self._ingest_all(run, order)
        except BottegaError:
            await self._clear(run.id, order)
            raise
        await self._clear(run.id, order)
        return report

    async def _ingest_all(self, run: RunContext, order: IngestOrder) -> IngestReport:
        found = await run.step("find", self._find, run.id, order)
        report = IngestReport(
            ignored=found.ignored,
            rejected=found.rejected,
            skipped=found.skipped,
            removed=await run.step("remove", self._remove, order, found),
        )
        batches = list(found.batches(size=BATCH_BYTES, count=BATCH_FILES))
        done = 0
        await self._publish_progress(run, order, done, found, report)
        for batch in batches:
            report += await run.step("take", self._take, run.id, order, batch)
            done += len(batch)
            await self._publish_progress(run, order, done, found, report)
        if report.added + report.replaced + report.removed:
            await run.step("finish", self._finish, order)
        payload = {
            "library": order.library,
            "library_id": order.library_id,
            "run_id": run.id,
            "report": report.model_dump(mode="json", exclude=LISTS),
        }
        self._core.bus.publish(Event("library.ingested", payload, user_id=run.user_id))
        return report

    async def _find(self, run_id: str, order: IngestOrder) -> FoundFiles:
        if order.are_uploads:
            return FoundFiles(files=await self._uploads.files(run_id))
        return await asyncio.to_thread(find_files, Path(order.root), order.files)

    async def _remove(self, order: IngestOrder, found: FoundFiles) -> int:
        """Take out what is gone from the folder: first, because a renamed file comes back."""
        if order.files is not None or not found.files:
            return 0
        there = {order.place(file.path) for file in found.files}
        # What cannot be listed now is not gone.
        unlisted = tuple(f"{order.place(each.path)}/" for each in found.rejected)
        async with self._core.database.read() as session:
            paths = [row.path for row in await repository.documents(session, order.library_id)]
            paths += [row.path for row in await repository.rejections(session, order.library_id)]
        gone = [
            path
            for path in dict.fromkeys(paths)
            if order.covers(path) and path not in there and not path.startswith(unlisted)
        ]
        return await self._store.remove(order.library_id, gone) if gone else 0

    async def _take(self, run_id: str, order: IngestOrder, files: list[SourceFile]) -> IngestReport:
        paths = [order.place(file.path) for file in files]
        async with self._core.database.read() as session:
            rows = await repository.documents_at(session, order.library_id, paths)
        known = {path: StoredVersion(row.content_hash, row.kind) for path, row in rows.items()}
        read = self._uploads.reader(run_id) if order.are_uploads else in_folder(Path(order.root))
        reading = await read_files(read, files, order.place, known, order.kind)
        changes = await self._store.put(order.library_id, reading.incoming, reading.rejected)
        added = sum(change.is_new for change in changes)
        return IngestReport(
            added=added,
            replaced=len(changes) - added,
            unchanged=reading.unchanged,
            paragraphs=sum(len(change.document.paragraphs) for change in changes),
            rejected=list(reading.rejected.values()),
            skipped=reading.skipped,
            problems=[
                Oddity(path=change.incoming.path, message=problem.message)
                for change in changes
                for problem in change.document.problems
            ],
        )

    async def _finish(self, order: IngestOrder) -> None:
        await self._store.link(order.library_id)
        await self._store.mend(order.library_id)

    async def _publish_progress(
        self,
        run: RunContext,
        order: IngestOrder,
        done: int,
        found: FoundFiles,
        report: IngestReport,
    ) -> None:
        payload = {
            "library": order.library,
            "done": done,
            "total": len(found.files),
            "report": report.model_dump(mode="json", exclude=LISTS),
        }
        await run.emit(PROGRESS, payload)
        told = payload | {"run_id": run.id}
        event = Event("library.ingesting", told, user_id=run.user_id, durable=False)
        self._core.bus.publish(event)

    async def _clear(self, run_id: str, order: IngestOrder) -> None:
        if order.are_uploads:
            await self._uploads.forget(run_id)


def _prefix(root: Path, home: str | None) -> str:
    """Paths in the library are relative to its folder; what lies elsewhere keeps its whole path."""
    if home is not None and root.is_relative_to(home):
        inside = root.relative_to(home).as_posix()
        return "" if inside == "." else f"{inside}/"
    return f"{root.as_posix()}/"


def _resolve(path: Path) -> tuple[Path, bool]:
    """The whole path, and whether it is a file."""
    given = path.expanduser().resolve()
    if not given.is_file() and not given.is_dir():
        raise InvalidInput(f"There is no folder and no file {str(path)!r}.")
    return given, given.is_file()
