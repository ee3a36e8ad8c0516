"""What was noticed of a source besides its answers: for those who have to find out what is wrong,
and for the decision whether a call may be made again."""

import asyncio
from dataclasses import dataclass, field

#: Bytes of one message.
MOST_MESSAGE = 4 * 1024 * 1024


@dataclass(slots=True)
class Observed:
    #: The end of what a program wrote to stderr.
    complaints: str = ""
    #: The last line of a program's output that was no message.
    noise: str = ""
    #: It sent a message over the limit.
    flooded: bool = False
    #: An address has forgotten our session: it was restarted, or the session ran out.
    session_lost: bool = False
    #: 401 or 403, the last time: nobody looked at what we asked.
    refused: int | None = None
    #: There will be no more answers, or nobody wants them any more.
    ended: asyncio.Event = field(default_factory=asyncio.Event)
