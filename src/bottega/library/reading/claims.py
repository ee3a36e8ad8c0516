"""Every reference once: a second paragraph of the same reference is told apart, and reported."""

from bottega.library.reading.document import Problem

_MOST_TOLD = 50


class Claims:
    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}
        self._told: list[Problem] = []
        self._repeated = 0

    def claim(self, ref: str, start: int) -> str:
        """The reference, or `ref #2` if it is taken."""
        if ref not in self._taken:
            self._taken.add(ref)
            return ref
        own = ref
        while own in self._taken:
            self._counts[ref] = self._counts.get(ref, 1) + 1
            own = f"{ref} #{self._counts[ref]}"
        self._taken.add(own)
        self._repeated += 1
        if len(self._told) < _MOST_TOLD:
            self._told.append(Problem(f"{ref} stands more than once; this one is {own}", start))
        return own

    def problems(self) -> list[Problem]:
        untold = self._repeated - len(self._told)
        more = [Problem(f"{untold:,} more references stand more than once")] if untold else []
        return [*self._told, *more]
