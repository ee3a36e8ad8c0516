"""Models that a provider takes out of service."""

from anthropic.resources.messages import DEPRECATED_MODELS

from bottega.cli.doctor import State, _model
from bottega.core.llm.providers import OFFLINE, ModelName, Provider, retirement_date
from bottega.settings import Settings


def test_a_retired_model_has_its_day_and_others_have_none() -> None:
    old, day = next(iter(DEPRECATED_MODELS.items()))
    assert retirement_date(ModelName(Provider.ANTHROPIC, old)) == day
    assert retirement_date(ModelName(Provider.ANTHROPIC, "claude-of-next-year")) is None
    assert retirement_date(ModelName(Provider.OPENAI, old)) is None
    assert retirement_date(OFFLINE) is None


def test_doctor_names_the_setting_that_replaces_a_retired_model() -> None:
    old, day = next(iter(DEPRECATED_MODELS.items()))
    settings = Settings(
        anthropic_api_key="a-key",
        bottega_model="anthropic",
        bottega_fast_model="anthropic:claude-of-next-year",
        bottega_strong_model=f"anthropic:{old}",
        _env_file=None,
    )
    check = _model(settings)
    assert (check.state, check.next_step) == (
        State.OPTIONAL,
        "set BOTTEGA_STRONG_MODEL to a newer one",
    )
    assert day in check.says
