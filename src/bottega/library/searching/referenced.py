"""References that stand in a query: `paragraph 12(a) of standard 315`, or just `4.9.1`."""

import re
from collections.abc import Collection

from bottega.library.graph.edges import may_be_here
from bottega.library.reading import cited_references, normalise_ref

_BARE = re.compile(r"(?<![\w.])[A-Z]?\d{1,4}(?:\.A?\d{1,3})+(?:\(\w{1,4}\))*(?![\w.]*\w)")


def references_in(query: str, numbers: Collection[str]) -> set[str]:
    """`numbers` are those of the library's documents."""
    cited = cited_references(query, None)
    if any(not may_be_here(each, numbers) for each in cited):
        # "UTF-8" is no paragraph 8.
        return {each.target for each in cited if may_be_here(each, numbers)}
    refs = {normalise_ref(query), *(each.target for each in cited)}
    bare = [each for each in _BARE.findall(query) if _is_no_decimal(each, numbers)]
    # Of `315.12 (a)` it is but the beginning.
    return refs | {each for each in bare if not any(ref.startswith(each) for ref in refs)}


def _is_no_decimal(number: str, numbers: Collection[str]) -> bool:
    """`4.9.1` is none, and `210.7` hardly where a document has the number 210."""
    return number.count(".") > 1 or number.partition(".")[0] in numbers
