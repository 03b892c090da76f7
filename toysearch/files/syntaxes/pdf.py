"""PDF: the title and the text of its pages, as far as the file holds text."""

from __future__ import annotations

import io

from toysearch.base import DataError, encodable
from toysearch.base.optional_packages import present
from toysearch.files.source import AnyPath, Source
from toysearch.files.unpacking import unpacked_name

LIBRARY = "pypdf"
SUFFIX, _BEGINS = ".pdf", b"%PDF-"


def is_one(source: Source) -> bool:
    """True if a file is a PDF, by its first bytes or its name, and can be read."""
    named = unpacked_name(source.path.lower()).endswith(SUFFIX)
    return (named or source.head.startswith(_BEGINS)) and present(LIBRARY)


def pdf_parts(path: AnyPath, data: bytes) -> tuple[str, str]:
    """Return the title in the metadata of a PDF, "" if it has none, and the text of its pages, one after the other."""
    import logging  # most folders hold no PDF

    from pypdf import PasswordType, PdfReader
    from pypdf.errors import DependencyError

    logging.getLogger(LIBRARY).setLevel(logging.CRITICAL)  # what the library mends need not be told
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED:
            raise DataError(f"{path} is encrypted; save a copy without a password")
        title = (reader.metadata.title if reader.metadata else "") or ""
        text = "\n".join(page.extract_text() for page in reader.pages)
    except (DataError, MemoryError):
        raise
    except DependencyError:
        raise DataError(f"{path} is encrypted; save a copy without a password") from None
    except Exception as error:  # the library raises many kinds
        why = " ".join(str(error).split()) or type(error).__name__
        raise DataError(f"{path} cannot be read as a PDF: {why}") from None
    return " ".join(encodable(title)[0].split()), encodable(text)[0].strip()
