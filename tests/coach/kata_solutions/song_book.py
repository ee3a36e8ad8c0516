from collections.abc import Iterator


class SongBook:
    def __init__(self, songs: list[str]) -> None:
        self._songs = songs.copy()

    def add(self, title: str) -> None:
        self._songs.append(title)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[str]:
        return (title for title in self._songs if not title.startswith("-"))


WRONG = """
class SongBook:
    def __init__(self, songs):
        self.songs, self.place = songs[:], 0

    def add(self, title):
        self.songs.append(title)

    def __len__(self):
        return len([title for title in self.songs if title[0] != "-"])

    def __iter__(self):
        self.place = 0
        return self

    def __next__(self):
        while self.place < len(self.songs):
            self.place += 1
            if self.songs[self.place - 1][0] != "-":
                return self.songs[self.place - 1]
        raise StopIteration
"""

LONG = """
class SongBook:
    def __init__(self, songs):
        self.songs = list(songs)

    def add(self, title):
        self.songs.append(title)

    def __len__(self):
        return len(list(iter(self)))

    def __iter__(self):
        sung = []
        for title in self.songs:
            if not title.startswith("-"):
                sung.append(title)
        return iter(sung)
"""

BREAKS = {"No list handed out": LONG, "Three lines of __iter__": LONG}
