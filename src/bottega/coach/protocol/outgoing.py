"""What the coach sends."""

from typing import ClassVar

from bottega.core.wire import Wired


class Outgoing(Wired):
    #: The message's name on the wire.
    type: ClassVar[str]
