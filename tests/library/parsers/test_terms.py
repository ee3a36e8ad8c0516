import pytest

from bottega.library.parsers.reader import read_document


@pytest.mark.requirement("LB-120")
@pytest.mark.parametrize(
    ("name", "text", "ref"),
    [
        ("x.md", "# X\n\n## Definitions\n\n1. All:\n(a) **Berth** – a place to lie.\n", "1(a)"),
        ("x.md", "# X\n\n## Definitions\n\n**Berth**: a place to lie.\n", "Definitions ¶1"),
        ("x.md", "# X\n\n## Glossary\n\nBerth means a place to lie.\n", "Glossary ¶1"),
        ("x.md", "# X\n\nIn this standard, “Berth” means a place to lie.\n", "X ¶1"),
        ("x.md", "# X\n\n## Glossary\n\nBerth\n: a place to lie.\n", "Glossary ¶1"),
        ("x.md", "# X\n\n## Glossary\n\n- Berth – a place to lie.\n", "Glossary ¶1"),
        (
            "x.html",
            "<h1>X</h1><h2>Glossary</h2><dl><dt>Berth</dt><dd>a place to lie.</dd></dl>",
            "Glossary ¶1",
        ),
        (
            "x.rst",
            "Glossary\n========\n\n.. glossary::\n\n   Berth\n      a place to lie.\n",
            "Glossary ¶1",
        ),
    ],
)
def test_a_definition_is_found_with_its_paragraph(name: str, text: str, ref: str) -> None:
    """In a section of definitions, by the word "means", in lists of terms."""
    [term] = read_document(text.encode(), name).terms
    assert (term.term, term.definition, term.ref) == ("Berth", "a place to lie.", ref)


@pytest.mark.requirement("LB-120")
def test_the_dfn_tag_defines_wherever_it_stands() -> None:
    """HTML's own mark; the definition is its paragraph."""
    document = read_document(b"<p>We call it a <dfn>berth</dfn> if a boat fits.</p>", "x.html")
    [term] = document.terms
    assert (term.term, term.definition) == ("berth", "We call it a berth if a boat fits.")


@pytest.mark.requirement("LB-120")
def test_what_only_explains_defines_nothing() -> None:
    """ "This means that …", and a dash outside of definitions."""
    text = (
        "# X\n\nThis means that we wait.\n\nRain – it always rains.\n\n## Terms\n\nThis means so.\n"
    )
    assert read_document(text.encode(), "x.md").terms == ()


@pytest.mark.requirement("LB-120")
def test_a_term_keeps_its_first_definition() -> None:
    """Each term once."""
    text = "## Terms\n\nBerth means one.\n\nberth means two.\n"
    [term] = read_document(text.encode(), "x.md").terms
    assert term.definition == "one."
