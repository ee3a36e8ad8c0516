"""PDF files, opened by pypdf: pure Python, no native code that a file could attack."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bottega.errors import InvalidInput

if TYPE_CHECKING:
    from pypdf import PdfReader


@contextmanager
def open_pdf(data: bytes, name: str) -> Iterator["PdfReader"]:
    """A block in which it is read: what is wrong with the file is `InvalidInput`, whenever met."""
    from pypdf import PasswordType, PdfReader
    from pypdf.errors import PyPdfError

    # It warns of every font that it has to guess at.
    logging.getLogger("pypdf").setLevel(logging.ERROR)
    try:
        reader = PdfReader(io.BytesIO(data))
        # Many are locked with an empty password, only to forbid printing.
        if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
            raise InvalidInput(f"{name} is protected by a password. Save it without one.")
        yield reader
    except (PyPdfError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidInput(f"{name} cannot be read as a PDF: {error}.") from None
