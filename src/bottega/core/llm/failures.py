"""What went wrong with a provider, in words that say what to do."""

from pydantic import ValidationError
from pydantic_ai import exceptions as ai
from pydantic_ai.messages import ModelResponse, TextPart

from bottega.core.llm.providers import ModelName, Provider
from bottega.errors import ApiMaxTokensError, ApiRefusalError, ModelError

#: Worth another try later, as it is.
TRANSIENT = (
    ai.ModelRateLimitError,
    ai.ModelUnavailableError,
    ai.ModelServerError,
    ai.ModelConnectionError,
    ai.ModelRequestTimeout,
)

KEY_SETTING = {Provider.ANTHROPIC: "ANTHROPIC_API_KEY", Provider.OPENAI: "OPENAI_API_KEY"}
URL_SETTING = {Provider.ANTHROPIC: "ANTHROPIC_BASE_URL", Provider.OPENAI: "OPENAI_BASE_URL"}
#: Of a provider's own words.
LONGEST_QUOTE = 500


def explain(error: ai.AgentRunError | ai.UserError, model: ModelName) -> ModelError:
    status = error.status_code if isinstance(error, ai.ModelHTTPError) else None
    what = f"{model.provider} answered {status}" if status else f"{model.provider} failed"
    return ModelError(
        f"{what} for {model.id}: {_advice(error, model)}",
        provider=model.provider.value,
        model=model.id,
        provider_status=status,
        retryable=isinstance(error, TRANSIENT),
    )


def refused(reply: ModelResponse, model: ModelName, what: str) -> ApiRefusalError:
    """FR-089: the provider's own words for it, where it has some."""
    text = "".join(part.content for part in reply.parts if isinstance(part, TextPart))
    reason = (reply.provider_details or {}).get("refusal") or text or "no reason given"
    return ApiRefusalError(
        f"{model.id} refused {what}: {reason}",
        provider=model.provider.value,
        model=model.id,
        refusal=reason,
    )


def cut_off(
    reply: ModelResponse, model: ModelName, what: str, max_tokens: int | None
) -> ApiMaxTokensError:
    """FR-090: half an answer is none."""
    most = f" of at most {max_tokens}" if max_tokens is not None else ""
    return ApiMaxTokensError(
        f"{model.id} was cut off in {what} after {reply.usage.output_tokens}{most} tokens. "
        "Ask for less, or raise max_tokens.",
        provider=model.provider.value,
        model=model.id,
        max_tokens=max_tokens,
    )


def broken_off(model: ModelName, what: str) -> ModelError:
    """A stream that ended without saying why: the connection did, not the answer."""
    return ModelError(
        f"The answer of {model.id} to {what} ended before it was finished. Try again.",
        provider=model.provider.value,
        model=model.id,
        retryable=True,
    )


def outside_schema(error: ValidationError, model: ModelName) -> ModelError:
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(step) for step in first["loc"]) or "the answer"
    return ModelError(
        f"{model.id} answered outside the schema of {error.title}: {place}: {first['msg']}. "
        "Ask again, or use a model with structured output.",
        provider=model.provider.value,
        model=model.id,
        retryable=False,
    )


def _advice(error: Exception, model: ModelName) -> str:
    quote = _quote(error)
    match error:
        # Without a quote: some servers repeat the key in it.
        case ai.ModelAuthenticationError():
            return f"the key is refused. Check {KEY_SETTING[model.provider]}."
        case ai.ModelNotFoundError():
            return (
                f"{quote}. Check BOTTEGA_MODEL and {URL_SETTING[model.provider]}; in place of a "
                "model that was retired set BOTTEGA_FAST_MODEL or BOTTEGA_STRONG_MODEL to another."
            )
        case ai.ModelQuotaExceededError():
            return f"{quote}. The account's credit is used up: top it up."
        case ai.ModelRateLimitError():
            return f"{quote}. Too many requests: try again later."
        case ai.ModelContextWindowExceededError():
            return f"{quote}. The prompt is too long for this model: shorten it."
        case ai.ModelTimeoutError() | ai.ModelRequestTimeout():
            return "no answer in time. Try again later."
        case ai.ModelConnectionError():
            setting = URL_SETTING[model.provider]
            return f"it cannot be reached: {quote}. Check the network and {setting}."
        case ai.ModelUnavailableError() | ai.ModelServerError():
            return f"{quote}. The trouble is on their side: try again later."
        case _:
            return quote


def _quote(error: Exception) -> str:
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict) and isinstance(inner.get("message"), str):
            return str(inner["message"])[:LONGEST_QUOTE].rstrip(".")
    return str(error)[:LONGEST_QUOTE].rstrip(".")
