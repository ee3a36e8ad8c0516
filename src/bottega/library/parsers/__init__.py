"""Parsers: the bytes of a file become a document of numbered paragraphs that can be cited.

No database, no network, no execution. `reader.read_document` is the way in: it returns a `Document`
or raises `Unreadable` with the reason.
"""
