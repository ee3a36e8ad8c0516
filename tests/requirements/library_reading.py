"""Documents into numbered paragraphs. The library's specification gives no ids: these are ours."""

REQUIREMENTS = {
    # Structure
    "LB-101": "Markdown, plain text, HTML, reStructuredText, PDF and DOCX become one shape of "
    "document.",
    "LB-102": "Explicit numbers make the references, with the document's own number before them.",
    "LB-103": "A letter belongs to the number above it, and a small Roman number to the letter.",
    "LB-104": "Where there are no numbers the path of headings with a count is the reference, and "
    "stays when other sections change.",
    "LB-105": "Repeated references are told apart and reported.",
    "LB-106": "Paragraphs over 1,500 characters are split between sentences, and no word is lost.",
    "LB-107": "Tables become readable text, code stays with its paragraph, footnotes are kept.",
    "LB-108": "Running numbers number paragraphs, the steps of a list stay with their sentence, "
    "and an article counts for itself.",
    "LB-109": "Title, number, kind and language come from the frontmatter or the document itself.",
    "LB-110": "Numbers that only a browser or Word prints are counted as those count.",
    "LB-111": "A heading without a text of its own can be cited.",
    "LB-112": "Of a PDF, places are pages, and running heads are left out.",
    # Terms and cross-references
    "LB-120": "Defined terms are found with their definition and the paragraph that defines them.",
    "LB-121": "Cross-references in a text are found as written and in normal form, with lists and "
    "ranges taken apart.",
    "LB-122": "A citation says whether it stays in the document, leads to another, or to the web.",
    "LB-123": "A link to a heading or an anchor leads to the paragraph there.",
    "LB-124": "References have one normal form, and each knows what contains it.",
    # Bad input
    "LB-130": "Empty, too large and unknown files are refused with file and reason.",
    "LB-131": "Encrypted and image-only PDFs are refused, each with its own reason.",
    "LB-132": "A text is decoded by mark, declaration, UTF-8 or Windows-1252, and guesses are "
    "told.",
    "LB-133": "Zip bombs and XML entities are refused before they unpack.",
    "LB-134": "Malformed HTML is read as far as it goes; damaged files are refused.",
    "LB-135": "Reading runs nothing, includes nothing and fetches nothing.",
    "LB-136": "Whatever the bytes, reading gives a document or says that it is unreadable.",
    "LB-137": "All running text of a plain text or markdown file is in exactly one paragraph, and "
    "every heading stands above one, is one, or is the title.",
    "LB-138": "Reading is deterministic, and fast on one endless line.",
    # A manual that nobody here wrote
    "LB-140": "The sections of Debian's policy manual are cited as people cite them.",
}
