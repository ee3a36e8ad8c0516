"""When a provider takes a model out of service, as far as its own library knows.

Importing the library takes a second: only `doctor` asks.
"""

from bottega.core.llm.providers import ModelName, Provider


def retires(model: ModelName) -> str | None:
    """The day in words; `None` for a model that is there to stay, or of which nothing is known."""
    if model.provider is not Provider.ANTHROPIC:
        return None
    from anthropic.resources.messages import DEPRECATED_MODELS

    return DEPRECATED_MODELS.get(model.id)
