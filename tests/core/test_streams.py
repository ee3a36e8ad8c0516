"""Streams that rooms send are bounded, and lose nothing of what their source gave."""

from collections.abc import AsyncIterator

import pytest

from bottega.core.doors.streams import Streams, frame
from bottega.errors import Unavailable


async def numbers(count: int) -> AsyncIterator[bytes]:
    for number in range(count):
        yield frame(str(number), id=number)


async def test_all_that_a_source_gave_is_sent_before_the_stream_ends() -> None:
    streams = Streams(limit=1)
    sent = [each async for each in streams.frames(numbers(500))]
    assert sent[1:] == [each async for each in numbers(500)]
    assert len(streams) == 0


async def test_there_are_only_so_many() -> None:
    streams = Streams(limit=1)
    first = streams.frames(numbers(3))
    await anext(first)
    with pytest.raises(Unavailable):
        streams.frames(numbers(3))


def test_a_frame_has_a_name_and_a_place() -> None:
    assert frame("{}", id=7, event="substep") == b"id: 7\nevent: substep\ndata: {}\n\n"
