"""Models for tests, shipped with the product: none of them leaves this machine.

`LoopbackApi` speaks the providers' real wire on 127.0.0.1, so that their real SDKs are in the
path; `scripted.ScriptedModel` answers in the process, for tests that care only about the answer.
"""

from bottega.core.llm.testing.replies import Received, Reply, ToolUse
from bottega.core.llm.testing.server import LoopbackApi

__all__ = ["LoopbackApi", "Received", "Reply", "ToolUse"]
