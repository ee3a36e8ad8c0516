"""An answer on a terminal."""

from bottega.research.printing import unfolded


def test_what_a_page_folds_away_has_a_heading_on_a_terminal() -> None:
    text = "<details>\n<summary>Citations used (1)</summary>\n\n- 100.13\n\n</details>\n\nEnd."
    assert unfolded(text) == "### Citations used (1)\n\n- 100.13\n\nEnd."
