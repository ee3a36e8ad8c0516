"""Search in a library: by words, by meaning, by reference, and by what its terms are defined to be;
and on the web, through the model provider's own tool.

Words and meaning are fused as everywhere in the house (`core/search/`). A reference in the query
is answered by that paragraph first. What only the definition of a term leads to is added behind.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath

from pydantic import BaseModel

from bottega.core.llm.gateway import Gateway
from bottega.core.llm.tasks import Answer, Task, Tier
from bottega.core.search.filters import Where, matches, parse
from bottega.core.search.hybrid import SearchHit, SearchType
from bottega.core.search.text_index import TextHit
from bottega.core.services import Core
from bottega.errors import InvalidInput, ModelError
from bottega.library.documents import repository
from bottega.library.documents.repository import index_details
from bottega.library.documents.service import Expansion, Indexes, Terms, collection_of
from bottega.library.documents.tables import UPLOADED, Library, LibraryDocument
from bottega.library.parsers.citations import references_in
from bottega.library.parsers.document import Kind
from bottega.library.search.rerank import Reranker
from bottega.library.search.schemas import Hit, Results, WebPage, WebResults


@dataclass(frozen=True, slots=True)
class SearchFilter:
    #: By id, number (`315`), path, file name or title; none is all.
    documents: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()

    @classmethod
    def of(cls, given: "SearchFilter | Sequence[str] | str | None") -> "SearchFilter":
        """As doors hand it over: the names of one or more documents will do."""
        if isinstance(given, SearchFilter):
            return given
        return cls((given,) if isinstance(given, str) else tuple(given or ()))


def as_where(filter: SearchFilter, documents: Sequence[LibraryDocument]) -> Where | None:
    """In the language of the indexes; `documents` are those of the library."""
    conditions: list[Where] = []
    if filter.kinds:
        conditions.append({"kind": {"$in": [kind.value for kind in filter.kinds]}})
    if filter.documents:
        ids = [row.id for name in filter.documents for row in _named(name, documents)]
        conditions.append({"document_id": {"$in": list(dict.fromkeys(ids))}})
    if len(conditions) > 1:
        return {"$and": conditions}
    return conditions[0] if conditions else None


def _named(name: str, documents: Sequence[LibraryDocument]) -> list[LibraryDocument]:
    wanted = name.strip().casefold()
    found = [row for row in documents if wanted in _names(row)]
    if not found:
        there = ", ".join(row.prefix or row.path for row in documents[:20]) or "none"
        raise InvalidInput(
            f"There is no document {name!r} to search in. There are: {there}.",
            valid_options=[row.path for row in documents[:20]],
        )
    return found


def _names(row: LibraryDocument) -> set[str]:
    plain = row.path.removeprefix(UPLOADED)
    names = {
        row.id,
        row.path,
        plain,
        PurePosixPath(plain).name,
        PurePosixPath(plain).stem,
        row.title,
    }
    return {each.casefold() for each in (*names, row.prefix or "") if each}


Filter = SearchFilter | Sequence[str] | str | None

#: Tier 1 is the standards, tier 2 the guides that explain them.
TIERS: Mapping[int, tuple[Kind, float]] = {1: (Kind.STANDARD, 1.0), 2: (Kind.GUIDE, 0.85)}
#: What a term's definition adds to a hit at most: it widens the query, it does not replace it.
EXPANSION_WEIGHT = 0.15
EXPANSION_HITS = 30
#: Candidates that a reranking or a weighing by tier chooses from.
POOL = 50
#: Libraries whose terms are kept at hand.
KEPT_TERMS = 32
#: Every reference has one.
HAS_DIGIT = re.compile(r"\d")


@dataclass(slots=True)
class SearchCandidate:
    score: float = 0.0
    rrf_score: float = 0.0
    paths: list[str] = field(default_factory=list)


@dataclass(slots=True)
class SearchCandidates:
    by_id: dict[str, SearchCandidate]
    search_type: SearchType
    degraded: str | None
    expansions: Sequence[Expansion] = ()

    def found(self, key: str, path: str, score: float) -> None:
        candidate = self.by_id.setdefault(key, SearchCandidate())
        candidate.score += score
        candidate.paths.append(path)


class LibrarySearch:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._indexes = Indexes(core)
        self._reranker = Reranker(core.gateway)
        self._terms: dict[str, tuple[int, Terms]] = {}

    async def search(
        self,
        library: Library,
        query: str,
        *,
        max_results: int = 20,
        filter: Filter = None,
        search_type: SearchType = SearchType.HYBRID,
        expand: bool = True,
        rerank: bool = False,
    ) -> Results:
        asked = SearchFilter.of(filter)
        wanted = max(max_results, POOL) if rerank else max_results
        found = await self._find(library, query, wanted, asked, SearchType(search_type), expand)
        hits = await self._show(library, found, {}, wanted)
        if rerank:
            hits = await self._reranker.rerank(query, hits)
        return _results(query, found, hits[:max_results])

    async def guides(
        self,
        library: Library,
        query: str,
        *,
        max_results: int = 10,
        guide_filter: Filter = None,
        search_type: SearchType = SearchType.HYBRID,
    ) -> Results:
        """Only in the guides."""
        asked = SearchFilter(SearchFilter.of(guide_filter).documents, (Kind.GUIDE,))
        return await self.search(
            library, query, max_results=max_results, filter=asked, search_type=search_type
        )

    async def multi_tier(
        self,
        library: Library,
        query: str,
        *,
        max_results: int = 20,
        tiers: Collection[int] = (1, 2),
        filter: Filter = None,
        search_type: SearchType = SearchType.HYBRID,
    ) -> Results:
        """In standards and guides together, where a standard outweighs a guide."""
        if not tiers or not set(tiers) <= set(TIERS):
            raise InvalidInput(
                f"There are two tiers, not {sorted(tiers)}: 1 is standards, 2 guides.",
                valid_options=list(TIERS),
            )
        weights = dict(TIERS[tier] for tier in tiers)
        asked = SearchFilter(SearchFilter.of(filter).documents, tuple(weights))
        wanted = max(max_results, POOL)
        found = await self._find(library, query, wanted, asked, SearchType(search_type), True)
        hits = await self._show(library, found, weights, max_results)
        return _results(query, found, hits)

    async def _find(
        self,
        library: Library,
        query: str,
        wanted: int,
        filter: SearchFilter,
        search_type: SearchType,
        expand: bool,
    ) -> SearchCandidates:
        if not query.strip():
            raise InvalidInput("The query is empty. Say what to look for.")
        where = await self._where(library, filter)
        by_words = search_type is not SearchType.VECTOR
        expansions = (await self._terms_of(library)).expand(query) if by_words and expand else []
        result, widened = await asyncio.gather(
            self._indexes.hybrid(library.id).search(
                query, limit=wanted, where=where, search_type=search_type
            ),
            self._widen(library, expansions, where),
        )
        hits = {hit.id: _candidate(hit) for hit in result.hits}
        found = SearchCandidates(hits, result.search_type, result.degraded, expansions)
        if by_words:
            await self._add_referenced(library, query, where, found)
        for expansion, more in zip(expansions, widened, strict=True):
            best = more[0].score if more else 1.0
            for hit in more:
                weight = EXPANSION_WEIGHT * hit.score / best
                found.found(hit.id, f"term:{expansion.term}", weight)
        return found

    async def _where(self, library: Library, filter: SearchFilter) -> Where | None:
        if not filter.documents:
            return as_where(filter, ())
        async with self._core.database.read() as session:
            return as_where(filter, await repository.documents(session, library.id))

    async def _add_referenced(
        self, library: Library, query: str, where: Where | None, found: SearchCandidates
    ) -> None:
        """Paragraphs whose references stand in the query: in front of everything else."""
        if not HAS_DIGIT.search(query):
            return
        async with self._core.database.read() as session:
            numbers = await repository.numbers(session, library.id)
            refs = references_in(query, numbers)
            referenced = await repository.by_refs(session, library.id, refs)
        best = max((each.score for each in found.by_id.values()), default=0.0)
        condition = parse(where)
        for paragraph in referenced.values():
            if matches(condition, index_details(paragraph.document_id, paragraph.kind)):
                found.found(paragraph.id, "reference", 1.0 + best)

    async def _widen(
        self, library: Library, expansions: Sequence[Expansion], where: Where | None
    ) -> list[list[TextHit]]:
        """What each of the expansions finds."""
        texts, collection = self._core.text_index, collection_of(library.id)
        return await asyncio.gather(
            *(
                texts.search(collection, each.query, limit=EXPANSION_HITS, where=where)
                for each in expansions
            )
        )

    async def _terms_of(self, library: Library) -> Terms:
        kept = self._terms.get(library.id)
        if kept is not None and kept[0] == library.version:
            return kept[1]
        async with self._core.database.read() as session:
            rows = await repository.terms(session, library.id)
        terms = await asyncio.to_thread(Terms, [(row.term, row.definition) for row in rows])
        while len(self._terms) >= KEPT_TERMS:
            self._terms.pop(next(iter(self._terms)))
        self._terms[library.id] = (library.version, terms)
        return terms

    async def _show(
        self, library: Library, found: SearchCandidates, weights: Mapping[Kind, float], limit: int
    ) -> list[Hit]:
        """The best candidates with their paragraphs; one whose row is gone is no hit."""
        # Equal scores in order of id, so that a search gives the same list twice.
        best = sorted(found.by_id, key=lambda key: (-found.by_id[key].score, key))
        async with self._core.database.read() as session:
            # A weight by kind, which the row tells, can put another one first.
            wanted = best if weights else best[:limit]
            shown = await repository.paragraphs(session, library.id, wanted)
        hits = [
            Hit(
                paragraph=paragraph,
                score=found.by_id[key].score * weights.get(paragraph.kind, 1.0),
                rrf_score=found.by_id[key].rrf_score,
                paths=found.by_id[key].paths,
            )
            for key, paragraph in shown.items()
        ]
        # Equal scores in order of id, so that a search gives the same list twice.
        return sorted(hits, key=lambda hit: (-hit.score, hit.paragraph.id))[:limit]


def _candidate(hit: SearchHit) -> SearchCandidate:
    return SearchCandidate(hit.score, hit.rrf_score, [path.value for path in hit.paths])


def _results(query: str, found: SearchCandidates, hits: list[Hit]) -> Results:
    return Results(
        query=query,
        hits=hits,
        search_type=found.search_type,
        degraded=found.degraded,
        expanded_by=[expansion.term for expansion in found.expansions],
    )


#: The provider searches; we only say that it may.
WEB_SEARCH_TOOL = {"type": "web_search_20250305", "name": "web_search"}

INSTRUCTIONS = Path(__file__).with_name("web_search.md").read_text("utf-8").removesuffix("\n")


@dataclass(frozen=True, slots=True)
class WebQueries:
    queries: tuple[str, ...]
    max_results_per_query: int


class WebPages(BaseModel):
    pages: list[WebPage]


WEB_SEARCH: Task[WebQueries, WebPages] = Task(
    "library_web_search",
    Tier.FAST,
    INSTRUCTIONS,
    lambda asked: json.dumps(asdict(asked), ensure_ascii=False),
    WebPages,
    # Without a network there are no pages; whoever asks says so before asking.
    lambda _asked: WebPages(pages=[]),
)


MOST_QUERIES = 10
MOST_RESULTS = 20


class WebSearch:
    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def search(self, queries: Sequence[str], *, max_results_per_query: int = 5) -> WebResults:
        """Pages that the provider's search returned; never one from a model's memory."""
        asked = [query.strip() for query in queries if query.strip()]
        if not 1 <= len(asked) <= MOST_QUERIES or not 1 <= max_results_per_query <= MOST_RESULTS:
            raise InvalidInput(
                f"Ask 1 to {MOST_QUERIES} queries for 1 to {MOST_RESULTS} results each; these are "
                f"{len(asked)} for {max_results_per_query}."
            )
        mode = self._gateway.mode
        if mode.offline:
            return _skipped(asked, f"No model is configured: {mode.reason}.")
        try:
            answer = await self._gateway.call(
                WEB_SEARCH,
                WebQueries(tuple(asked), max_results_per_query),
                retry=True,
                tools=[WEB_SEARCH_TOOL],
            )
        except ModelError as error:
            return _skipped(asked, f"The web search failed: {error.message}")
        if not answer.sources:
            name = f"{answer.model!r} returned no page: it has no search tool, or found nothing."
            return _skipped(asked, f"The model {name}")
        return WebResults(
            skipped=False, queries=asked, results=_returned(answer, max_results_per_query)
        )


def _returned(answer: Answer[WebPages], most: int) -> list[WebPage]:
    """Only what the search returned, at most so many a query."""
    returned = {source.url for source in answer.sources}
    seen: Counter[str] = Counter()
    pages: list[WebPage] = []
    for page in answer.output.pages:
        if page.url in returned and seen[page.query] < most:
            seen[page.query] += 1
            pages.append(page)
    return pages


def _skipped(queries: list[str], reason: str) -> WebResults:
    return WebResults(skipped=True, skip_reason=reason, queries=queries)
